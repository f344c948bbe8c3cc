"""Limits, interruptions, reports and memory of the engine."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from ggp.compiler.runtime import halves
from ggp.deadline import Deadline
from ggp.engine.layout import Counters, new_record
from ggp.engine.lines import Line
from ggp.engine.search import EngineSearch
from ggp.engine.transposition_table import ResizableTable, bucket_bits
from ggp.engine.turns import Turns
from ggp.errors import GameError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import parse_term
from ggp.reasoner import open_reasoner
from ggp.reasoner.auto import AutoReasoner
from ggp.reasoner.compiled import CompiledReasoner
from ggp.recursion import MAX_PLIES
from ggp.search import AlphaBeta, Limit, Minimax, SearchResult
from tests.engine.cutting import cut_in_the_middle
from tests.engine.written import compiled, counter
from tests.search.every import by_engine
from tests.search.tree_game import Spot, TreeGame

GAMES = Path(__file__).parents[2] / "games"


def opened(name: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.load(GAMES / f"{name}.kif")), max_states=10_000)


def engine(graph: GameGraph, algorithm: str = "alphabeta", **options: object) -> EngineSearch:
    found = by_engine(graph, algorithm, **options)
    assert isinstance(found, EngineSearch)
    return found


@pytest.mark.parametrize("nodes", [1, 2, 100, 5000])
def test_no_more_nodes_are_expanded_than_allowed(nodes: int) -> None:
    search = engine(opened("connectfour"))
    for result in (
        search.run(limit=Limit(nodes=nodes)),
        *list(search.deepen(limit=Limit(nodes=nodes)))[-1:],
    ):
        assert result.expanded + result.researched == nodes
        assert not result.exact
        assert str(result.move).startswith("(drop")


def test_code_that_runs_from_a_table_ignores_rows_of_other_passes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Blocks of children share the arena with the scratch rows of the code."""
    depths = (3, 5, 3, 5)
    expected = [
        found_at(engine(opened("hexapawn"), table_bytes=0, ordered=False), depth)
        for depth in depths
    ]
    monkeypatch.setattr(halves, "LARGEST_CODE", 10)
    search = engine(opened("hexapawn"), table_bytes=0, ordered=False)
    assert [found_at(search, depth) for depth in depths] == expected


def found_at(search: EngineSearch, depth: int) -> tuple[object, ...]:
    result = search.run(limit=Limit(depth=depth))
    return result.value, result.move, result.expanded, result.generated


def test_a_cancelled_deadline_stops_the_search_at_once() -> None:
    search = engine(opened("connectfour"))
    search.run(limit=Limit(nodes=1))
    result, late = cut_in_the_middle(search)
    assert late < 1
    assert not result.exact
    assert result.expanded > 1000
    assert result.variation[0] == result.joint_move


def test_without_any_time_there_is_a_legal_move() -> None:
    deadline = Deadline()
    deadline.cancel()
    search = engine(opened("connectfour"))
    for result in (
        search.run(limit=Limit(deadline=deadline)),
        *search.deepen(limit=Limit(deadline=deadline)),
    ):
        assert (str(result.move), result.value, result.expanded) == ("(drop 1)", None, 0)
        assert (result.variation, result.exact) == ((), False)


@pytest.mark.parametrize("algorithm", ["alphabeta", "speculative"])
def test_no_expansion_begins_that_would_end_too_late(
    monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    search = engine(opened("connectfour"), algorithm)
    explore, now = search._explore, [0.0]

    def own_time() -> float:
        return now[0]

    def explore_for_long(pause: int) -> int:
        now[0] += 0.3
        return explore(pause)

    own = SimpleNamespace(monotonic=own_time, perf_counter=own_time)
    for module in ("ggp.deadline", "ggp.engine.search"):
        monkeypatch.setattr(f"{module}.time", own)
    monkeypatch.setattr(search, "_explore", explore_for_long)
    result = search.run(limit=Limit(deadline=Deadline.after(1.0)))
    assert now == [pytest.approx(0.9)]
    assert 0 < result.expanded <= 3
    assert str(result.move).startswith("(drop")
    # a slow expansion in one search does not keep the next search from beginning
    assert search.run(limit=Limit(deadline=Deadline.after(0.2))).expanded > 0


def test_a_line_ends_where_the_time_does() -> None:
    graph = opened("connectfour")
    search = engine(graph)
    result = search.run(limit=Limit(depth=4))
    state = graph.state(graph.root)
    lines, start = search._lines, Line((), (state,))
    whole = lines.after(start, [0, 0, 0], deadline=Deadline())
    assert (len(whole.joint_moves), len(whole.states), whole.is_open) == (3, 4, False)
    short = lines.after(start, [0, 0, 0], deadline=Deadline.after(0))
    assert (short.joint_moves, short.states, short.is_open) == (
        whole.joint_moves[:1], (state,), True,
    )  # fmt: skip
    assert lines.after(short, [0], deadline=Deadline()) == short
    assert len(result.variation) == 4


def test_the_result_is_reported_after_the_reasoner_was_closed() -> None:
    graph = opened("connectfour")
    search, deadline = engine(graph), Deadline()

    def end(_: SearchResult) -> None:
        deadline.cancel()
        graph.reasoner.close()

    search = engine(graph, progress=end)
    *_, result = search.deepen(limit=Limit(deadline=deadline))
    assert result.variation


def test_progress_is_reported_while_one_search_goes_on() -> None:
    reports: list[SearchResult] = []
    search = engine(opened("connectfour"), progress=reports.append)
    search.run(limit=Limit(deadline=Deadline.after(0.6)))
    assert reports
    assert [report.expanded for report in reports] == sorted({r.expanded for r in reports})
    assert not any(report.exact for report in reports)


def test_a_known_result_is_not_searched_again() -> None:
    graph = opened("tictactoe")
    search = engine(graph)
    first, again = search.run(), search.run()
    assert first.expanded > 0
    assert (again.expanded, again.goals) == (0, first.goals)
    assert again.table_hits > 0
    for state in (graph.reasoner.next_state(graph.reasoner.initial_state(), first.variation[0]),):
        after = search.run(graph.node(state))
        assert after.expanded < first.expanded / 2
        assert after.value == first.value


@pytest.mark.parametrize("size", [1, 128, 4096])
def test_a_table_takes_no_more_than_it_may(size: int) -> None:
    search = engine(opened("tictactoe"), table_bytes=size)
    result = search.run()
    assert (result.value, result.exact) == (50, True)
    assert result.table_size <= max(4, size // 32)


@pytest.mark.long
def test_a_table_that_fills_gets_all_its_memory() -> None:
    graph = opened("connectfour5x5")
    large, small = (engine(graph, table_bytes=size << 10) for size in (16 << 10, 128))
    result, expected = large.run(), small.run()
    assert (result.value, result.exact) == (expected.value, True)
    assert expected.table_size <= (128 << 10) // 32
    assert (2 << 20) // 32 < result.table_size <= (16 << 20) // 32
    assert result.expanded < expected.expanded


@pytest.mark.parametrize("value_words", [1, 3])
def test_a_table_grows_to_its_size_and_no_further(value_words: int) -> None:
    counters, entry = new_record(Counters), 8 * (3 + value_words)
    memory = ResizableTable(20_000_000, value_words=value_words)
    sizes = list[int]()
    for _ in range(300):
        counters.entries = len(memory.table.words)
        memory.grow(counters, memory.due)
        if len(memory.table.words) not in sizes:
            sizes.append(len(memory.table.words))
    assert sizes == sorted(sizes)
    assert len(sizes) == 3
    assert 20_000_000 - (entry << bucket_bits(value_words)) < sizes[-1] * entry <= 20_000_000
    table = memory.table
    for _ in range(300):
        memory.grow(counters, memory.due)
    assert memory.table is table


def test_a_table_grows_by_the_expansions_and_not_by_the_clock() -> None:
    memory, counters = ResizableTable(64 << 20, value_words=1), new_record(Counters)
    counters.entries = len(memory.table.words)
    memory.grow(counters, 1000)
    due, done = memory.due, memory._done
    assert due > 1000
    for expanded in (1000, due - 1):
        memory.grow(counters, expanded)
        assert (memory.due, memory._done) == (due, done)
    memory.grow(counters, due)
    assert memory.due > due
    assert memory._done > done


@pytest.mark.parametrize("algorithm", ["alphabeta", "maxn"])
def test_the_same_nodes_are_expanded_however_long_a_turn_is(
    monkeypatch: pytest.MonkeyPatch, algorithm: str
) -> None:
    found = []
    monkeypatch.setattr(Turns, "adapt", lambda *_: None)
    for turn in (37, 1 << 20):
        search = engine(opened("connectfour5x5"), algorithm, table_bytes=128 << 20)
        search._turns.size = turn
        before = len(search._memory.table.words)
        result = search.run(limit=Limit(nodes=150_000))
        assert len(search._memory.table.words) > before
        found.append((result.expanded, result.table_hits, result.table_size))
    assert found[0] == found[1]


def test_lines_of_a_thousand_joint_moves_are_searched_to_their_end() -> None:
    graph = GameGraph(CompiledReasoner(counter(10)))
    result = engine(graph, "minimax").run()
    assert (result.goals, result.exact, result.depth) == ((100,), True, 1023)
    assert len(result.variation) == 1023


def test_beyond_the_deepest_line_there_are_estimates() -> None:
    graph = GameGraph(CompiledReasoner(counter(12)), max_states=5000)
    result = engine(graph, "minimax").run()
    assert (result.goals, result.exact, result.depth) == ((50,), False, MAX_PLIES)


def test_a_state_where_a_role_cannot_move_is_the_games_error() -> None:
    spots = (Spot((0, 0), (1, 2), (2, 1)), Spot((0, 0), (1, 0), (-1,)), Spot((50, 50), (1, 1)))
    graph = compiled(TreeGame(("r", "s"), spots))
    for algorithm in ("minimax", "alphabeta"):
        with pytest.raises(GameError, match=r"s: no legal move .*\( \(at 1\) \)"):
            engine(graph, algorithm).run()


def test_two_hundred_joint_moves_take_several_passes() -> None:
    roles = "".join(f"(role r{i})(<= (legal r{i} ?m) (move ?m))" for i in range(3))
    moves = "".join(f"(move {i})" for i in range(6))
    text = f"""{roles}{moves}(<= terminal (true (done ?a ?b ?c))) (init on) (init (done))
        (<= (next (done ?a ?b ?c)) (does r0 ?a) (does r1 ?b) (does r2 ?c))
        (<= (goal r0 100) (true (done 5 ?x ?x)))
        (<= (goal r0 50) (true (done 5 ?x ?y)) (distinct ?x ?y))
        (<= (goal r0 ?n) (true (done ?a ?b ?c)) (distinct ?a 5) (worth ?b ?n))
        (worth 0 10) (worth 1 20) (worth 2 30) (worth 3 40) (worth 4 45) (worth 5 48)
        (<= (goal ?r 0) (role ?r) (distinct ?r r0))"""
    graph = GameGraph(CompiledReasoner(Description.from_text(text)))
    expected = Minimax(graph, table_size=0).run()
    assert (expected.value, str(expected.move), expected.generated) == (50, "5", 216)
    for words in (1, 4, 8):
        result = engine(graph, "minimax", words=words, ordered=False, table_bytes=0).run()
        assert (result.value, result.joint_move) == (expected.value, expected.joint_move)
        assert result.generated == expected.generated


def test_states_of_many_facts_have_keys_of_their_own() -> None:
    graph = opened("breakthrough")
    plain, table = engine(graph, table_bytes=0), engine(graph)
    shallow, again = plain.run(limit=Limit(depth=4)), table.run(limit=Limit(depth=4))
    assert (again.value, again.move) == (shallow.value, shallow.move)
    assert again.expanded < shallow.expanded
    assert again.table_hits > 0


def test_there_is_no_engine_where_there_is_no_machine_code() -> None:
    description = Description.load(GAMES / "nim.kif")
    with open_reasoner(description, kind="prolog") as prolog:
        assert by_engine(GameGraph(prolog), "alphabeta") is None
    graph = opened("nim")
    assert by_engine(graph, "alphabeta", evaluation=lambda *_: 1.0) is None


def test_the_engine_runs_on_the_default_reasoner_once_it_is_compiled() -> None:
    with open_reasoner(Description.load(GAMES / "nim.kif")) as reasoner:
        assert isinstance(reasoner, AutoReasoner)
        graph = GameGraph(reasoner)
        child = graph.expansion(graph.root).children[0]
        with graph.held(child):
            reasoner.warm_up(Deadline())
            search = engine(graph)
            assert search.run().goals == AlphaBeta(graph).run().goals == (100, 0)
            assert search.run(child).value == AlphaBeta(graph).run(child).value


def test_a_state_with_facts_that_can_never_be_is_not_taken() -> None:
    graph = opened("nim")
    state = graph.reasoner.state_of([parse_term("(pile 5)"), parse_term("(control none)")])
    search, node = engine(graph), graph.node(state)
    assert search.takes()
    assert not search.takes(node)
    with pytest.raises(ValueError, match="facts that the machine code does not know"):
        search.run(node)


@pytest.mark.parametrize("megabytes", [12, 16, 17, 130])
def test_a_growing_table_never_takes_two_large_parts_of_its_memory(megabytes: int) -> None:
    table, counters = ResizableTable(megabytes << 20, value_words=1), new_record(Counters)
    sizes = [table.table.words.nbytes]
    for _ in range(4000):
        counters.entries = len(table.table.words)
        table.grow(counters, table.due)
        if table.table.words.nbytes != sizes[-1]:
            sizes.append(table.table.words.nbytes)
    assert sizes[0] <= 2 << 20
    assert (megabytes << 20) - 64 <= sizes[-1] <= megabytes << 20
    assert all(after > 3 * before for before, after in pairwise(sizes))
