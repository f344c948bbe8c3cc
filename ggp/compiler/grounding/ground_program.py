"""The ground program: atoms as integers, read from aspif."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.grounding.aspif import scan

__all__ = ["GroundProgram", "read_aspif"]


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
    first_rule: NDArray[np.int32]
    first_literal: NDArray[np.int32]
    literals: NDArray[np.int32]

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
    lines = scan(data)
    names = [_name(data[at : data.index(b"\n", at)].decode()) for at in lines.names.tolist()]
    atoms = max([lines.atoms, *(atom for _, atom in names)])
    order = np.argsort(lines.heads, kind="stable")
    lengths = lines.lengths[order]
    first_literal = np.concatenate(([0], np.cumsum(lengths)))
    begin = (np.cumsum(lines.lengths) - lines.lengths)[order]
    places = np.repeat(begin - first_literal[:-1], lengths) + np.arange(first_literal[-1])
    first_rule = np.searchsorted(lines.heads[order], np.arange(atoms + 2))
    return GroundProgram(
        atoms,
        lines.externals.tolist(),
        names,
        first_rule.astype(np.int32),
        first_literal.astype(np.int32),
        lines.literals[places],
    )


def _name(line: str) -> tuple[str, int]:
    _, _, text, conditions = line.split(" ", 3)
    return text, 0 if conditions == "0" else int(conditions.split(" ")[1])
