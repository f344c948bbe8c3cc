"""The ground program: atoms as integers, read from aspif.

Format: Gebser, Kaminski, Kaufmann, Ostrowski, Schaub and Wanko (2016) "Theory solving made easy
with clingo 5", appendix A. Here a line is a rule ``1 0 1 HEAD 0 N LITERAL...``, an external
``5 ATOM VALUE`` or a name ``4 LENGTH TEXT N CONDITION...``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["GroundProgram", "read_aspif", "read_names"]

_RULE, _NAME, _EXTERNAL, _NEWLINE, _BLANK = b"145\n "


@dataclass(frozen=True, slots=True)
class GroundProgram:
    """Ground rules by their heads.

    Atoms are numbers from 1 to `atoms`, literals are atoms or their negatives. The rules of atom a
    are those from first_rule[a] up to first_rule[a + 1], and the body of rule r is the literals
    from first_literal[r] up to first_literal[r + 1].
    """

    atoms: int
    #: The atoms that are given rather than derived: inputs and guards.
    externals: list[int]
    #: The printed atoms with their numbers; 0 stands for an atom that always holds.
    names: list[tuple[str, int]]
    first_rule: memoryview
    first_literal: memoryview
    literals: memoryview

    @property
    def rules(self) -> int:
        """The number of rules."""
        return len(self.first_literal) - 1

    @property
    def named(self) -> frozenset[int]:
        """The atoms that have a name."""
        return frozenset(atom for _, atom in self.names)

    def below(self, atom: int) -> list[int]:
        """Return the literals of all bodies of an atom's rules."""
        first, last = self.first_rule[atom], self.first_rule[atom + 1]
        literals: list[int] = self.literals[
            self.first_literal[first] : self.first_literal[last]
        ].tolist()
        return literals

    def bodies(self, atom: int) -> list[list[int]]:
        """Return the bodies of an atom's rules."""
        first, last = self.first_rule[atom], self.first_rule[atom + 1]
        starts = self.first_literal[first : last + 1].tolist()
        begin = starts[0]
        literals = self.literals[begin : starts[-1]].tolist()
        return [literals[low - begin : high - begin] for low, high in pairwise(starts)]


def read_aspif(data: bytes) -> GroundProgram:
    """Read what the grounder printed."""
    view = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero(view == _NEWLINE)
    starts = np.concatenate(([0], ends[:-1] + 1))
    kinds = view[starts]
    names = read_names(data)
    externals, external_offsets = _integers(view, starts, ends, kinds == _EXTERNAL)
    given = externals[external_offsets[:-1] + 1].tolist()
    tokens, offsets = _integers(view, starts, ends, kinds == _RULE)
    heads = tokens[offsets[:-1] + 3]
    order = np.argsort(heads, kind="stable")
    begin, lengths = offsets[:-1][order] + 6, (np.diff(offsets) - 6)[order]
    first_literal = np.concatenate(([0], np.cumsum(lengths)))
    places = np.repeat(begin - first_literal[:-1], lengths) + np.arange(first_literal[-1])
    literals = tokens[places]
    atoms = max(
        [
            int(np.abs(literals).max(initial=0)),
            int(heads.max(initial=0)),
            *(atom for _, atom in names),
            *given,
        ],
        default=0,
    )
    first_rule = np.searchsorted(heads[order], np.arange(atoms + 2))
    return GroundProgram(
        atoms,
        given,
        names,
        *(
            memoryview(array.astype(np.int32).data)
            for array in (first_rule, first_literal, literals)
        ),
    )


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
