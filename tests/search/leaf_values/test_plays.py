"""The random plays from which invariants are guessed follow the rules."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.evaluate import answers
from ggp.compiler.circuit.wide import WideCircuit
from ggp.gdl import Description


@pytest.mark.parametrize("game", ["tictactoe", "rockpaperscissors", "tron"])
def test_each_step_is_one_that_the_game_allows(game: str) -> None:
    circuit = build_circuit(Description.load(game))
    initial = np.zeros((1, len(circuit.facts)), bool)
    initial[0, circuit.initial] = True
    steps = WideCircuit(circuit).walk(initial, lanes=64, steps=12, seed=1)
    pairs = {
        tuple(frozenset(np.flatnonzero(row).tolist()) for row in pair)
        for befores, afters in steps
        for pair in list(zip(befores, afters, strict=True))[:20]
    }
    assert frozenset(circuit.initial.tolist()) in {before for before, _ in pairs}
    for before, after in pairs:
        (look,) = answers(circuit, [before])
        assert not look.terminal
        joint_moves = list(product(*look.legal))
        made = answers(circuit, [before] * len(joint_moves), joint_moves)
        assert after in {answer.successor for answer in made}
