"""Derives the joint move of the last turn from a message, as far as it is known.

A message of GDL-I contains it. A message of GDL-II contains percepts, while a player that must know
the state needs the whole joint move. It is known if

- the game has one role only;
- the rules announce every move, as the rule does by which Dresden's GameController turns GDL-I
  into GDL-II: ``(<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m))``;
- the manager sends the joint move nevertheless: the role's last move stands in the role's place.

In all other games a player keeps the set of possible states, see `ggp.match.possible_states`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ggp.kif import Compound, Symbol, Term, parse_term
from ggp.match import game_spelling
from ggp.server.messages import Moves, Rules

__all__ = ["joint_move", "role_named", "same"]


def joint_move(
    moves: Moves, *, rules: Rules, role: str, answer: Term | None
) -> tuple[Term, ...] | None:
    """Return one move for each role, in role order; None if the joint move is not known.

    Args:
        moves: what the message tells.
        rules: the rules of the match.
        role: the role that this server plays.
        answer: the last answer of the role; None if there is none.
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


def role_named(name: str, rules: Rules) -> str | None:
    """Return the role of this name, in any case unless capitals tell two roles apart."""
    role = game_spelling(Symbol(name), [Symbol(role) for role in rules.roles])
    return None if role is None else str(role)


def same(one: Term, other: Term | None) -> bool:
    """Return whether two moves are equal except for upper and lower case."""
    return other is not None and str(one).lower() == str(other).lower()


def _announced(percepts: Sequence[Term], rules: Rules) -> tuple[Term, ...] | None:
    """Return the joint move that percepts such as ``(did white (mark 1 1))`` tell."""
    names = {name for name in map(_announcer, rules.sees) if name}
    told: dict[str, Term] = {}
    for percept in percepts:
        match percept:
            case Compound(items=(Symbol(text=name), Symbol(text=seen), move)):
                role = role_named(seen, rules)
                if name.lower() in names and role is not None:
                    told[role] = move
    if any(role not in told for role in rules.roles):
        return None
    return tuple(told[role] for role in rules.roles)


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
