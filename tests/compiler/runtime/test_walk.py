"""Lanes that walk to their moves choose the same ones as gates do, and as they should."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import Form
from ggp.compiler.runtime import move_sets, walk
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.pass_program import pass_programs
from ggp.compiler.runtime.pass_rows import PassRows
from ggp.compiler.runtime.playout import Playouts, Results
from ggp.compiler.runtime.turns import find_turns
from tests.compiler.circuits import initial, one_choice, random_circuit, tic_tac_toe
from tests.compiler.runtime.exact import assert_exact, assert_fits

FORMS: list[tuple[int, Form]] = [(8, "code"), (4, "code"), (1, "code"), (8, "table"), (1, "table")]


@contextmanager
def walking(circuit: Circuit) -> Iterator[None]:
    """Have the lanes of any game walk; assert that those of this one do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(walk, "MANY_MOVES", 0)
        patch.setattr(move_sets, "_GATES", 0)
        programs = pass_programs(circuit, PassRows.of(circuit), find_turns(circuit))
        assert all(program.walk for program in programs)
        yield


def play(circuit: Circuit, *, words: int = 8, form: Form | None = None) -> Results:
    playouts = Playouts(circuit, words=words, form=form)
    return playouts.play(Kernel(circuit).initial(), seed=3, count=3000, max_steps=30, record=True)


@pytest.mark.sample(5)
@pytest.mark.parametrize("legal", [1, 2, 3, 4, 7, 8, 13, 15, 16, 31, 33, 50])
def test_every_legal_move_is_as_likely_as_any_other(legal: int) -> None:
    moves = [3 * i % 50 for i in range(legal)]
    circuit = one_choice([50], legal=[moves])
    with walking(circuit):
        playouts = Playouts(circuit, extra_bits=20)
        results = playouts.play(Kernel(circuit).initial(), seed=legal, count=500_000)
    counts = np.array(results.histogram[0])
    assert set(counts.nonzero()[0]) == set(moves)
    assert_fits(counts[moves], np.full(legal, 500_000 / legal))


@pytest.mark.sample(1)
@pytest.mark.parametrize(("words", "form"), FORMS)
def test_playouts_of_random_circuits_match_the_exact_probabilities(words: int, form: Form) -> None:
    compared = 0
    for seed in range(40):
        moves = [[3, 2], [4], [2, 5, 3]][seed % 3]
        circuit = random_circuit(seed, facts=5, moves=moves, size=60, stuck=False)
        with walking(circuit):
            playouts = Playouts(circuit, words=words, form=form, extra_bits=14)
            compared += assert_exact(playouts, initial(circuit), seed=seed)
    assert compared >= 3


@pytest.mark.sample(2)
@pytest.mark.parametrize(("words", "form"), FORMS)
def test_lanes_walk_to_the_moves_that_gates_choose(words: int, form: Form) -> None:
    for circuit in [tic_tac_toe(), random_circuit(5, facts=9, moves=[40, 7], stuck=False)]:
        by_gates = play(circuit, words=words, form=form)
        with walking(circuit):
            by_walk = play(circuit, words=words, form=form)
        assert by_walk.steps == by_gates.steps
        assert by_walk.goals is not None
        assert by_gates.goals is not None
        assert (by_walk.goals == by_gates.goals).all()
        assert by_walk.lengths is not None
        assert by_gates.lengths is not None
        assert (by_walk.lengths == by_gates.lengths).all()
