"""The symmetries of a game as index tables, by which data for learning multiply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.symmetry import Symmetry

__all__ = ["Symmetries"]


@dataclass(frozen=True, slots=True, eq=False)
class Symmetries:
    """k symmetries of a game; the first one, number 0, changes nothing.

    A symmetry maps each state to one from which the game goes on in the same way, with other facts
    and moves in the place of each: its image. The tables say what stands where in the image, so
    that they are indices of numpy:

    - ``states.observation[:, facts[i]]`` are the observations of the images,
    - ``policy[:, moves[i, role]]`` a policy of that role, or its legal moves, in the images.

    Goals and values stay as they are.
    """

    #: intp[k, facts].
    facts: NDArray[np.intp]
    #: intp[k, roles, actions]; moves that a role does not have stay where they are.
    moves: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.facts)

    @classmethod
    def of(cls, circuit: Circuit, found: Sequence[Symmetry]) -> Symmetries:
        """Make the tables of symmetries that were found."""
        counts = [len(moves) for moves in circuit.moves]
        facts = np.tile(np.arange(len(circuit.facts)), (1 + len(found), 1))
        moves = np.tile(np.arange(max(counts)), (1 + len(found), len(counts), 1))
        for number, symmetry in enumerate(found, 1):
            # what becomes x stands where x stands in the image
            facts[number, list(symmetry.facts)] = np.arange(len(circuit.facts))
            first = 0
            for role, count in enumerate(counts):
                images = np.array(symmetry.moves[first : first + count], np.intp) - first
                moves[number, role, images] = np.arange(count)
                first += count
        return cls(facts, moves)
