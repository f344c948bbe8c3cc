"""Pictures as pixels. Needs the extra `ggp[render]`."""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from ggp.errors import GgpError

__all__ = ["pixels"]


def pixels(svg: str, *, size: tuple[int, int] | None = None) -> NDArray[np.uint8]:
    """Return an SVG element as pixels on white, uint8[height, width, 3].

    Args:
        svg: the picture.
        size: height and width of the array; a picture that is larger is made smaller. By default,
            the size is that of the picture.

    Raises:
        GgpError: the extra is not installed.
    """
    try:
        import resvg_py
        from PIL import Image
    except ImportError:
        raise GgpError("pixels need resvg-py and Pillow: pip install 'ggp[render]'") from None
    png = resvg_py.svg_to_bytes(svg_string=svg, background="white")
    with Image.open(io.BytesIO(png)) as image:
        picture = image.convert("RGB")
    if size is None:
        return np.array(picture)
    height, width = size
    picture.thumbnail((width, height))
    sheet = Image.new("RGB", (width, height), "white")
    sheet.paste(picture)
    return np.array(sheet)
