"""Symmetries of games: those that are there are found, and what is found is one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.evaluate import evaluate
from ggp.compiler.symmetry import Symmetry, find_symmetries
from ggp.gdl import Description
from tests.symmetric_games import Marking, markings

GAMES = Path(__file__).parents[2] / "games"


def found_in(text: str, *, most: int = 7) -> tuple[Circuit, tuple[Symmetry, ...]]:
    description = Description.from_text(text)
    circuit = build_circuit(description)
    found = find_symmetries(description, circuit, most=most, time_limit=60)
    return circuit, found


def mapped(circuit: Circuit, symmetry: Symmetry) -> dict[str, str]:
    return {str(circuit.facts[a]): str(circuit.facts[b]) for a, b in enumerate(symmetry.facts)}


def bundled(name: str) -> str:
    return (GAMES / f"{name}.kif").read_text(encoding="utf-8")


def answers(circuit: Circuit, inputs: list[int]) -> tuple[list[int], ...]:
    """Return what is next, what is legal, and the other answers."""
    values = evaluate(circuit.gates, circuit.loops, inputs, lanes=1)

    def of(literals: list[int]) -> list[int]:
        return [(values[literal >> 1] ^ literal) & 1 for literal in literals]

    goals = [literal for held in circuit.goals for _, literal in held]
    return of(circuit.next.tolist()), of(circuit.legal.tolist()), of([circuit.terminal, *goals])


def moved(bits: list[int], images: tuple[int, ...]) -> list[int]:
    result = [0] * len(bits)
    for place, bit in enumerate(bits):
        result[images[place]] = bit
    return result


def check(circuit: Circuit, symmetry: Symmetry, seed: int) -> None:
    """Check that a symmetry maps all answers along in a random state, and that it keeps roles."""
    facts, moves = len(circuit.facts), sum(map(len, circuit.moves))
    assert sorted(symmetry.facts) == list(range(facts))
    ends = np.cumsum([0, *map(len, circuit.moves)]).tolist()
    for low, high in pairwise(ends):
        assert sorted(symmetry.moves[low:high]) == list(range(low, high))
    bits = np.random.default_rng(seed).integers(0, 2, facts + moves).tolist()
    state, done = bits[:facts], bits[facts:]
    after, legal, ends = answers(circuit, [*state, *done])
    image = [*moved(state, symmetry.facts), *moved(done, symmetry.moves)]
    expected = moved(after, symmetry.facts), moved(legal, symmetry.moves), ends
    assert answers(circuit, image) == expected


@pytest.mark.long
@settings(max_examples=settings().max_examples // 3)
@given(markings(), st.integers(0, 1000))
def test_the_symmetry_of_a_random_game_is_found(game: Marking, seed: int) -> None:
    circuit, found = found_in(game.rules(), most=1000)
    known = {
        f"(mark {cell} {role})": f"(mark {image} {role})"
        for cell, image in enumerate(game.images)
        for role in "xy"
    }
    assert any(known.items() <= mapped(circuit, symmetry).items() for symmetry in found)
    for symmetry in found[:5]:
        check(circuit, symmetry, seed)


@pytest.mark.parametrize(
    ("name", "count"),
    [("connectfour", 1), ("tictactoe", 7), ("breakthrough", 1), ("lightsout", 7), ("centipede", 0)],
)
def test_bundled_games_have_as_many(name: str, count: int) -> None:
    circuit, found = found_in(bundled(name), most=100)
    assert len(found) == count
    for symmetry in found:
        for seed in range(10):
            check(circuit, symmetry, seed)


def test_connect_four_is_mirrored() -> None:
    circuit, (mirror,) = found_in(bundled("connectfour"))
    for fact, image in mapped(circuit, mirror).items():
        if fact.startswith("(disc "):
            _, column, *rest = fact.strip("()").split()
            assert image == f"(disc {8 - int(column)} {' '.join(rest)})"
        else:
            assert image == fact


def test_no_more_than_asked_for_are_found() -> None:
    assert len(found_in(bundled("tictactoe"), most=3)[1]) == 3


def test_a_goal_that_tells_two_moves_apart_leaves_no_symmetry() -> None:
    rules = """
        (role r) (legal r left) (legal r right) (init start)
        (<= (next (done ?m)) (does r ?m)) (<= terminal (true (done ?m)))
        (<= (goal r 100) (true (done left))) (<= (goal r {}) (true (done right)))
    """
    assert not found_in(rules.format(99))[1]
    assert len(found_in(rules.format(100))[1]) == 1


def test_there_is_none_to_be_found_where_atoms_depend_on_themselves() -> None:
    circuit, found = found_in("""
        (role r) (legal r stay) (node 1) (node 2) (init (edge 1 2)) (init (edge 2 1))
        (<= (base (edge ?a ?b)) (node ?a) (node ?b))
        (<= (next (edge ?a ?b)) (true (edge ?b ?a)))
        (<= (path ?a ?b) (true (edge ?a ?b)))
        (<= (path ?a ?c) (path ?a ?b) (path ?b ?c))
        (<= terminal (path 1 1)) (<= (goal r 100) (path 2 2))
    """)
    assert circuit.loops
    assert not found
