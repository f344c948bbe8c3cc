"""Questions about a game that has no circuit, or one with loops: only plays can answer those."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.gdl.description import RANDOM
from ggp.prove.play.replay import shows
from ggp.prove.question import Answer, Question, Verdict
from ggp.reasoner import JointMove, Reasoner, State

__all__ = ["verdicts_of_plays"]


def verdicts_of_plays(
    description: Description, reasoner: Reasoner, *, deadline: Deadline, seed: int = 0
) -> Iterator[Verdict]:
    """Play at random until the deadline, and yield what that shows; then the open questions.

    Args:
        description: the rules.
        reasoner: plays them.
        deadline: when to stop.
        seed: makes the plays repeatable.
    """
    chance, began = random.Random(seed), time.monotonic()
    asked = list(_questions(description))
    total: str | None = None
    while asked and not deadline.is_over:
        states, moves = [reasoner.initial_state()], list[JointMove]()
        while not deadline.is_over:
            view = reasoner.view(states[-1])
            if view.terminal and total is None and None not in view.goals and len(view.goals) > 1:
                total = str(sum(goal or 0 for goal in view.goals))
                asked.append(Question.about("constant-sum", None, total))
            for question in [q for q in asked if _is_shown(q, reasoner, states)]:
                asked.remove(question)
                verdict: Answer = "proved" if question.name == "winnable" else "refuted"
                seconds = time.monotonic() - began
                yield Verdict(question, verdict, "play", seconds, tuple(moves), reasoner.name)
            if view.terminal or not all(view.legal) or states[-1] in states[:-1]:
                break
            moves.append(tuple(map(chance.choice, view.legal)))
            states.append(reasoner.next_state(states[-1], moves[-1]))
    seconds = time.monotonic() - began
    for question in asked:
        yield Verdict(question, "open", "", seconds)


def _is_shown(question: Question, reasoner: Reasoner, states: list[State]) -> bool:
    return (question.name != "ends" or len(states) > 1) and shows(question, reasoner, states)


def _questions(description: Description) -> Iterator[Question]:
    roles = description.roles
    for name in ("playable", "goals"):
        yield from (Question.about(name, role) for role in roles)
    for role in roles:
        values = description.goal_values[role]
        if role.text.lower() != RANDOM and values:
            yield Question.about("winnable", role, str(values[-1]))
    if len(roles) > 1:
        yield Question.about("turn-taking")
    yield Question.about("ends")
