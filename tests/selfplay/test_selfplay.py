"""Self-play writes what was played, and goes on where it was ended."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

pq = pytest.importorskip("pyarrow.parquet")

from ggp import Deadline, Game, Player, State, Term  # noqa: E402
from ggp.cli.learning.selfplay import command  # noqa: E402
from ggp.errors import GgpError  # noqa: E402
from ggp.gdl.bundled import find_game  # noqa: E402
from ggp.selfplay import Plan, Progress, load_samples, selfplay  # noqa: E402
from ggp.selfplay.data import Folder  # noqa: E402
from ggp.selfplay.play import Match, play_match  # noqa: E402
from tests.batch.games import load  # noqa: E402
from tests.cli.command import ggp, on_terminal  # noqa: E402
from tests.files.disk import full_disk, names  # noqa: E402


def planned(game: str = "tictactoe", **changes: object) -> Plan:
    plan = Plan(
        game=game, rules=find_game(game).read_text(), player="random", matches=7, part=3,
        start_clock=1.0, play_clock=1.0, opening=0, noise=0.0, max_steps=None, seed=5,
    )  # fmt: skip
    return replace(plan, **changes)  # type: ignore[arg-type]


def rows(folder: Path) -> list[dict[str, Any]]:
    """The rows of all parts, and then of the matches that are in none."""
    files = sorted(folder.glob("*.parquet"), key=lambda file: (file.name < "part", file.name))
    return [row for file in files for row in pq.read_table(file).to_pylist()]


class Wishing(Player):
    """Wants the last legal move twice as much as the first, and plays the first."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        self._legal = self.context.reasoner.legal_moves(state, self.context.role)
        yield self._legal[0]

    def policy(self) -> dict[Term, float]:
        return {self._legal[0]: 1.0, self._legal[-1]: 2.0}


class Slow(Player):
    """Plays the first legal move after half a second."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield self.context.reasoner.legal_moves(state, self.context.role)[0]
        time.sleep(0.5)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a self-play that is complete."""
    folder = tmp_path_factory.mktemp("played")
    found = selfplay(planned(), folder)
    assert found == Progress(written=7, matches=7, played=7, states=len(rows(folder)))
    assert names(folder) == [f"part-{k:05}.parquet" for k in range(3)] + ["plan.json"]
    return folder


def check(game: Game, match_rows: list[dict[str, Any]], goals: list[int]) -> None:
    """Play the moves of a match of two roles that take turns again, and compare."""
    state = game.init()
    for step, row in enumerate(match_rows):
        assert (row["step"], row["role"], row["state"]) == (
            step, state.current_player[0], state.words[0].tobytes(),
        )  # fmt: skip
        assert row["moves"] == np.flatnonzero(state.legal_action_mask[0]).tolist()
        assert sum(row["policy"]) == pytest.approx(1)
        state = game.step(state, [row["move"]])
    while not state.terminated[0]:  # the last moves are forced
        state = game.step(state, np.full((1, 2), -1))
    assert state.goals[0].tolist() == goals


@pytest.mark.long
def test_the_data_are_the_matches(played: Path) -> None:
    game = load("tictactoe")
    made = rows(played)
    assert {row["match"] for row in made} == set(range(7))
    for number in range(7):
        own = [row for row in made if row["match"] == number]
        check(game, own, own[0]["goals"])
    samples = load_samples(played, game)
    assert samples.move.tolist() == [row["move"] for row in made]
    assert samples.goals.tolist() == [row["goals"] for row in made]
    assert (samples.policy.sum(axis=1) == 1).all()
    assert (samples.policy[np.arange(len(samples)), samples.move] == 1).all()  # random wants it
    assert samples.states.words[3].tobytes() == made[3]["state"]


@pytest.mark.long
def test_a_run_that_was_ended_is_gone_on_with(played: Path, tmp_path: Path) -> None:
    ended = tmp_path / "ended"
    deadline = Deadline()

    def stop(now: Progress) -> None:
        if now.written == 5:
            deadline.cancel()

    first = selfplay(planned(), ended, deadline=deadline, progress=stop)
    assert 5 <= first.written == first.played < 7
    assert {row["match"] for row in rows(ended)} == set(range(first.written))
    kept = {file.name: file.stat().st_mtime_ns for file in ended.glob("part-*")}
    second = selfplay(planned(), ended)
    assert (second.written, second.played) == (7, 7 - first.written)
    assert all((ended / name).stat().st_mtime_ns == when for name, when in kept.items())
    assert rows(ended) == rows(played)
    assert names(ended) == names(played)


@pytest.fixture(scope="module")
def matches() -> list[Match]:
    """The matches of `planned`."""
    return [play_match(load("tictactoe"), planned(), number) for number in range(7)]


def test_a_match_is_there_when_it_is_over(
    matches: list[Match], played: Path, tmp_path: Path
) -> None:
    game, plan, folder = load("tictactoe"), planned(), Folder(tmp_path)
    with folder.opened(plan):
        for match in (matches[4], matches[0], matches[2]):
            folder.add(match, game, plan)
    assert folder.missing(plan) == [1, 3, 5, 6]
    assert load_samples(tmp_path, game).match.tolist() == [row["match"] for row in rows(tmp_path)]
    assert {row["match"] for row in rows(tmp_path)} == {0, 2, 4}
    with folder.opened(plan):
        for number in folder.missing(plan):
            folder.add(matches[number], game, plan)
    assert names(tmp_path) == names(played)
    assert rows(tmp_path) == rows(played)


def test_a_full_disk_takes_no_match_that_was_written(
    matches: list[Match], played: Path, tmp_path: Path
) -> None:
    game, plan, folder = load("tictactoe"), planned(), Folder(tmp_path)
    part = (played / "part-00000.parquet").stat().st_size
    with folder.opened(plan):
        folder.add(matches[0], game, plan)
        folder.add(matches[1], game, plan)
        before = names(tmp_path)
        size = max(file.stat().st_size for file in tmp_path.glob("match-*"))
        with full_disk(room=size // 2), pytest.raises(OSError, match="too large") as failed:
            folder.add(matches[2], game, plan)
        assert failed.value.filename == str(tmp_path / "match-0000000002.parquet")
        assert names(tmp_path) == before
        # There is room for the match, but not for the part.
        with full_disk(room=part - 1), pytest.raises(OSError, match="too large") as failed:
            folder.add(matches[2], game, plan)
        assert failed.value.filename == str(tmp_path / "part-00000.parquet")
        assert folder.missing(plan) == [3, 4, 5, 6]
    with folder.opened(plan):
        assert names(tmp_path) == ["part-00000.parquet", "plan.json"]


def test_what_a_killed_process_leaves_is_tidied_up(matches: list[Match], tmp_path: Path) -> None:
    game, plan, folder = load("tictactoe"), planned(), Folder(tmp_path)
    with folder.opened(plan):
        for match in matches[:2]:
            folder.add(match, game, plan)
        alone = (tmp_path / "match-0000000001.parquet").read_bytes()
        folder.add(matches[2], game, plan)
    whole = rows(tmp_path)
    # It was killed before it removed the file of a match that is in a part, and within a write.
    (tmp_path / "match-0000000001.parquet").write_bytes(alone)
    (tmp_path / ".ggp-0123").write_bytes(alone[:100])
    (tmp_path / "match-mine.parquet").write_bytes(alone)
    assert len(load_samples(tmp_path, game)) == len(whole)
    with folder.opened(plan):
        assert names(tmp_path) == ["match-mine.parquet", "part-00000.parquet", "plan.json"]
    assert folder.missing(plan) == [3, 4, 5, 6]


def test_one_process_writes_to_a_folder(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    with (
        folder.opened(planned()),
        pytest.raises(GgpError, match="another process"),
        folder.opened(planned()),
    ):
        pass
    with folder.opened(planned()):
        pass


def test_a_damaged_file_is_named(matches: list[Match], tmp_path: Path) -> None:
    game, plan, folder = load("tictactoe"), planned(), Folder(tmp_path)
    with folder.opened(plan):
        folder.add(matches[0], game, plan)
    file = tmp_path / "match-0000000000.parquet"
    for content in (b"", file.read_bytes()[:-20]):
        file.write_bytes(content)
        with pytest.raises(GgpError, match=f"{file} cannot be read; remove it"):
            load_samples(tmp_path, game)


def test_the_command_says_where_the_disk_is_full(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "out/match-0000000007.parquet")

    monkeypatch.setattr("ggp.cli.learning.selfplay.selfplay", full)
    found = CliRunner().invoke(command, ["nim", "random", "--out", str(tmp_path)])
    assert found.exit_code != 0
    assert "out/match-0000000007.parquet: No space left on device" in found.output
    assert "the same command goes on" in found.output


def test_a_complete_run_plays_no_more(played: Path) -> None:
    before = rows(played)
    assert selfplay(planned(), played).states == 0
    assert rows(played) == before


def test_other_settings_do_not_mix(played: Path) -> None:
    with pytest.raises(GgpError, match="another game, player or settings"):
        selfplay(planned(noise=0.5), played)
    with pytest.raises(GgpError, match="another game than nim"):
        load_samples(played, load("nim"))


def test_what_a_player_favours_is_kept_beside_what_it_plays() -> None:
    player = f"{__name__}.Wishing"
    match = play_match(load("tictactoe"), planned(player=player, opening=2), 0)
    first = match.choices[0]
    assert (first.step, first.move, len(first.moves)) == (2, first.moves[0], 7)
    assert first.policy == pytest.approx((1 / 3, *(0,) * 5, 2 / 3))
    noisy = play_match(load("tictactoe"), planned(player=player, noise=1.0), 0)
    assert [choice.move for choice in noisy.choices] != [c.moves[0] for c in noisy.choices]


def test_the_visits_of_a_tree_search_are_its_policy() -> None:
    plan = planned(player="mcts:threads=1,playouts=64", play_clock=0.05, max_steps=1)
    match = play_match(load("tictactoe"), plan, 0)
    (choice,) = match.choices
    assert len(set(choice.policy)) > 2
    assert match.steps == 1


def test_chance_and_simultaneous_moves() -> None:
    cards, hands = load("uptoten"), load("rockpaperscissors")
    assert cards.chance is not None
    played = play_match(cards, planned("uptoten"), 0)
    assert cards.chance not in {choice.role for choice in played.choices}
    assert {choice.role for choice in play_match(hands, planned(), 0).choices} == {0, 1}


def test_what_cannot_be_played(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with pytest.raises(GgpError, match="GDL-II"):
        selfplay(planned("montyhall"), folder)
    with pytest.raises(GgpError, match="no_such_player"):
        selfplay(planned(player="no_such_player"), folder)
    assert not folder.exists()
    with pytest.raises(GgpError, match="has no data"):
        load_samples(folder, load("nim"))


@pytest.mark.long
def test_the_command(tmp_path: Path) -> None:
    command = ("selfplay", "nim", "random", "--matches", "3", "--out", str(tmp_path))
    assert ggp(*command, "--json").json["written"] == 3
    assert ggp(*command).out == f"3 of 3 matches are in {tmp_path}\n"
    assert Plan.from_json((tmp_path / "plan.json").read_text()).start_clock == 5  # the play clock
    unknown = ggp("selfplay", "nim", "no_such_player", "--out", str(tmp_path / "other"))
    assert (unknown.code, "no_such_player" in unknown.err) == (1, True)


@pytest.mark.long
def test_a_terminal_shows_a_match_before_it_is_over(tmp_path: Path) -> None:
    slow = "tests.selfplay.test_selfplay.Slow"
    command = ("selfplay", "nim", slow, "--matches", "2", "--out", tmp_path, "--play-clock", "1")
    shown, code = on_terminal(*command)
    assert code == 0
    before, _, after = shown.partition("1 of 2 matches")
    assert re.search("0 of 2 matches; move [1-9]", before)
    assert re.search(" left; move [1-9]", after)
    assert f"2 of 2 matches are in {tmp_path}" in after


def test_a_run_stops_in_time(tmp_path: Path) -> None:
    done = ggp("selfplay", "nim", "random", "--out", tmp_path, "--seconds", "0.001")
    assert (done.code, done.out) == (0, f"0 of 100 matches are in {tmp_path}\n")


@pytest.mark.long
def test_a_killed_command_loses_no_match(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    command = [sys.executable, "-m", "ggp", "selfplay", "nim", "random", "--matches", "40"]
    command += ["--part", "5", "--seed", "3", "--out", str(folder)]

    def written() -> int:
        return 5 * len(list(folder.glob("part-*"))) + len(list(folder.glob("match-*")))

    for _ in range(3):
        running = subprocess.Popen(command, process_group=0)
        due, before = time.monotonic() + 120, written()
        while written() < before + 7 and running.poll() is None and time.monotonic() < due:
            time.sleep(0.01)
        os.killpg(running.pid, signal.SIGKILL)
        running.wait()
        kept = {row["match"] for row in rows(folder)}
        assert kept == set(range(len(kept)))
    subprocess.run(command, check=True)
    other = tmp_path / "undisturbed"
    selfplay(planned("nim", matches=40, part=5, seed=3, start_clock=5, play_clock=5), other)
    assert rows(folder) == rows(other)
