"""Plays a witness with the Prolog reasoner, which knows nothing of circuits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from ggp.errors import IllegalMove
from ggp.gdl import arguments_of, relation_of
from ggp.kif import Term
from ggp.prove.question import Question
from ggp.reasoner import JointMove, Reasoner, State, View

__all__ = ["doubled", "emptied", "replay", "shows"]


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
    subject = question.subject or ""
    match question.name:
        case "begins":
            is_shown = view.terminal and len(states) == 1
        case "turn-taking":
            is_shown = not view.terminal and sum(len(moves) > 1 for moves in view.legal) > 1
        case "constant-sum":
            goals = [goal for goal in view.goals if goal is not None]
            is_whole = view.terminal and len(goals) == len(view.goals)
            is_shown = is_whole and str(sum(goals)) != subject
        case "one-content":
            is_shown = not view.terminal and bool(doubled(subject, reasoner.facts(states[-1])))
        case "keeps-content":
            first, last = reasoner.facts(states[0]), reasoner.facts(states[-1])
            is_seen = question.expected or not view.terminal
            is_shown = is_seen and bool(emptied(subject, first, last))
        case "ends":
            is_shown = not view.terminal and states[-1] in states[:-1]
        case _:  # never
            is_shown = view.terminal
    return is_shown


def _shows_of_role(
    question: Question, reasoner: Reasoner, states: Sequence[State], view: View
) -> bool:
    assert question.role is not None
    role = reasoner.roles.index(question.role)
    match question.name:
        case "playable":
            return not view.terminal and not view.legal[role]
        case "goals":
            goal = view.goals[role]
            return view.terminal and (goal is None or goal > 100)
        case "winnable":
            return view.terminal and str(view.goals[role]) == question.subject
    before, after = reasoner.goals(states[-2])[role], view.goals[role]  # monotone
    return before is not None and after is not None and after < before


def doubled(pattern: str, facts: Sequence[Term]) -> list[Term]:
    """Return facts that differ only in the place that a pattern marks by `*`; none if all differ.

    >>> from ggp.kif import parse
    >>> [str(fact) for fact in doubled("(cell ? *)", parse("(cell 1 x) (cell 2 x) (cell 1 o)"))]
    ['(cell 1 x)', '(cell 1 o)']
    """
    return next((group for group in _by_place(pattern, facts).values() if len(group) > 1), [])


def emptied(pattern: str, before: Iterable[Term], after: Iterable[Term]) -> list[Term]:
    """Return the facts of places, marked by `*`, that have a content before, and none after.

    >>> from ggp.kif import parse
    >>> [str(f) for f in emptied("(cell ? *)", parse("(cell 1 x) (cell 2 x)"), parse("(cell 1 o)"))]
    ['(cell 2 x)']
    """
    kept = _by_place(pattern, after)
    return [
        fact
        for place, facts in _by_place(pattern, before).items()
        if place not in kept
        for fact in facts
    ]


def _by_place(pattern: str, facts: Iterable[Term]) -> dict[tuple[Term, ...], list[Term]]:
    """Return the facts of a pattern, by all of their arguments but the one that `*` marks."""
    name, *places = pattern.strip("()").split(" ")
    content = places.index("*")
    by_place: defaultdict[tuple[Term, ...], list[Term]] = defaultdict(list)
    for fact in facts:
        if relation_of(fact) == (name, len(places)):
            arguments = arguments_of(fact)
            by_place[*arguments[:content], *arguments[content + 1 :]].append(fact)
    return by_place
