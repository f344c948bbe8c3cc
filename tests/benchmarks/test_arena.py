"""Matches between any two players: time, divisions, scores, and the test that stops them."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from math import log
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from benchmarks.arena.clock import ProcessorDeadline
from benchmarks.arena.command import command
from benchmarks.arena.matches import Division, divisions, local, opening
from benchmarks.arena.measuring import Pairing, measure
from benchmarks.arena.position import Position
from benchmarks.arena.scores import Scoring, Tally
from benchmarks.arena.sprt import Sprt, score_of_elo
from ggp.deadline import Deadline
from ggp.errors import GameError, PlayerError
from ggp.gdl import Description
from ggp.kif import Symbol, Term
from ggp.match import Player, make_player
from ggp.players.legal import Legal
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner
from tests.test_clock import SHORTENED

ROOT = Path(__file__).parents[2]
QUICK = ("legal", "random", "--game", "nim", "--seconds", "0.01", "--start", "0")
TWO = Scoring("a", False, ("x", "o"))
ALONE = Scoring("a", True, ("x", "o", "z"))


def position(game: str) -> Position:
    return Position.initial(CompiledReasoner(Description.load(game)))


def played(sides: str, *goals: int) -> Division:
    return Division(tuple(sides), goals, 1, {})


def test_a_deadline_of_processor_time_does_not_pass_while_the_process_sleeps() -> None:
    deadline = ProcessorDeadline.after(10.0)
    time.sleep(0.05)
    assert deadline.remaining > 9.96
    half, soon = deadline.part(0.5), deadline.within(1.0)
    assert 4.9 < half.remaining <= 5.0
    assert 0.9 < soon.remaining <= 1.0
    assert deadline.within(20.0).remaining > 9.9
    half.cancel()
    assert deadline.is_over
    assert soon.is_over
    assert ProcessorDeadline.after(0.0).is_over
    assert not ProcessorDeadline.after(None).is_over


@pytest.mark.parametrize("way", SHORTENED)
def test_processor_time_ends_with_whatever_ends_a_deadline(way: str) -> None:
    deadline, holds = ProcessorDeadline.after(100.0), False
    shorter = SHORTENED[way](deadline.until(lambda: holds))
    assert isinstance(shorter, ProcessorDeadline)
    assert 0 < shorter.remaining <= 100
    holds = True
    assert shorter.is_over
    assert shorter.remaining == 0
    assert not deadline.is_over
    shorter = SHORTENED[way](deadline)
    assert shorter.remaining > 0
    deadline.cancel()
    assert shorter.is_over


def test_every_division_of_the_roles_is_played_from_an_opening() -> None:
    begin = opening(position("triad"), random.Random(1), moves=2)
    sides = {name: local(lambda: make_player("random:seed=1"), seconds=0.01) for name in "ab"}
    found = [*divisions(begin, sides)]
    assert [each.sides for each in found] == [
        ("a", "a", "b"), ("a", "b", "a"), ("a", "b", "b"),
        ("b", "a", "a"), ("b", "a", "b"), ("b", "b", "a"),
    ]  # fmt: skip
    assert [each.sides for each in divisions(begin, sides, alone="a")] == [
        ("a", "b", "b"), ("b", "a", "b"), ("b", "b", "a"),
    ]  # fmt: skip
    for each in found:
        # of the roles, one moves in each state
        assert sum(spent.moves for spent in each.thinking.values()) <= each.length


def test_chance_is_no_side() -> None:
    sides = {name: local(Legal, seconds=0.01) for name in "ab"}
    begin = position("uptoten")
    assert [str(role) for role in begin.reasoner.roles].count("random") == 1
    found = [*divisions(begin, sides)]
    assert [each.sides for each in found] == [("a", "b"), ("b", "a")]
    assert [len(each.goals) for each in found] == [2, 2]


@pytest.mark.long
def test_an_opening_does_not_end_the_game() -> None:
    begin = position("tictactoe")
    for seed in range(20):
        found = opening(begin, random.Random(seed), moves=8)
        assert not found.view.terminal
    # nine moves fill the board
    found = opening(begin, random.Random(1), moves=10)
    assert not found.view.terminal
    assert len(found.view.legal[0]) * len(found.view.legal[1]) == 1  # eight moves were made


def test_an_opening_has_fewer_moves_where_the_game_is_over_sooner() -> None:
    begin = position("rockpaperscissors")
    assert opening(begin, random.Random(1), moves=2).state == begin.state
    end = begin.after([legal[0] for legal in begin.view.legal])
    with pytest.raises(GameError, match="over before the first move"):
        opening(end, random.Random(1), moves=2)


class Cheat(Player):
    """Wants to make a move that there is not."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        yield Symbol("cheat")


class Restless(Player):
    """Yields moves for ever."""

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        while True:
            yield from self.context.reasoner.legal_moves(state, self.context.role)


def test_an_illegal_move_ends_the_contest() -> None:
    sides = {"a": local(Legal, seconds=0.01), "b": local(Cheat, seconds=0.01)}
    with pytest.raises(PlayerError, match="cheat, which is not legal"):
        next(divisions(position("nim"), sides))


def test_a_player_that_does_not_end_is_interrupted() -> None:
    sides = {"a": local(Restless, seconds=0.01), "b": local(Legal, seconds=0.01)}
    found = next(divisions(position("nim"), sides))
    spent = found.thinking["a"]
    assert 0.01 * spent.moves <= spent.seconds
    assert spent.longest >= 0.01


def test_the_points_of_a_match() -> None:
    points = (100, 0), (0, 100), (50, 50)
    assert [TWO.points(played("ab", *each)) for each in points] == [1.0, 0.0, 0.5]
    assert TWO.points(played("ba", 100, 0)) == 0.0
    all_three = Scoring("a", False, ("x", "o", "z"))
    assert all_three.points(played("aab", 100, 0, 40)) == 1.0
    assert (all_three.matches, ALONE.matches) == (6, 3)
    assert [ALONE.points(played("bab", *goals)) for goals in (
        (0, 100, 0), (50, 50, 0), (30, 30, 30), (100, 0, 0)
    )] == [1.0, 1 / 2, 1 / 3, 0.0]  # fmt: skip
    assert ALONE.even == pytest.approx(1 / 3)


def test_the_error_of_the_score_is_that_between_openings() -> None:
    openings = [
        [played("ab", 100, 0), played("ba", 0, 100)],
        [played("ab", 100, 0), played("ba", 100, 0)],
    ]
    found = Tally(TWO, openings).to_json()
    assert (found["score"], found["games"], found["openings"]) == (0.75, 4, 2)
    assert (found["wins"], found["draws"], found["losses"]) == (3, 0, 1)
    assert found["error"] == pytest.approx(0.25)
    assert found["seats"]["x"]["score"] == 1.0
    assert found["seats"]["o"]["score"] == 0.5
    # Wilson's interval of 3 out of 4
    assert found["interval"] == pytest.approx((0.3006, 0.9544), abs=1e-4)
    assert Tally(TWO, []).to_json()["score"] is None


def test_the_outcomes_of_an_opening() -> None:
    assert TWO.outcomes == [0.0, 0.25, 0.5, 0.75, 1.0]
    # sums of three of 0, 1/3, 1/2 and 1, in eighteenths of an opening
    sums = [0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 18]
    assert ALONE.outcomes == pytest.approx([each / 18 for each in sums])


def test_the_ratio_is_that_of_the_binomial_test_without_draws() -> None:
    """One match an opening, no draws: then the generalised test is Wald's."""
    test = Sprt(0.4, 0.6)
    found = test.ratio([1.0, 1.0, 1.0, 0.0], outcomes=[0.0, 1.0])
    assert found == pytest.approx(3 * log(0.6 / 0.4) + log(0.4 / 0.6))
    assert test.ratio([], outcomes=[0.0, 1.0]) == 0.0


def test_the_test_decides_for_the_score_that_is_true() -> None:
    test = Sprt(score_of_elo(0), score_of_elo(100))
    for share, decided in ((0.75, "high"), (0.35, "low")):
        generator = random.Random(1)
        scores: list[float] = []
        while (decision := test.decision(test.ratio(scores, outcomes=TWO.outcomes))) == "open":
            scores.append(sum(generator.random() < share for _ in range(2)) / 2)
            assert len(scores) < 500
        assert decision == decided


def test_wins_alone_do_not_decide_at_once() -> None:
    test = Sprt(0.5, 0.6)
    ratios = [test.ratio([1.0] * n, outcomes=TWO.outcomes) for n in range(1, 30)]
    assert ratios == sorted(ratios)
    assert test.decision(ratios[2]) == "open"
    assert test.decision(ratios[-1]) == "high"


def test_the_same_task_is_played_from_the_same_opening() -> None:
    task = Pairing("random", "random", "tictactoe", seconds=0.01, start=0.0).task(3)
    first, second = (measure(task)["matches"] for _ in range(2))
    assert [each["goals"] for each in first] == [each["goals"] for each in second]
    assert {each["sides"] for each in first} == {("a", "b"), ("b", "a")}


def test_games_that_cannot_be_played_are_named() -> None:
    for game, message in (("kriegtictactoe", "GDL-II"), ("lightsout", "two players")):
        with pytest.raises(PlayerError, match=message):
            Pairing("legal", "legal", game).check()


def arena(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments)


@pytest.mark.long
def test_the_command_prints_json_and_continues_and_prints_a_table(tmp_path: Path) -> None:
    options = [*QUICK, "--jobs", "1", "--output", str(tmp_path)]
    found = json.loads(arena(*options, "--json", "--matches", "3").stdout)
    assert found["games"] == 4
    assert found["complete"]
    assert found["wins"] + found["draws"] + found["losses"] == 4
    assert found["spent"]["a"]["moves"] > 0
    kept = (tmp_path / "measured.jsonl").read_text()
    more = ("--matches", "6", "--sprt", "0", "10")
    found = json.loads(arena(*options, "--json", *more).stdout)
    assert found["games"] == 6
    assert found["sprt"]["decision"] == "open"
    assert (tmp_path / "measured.jsonl").read_text().startswith(kept)
    printed = arena(*options, *more)
    assert printed.exit_code == 0
    assert "legal" in printed.stdout


@pytest.mark.long
def test_two_players_meet_in_all_games_of_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for name in ("nim", "triad", "montyhall"):
        (folder / f"{name}.kif").write_text((ROOT / "games" / f"{name}.kif").read_text())
    arguments = ["legal", "random", "--game", str(folder), "--game", "hexapawn", "--matches", "2"]
    arguments += ["--seconds", "0.01", "--start", "0", "--json"]
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 0, result.output
    *lines, together = json.loads(result.stdout)
    found = {line["game"]: line for line in lines}
    assert [*found] == ["montyhall", "nim", "triad", "hexapawn"]
    assert "GDL-II" in found["montyhall"]["note"]
    assert "score" not in found["montyhall"]
    played = [line for line in lines if "score" in line]
    assert [line["games"] for line in played] == [2, 6, 2]
    assert together["games"] == 10
    assert together["score"] == pytest.approx(sum(line["score"] for line in played) / 3)
    assert sum(together[name] for name in ("wins", "draws", "losses")) == 10
    low, high = together["interval"]
    assert 0 <= low <= together["score"] <= high <= 1


def test_the_command_is_a_program() -> None:
    program = [sys.executable, "-m", "benchmarks.arena", "legal", "no_such", "--game", "nim"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "no such player" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("legal random", "--game GAME"),
        ("legal --game nim", "A B"),
        ("legal random --game nimm", "did you mean nim"),
        ("legal no_such --game nim --game triad", "no such player"),
        ("legal random --game nim --game triad --sprt 0 5", "of one game"),
        ("legal random --game tests", "no rulesheet"),
        ("legal random --game nim --sprt 5 5", "less than the second"),
        ("legal random --game nim --sprt 0 5 --sprt-scores 0.5 0.6", "not both"),
        ("legal random --game nim --seconds 0", "--seconds"),
        ("legal random --game nim --quick", "one of --quick"),
        ("legal random --game kriegtictactoe", "GDL-II"),
        ("--row nowhere", "groups are openspiel10"),
        ("--row alone/triad --player no_such", "no such player"),
        ("--write README.md", "no lines <!--"),
    ],
)
def test_wrong_use_is_explained_in_a_line(arguments: str, said: str) -> None:
    done = arena(*arguments.split())
    assert isinstance(done.exception, SystemExit)
    assert done.exit_code == 2
    assert said in done.stderr
