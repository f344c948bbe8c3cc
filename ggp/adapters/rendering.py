"""What environments render: the state as text, or a picture of the boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ggp.adapters.play import Play
from ggp.display import pixels, svg

__all__ = ["FRAMES_PER_SECOND", "Renderer"]

#: Of videos, which are made of pixels.
FRAMES_PER_SECOND = 2


class Renderer:
    """Renders plays in one mode."""

    def __init__(self, mode: str | None, *, modes: Sequence[str]) -> None:
        """Choose the mode: "ansi", "human", "rgb_array", "svg" or None.

        Raises:
            ValueError: the mode is none of `modes`.
        """
        if mode is not None and mode not in modes:
            raise ValueError(f"render_mode is one of {', '.join(modes)}, or None, not {mode}")
        self.mode = mode
        self._size: tuple[int, int] | None = None

    def render(self, play: Play) -> str | NDArray[np.uint8] | None:
        """Return the board as text (`ansi`), a picture (`svg`) or its pixels (`rgb_array`).

        `human` prints the text. What the board does not show stands below it as facts.
        Pixels are uint8[height, width, 3], and all of them have the size
        of the first, since videos need frames of one size.

        Raises:
            GgpError: the extra `ggp[render]` is not installed, which pixels need.
        """
        if self.mode == "svg":
            return svg(play.state)
        if self.mode == "rgb_array":
            frame = pixels(svg(play.state), size=self._size)
            self._size = frame.shape[:2]
            return frame
        if self.mode == "human":
            print(play)
        return str(play) if self.mode == "ansi" else None
