"""Reads aspif, clingo's format of integers, in compiled code.

Format: Gebser, Kaminski, Kaufmann, Ostrowski, Schaub and Wanko (2016) "Theory solving made easy
with clingo 5", appendix A. Here a line is a rule ``1 0 1 HEAD 0 N LITERAL...``, an external
``5 ATOM VALUE`` or a name ``4 LENGTH TEXT N CONDITION...``. Other lines are skipped.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.native.numba_support import nopython, signed

__all__ = ["Lines", "scan"]

_BLANK, _NEWLINE, _MINUS, _ZERO = b" \n-0"
_RULE, _NAME, _EXTERNAL = b"145"
#: What stands before the head of a rule or the atom of an external; and before N.
_RULE_HEAD, _EXTERNAL_HEAD, _BODY = len("1 0 1 "), len("5 "), len(" 0 ")


class Lines(NamedTuple):
    """The lines of each kind, in the order in which they are printed."""

    #: int32[rules]: the head of each rule, and the number of its literals.
    heads: NDArray[np.int32]
    lengths: NDArray[np.int32]
    #: int32[literals]: the literals of all rules.
    literals: NDArray[np.int32]
    #: int32[externals]
    externals: NDArray[np.int32]
    #: int64[names]: where the line of each name begins.
    names: NDArray[np.int64]
    #: The highest number of an atom; names are not looked at.
    atoms: int


def scan(data: bytes) -> Lines:
    """Return what the lines of a text say; each ends with a line feed."""
    text = np.frombuffer(data, np.uint8)
    sizes = np.zeros(5, np.int64)
    nothing, nowhere = np.empty(0, np.int32), np.empty(0, np.int64)
    _scan(text, nothing, nothing, nothing, nothing, nowhere, sizes)
    rules, literals, externals, names, atoms = sizes.tolist()
    lines = Lines(
        np.empty(rules, np.int32),
        np.empty(rules, np.int32),
        np.empty(literals, np.int32),
        np.empty(externals, np.int32),
        np.empty(names, np.int64),
        atoms,
    )
    _scan(text, *lines[:-1], np.zeros(5, np.int64))
    return lines


@nopython
def _scan(
    text: NDArray[np.uint8],
    heads: NDArray[np.int32],
    lengths: NDArray[np.int32],
    literals: NDArray[np.int32],
    externals: NDArray[np.int32],
    names: NDArray[np.int64],
    sizes: NDArray[np.int64],
) -> None:
    """Fill in the arrays, unless they are too short, and count what stands in each."""
    rules = terms = given = named = atoms = 0
    at, end = 0, len(text)
    while at < end:
        # kinds of two digits are skipped
        kind = text[at] if at + 1 < end and text[at + 1] == _BLANK else _NEWLINE
        if kind == _RULE:
            head, at = _number(text, at + _RULE_HEAD)
            length, at = _number(text, at + _BODY)
            if rules < len(heads):
                heads[rules] = head
                lengths[rules] = length
            rules += 1
            atoms = max(atoms, head)
            for _ in range(length):
                literal, at = _number(text, at + 1)
                atoms = max(atoms, abs(literal))
                if terms < len(literals):
                    literals[terms] = literal
                terms += 1
        elif kind == _EXTERNAL:
            atom, at = _number(text, at + _EXTERNAL_HEAD)
            if given < len(externals):
                externals[given] = atom
            given += 1
            atoms = max(atoms, atom)
        elif kind == _NAME:
            if named < len(names):
                names[named] = at
            named += 1
        while text[at] != _NEWLINE:
            at += 1
        at += 1
    sizes[0], sizes[1], sizes[2], sizes[3], sizes[4] = rules, terms, given, named, atoms


@nopython
def _number(text: NDArray[np.uint8], at: int) -> tuple[int, int]:
    """Return the number that begins at a place, and where it ends."""
    negative = text[at] == _MINUS
    if negative:
        at += 1
    number = 0
    while text[at] >= _ZERO:
        number = 10 * number + signed(text[at]) - _ZERO
        at += 1
    return (-number if negative else number), at
