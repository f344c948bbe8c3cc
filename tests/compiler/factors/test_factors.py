"""Factors of games: games that are put side by side are found again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.evaluate import answers
from ggp.compiler.factors.clockwork import clockwork
from ggp.compiler.factors.find import Factor, find_factors
from ggp.deadline import Deadline
from ggp.errors import ReasonerTimeout
from ggp.gdl import Description

PROJECT = Path(__file__).parents[3]
CORPUS = PROJECT.parent / "shared" / "corpus"


def found_in(text: str) -> tuple[Circuit, tuple[Factor, ...]]:
    circuit = build_circuit(Description.from_text(text))
    return circuit, find_factors(circuit, time_limit=60)


def texts(circuit: Circuit, factors: tuple[Factor, ...]) -> list[set[str]]:
    return [{str(circuit.facts[fact]) for fact in factor.facts} for factor in factors]


def boards(*names: str, over: str) -> str:
    """Tic-tac-toe on several boards; a frame axiom names all other moves."""
    lines = ["1 2 3", "4 5 6", "7 8 9", "1 4 7", "2 5 8", "3 6 9", "1 5 9", "3 5 7"]
    return f"""
        (role x) (role o) (other x o) (other o x) (init (control x))
        {" ".join(f"(board {name})" for name in names)} {
        " ".join(f"(cell {n})" for n in range(1, 10))
    }
        (<= (init (at ?b ?c blank)) (board ?b) (cell ?c))
        (<= (legal ?r (mark ?b ?c)) (true (control ?r)) (true (at ?b ?c blank)))
        (<= (legal ?r noop) (role ?r) (true (control ?o)) (other ?r ?o))
        (<= (next (at ?b ?c ?r)) (does ?r (mark ?b ?c)))
        (<= (next (at ?b ?c ?v)) (true (at ?b ?c ?v)) (does ?r (mark ?b2 ?c2))
            (or (distinct ?b ?b2) (distinct ?c ?c2)))
        (<= (next (control ?r)) (true (control ?o)) (other ?o ?r))
        {" ".join("(line " + " ".join(line.split()) + ")" for line in lines)}
        (<= (lined ?b ?r) (board ?b) (role ?r) (line ?i ?j ?k)
            (true (at ?b ?i ?r)) (true (at ?b ?j ?r)) (true (at ?b ?k ?r)))
        (<= (open ?b) (true (at ?b ?c blank)))
        (<= (over ?b) (lined ?b ?r))
        (<= (over ?b) (board ?b) (not (open ?b)))
        (<= terminal {over})
        (<= (goal ?r 100) (role ?r) {" ".join(f"(lined {name} ?r)" for name in names)})
        (<= (goal ?r 0) (role ?r) (not (goal100 ?r)))
        (<= (goal100 ?r) {" ".join(f"(lined {name} ?r)" for name in names)})
    """


@pytest.mark.parametrize("over", ["(over a) (over b)", "(or (over a) (over b))"])
def test_two_boards_are_two_factors(over: str) -> None:
    circuit, factors = found_in(boards("a", "b", over=over))
    assert texts(circuit, factors) == [
        {f"(at {board} {cell} {what})" for cell in range(1, 10) for what in ("blank", "x", "o")}
        for board in "ab"
    ]
    assert [len(factor.moves) for factor in factors] == [18, 18]


def test_one_board_is_one_factor() -> None:
    _, factors = found_in(boards("a", over="(over a)"))
    assert [len(factor.facts) for factor in factors] == [27]


PAIR = """
    (role r) (init (left 0)) (init (right 0)) (bit 0 1) (bit 1 0) (init (step 1))
    (succ 1 2) (succ 2 3) (succ 3 4) (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 4)))
    (<= (goal r 100) (true (left 1)) (true (right 1))) (<= (goal r 0) (not (goal r 100)))
"""
BOTH = """
    (<= (legal r (set ?a ?b)) (bit ?a ?x) (bit ?b ?y))
    (<= (next (left ?a)) (does r (set ?a ?b))) (<= (next (right ?b)) (does r (set ?a ?b)))
"""


def test_moves_that_act_in_two_factors_at_once_are_split() -> None:
    rules = PAIR.replace("(<= (goal r 0) (not (goal r 100)))", "")
    circuit, factors = found_in(rules + BOTH)
    assert texts(circuit, factors) == [{"(left 0)", "(left 1)"}, {"(right 0)", "(right 1)"}]
    assert [factor.moves for factor in factors] != []


@pytest.mark.parametrize(
    "condition",
    ["(true (left 1))", "(distinct ?a ?b)"],
)
def test_what_cannot_be_chosen_apart_is_one_factor(condition: str) -> None:
    rules = (
        PAIR.replace("(<= (goal r 0) (not (goal r 100)))", "")
        + f"""
        (<= (legal r (set ?a ?b)) (bit ?a ?x) (bit ?b ?y) (or {condition} (true (right ?a))))
        (<= (next (left ?a)) (does r (set ?a ?b))) (<= (next (right ?b)) (does r (set ?a ?b)))
    """
    )
    _, factors = found_in(rules)
    assert len(factors) == 1


def test_clockwork_is_what_happens_anyway() -> None:
    circuit = build_circuit(Description.from_text(boards("a", "b", over="(over a) (over b)")))
    shared = clockwork(circuit, deadline=Deadline())
    assert {str(circuit.facts[fact]) for fact in shared.facts} == {"(control o)", "(control x)"}
    assert set(shared.states) == {(0, 1), (1, 0)}


def test_rules_that_depend_on_themselves_are_one_factor() -> None:
    circuit, factors = found_in("""
        (role r) (node 1) (node 2) (init (edge 1 2))
        (<= (legal r (link ?a ?b)) (node ?a) (node ?b) (not (path ?a ?b)))
        (<= (legal r stop) (path 1 1))
        (<= (next (edge ?a ?b)) (true (edge ?a ?b)))
        (<= (next (edge ?a ?b)) (does r (link ?a ?b)))
        (<= (path ?a ?b) (true (edge ?a ?b))) (<= (path ?a ?c) (path ?a ?b) (path ?b ?c))
        (<= terminal (path 1 1) (path 2 2)) (<= (goal r 100) (path 2 2))
    """)
    assert circuit.loops
    assert len(factors) == 1


def test_too_little_time() -> None:
    circuit = build_circuit(Description.from_text(PAIR.replace("(goal r 100)", "(goal r 9)")))
    with pytest.raises(ReasonerTimeout, match="within 0 seconds"):
        find_factors(circuit, time_limit=0)


@dataclass(frozen=True)
class Walk:
    """A graph of places; each move goes from a place to another, and some places end the game."""

    #: Per move its steps.
    moves: tuple[tuple[tuple[int, int], ...], ...]
    places: int

    def rules(self, name: str) -> str:
        text = [f"(init (at {name} 0))"]
        for number, steps in enumerate(self.moves):
            for source, target in steps:
                text.append(f"(step {name} {number} {source} {target})")
        return " ".join(text)


@st.composite
def walks(draw: st.DrawFn) -> Walk:
    places = draw(st.integers(2, 4))
    place = st.integers(0, places - 1)
    first = (0, 1)
    moves = [(first, *draw(st.lists(st.tuples(place, place), max_size=3)))]
    for _ in range(draw(st.integers(1, 3))):
        moves.append(
            (draw(st.tuples(place, place)), *draw(st.lists(st.tuples(place, place), max_size=2)))
        )
    return Walk(tuple(moves), places)


COMMON = """
    (<= (does_in ?g) (does ?r (go ?g ?m)))
    (<= (game ?g) (step ?g ?m ?a ?b)) (<= (move ?g ?m) (step ?g ?m ?a ?b))
    (<= (next (at ?g ?b)) (does ?r (go ?g ?m)) (true (at ?g ?a)) (step ?g ?m ?a ?b))
    (<= (next (at ?g ?a)) (true (at ?g ?a)) (does ?r (go ?h ?m)) (distinct ?g ?h))
    (<= (can ?g ?m) (step ?g ?m ?a ?b) (true (at ?g ?a)))
"""
ALONE = (
    COMMON
    + """
    (role r) (<= (legal r (go ?g ?m)) (can ?g ?m)) (<= (legal r rest) (game ?g))
    (<= (next (at ?g ?a)) (true (at ?g ?a)) (does r rest))
"""
)
IN_TURN = (
    COMMON
    + """
    (role r) (role s) (other r s) (other s r) (init (turn r))
    (<= (next (turn ?a)) (true (turn ?b)) (other ?a ?b))
    (<= (legal ?r (go ?g ?m)) (true (turn ?r)) (can ?g ?m))
    (<= (legal ?r skip) (true (turn ?r)))
    (<= (legal ?r wait) (role ?r) (true (turn ?s)) (other ?r ?s))
    (<= (next (at ?g ?a)) (true (at ?g ?a)) (does ?r skip))
"""
)
ENDS = (
    "(<= terminal (true (at a 1)) (true (at b 1)))",
    "(<= terminal (true (at a 1))) (<= terminal (true (at b 1)))",
    "(<= terminal (true (at a 1)) (not (true (at b 1))))"
    "(<= terminal (not (true (at a 1))) (true (at b 1)))",
)


@settings(max_examples=settings().max_examples // 4)
@given(
    walks(), walks(), st.sampled_from([ALONE, IN_TURN]), st.sampled_from(ENDS), st.integers(0, 99)
)
def test_the_factors_of_a_product_are_within_its_games(
    one: Walk, other: Walk, common: str, end: str, seed: int
) -> None:
    goals = "(<= (goal ?r 100) (role ?r) terminal) (<= (goal ?r 0) (role ?r) (not terminal))"
    circuit, factors = found_in(one.rules("a") + other.rules("b") + common + end + goals)
    found = texts(circuit, factors)
    assert {fact.split()[1] for facts in found for fact in facts} == {"a", "b"}
    for facts in found:
        assert len({fact.split()[1] for fact in facts}) == 1
    check(circuit, factors, seed)


def check(circuit: Circuit, factors: tuple[Factor, ...], seed: int) -> None:
    """Play at random: what is next in a factor does not depend on the facts of the others."""
    generator = np.random.default_rng(seed)
    state = frozenset(circuit.initial.tolist())
    for _ in range(10):
        (answer,) = answers(circuit, [state])
        if answer.terminal or not all(answer.legal):
            return
        chosen = [int(generator.choice(legal)) for legal in answer.legal]
        (after,) = answers(circuit, [state], [chosen])
        for factor in factors:
            outside = {fact for each in factors if each != factor for fact in each.facts}
            flipped = {fact for fact in outside if generator.integers(2)}
            (changed,) = answers(circuit, [(state - outside) | flipped], [chosen])
            assert changed.successor & {*factor.facts} == after.successor & {*factor.facts}
        state = after.successor


@pytest.mark.long
@pytest.mark.skipif(not CORPUS.is_dir(), reason="the collection of real rulesheets is not here")
@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("nim1", 4), ("nim2", 4), ("lightsOnParallel", 4), ("lightsOnSimultaneous", 1),
        ("racetrackcorridor", 2), ("ticTacToe", 1), ("sum15", 1), ("connectFour", 1), ("blocks", 1),
    ],
)  # fmt: skip
def test_real_games_have_as_many(name: str, count: int) -> None:
    _, factors = found_in((CORPUS / f"{name}.kif").read_text(encoding="utf-8"))
    assert len(factors) == count


@pytest.mark.parametrize(
    ("name", "count"), [("tictactoe", 1), ("connectfour", 1), ("rendezvous", 2)]
)
def test_bundled_games_have_as_many(name: str, count: int) -> None:
    _, factors = found_in((PROJECT / "games" / f"{name}.kif").read_text(encoding="utf-8"))
    assert len(factors) == count
