"""What the analyses of a puzzle's circuit say is what the machine code does."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from ggp.engine.puzzle.effects import Effects, SharedEffects
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.relaxed import UNREACHABLE, RelaxedCost
from ggp.engine.puzzle.rounds.counting import moves_made_once
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.native.numba_support import Words
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Planner
from tests.engine.puzzle.written import of_rules, rules_of_facts

GAMES = Path(__file__).parents[3] / "games"


def analysed(graph: GameGraph) -> tuple[PackedPuzzle, Words, Effects]:
    """Return a puzzle, its initial state, and the effects of its moves."""
    reasoner = graph.reasoner
    assert isinstance(reasoner, CompiledReasoner)
    puzzle = PackedPuzzle(reasoner.kernel)
    start = puzzle.narrow(reasoner.kernel.initial())
    effects = SharedEffects(puzzle, start).now()
    assert effects is not None
    return puzzle, start, effects


def value_of(effects: Effects, true: set[int], literal: int) -> bool:
    """Evaluate a literal of the effects' graph."""
    graph, known = effects.graph, {0: False}
    for node in sorted(effects.nodes_below([literal]) - {0}):
        if node < effects.nodes.stop:
            known[node] = node - 1 in true
        else:
            left, right = graph.left[node], graph.right[node]
            known[node] = (known[left >> 1] ^ (left & 1)) & (known[right >> 1] ^ (right & 1)) == 1
    return bool(known[literal >> 1] ^ (literal & 1))


def agree_along_a_line(graph: GameGraph, seed: int) -> None:
    """Make moves at random, and compare all that is said of the states."""
    puzzle, start, effects = analysed(graph)
    generator, state, relevant = random.Random(seed), start, sorted(puzzle.kinds.relevant)
    for step in range(12):
        values = puzzle.values(state, relevant)[0]
        true = {fact for fact, value in zip(relevant, values, strict=True) if value}
        look = puzzle.look(state)
        assert value_of(effects, true, effects.terminal) == look.terminal[0]
        at = min(step, len(effects.terminal_after) - 1)
        if step == at or effects.is_still:
            assert value_of(effects, true, effects.terminal_after[at]) == look.terminal[0]
            for goal, literals in effects.goals_after.items():
                in_general = value_of(effects, true, effects.goals[goal])
                assert value_of(effects, true, literals[at]) == in_general
        legal = np.unpackbits(look.legal[0].view(np.uint8), bitorder="little")
        for move, literal in enumerate(effects.legal):
            assert value_of(effects, true, literal) == legal[move]
            after = puzzle.step(state, move)
            changed = {fact: value_of(effects, true, to) for fact, to in effects.changes[move]}
            for fact in effects.facts:
                assert puzzle.values(after, [fact])[0, 0] == changed.get(fact, fact in true)
        if look.terminal[0] or not legal.any():
            return
        state = puzzle.step(state, int(generator.choice(np.flatnonzero(legal))))


@settings(max_examples=settings().max_examples // 3)
@given(rules_of_facts())
def test_effects_are_what_moves_do(rules: str) -> None:
    agree_along_a_line(of_rules(rules), seed=len(rules))


@pytest.mark.parametrize("game", ["eightpuzzle", "lightsout", "walk"])
def test_effects_of_bundled_puzzles_are_what_moves_do(game: str) -> None:
    graph = GameGraph(CompiledReasoner(Description.load(GAMES / f"{game}.kif")))
    agree_along_a_line(graph, seed=1)
    _, _, effects = analysed(graph)
    assert effects.is_timeless


@settings(max_examples=settings().max_examples // 3)
@given(rules_of_facts())
def test_what_cannot_be_reached_by_relaxed_moves_cannot_be_reached(rules: str) -> None:
    graph = of_rules(rules)
    puzzle, start, effects = analysed(graph)
    result = Planner(graph).run()
    if result.variation:
        assert result.value is not None
        target = effects.graph.both(effects.terminal, effects.goals[int(result.value)])
        cost, state = RelaxedCost(puzzle, effects, target), start
        for (move,) in result.variation:
            assert cost(state)[0] < UNREACHABLE
            state = puzzle.step(state, move_of(puzzle, str(move)))
        assert cost(state)[0] == 0


def move_of(puzzle: PackedPuzzle, name: str) -> int:
    return [str(move) for move in puzzle.circuit.moves[0]].index(name)


def _true(puzzle: PackedPuzzle, state: Words) -> set[int]:
    relevant = sorted(puzzle.kinds.relevant)
    values = puzzle.values(state, relevant)[0]
    return {fact for fact, value in zip(relevant, values, strict=True) if value}


def corridor(length: int) -> str:
    """A walk along a corridor, behind a door for which a key is needed."""
    steps = "".join(f"(succ {place} {place + 1})" for place in range(length))
    return f"""
    (role r) (init (at 0)) {steps}
    (<= (legal r go) (true (at ?x)) (succ ?x ?y) (not (closed ?x)))
    (<= (legal r back) (true (at ?y)) (succ ?x ?y))
    (legal r take) (<= (closed 0) (not (true key)))
    (<= (next (at ?y)) (does r go) (true (at ?x)) (succ ?x ?y))
    (<= (next (at ?x)) (does r back) (true (at ?y)) (succ ?x ?y))
    (<= (next (at ?x)) (does r take) (true (at ?x)))
    (<= (next key) (does r take)) (<= (next key) (true key))
    (<= terminal (true (at {length}))) (<= (goal r 100) (true (at {length})))
    """


@pytest.mark.parametrize("length", [1, 5, 40])
def test_the_cost_falls_on_the_way_to_the_goal(length: int) -> None:
    puzzle, state, effects = analysed(of_rules(corridor(length)))
    states = [state]
    for move in ("take", *["go"] * length):
        states.append(puzzle.step(states[-1], move_of(puzzle, move)))
    cost = RelaxedCost(puzzle, effects, effects.goals[100])
    found = cost(np.concatenate(states)).tolist()
    assert found == sorted(set(found), reverse=True)
    assert (found[-2], found[-1]) == (1, 0)
    # the same in other lanes, beside others
    assert cost(np.repeat(np.concatenate(states), 3, axis=0)[::-1]).tolist() == [
        one for one in found[::-1] for _ in range(3)
    ]


def test_a_goal_behind_a_door_without_a_key_is_unreachable() -> None:
    rules = corridor(5).replace("(<= (next key) (does r take))", "(<= (next key) (true (at 5)))")
    puzzle, start, effects = analysed(of_rules(rules))
    assert RelaxedCost(puzzle, effects, effects.goals[100])(start)[0] == UNREACHABLE


def fields(count: int, numbers: int) -> str:
    """Each number goes into one field, and each field takes one number."""
    return "\n".join(
        [
            "(role r)",
            *(f"(field {field}) (init (free {field}))" for field in range(count)),
            *(f"(number {number})" for number in range(numbers)),
            "(<= (legal r (put ?n ?f)) (true (free ?f)) (number ?n) (not (used ?n)))",
            "(<= (used ?n) (true (in ?n ?f)))",
            "(<= (next (in ?n ?f)) (does r (put ?n ?f)))",
            "(<= (next (in ?n ?f)) (true (in ?n ?f)))",
            "(<= (next (free ?f)) (true (free ?f)) (does r (put ?n ?g)) (distinct ?f ?g))",
            "(<= open (true (free ?f)))",
            "(<= terminal (not open)) (<= (goal r 100) (not open)) (<= (goal r 0) open)",
        ]
    )


def test_each_number_is_used_once_if_there_are_as_many_as_fields() -> None:
    for numbers in (3, 4, 5):
        puzzle, start, effects = analysed(of_rules(fields(4, numbers)))
        groups = moves_made_once(effects, _true(puzzle, start), [effects.goals[100]])
        names = [{str(puzzle.circuit.moves[0][move]) for move in group} for group in groups]
        expected = [{f"(put {n} {f})" for f in range(4)} for n in range(4)]
        assert names == (expected if numbers == 4 else [])
