"""Joint moves and their images under a symmetry: entries of the table tell those of the image."""

from __future__ import annotations

from ggp.engine.alphabeta.layout import Stack
from ggp.engine.layout import Game
from ggp.native.numba_support import inlined, nopython, signed

__all__ = ["image_of", "source_of"]


@inlined
def image_of(game: Game, stack: Stack, frame: int, number: int, symmetry: int) -> int:
    """Return the number that a joint move of a frame has in the image of the state.

    Symmetry 0 is none, joint move -1 is none.
    """
    if symmetry == 0 or number < 0:
        return number
    return _image_of(game, stack, frame, number, symmetry - 1)


@inlined
def source_of(game: Game, stack: Stack, frame: int, number: int, symmetry: int) -> int:
    """Return the joint move of a frame that has a number in the image of the state."""
    if symmetry == 0 or number < 0:
        return number
    return _source_of(game, stack, frame, number, symmetry - 1)


@nopython
def _image_of(game: Game, stack: Stack, frame: int, number: int, symmetry: int) -> int:
    at, result = stack.frames[frame].lists, signed(0)
    for role in range(game.numbers.roles):
        count, stride = stack.counts[frame, role], stack.strides[frame, role]
        if count > 1:
            result += stride * _place(game, stack, at, count, number // stride % count, symmetry)
        at += count
    return result


@nopython
def _source_of(game: Game, stack: Stack, frame: int, number: int, symmetry: int) -> int:
    at, result = stack.frames[frame].lists, signed(0)
    for role in range(game.numbers.roles):
        count, stride = stack.counts[frame, role], stack.strides[frame, role]
        if count > 1:
            for option in range(count):
                if _place(game, stack, at, count, option, symmetry) == number // stride % count:
                    result += stride * option
        at += count
    return result


@nopython
def _place(game: Game, stack: Stack, at: int, count: int, option: int, symmetry: int) -> int:
    """Return the place of a move's image among the images of legal moves, which begin at `at`."""
    images, arena, place = game.images[symmetry], stack.arena, signed(0)
    image = images[signed(arena[at + option])]
    for other in range(at, at + count):
        place += images[signed(arena[other])] < image
    return place
