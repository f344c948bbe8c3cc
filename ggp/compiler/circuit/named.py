"""The atoms that mean something outside the ground program: facts, moves and answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ggp.compiler.circuit.circuit import FALSE, Circuit
from ggp.compiler.grounding.encode import Encoder
from ggp.compiler.grounding.ground_program import GroundProgram
from ggp.kif import Symbol, Term

__all__ = ["NamedAtoms"]

# A longer number is no goal; Python would refuse to read one of thousands of digits.
_MAX_DIGITS = 10


@dataclass(frozen=True, slots=True)
class NamedAtoms:
    """The named atoms of a ground program, in a circuit's order.

    Roles go by their number. An atom is its number in the ground program, 0 if it always holds.
    """

    roles: tuple[Symbol, ...]
    #: What may be true, sorted by printed text, each with its atom.
    facts: tuple[tuple[Term, int], ...]
    #: Role, move, atom: what may be done, by role, then by printed text.
    moves: tuple[tuple[int, Term, int], ...]
    legal: Mapping[tuple[int, Term], int]
    next: Mapping[Term, int]
    initial: Mapping[Term, int]
    #: Role, goal, atom; the goal is -1 where it is no integer.
    goals: tuple[tuple[int, int, int], ...]
    terminal: tuple[int, ...]

    @classmethod
    def read(
        cls, program: GroundProgram, encoder: Encoder, roles: tuple[Symbol, ...]
    ) -> NamedAtoms:
        """Read the names that the grounder printed."""
        found: dict[str, list[tuple[tuple[Term, ...], int]]] = {
            name: [] for name in ("true", "does", "init", "next", "legal", "goal", "terminal")
        }
        decoded = encoder.decode([text for text, _ in program.names])
        for (name, arguments), (_, atom) in zip(decoded, program.names, strict=True):
            found[name].append((arguments, atom))
        number: dict[Term, int] = {role: index for index, role in enumerate(roles)}
        facts = [(fact, atom) for (fact,), atom in found["true"]]
        moves = [(number[role], move, atom) for (role, move), atom in found["does"]]
        return cls(
            roles,
            facts=tuple(sorted(facts, key=lambda entry: str(entry[0]))),
            moves=tuple(sorted(moves, key=lambda entry: (entry[0], str(entry[1])))),
            legal={
                (number[role], move): atom
                for (role, move), atom in found["legal"]
                if role in number
            },
            next={fact: atom for (fact,), atom in found["next"]},
            initial={fact: atom for (fact,), atom in found["init"]},
            goals=tuple(
                sorted(
                    (number[role], _integer(str(goal)), atom)
                    for (role, goal), atom in found["goal"]
                    if role in number
                )
            ),
            terminal=tuple(atom for _, atom in found["terminal"]),
        )

    def without_impossible(self, circuit: Circuit) -> NamedAtoms:
        """Leave out facts that the circuit shows never to come true, and moves never legal."""
        initial = set(circuit.initial.tolist())
        after, legal = circuit.next.tolist(), circuit.legal.tolist()
        return replace(
            self,
            facts=tuple(
                entry
                for index, entry in enumerate(self.facts)
                if after[index] != FALSE or index in initial
            ),
            moves=tuple(entry for index, entry in enumerate(self.moves) if legal[index] != FALSE),
        )

    def only(self, circuit: Circuit) -> NamedAtoms:
        """Leave out the facts and moves that a circuit does not have."""
        facts = set(circuit.facts)
        moves = {(role, move) for role, moves in enumerate(circuit.moves) for move in moves}
        return replace(
            self,
            facts=tuple(entry for entry in self.facts if entry[0] in facts),
            moves=tuple(entry for entry in self.moves if entry[:2] in moves),
        )


def _integer(text: str) -> int:
    is_number = text.isascii() and text.isdecimal() and len(text) < _MAX_DIGITS
    return int(text) if is_number else -1
