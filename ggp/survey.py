"""What a game is: what its rules declare, and what a few random playouts of it show."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.gdl import Description, Relation
from ggp.gdl.normalise import normalise
from ggp.kif import Source, Term, parse
from ggp.reasoner import Reasoner, State

__all__ = ["Declared", "Survey", "declarations", "declared", "survey"]


@dataclass(frozen=True, slots=True)
class Declared:
    """The facts that `base` declares and the moves (role, move) that `input` declares."""

    base_facts: tuple[Term, ...]
    moves: tuple[tuple[Term, Term], ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """What random playouts have shown of a game: observed, not proved."""

    playouts: int
    states: int
    #: Joint moves of the longest playout that ended.
    longest: int
    #: Distinct facts, and distinct moves (role, move), that were seen.
    facts: int
    moves: int
    #: Mean number of joint moves in a state that is not terminal.
    branching: float
    #: No state was seen in which two roles had a choice.
    turn_taking: bool
    #: The goals of every terminal state had the same sum.
    constant_sum: bool
    #: Every role had exactly one goal in every terminal state.
    goals_defined: bool
    #: Every role had exactly one goal in every state.
    goals_everywhere: bool


def declarations(description: Description) -> Description | None:
    """Return a game whose initial facts and legal moves are those that `base` and `input` declare.

    None where the rules declare neither.
    """
    relations = (Relation("base", 1), Relation("input", 2))
    if not any(relation in description.by_relation for relation in relations):
        return None
    questions = "(<= (init ?f) (base ?f)) (<= (legal ?r ?m) (input ?r ?m))"
    replaced = {Relation("init", 1), Relation("legal", 2)}
    rules = [rule for rule in description.rules if rule.relation in description.static]
    return replace(
        description,
        rules=(
            *(rule for rule in rules if rule.relation not in replaced),
            *normalise(parse(questions), source=Source(questions)),
        ),
    )


def declared(reasoner: Reasoner) -> Declared:
    """Return what is declared, given a reasoner of the game that `declarations` returned."""
    state = reasoner.initial_state()
    legal = reasoner.view(state).legal
    return Declared(
        base_facts=reasoner.facts(state),
        moves=tuple(
            (role, move)
            for role, options in zip(reasoner.roles, legal, strict=True)
            for move in options
        ),
    )


def survey(reasoner: Reasoner, *, deadline: Deadline, seed: int = 0, playouts: int = 50) -> Survey:
    """Play at random until the deadline, or until `playouts` playouts are made, and take notes."""
    generator = random.Random(seed)
    notes = _Notes()
    state: State | None = None
    steps = made = longest = 0
    while made < playouts and not deadline.is_over:
        try:
            state = reasoner.initial_state() if state is None else state
            view = reasoner.view(state)
            notes.take(reasoner, state, view.terminal, view.goals, view.legal)
            if view.terminal or view.joint_move_count == 0:
                made, longest = made + 1, max(longest, steps)
                state, steps = None, 0
            else:
                move = [generator.choice(options) for options in view.legal]
                state, steps = reasoner.next_state(state, move), steps + 1
        except ReasonerError:
            if not deadline.is_over:
                raise
    return notes.survey(playouts=made, longest=longest)


class _Notes:
    """What is gathered on the way, state by state."""

    def __init__(self) -> None:
        self._states: set[bytes] = set()
        self._facts: set[Term] = set()
        self._moves: set[tuple[int, Term]] = set()
        self._joint_moves = self._live = 0
        self._sums: set[int] = set()
        self._turn_taking = self._defined = self._everywhere = True

    def take(
        self,
        reasoner: Reasoner,
        state: bytes,
        terminal: bool,
        goals: tuple[int | None, ...],
        legal: tuple[tuple[Term, ...], ...],
    ) -> None:
        self._states.add(state)
        self._facts.update(reasoner.facts(state))
        values = [goal for goal in goals if goal is not None]
        self._everywhere &= len(values) == len(goals)
        if terminal:
            self._defined &= len(values) == len(goals)
            self._sums.add(sum(values))
            return
        self._live += 1
        joint = 1
        for role, options in enumerate(legal):
            self._moves.update((role, move) for move in options)
            joint *= len(options)
        self._joint_moves += joint
        self._turn_taking &= sum(len(options) > 1 for options in legal) <= 1

    def survey(self, *, playouts: int, longest: int) -> Survey:
        return Survey(
            playouts=playouts,
            states=len(self._states),
            longest=longest,
            facts=len(self._facts),
            moves=len(self._moves),
            branching=self._joint_moves / self._live if self._live else 0.0,
            turn_taking=self._turn_taking,
            constant_sum=len(self._sums) == 1,
            goals_defined=self._defined,
            goals_everywhere=self._everywhere,
        )
