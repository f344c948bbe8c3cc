"""Bytes by number, in a file that vanishes when it is closed."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable

from ggp.closing import Closing

__all__ = ["Shelf"]


class Shelf(Closing):
    """Keeps pieces of bytes under numbers, on the disk: in memory is only where they are."""

    def __init__(self) -> None:
        """Begin with nothing. Raises `OSError`."""
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - `close` closes it
        self._places: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        self._end = 0

    @property
    def numbers(self) -> list[int]:
        """The numbers that have pieces, in order."""
        return sorted(self._places)

    def add(self, number: int, piece: bytes) -> None:
        """Add a piece under a number. Raises `OSError` where the disk is full."""
        self._file.seek(self._end)
        self._file.write(piece)
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
