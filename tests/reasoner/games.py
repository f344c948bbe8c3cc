"""Tiny games for the reasoners, and short ways to look at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ggp.kif import Term, parse_term
from ggp.reasoner import Reasoner, State

#: Opens a reasoner for a rulesheet.
OpenGame = Callable[[str], Reasoner]

#: Two players switch lights on and off, at the same time; the one that has switched on more wins.
LIGHTS = """
(role left) (role right)
(light 1) (light 2) (light 10)
(init (step 0)) (succ 0 1) (succ 1 2)
(<= (legal ?role (switch ?light)) (role ?role) (light ?light))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (switched ?light) (does ?role (switch ?light)))
(<= (next (on ?light)) (true (on ?light)) (not (switched ?light)))
(<= (next (on ?light)) (switched ?light) (not (true (on ?light))))
(<= terminal (true (step 2)))
(<= (goal left 100) (true (on 1)))
(<= (goal left 0) (not (true (on 1))))
(<= (goal right 100) (true (on 2)))
(<= (goal right 0) (not (true (on 2))))
"""

#: A game of one state that says no more than what is asked of it.
ONE_STATE = "(role x) (init here) (legal x stay) (<= (next here) (true here)) "


def texts(terms: Iterable[Term]) -> list[str]:
    return [str(term) for term in terms]


def moves(*texts: str) -> tuple[Term, ...]:
    return tuple(map(parse_term, texts))


def facts(reasoner: Reasoner, state: State) -> list[str]:
    return texts(reasoner.facts(state))


def after(reasoner: Reasoner, *joint_moves: tuple[str, ...]) -> State:
    """The state after these joint moves from the beginning."""
    state = reasoner.initial_state()
    for joint_move in joint_moves:
        state = reasoner.next_state(state, moves(*joint_move))
    return state


def legal(reasoner: Reasoner) -> list[str]:
    """The moves of the first role at the beginning: what a rule says, read off its effect."""
    return texts(reasoner.legal_moves(reasoner.initial_state(), reasoner.roles[0]))
