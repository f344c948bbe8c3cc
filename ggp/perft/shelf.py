"""Bytes by number, in a file that vanishes when it is closed."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable

from ggp.closing import Closing
from ggp.files import naming

__all__ = ["Shelf"]


class Shelf(Closing):
    """Keeps pieces of bytes under numbers, on the disk: in memory is only where they are."""

    def __init__(self) -> None:
        """Begin with nothing. Raises `OSError`."""
        # Without a buffer, that the disk is full is known where it happens.
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - `close` closes it
        self._places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._end = 0

    @property
    def numbers(self) -> list[int]:
        """The numbers that have pieces, in order."""
        return sorted(self._places)

    def add(self, number: int, piece: bytes) -> None:
        """Add a piece under a number. Raises `OSError`, which names the folder, if it is full."""
        self._file.seek(self._end)
        with naming(tempfile.gettempdir()):
            left = piece
            while left:
                left = left[self._file.write(left) :]
        self._places[number].append((self._end, len(piece)))
        self._end += len(piece)

    def pieces(self, numbers: Iterable[int]) -> list[bytes]:
        """Return all pieces under some numbers."""
        found = []
        for number in numbers:
            for start, length in self._places.get(number, ()):
                self._file.seek(start)
                found.append(self._file.read(length))
        return found

    def close(self) -> None:
        """Forget all pieces. May be called again."""
        self._places.clear()
        self._file.close()
