"""The ground program: atoms as integers, read from aspif.

Format: Gebser, Kaminski, Kaufmann, Ostrowski, Schaub and Wanko (2016) "Theory solving made easy
with clingo 5", appendix A. Here a line is a rule ``1 0 1 HEAD 0 N LITERAL...``, an external
``5 ATOM VALUE`` or a name ``4 LENGTH TEXT N CONDITION...``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroundProgram", "read_aspif", "read_names"]

_RULE, _NAME, _EXTERNAL, _NEWLINE, _BLANK = b"145\n "


@dataclass(frozen=True, slots=True)
class GroundProgram:
    """Ground rules by their heads: atoms are 1 to `atoms`, literals are atoms or their negatives.

    The rules of atom a are ``bodies[first_rule[a]:first_rule[a + 1]]``.
    """

    atoms: int
    first_rule: list[int]
    bodies: list[list[int]]
    #: The atoms that are given rather than derived: inputs and guards.
    externals: list[int]
    #: The printed atoms with their numbers; 0 stands for an atom that always holds.
    names: list[tuple[str, int]]

    @property
    def named(self) -> frozenset[int]:
        """The atoms that have a name."""
        return frozenset(atom for _, atom in self.names)


def read_aspif(data: bytes) -> GroundProgram:
    """Read what the grounder printed."""
    view = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(view == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))
    kinds = view[starts]
    names = read_names(data)
    tokens, offsets = _integers(view, starts, ends, kinds == _RULE)
    externals, external_offsets = _integers(view, starts, ends, kinds == _EXTERNAL)
    given = externals[external_offsets[:-1] + 1].tolist() if len(externals) else []
    heads = tokens[offsets[:-1] + 3] if len(tokens) else tokens
    order = np.argsort(heads, kind="stable")
    named = max((atom for _, atom in names), default=0)
    literals = int(np.abs(tokens).max()) if len(tokens) else 0
    atoms = max([literals, named, *given])
    first_rule = np.searchsorted(heads[order], np.arange(atoms + 2)).tolist()
    flat = tokens.tolist()
    begin, end = (offsets[:-1] + 6)[order].tolist(), offsets[1:][order].tolist()
    bodies = [flat[low:high] for low, high in zip(begin, end, strict=True)]
    return GroundProgram(atoms, first_rule, bodies, given, names)


def read_names(data: bytes) -> list[tuple[str, int]]:
    """Return the printed atoms of what the grounder printed, with their numbers."""
    return [_name(line.decode()) for line in data.split(b"\n") if line[:1] == b"4"]


def _integers(
    view: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    wanted: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers of the wanted lines, and where each line's begin (and the last end)."""
    keep = np.repeat(wanted, ends + 1 - starts)
    text = view[: len(keep)][keep]
    separators = text[(text == _BLANK) | (text == _NEWLINE)]
    counts = np.flatnonzero(separators == _NEWLINE) + 1
    offsets = np.concatenate(([0], counts)).astype(np.int64)
    return np.fromstring(text.tobytes().decode("ascii"), dtype=np.int64, sep=" "), offsets


def _name(line: str) -> tuple[str, int]:
    _, _, text, conditions = line.split(" ", 3)
    return text, 0 if conditions == "0" else int(conditions.split(" ")[1])
