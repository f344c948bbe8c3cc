"""Which rules probably have a condition too many, where a play refutes a claim.

The play is made again with one condition left out, of each rule in turn. The rule is a suspect if
the fault does not show then, nor in a few random plays.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ggp.deadline import Deadline
from ggp.errors import GameError
from ggp.gdl import Description, Literal, Rule
from ggp.kif import Compound, Symbol, Term, compound, variables
from ggp.prove.play.replay import doubled
from ggp.prove.question import Question
from ggp.reasoner import JointMove, Reasoner, State, View, open_reasoner

__all__ = ["bound_literals", "too_strict"]

# The most conditions that are left out in turn; the random plays without each, and their steps.
_MOST, _PLAYS, _STEPS = 2_000, 4, 80
# The function of the fact that a condition is left out, which stays true.
_WITHOUT = "ggp.prove.without"


def too_strict(
    description: Description,
    question: Question,
    play: Sequence[JointMove],
    *,
    deadline: Deadline,
) -> list[Rule]:
    """Return the rules that probably have a condition too many, the likeliest first.

    The likeliest is the one whose condition makes no difference until shortly before the fault.

    Args:
        description: the rules.
        question: a claim that was refuted.
        play: the joint moves of a play that refutes it.
        deadline: conditions that are not tried until then are kept.

    Raises:
        ReasonerError: Prolog failed.
    """
    cut = [
        (rule, place)
        for rule in description.rules
        if rule.relation in description.dynamic
        for place in range(len(rule.body))
        if _binds_its_head(rule, without=place)
    ][:_MOST]
    with open_reasoner(_with_shorter_rules(description, cut), kind="prolog") as reasoner:
        initial = reasoner.initial_state()
        plain = _Variant(reasoner, question, initial)
        steps = list(plain.replayed(play))
        ranked = []
        for number in range(len(cut)):
            if deadline.is_over:
                break
            state = reasoner.state_of([*reasoner.facts(initial), _without(number)])
            variant = _Variant(reasoner, question, state)
            try:
                first = variant.first_difference(steps, play)
                if first is not None and not variant.is_faulty():
                    ranked.append((-first, number))
            except GameError:
                continue  # without the condition it is no game
    return [cut[number][0] for _, number in sorted(ranked)]


@dataclass(frozen=True, slots=True)
class _Step:
    """A state of a play."""

    facts: frozenset[Term]
    view: View
    #: Whether the fault shows in it.
    is_faulty: bool


class _Variant:
    """A game in which one rule may have a condition less."""

    def __init__(self, reasoner: Reasoner, question: Question, initial: State) -> None:
        self._reasoner, self._question, self._initial = reasoner, question, initial

    def first_difference(self, steps: Sequence[_Step], play: Sequence[JointMove]) -> int | None:
        """Return the first step at which a play differs; None at none, or if the fault shows."""
        first, number = None, -1
        for number, step in enumerate(self.replayed(play)):
            if step.is_faulty:
                return None
            if first is None and step != steps[number]:
                first = number
        return first if first is not None or number == len(steps) - 1 else number + 1

    def replayed(self, play: Sequence[JointMove]) -> Iterator[_Step]:
        """Yield the states of a play, up to one that is terminal or in which a move is illegal."""
        seen = set[frozenset[Term]]()
        state = self._initial
        for joint_move in (*play, None):
            view = self._reasoner.view(state)
            facts = frozenset(fact for fact in self._reasoner.facts(state) if not _is_cut(fact))
            loops = self._question.name == "ends" and facts in seen
            seen.add(facts)
            yield _Step(facts, view, loops or self._shows(state, view))
            if view.terminal or joint_move is None:
                return
            if any(move not in moves for move, moves in zip(joint_move, view.legal, strict=True)):
                return
            state = self._reasoner.next_state(state, joint_move)

    def is_faulty(self) -> bool:
        """Return whether random plays show a fault, or the game is over before it begins."""
        if self._reasoner.is_terminal(self._initial):
            return True
        chance = random.Random(0)
        return any(self._is_faulty_at_random(chance) for _ in range(_PLAYS))

    def _is_faulty_at_random(self, chance: random.Random) -> bool:
        seen = set[State]()
        state = self._initial
        for _ in range(_STEPS):
            view = self._reasoner.view(state)
            if state in seen or self._shows(state, view):
                return True
            if view.terminal:
                break
            seen.add(state)
            state = self._reasoner.next_state(state, [chance.choice(m) for m in view.legal])
        return False

    def _shows(self, state: State, view: View) -> bool:
        """Return whether a state shows some fault, apart from loops."""
        if view.terminal:
            return None in view.goals
        if not all(view.legal):
            return True
        asked = self._question
        facts = self._reasoner.facts(state) if asked.name == "one-content" else ()
        return bool(facts) and bool(doubled(asked.subject or "", facts))


def _with_shorter_rules(description: Description, cut: Sequence[tuple[Rule, int]]) -> Description:
    """Return the rules and, where a fact of the state asks for it, one with a condition less."""
    kept = Literal(compound("true", _without("?number")), True)
    added = [Rule(compound("next", _without("?number")), (kept,))]
    for number, (rule, place) in enumerate(cut):
        rest = (literal for other, literal in enumerate(rule.body) if other != place)
        guard = Literal(compound("true", _without(number)), True)
        added.append(replace(rule, body=(guard, *bound_literals(rest))))
    return replace(description, rules=(*description.rules, *added))


def _without(number: int | str) -> Term:
    return compound(_WITHOUT, Symbol(str(number)))


def _is_cut(fact: Term) -> bool:
    return isinstance(fact, Compound) and fact.name == _WITHOUT


def _binds_its_head(rule: Rule, *, without: int) -> bool:
    """Return whether a rule without one condition binds all variables of its head."""
    rest = (literal for place, literal in enumerate(rule.body) if place != without)
    return _bound_by(rest).issuperset(variables(rule.head))


def bound_literals(body: Iterable[Literal]) -> Iterator[Literal]:
    """Yield the literals, without those that rest on variables which no other literal binds."""
    body = list(body)
    bound = _bound_by(body)
    return (literal for literal in body if bound.issuperset(variables(literal.atom)))


def _bound_by(body: Iterable[Literal]) -> set[Symbol]:
    """Return the variables that the literals bind."""
    positive = (lit for lit in body if lit.positive and lit.relation.name != "distinct")
    return {variable for literal in positive for variable in variables(literal.atom)}
