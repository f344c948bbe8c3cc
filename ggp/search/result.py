"""The result of a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias, TypedDict

from ggp.kif import Symbol, Term
from ggp.printable import table
from ggp.reasoner import JointMove
from ggp.search.leaf_values import Classifier

__all__ = ["Costs", "SearchResult", "ValueVector", "tidy"]

#: One value per role, in role order: goals, or expected goals where chance or an estimate has a
#: part in them. None where the search does not know.
ValueVector: TypeAlias = tuple[float | None, ...]


class Costs(TypedDict):
    """The fields of a `SearchResult` that say what the search cost."""

    expanded: int
    generated: int
    researched: int
    prunes: Mapping[str, int]
    table_size: int
    table_hits: int
    seconds: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The answer of a search, with what it cost."""

    algorithm: str
    #: The classifier that decided: "hull" or "linear" where the table could not.
    classifier: Classifier
    roles: tuple[Symbol, ...]
    #: The number of the role for which the search was made.
    role: int
    #: What the role gets; None if the search was ended before it found anything.
    value: float | None
    #: What every role gets at the end of the variation. Minimax asks for one role's goal only: it
    #: knows the others' where the variation ends in a terminal state.
    goals: ValueVector
    #: The role's move, with the others' moves on the variation; None in a terminal state.
    joint_move: JointMove | None
    #: How the game goes on if all roles play as the search assumes, as far as the search knows.
    variation: tuple[JointMove, ...]
    #: Whether the value is proven: it rests on terminal states only.
    exact: bool
    #: The length of the longest line that was looked at, in joint moves.
    depth: int = 0
    #: States expanded for the first time; without a table, all expansions but those `researched`.
    expanded: int = 0
    #: Children looked at.
    generated: int = 0
    #: States expanded again because what the table held of them was not enough, or in order to see
    #: whether a pruned child is preferred.
    researched: int = 0
    #: How often each rule skipped something.
    prunes: Mapping[str, int] = field(default_factory=dict)
    #: Entries of the transposition table, and how often it answered.
    table_size: int = 0
    table_hits: int = 0
    seconds: float = 0.0
    #: What searched: "reference", or "compiled" for the engine.
    engine: str = "reference"
    #: For a completed search with a depth limit, that limit, in joint moves; else None.
    horizon: int | None = None
    #: How many playouts a tree search has made; None for other searches.
    simulations: int | None = None
    #: Where a limit ended a search to the end of the game, an estimate of how much of it was done,
    #: from 0 to 1; 0 where that is not known.
    progress: float = 0.0

    #: Whether no limit ended a search by depth: it found what it was asked for, proven or not.
    completed: bool = False

    @property
    def move(self) -> Term | None:
        """The role's move; None in a terminal state."""
        return None if self.joint_move is None else self.joint_move[self.role]

    def _repr_html_(self) -> str:
        value = "nothing found" if self.value is None else f"{self.value:g}"
        proven = ", proven" if self.exact else ""
        caption = f"{self.algorithm}: {self.roles[self.role]} gets {value}{proven}; "
        caption += f"{self.expanded:,} states in {self.seconds:.3g} s"
        numbered = ((number, *moves) for number, moves in enumerate(self.variation, 1))
        return table(["", *self.roles], numbered, caption=caption)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values, moves as text."""
        return {
            "algorithm": self.algorithm,
            "classifier": self.classifier,
            "engine": self.engine,
            "roles": list(map(str, self.roles)),
            "goals": list(self.goals),
            "joint_move": None if self.joint_move is None else list(map(str, self.joint_move)),
            "move": None if self.move is None else str(self.move),
            "variation": [list(map(str, joint_move)) for joint_move in self.variation],
            "exact": self.exact,
            "depth": self.depth,
            "expanded": self.expanded,
            "generated": self.generated,
            "researched": self.researched,
            "prunes": dict(self.prunes),
            "table": {"size": self.table_size, "hits": self.table_hits},
            "seconds": round(self.seconds, 3),
            **({} if self.simulations is None else {"simulations": self.simulations}),
        }


def tidy(value: float | None) -> float | None:
    """Return a whole number as an integer: the mean of 0 and 100 is 50, not 50.0."""
    return int(value) if value is not None and value == int(value) else value
