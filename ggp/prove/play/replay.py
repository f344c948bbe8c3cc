"""Plays a witness with the Prolog reasoner, which knows nothing of circuits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ggp.errors import IllegalMove
from ggp.kif import Compound, Term
from ggp.prove.question import Question
from ggp.reasoner import JointMove, Reasoner, State, View

__all__ = ["replay", "shows"]


def replay(reasoner: Reasoner, joint_moves: Sequence[JointMove]) -> list[State] | None:
    """Return the states of a play, the initial one first; None if some move is not legal."""
    states = [reasoner.initial_state()]
    for joint_move in joint_moves:
        if reasoner.is_terminal(states[-1]):
            return None
        try:
            reasoner.check_legal(states[-1], joint_move)
        except IllegalMove:
            return None
        states.append(reasoner.next_state(states[-1], joint_move))
    return states


def shows(question: Question, reasoner: Reasoner, states: Sequence[State]) -> bool:
    """Return whether a play answers a question: it refutes a claim, or shows that a role can win.

    For a condition, the reasoner's game is that of `ggp.prove.conditions.with_end`.
    """
    view = reasoner.view(states[-1])
    if question.role is not None:
        return _shows_of_role(question, reasoner, states, view)
    match question.name:
        case "turn-taking":
            return not view.terminal and sum(len(moves) > 1 for moves in view.legal) > 1
        case "constant-sum":
            goals = [goal for goal in view.goals if goal is not None]
            is_whole = view.terminal and len(goals) == len(view.goals)
            return is_whole and str(sum(goals)) != question.subject
        case "one-content":
            facts = reasoner.facts(states[-1])
            return not view.terminal and _has_two(question.subject or "", facts)
        case "ends":
            return not view.terminal and states[-1] in states[:-1]
    return view.terminal  # never


def _shows_of_role(
    question: Question, reasoner: Reasoner, states: Sequence[State], view: View
) -> bool:
    assert question.role is not None
    role = reasoner.roles.index(question.role)
    match question.name:
        case "playable":
            return not view.terminal and not view.legal[role]
        case "goals":
            return view.terminal and view.goals[role] is None
        case "winnable":
            return view.terminal and str(view.goals[role]) == question.subject
    before, after = reasoner.goals(states[-2])[role], view.goals[role]  # monotone
    return before is not None and after is not None and after < before


def _has_two(pattern: str, facts: Sequence[Term]) -> bool:
    """Return whether two facts differ only in the place that a pattern marks by `*`."""
    name, *places = pattern.strip("()").split(" ")
    varying = places.index("*")
    rests = Counter(
        tuple(term for place, term in enumerate(fact.arguments) if place != varying)
        for fact in facts
        if isinstance(fact, Compound) and fact.name == name and len(fact.arguments) == len(places)
    )
    return any(times > 1 for times in rests.values())
