"""Each strategy of the planner for itself: what it finds can be played, what it proves is so."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator
from itertools import count, islice

import pytest
from hypothesis import assume, example, given, settings

from ggp.deadline import Deadline
from ggp.engine.puzzle.beam import Beam
from ggp.engine.puzzle.breadth_first import BreadthFirst
from ggp.engine.puzzle.effects import SharedEffects
from ggp.engine.puzzle.found import Progress
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.portfolio import Strategy, take_turns
from ggp.engine.puzzle.rounds import strategy
from ggp.engine.puzzle.rounds.strategy import Rounds
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Planner
from tests.engine.puzzle.test_effects import fields
from tests.engine.puzzle.written import of_rules, puzzles, rules_of_facts, written
from tests.search.tree_game import TreeGame

STRATEGIES = ("breadth-first", "beam", "rounds")

#: Steps after which a strategy must have ended on a small puzzle.
MANY = 20_000

few = settings(max_examples=settings().max_examples // 4)
each_strategy = pytest.mark.parametrize("name", STRATEGIES)


class Run:
    """A strategy on a game."""

    def __init__(self, graph: GameGraph, name: str, *, max_bytes: int = 16 << 20) -> None:
        assert isinstance(graph.reasoner, CompiledReasoner)
        kernel = graph.reasoner.kernel
        self.puzzle, self.initial = PackedPuzzle(kernel), kernel.initial().tobytes()
        start = self.puzzle.narrow(kernel.initial())
        self.progress, effects = Progress(100), SharedEffects(self.puzzle, start)
        self.strategy: Strategy
        if name == "breadth-first":
            self.strategy = BreadthFirst(self.puzzle, start, self.progress, max_bytes=max_bytes)
        else:
            kind = Beam if name == "beam" else Rounds
            self.strategy = kind(self.puzzle, start, effects, self.progress, max_bytes=max_bytes)

    def to_the_end(self) -> None:
        for _ in islice(self.strategy.steps(), MANY):
            if self.progress.is_proven:
                break
        if self.progress.goal is not None:
            plan = self.puzzle.plan(self.initial, self.progress.moves)
            assert plan.goal == self.progress.goal


def is_open(graph: GameGraph) -> bool:
    """Return whether the game is not over at the beginning."""
    return not graph.reasoner.is_terminal(graph.reasoner.initial_state())


def holds_what_it_says(graph: GameGraph, name: str) -> None:
    assume(is_open(graph))
    value = Planner(graph).run().value or 0
    run = Run(graph, name)
    run.to_the_end()
    if run.progress.is_proven or run.strategy.is_finished:
        assert (run.progress.goal or 0) == value
    assert (run.progress.goal or 0) <= value
    assert name == "rounds" or run.progress.is_proven or run.strategy.is_finished


@each_strategy
@few
@given(rules_of_facts())
def test_what_is_proven_is_so(name: str, rules: str) -> None:
    holds_what_it_says(of_rules(rules), name)


@each_strategy
@few
@given(puzzles())
def test_what_is_proven_of_state_machines_is_so(name: str, puzzle: tuple[TreeGame, str]) -> None:
    holds_what_it_says(written(*puzzle), name)


@pytest.mark.long
@each_strategy
@settings(max_examples=1000, deadline=None)
@given(rules_of_facts())
def test_what_is_proven_of_many_puzzles_is_so(name: str, rules: str) -> None:
    holds_what_it_says(of_rules(rules), name)


#: One move makes a fact true that is true already, and another one may make it false: their order
#: matters.
ORDERED = """
    (role r) (init a) (init b) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= terminal (true (step 3)))
    (legal r keep) (<= (legal r spoil) (true a)) (<= (legal r win) (true a) (true c))
    (<= (next a) (does r keep))
    (<= (next c) (does r spoil)) (<= (next a) (does r spoil) (true a) (not (true b)))
    (<= (next a) (does r win) (true a))
    (<= (next b) (true b)) (<= (next c) (true c))
    (<= (next won) (does r win))
    (<= (goal r 100) (true won)) (<= (goal r 0) (not (true won)))
    """


@pytest.mark.long
@settings(max_examples=settings().max_examples * 2 // 3)
@example(ORDERED)
@given(rules_of_facts(timeless=True))
def test_rounds_find_the_highest_goal_where_nothing_rests_on_a_clock(rules: str) -> None:
    graph = of_rules(rules)
    assume(is_open(graph))
    run = Run(graph, "rounds")
    run.to_the_end()
    best = Planner(graph).run()
    assert (run.progress.goal == 100) == (best.value == 100)


def hidden_order(count: int) -> str:
    """Numbers in a row of fields, each beside the one before it; the first and last are there."""
    steps = "".join(f"(succ {number} {number + 1})" for number in range(count - 1))
    return f"""
    (role r) (init (in 0 0)) (init (in {count - 1} {count - 1})) {steps}
    (<= (init (free ?f)) (succ ?e ?f) (succ ?f ?g))
    (<= (beside ?f ?g) (succ ?f ?g)) (<= (beside ?g ?f) (succ ?f ?g))
    (<= (legal r (put ?n ?f)) (true (free ?f)) (succ ?l ?n) (succ ?n ?m) (not (used ?n))
        (fits ?l ?f) (fits ?m ?f))
    (<= (used ?n) (true (in ?n ?f)))
    (<= (fits ?n ?f) (true (in ?n ?g)) (beside ?f ?g))
    (<= (fits ?n ?f) (succ ?n ?m) (succ ?e ?f) (not (used ?n)))
    (<= (next (in ?n ?f)) (does r (put ?n ?f)))
    (<= (next (in ?n ?f)) (true (in ?n ?f)))
    (<= (next (free ?f)) (true (free ?f)) (does r (put ?n ?g)) (distinct ?f ?g))
    (<= open (true (free ?f))) (<= more (legal r ?m))
    (<= terminal (not open)) (<= terminal (not more))
    (<= (goal r 100) (not open)) (<= (goal r 0) open)
    """


@pytest.mark.long
def test_moves_in_any_order_are_one_round() -> None:
    # 40 numbers into 40 fields: each order of 40 moves is a plan, and no search sees them all.
    run = Run(of_rules(fields(40, 40)), "rounds")
    run.to_the_end()
    assert (run.progress.goal, len(run.progress.moves)) == (100, 40)


def test_moves_that_need_each_other_are_in_several_rounds() -> None:
    # Neighbours cannot be put down in one round, because each must fit to the other.
    run = Run(of_rules(hidden_order(12)), "rounds")
    run.to_the_end()
    assert (run.progress.goal, len(run.progress.moves)) == (100, 10)


@each_strategy
def test_without_memory_a_strategy_gives_up(name: str) -> None:
    run = Run(of_rules(fields(8, 8)), name, max_bytes=1000)
    assert len(list(islice(run.strategy.steps(), MANY))) < MANY
    assert not run.strategy.is_finished


def pairs(count: int) -> str:
    """Switches of which always two are changed: an odd number that is on never becomes even."""
    switches = range(count)
    moves = [f"(legal r (change {one} {one + 1}))" for one in switches[:-1]]
    return "\n".join(
        [
            f"(role r) (init (on 0)) {' '.join(moves)}",
            *(f"(switch {switch})" for switch in switches),
            "(<= (changed ?x) (does r (change ?x ?y)))",
            "(<= (changed ?y) (does r (change ?x ?y)))",
            "(<= (next (on ?x)) (true (on ?x)) (not (changed ?x)))",
            "(<= (next (on ?x)) (switch ?x) (not (true (on ?x))) (changed ?x))",
            "(<= some (true (on ?x))) (<= terminal (not some))",
            "(<= (goal r 100) (not some)) (<= (goal r 0) some)",
        ]
    )


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", ["breadth-first", "beam"])
@pytest.mark.parametrize("max_bytes", [1 << 20, 1 << 23])
def test_no_more_memory_is_taken_than_allowed(name: str, max_bytes: int) -> None:
    # The goal cannot be reached, which takes half of 2 ** 30 states to see.
    run = Run(of_rules(pairs(30)), name, max_bytes=max_bytes)
    next(iter(Run(of_rules(pairs(3)), name).strategy.steps()))
    tracemalloc.start()
    try:
        for _ in run.strategy.steps():
            pass
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not run.strategy.is_finished
    # beside that there are the arrays of one step
    assert max_bytes // 4 < most < max_bytes + (8 << 20)


@pytest.mark.parametrize("name", ["breadth-first", "beam"])
def test_that_a_goal_cannot_be_reached_is_proven_by_seeing_all_states(name: str) -> None:
    run = Run(of_rules(pairs(12)), name)
    run.to_the_end()
    assert (run.progress.goal, run.strategy.is_finished) == (None, True)


def test_a_search_for_rounds_ends_with_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    run = Run(of_rules(hidden_order(12)), "rounds")
    run.progress.begin(1, Deadline(0.0))
    monkeypatch.setattr(strategy, "_TICK", 0.0)
    steps = run.strategy.steps()
    assert len(list(islice(steps, 20))) == 20
    assert run.progress.goal is None
    run.progress.begin(1, Deadline())
    for _ in steps:
        pass
    assert run.progress.goal == 100


class Named:
    """A strategy that notes its steps."""

    def __init__(self, name: str, steps: int, log: list[str], *, is_finished: bool) -> None:
        self._name, self._steps, self._log = name, steps, log
        self._proves, self.is_finished = is_finished, False

    def steps(self) -> Iterator[None]:
        for _ in range(self._steps):
            self._log.append(self._name)
            yield
        self.is_finished = self._proves


def test_all_strategies_take_turns_until_one_is_finished() -> None:
    log: list[str] = []
    first = Named("a", 3, log, is_finished=False)
    second = Named("b", 100, log, is_finished=True)
    third = Named("c", 10**9, log, is_finished=False)
    clock = count().__next__  # each step takes a second
    for _ in take_turns({first: 0.0, second: 0.0, third: 1e9}, clock=clock):
        pass
    assert (log.count("a"), log.count("b"), log.count("c")) == (3, 100, 0)
    assert log[:6] == ["a", "b"] * 3
    for _ in take_turns({Named("d", 2, log, is_finished=False): 0.0}):
        pass
    assert log[-2:] == ["d", "d"]
