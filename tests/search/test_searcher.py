"""The interface of searches: one that is not depth-first serves wherever the others do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from click.testing import CliRunner

from benchmarks.arena.command import command as arena
from examples.own_search import Sampled
from ggp.cli import main
from ggp.deadline import Deadline
from ggp.errors import PlayerError
from ggp.experiments.running.searching import search
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.match import PlayerContext, SearchInfo, make_player
from ggp.reasoner import open_reasoner
from ggp.search import (
    ALGORITHMS,
    AlphaBeta,
    Bounded,
    Limit,
    MaxNOptions,
    Searcher,
    SearchOptions,
    algorithm_names,
    find_algorithm,
)
from ggp.server.manager.processes.analyst import find
from tests.search.every import by_engine, in_python

Solve: TypeAlias = Callable[..., tuple[int, str, str]]

GAMES = Path(__file__).parents[2] / "games"


PLACE = "examples.own_search:Sampled"
PLAYER = f"ggp.players.any_search.AnySearch:algorithm={PLACE}"


@pytest.fixture
def solve(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Solve:
    """Run `ggp solve nim` with arguments, and return its exit code, output and errors."""

    def run(*arguments: str) -> tuple[int, str, str]:
        made = ["ggp", "solve", "nim", "--reasoner", "prolog", *arguments]
        monkeypatch.setattr("sys.argv", made)
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return int(ended.value.code or 0), said.out, said.err

    return run


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package that has the search as an entry point."""
    folder = tmp_path / "own_search-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: own-search\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[ggp.searches]\nsampled = {PLACE}\n")
    monkeypatch.syspath_prepend(str(tmp_path))


def test_solve_takes_a_search_by_its_place(solve: Solve) -> None:
    code, out, _ = solve("--algorithm", PLACE, "--option", "rounds=3", "--json")
    found = json.loads(out)
    assert (code, found["algorithm"], found["simulations"]) == (0, "sampled", 9)
    assert not found["exact"]


@pytest.mark.usefixtures("installed")
def test_an_entry_point_is_known_by_its_name(solve: Solve) -> None:
    assert algorithm_names() == [*ALGORITHMS, "sampled"]
    assert find_algorithm("sampled").reference is Sampled
    code, out, _ = solve("--algorithm", "sampled", "--nodes", "2", "--json")
    assert (code, json.loads(out)["simulations"]) == (0, 6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--algorithm", "deep"], "no search 'deep'; there are minimax, bounded"),
        (["--algorithm", "nowhere:Sampled"], "ModuleNotFoundError"),
        (["--algorithm", "examples.own_search:main"], "is not a class as ggp.search.Searcher"),
        (["--algorithm", PLACE, "--depth", "2"], "--depth is for --algorithm minimax"),
        (["--algorithm", PLACE, "--threads", "2"], "--threads is for --algorithm alphabeta"),
        (["--algorithm", PLACE, "--win", "60"], "--win is for --algorithm bounded"),
        (["--algorithm", PLACE, "-o", "turns=3"], "sampled has no option 'turns'; it has role"),
        (["--algorithm", PLACE, "-o", "rounds=few"], "option 'rounds' is int, not 'few'"),
        (["--option", "rounds"], "write NAME=VALUE"),
    ],
)
def test_what_no_search_takes_is_one_line(solve: Solve, arguments: list[str], message: str) -> None:
    code, out, err = solve(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err


def test_the_experiments_and_the_manager_take_it() -> None:
    with open_reasoner(Description.load("nim"), kind="prolog") as reasoner:
        found = search(GameGraph(reasoner), PLACE, engine="reference")
    assert found.simulations == 60
    rules = (GAMES / "nim.kif").read_text(encoding="utf-8")
    task = {"kind": "solve", "rules": rules, "facts": None, "seconds": 20}
    *_, last = find({**task, "algorithm": PLACE, "role": 0}, tell=lambda _: None)
    assert (last["algorithm"], last["simulations"]) == ("sampled", 60)


def test_a_player_plays_by_it() -> None:
    with open_reasoner(Description.load("nim"), kind="prolog") as reasoner:
        said: list[SearchInfo] = []
        player = make_player(PLAYER)
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0, said.append), Deadline())
        *_, move = player.moves(reasoner.initial_state(), Deadline())
        assert move in reasoner.legal_moves(reasoner.initial_state(), reasoner.roles[0])
    assert said[-1].simulations == 60
    with pytest.raises(PlayerError, match="no search 'deep'"):
        make_player("ggp.players.any_search.AnySearch:algorithm=deep")


def test_the_arena_takes_such_a_player() -> None:
    quick = ["--game", "nim", "--matches", "1", "--seconds", "0.05", "--start", "0.05", "--json"]
    ended = CliRunner().invoke(arena, [PLAYER, "random", *quick])
    assert ended.exit_code == 0, ended.output


def test_the_options_of_another_algorithm_are_refused() -> None:
    with open_reasoner(Description.load("nim"), kind="prolog") as reasoner:
        graph = GameGraph(reasoner)
        with pytest.raises(ValueError, match="takes RoleOptions, not MaxNOptions"):
            AlphaBeta(graph, MaxNOptions(discrete=True))
        assert Bounded(graph, SearchOptions(role=1)).role == 1


def test_engine_and_reference_return_searchers() -> None:
    with open_reasoner(Description.load(GAMES / "nim.kif"), kind="prolog") as reasoner:
        searcher: Searcher = in_python(GameGraph(reasoner), "maxn", role=1)
        assert searcher.takes()
        assert searcher.algorithm == "maxn"
        assert [result.horizon for result in searcher.deepen(limit=Limit(depth=2))] == [1, 2]


class Optimist(AlphaBeta):
    """Estimates in its own way, which the engine does not know."""

    def estimate(self, node: int) -> float:
        return self.high


def test_a_subclass_is_not_replaced_by_the_engines_search_of_its_base() -> None:
    with open_reasoner(Description.load(GAMES / "nim.kif"), kind="compiled") as reasoner:
        graph = GameGraph(reasoner)
        assert by_engine(graph, Optimist) is None
        assert Optimist(graph).run(limit=Limit(depth=1)).value == 100
