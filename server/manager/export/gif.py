"""The states of a match as a moving picture. It needs Pillow, the extra ``[gif]``."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING

from ggp.errors import GgpError
from ggp.server.manager.export.palette import colour
from ggp.server.manager.export.picture import Circle, Line, Picture, Polygon, Shape

if TYPE_CHECKING:
    from PIL import ImageDraw, ImageFont

__all__ = ["to_gif"]

#: The limit on the width and the height in pixels, and pixels for the width of a cell.
_MAX_SIZE, _CELL = 640, 56
#: Milliseconds for a state, and for the last one.
_STEP, _END = 800, 3000


def to_gif(pictures: Sequence[Picture]) -> bytes:
    """Return a GIF file with a frame for each picture.

    Raises:
        GgpError: Pillow is not installed.
    """
    try:
        from PIL import Image, ImageDraw
    except ImportError:
        raise GgpError("a GIF needs Pillow: pip install 'ggp[gif]'") from None
    width = max(picture.width for picture in pictures)
    height = max(picture.height for picture in pictures)
    scale = min(_CELL, _MAX_SIZE / max(width, height))
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    frames = []
    for picture in pictures:
        image = Image.new("RGB", size, colour("page"))
        pencil = ImageDraw.Draw(image)
        for shape in picture.shapes:
            _draw(pencil, shape, scale)
        frames.append(image.convert("P", palette=Image.Palette.ADAPTIVE, colors=64))
    file = BytesIO()
    frames[0].save(
        file,
        "GIF",
        save_all=True,
        append_images=frames[1:],
        duration=[*[_STEP] * (len(frames) - 1), _END],
        loop=0,
    )
    return file.getvalue()


def _draw(pencil: ImageDraw.ImageDraw, shape: Shape, scale: float) -> None:
    match shape:
        case Polygon():
            points = [(x * scale, y * scale) for x, y in shape.points]
            pencil.polygon(points, fill=shape.fill, outline=shape.edge)
        case Circle():
            x, y, radius = shape.x * scale, shape.y * scale, shape.radius * scale
            box = (x - radius, y - radius, x + radius, y + radius)
            pencil.ellipse(box, fill=shape.fill, outline=shape.edge)
        case Line():
            ends = [(x * scale, y * scale) for x, y in (shape.start, shape.end)]
            pencil.line(ends, fill=shape.edge, width=max(1, round(0.03 * scale)))
        case _:
            place = (shape.x * scale, shape.y * scale)
            anchor = "lm" if shape.is_left else "mm"
            font = _font(max(6, round(shape.size * scale)))
            pencil.text(place, shape.text, fill=shape.fill, font=font, anchor=anchor)


def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return a font with the signs of chess if there is one."""
    from PIL import ImageFont

    try:
        return ImageFont.truetype("DejaVuSans.ttf", size)
    except OSError:
        return ImageFont.load_default(size)
