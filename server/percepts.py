"""What the joint move of the last turn was, as far as a message lets a player know.

GDL-I tells it outright. GDL-II tells percepts, and a player that must know the state needs the
whole joint move. It is known where

- the game has one role, whose own move it is;
- the rules announce every move, as the rule does by which Dresden's GameController turns GDL-I
  into GDL-II: ``(<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m))``;
- the manager sends the joint move all the same, which shows by one's own move in its place.

In all other games a player has to keep the set of the states that are possible: see
`ggp.match.possible_states`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ggp.kif import Compound, Symbol, Term, parse_term
from ggp.server.messages import Moves, Rules

__all__ = ["joint_move", "same"]


def joint_move(
    moves: Moves, *, rules: Rules, role: str, answer: Term | None
) -> tuple[Term, ...] | None:
    """Return one move per role, in role order; None where the message does not let it be known.

    `answer` is what the role itself played last, as far as it knows.
    """
    if moves.seen is None and moves.last_move is None:
        return None
    seen = moves.seen or ()
    if moves.turn is None and not rules.sees:
        return seen if len(seen) == len(rules.roles) else None
    own = moves.last_move or answer
    if len(rules.roles) == 1 and own is not None:
        return (own,)
    announced = _announced(seen, rules)
    if announced is not None:
        return announced
    if len(seen) == len(rules.roles) and same(seen[rules.roles.index(role)], own):
        return seen
    return None


def same(one: Term, other: Term | None) -> bool:
    """Whether two moves differ in nothing but capitals."""
    return other is not None and str(one).lower() == str(other).lower()


def _announced(percepts: Sequence[Term], rules: Rules) -> tuple[Term, ...] | None:
    """Read the joint move from percepts such as ``(did white (mark 1 1))``."""
    names = {name for name in map(_announcer, rules.sees) if name}
    told: dict[str, Term] = {}
    for percept in percepts:
        match percept:
            case Compound(items=(Symbol(text=name), Symbol(text=role), move)):
                if name.lower() in names:
                    told[role.lower()] = move
    if any(role.lower() not in told for role in rules.roles):
        return None
    return tuple(told[role.lower()] for role in rules.roles)


def _announcer(rule: str) -> str | None:
    """Return ``did`` where the rule tells every role every move as ``(did role move)``."""
    match parse_term(rule.lower()):
        case Compound(items=(_, Compound(items=(_, Symbol() as seer, told)), *body)):
            pass
        case _:
            return None
    match told:
        case Compound(items=(Symbol(text=name), Symbol() as role, Symbol() as move)):
            conditions = {str(condition) for condition in body}
        case _:
            return None
    needed = {f"(role {seer})", f"(does {role} {move})"}
    are_free = len({v.text for v in (seer, role, move) if v.is_variable}) == 3
    return name if are_free and needed <= conditions <= needed | {f"(role {role})"} else None
