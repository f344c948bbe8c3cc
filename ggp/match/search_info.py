"""What a player thinks of a state while it searches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ggp.reasoner import JointMove

__all__ = ["SearchInfo"]

#: The limit on the joint moves of a variation in JSON.
_MAX_VARIATION = 12


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """What a player thinks of the state in which it is to move."""

    #: The goal that the player expects; None if it does not say.
    value: float | None
    #: How the player expects the game to go on.
    variation: tuple[JointMove, ...] = ()
    #: Whether the value is proven.
    is_proven: bool = False
    #: How many joint moves the player looks ahead.
    depth: int = 0
    #: States that the player has searched in this turn.
    nodes: int = 0
    #: Seconds since the search began.
    seconds: float = 0.0
    #: The classifier that prunes; None for none.
    classifier: str | None = None
    #: How much of the leaf-value table the search knows: "complete", "incomplete", or "level 1"
    #: (each role by itself); None for a player without one.
    leaf_values: str | None = None
    #: How often each rule has pruned.
    prunes: Mapping[str, int] = field(default_factory=dict)
    #: The kind of reasoner that answers: "prolog" or "compiled"; "" if the player does not say.
    reasoner: str = ""
    #: Random playouts; None for a player that makes none.
    simulations: int | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the information as JSON values; the variation is cut after 12 joint moves."""
        fields: dict[str, Any] = {
            "value": self.value,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
            "proven": self.is_proven,
            "classifier": self.classifier,
            "leafValues": self.leaf_values,
            "prunes": dict(self.prunes),
            "reasoner": self.reasoner,
        }
        if self.simulations is not None:
            fields["simulations"] = self.simulations
        if self.variation:
            expected = self.variation[:_MAX_VARIATION]
            fields["variation"] = [list(map(str, joint_move)) for joint_move in expected]
        return fields
