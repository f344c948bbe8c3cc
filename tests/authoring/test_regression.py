"""`ggp test`: it passes what is as recorded, and says what is not."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from shutil import copy, copytree
from typing import Any

import pytest

import ggp.authoring.regression
from ggp.authoring.new import new_game
from ggp.authoring.playthrough import Playthrough
from ggp.authoring.regression import Outcome, run_tests, update
from ggp.deadline import Deadline
from ggp.errors import GameError, ReasonerUnavailable, RecordError
from ggp.gdl import Description
from ggp.gdl.check import CODES
from ggp.kif import Symbol, parse
from ggp.prove import Answer, Question, Verdict
from ggp.reasoner import Reasoner, open_reasoner
from tests.cli.conftest import Here, here

pytestmark = pytest.mark.usefixtures("forked")

__all__ = ["here"]  # the fixture

#: A change of the rules, and what fails after it.
TAKE_THREE = ("(<= (minus ?m 2 ?rest)", "(<= (minus ?m 3 ?rest)")


@pytest.fixture
def prolog_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave out machine code, which takes longer to begin."""

    def opened(
        description: Description, *, kind: str = "prolog", deadline: Deadline | None = None
    ) -> Reasoner:
        if kind == "compiled":
            raise ReasonerUnavailable("left out")
        return open_reasoner(description, kind="prolog")

    monkeypatch.setattr(ggp.authoring.regression, "open_reasoner", opened)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of a new game, made once."""
    folder = tmp_path_factory.mktemp("made")
    new_game(folder / "pile.kif")
    return folder


@pytest.fixture
def game(made: Path, tmp_path: Path, prolog_only: None) -> Path:
    copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path / "pile.kif"


def change(path: Path, before: str, after: str) -> None:
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))


def change_json(path: Path, edit: Callable[[Any], object]) -> None:
    fields = json.loads(path.read_text())
    edit(fields)
    path.write_text(json.dumps(fields))


def failures(path: Path) -> dict[str, tuple[str, ...]]:
    found = [outcome for outcome in run_tests(path) if outcome.status == "failed"]
    return {outcome.test: outcome.details for outcome in found}


def playthrough_of(path: Path) -> Path:
    return path.with_name("pile.playthrough.json")


def perft_of(path: Path) -> Path:
    return path.with_name("pile.perft.json")


def test_a_new_game_passes(made: Path) -> None:
    path = made / "pile.kif"
    assert list(run_tests(path, seconds=0)) == [
        Outcome("check", str(path), "passed"),
        Outcome("playthrough", "pile.playthrough.json", "passed", ("5 steps",)),
        Outcome("perft", "pile.perft.json", "passed", ("7 steps deep",)),
    ]


def test_the_command_shows_each_test(here: Here, game: Path) -> None:
    done = here("test", game)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{game}",
        f"  passed  check {game}",
        "  skipped reasoner compiled",
        "          left out",
        "  passed  playthrough pile.playthrough.json",
        "          5 steps",
        "  passed  perft pile.perft.json",
        "          7 steps deep",
        "  skipped proof of every question",
        "          they need the circuit of the game",
        "0 of 1 failed",
    ]


def test_the_command_fails_where_a_game_fails(here: Here, game: Path) -> None:
    change(game, *TAKE_THREE)
    done = here("test", game, "nim", "--json")
    assert (done.code, done.err, done.json["passed"]) == (1, "", False)
    pile, nim = done.json["games"]
    assert (pile["file"], pile["passed"], nim["passed"]) == (str(game), False, True)
    assert [test["test"] for test in pile["tests"] if test["status"] == "failed"] == [
        "playthrough",
        "perft",
    ]
    shown = here("test", game)
    assert shown.code == 1
    assert "FAILED  playthrough pile.playthrough.json\n" in shown.out
    assert shown.out.endswith("1 of 1 failed\n")


def verdict(question: Question, answer: Answer, **found: Any) -> Verdict:
    return Verdict(question, answer, "play", 0.1, **found)


def test_what_is_proved_passes_and_what_is_refuted_fails(
    made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    white, black = Symbol("white"), Symbol("black")
    play = (parse("(take 1) wait"), parse("wait (take 1)"))

    def found(description: Description, *, seconds: float) -> Iterator[Verdict]:
        assert seconds == 3
        yield verdict(Question.about("playable", white), "refuted", witness=play, suspects=(0,))
        yield verdict(Question.about("turn-taking"), "refuted", witness=play)
        yield verdict(Question.about("goals", black), "proved")
        yield verdict(Question.about("ends"), "open")
        yield verdict(Question.about("winnable", white, "100"), "proved", witness=play)
        yield verdict(Question.about("winnable", black, "100"), "refuted")

    monkeypatch.setattr(ggp.authoring.regression, "prove", found)
    path = made / "pile.kif"
    doubt = "black can never have 100 at the end: is that meant?"
    assert [outcome for outcome in run_tests(path, seconds=3) if outcome.test == "proof"] == [
        Outcome(
            "proof", "ends", "skipped", ("it is not known whether every play comes to an end",)
        ),
        Outcome("proof", "goals black", "passed"),
        Outcome(
            "proof",
            "playable white",
            "failed",
            (
                "after 2 joint moves, white has no legal move, and the game is not over",
                "  1  (take 1) wait",
                "  2  wait (take 1)",
                f"{path}:16:1: a rule to look at",
                f"what heals it in most games: {CODES['refuted-playable'].fix}",
            ),
        ),
        Outcome("proof", "winnable black 100", "warning", (doubt,)),
    ]


@pytest.mark.long
def test_proofs_of_a_real_game(here: Here, made: Path, tmp_path: Path) -> None:
    done = here("test", "--json", made / "pile.kif")
    (game,) = done.json["games"]
    proofs = {test["what"]: test["status"] for test in game["tests"] if test["test"] == "proof"}
    questions = ["begins", "ends", "goals black", "goals white", "playable black", "playable white"]
    assert proofs == dict.fromkeys(questions, "passed")
    path = tmp_path / "stuck.kif"
    copy(made / "pile.kif", path)
    change(path, "(not (true (control ?player)))", "(true (control ?player))")
    assert "playable black" in {
        outcome.what for outcome in run_tests(path) if outcome.status == "failed"
    }


def test_legal_moves_that_differ(game: Path) -> None:
    change(game, "(amount 1)\n(amount 2)", "(amount 1)\n(amount 2)\n(amount 3)")
    change(
        game,
        "(succ ?k ?m))\n\n;; What may",
        "(succ ?k ?m))\n(<= (minus ?m 3 ?rest) (minus ?m 2 ?k) (succ ?rest ?k))\n;; What may",
    )
    assert failures(game)["playthrough"] == ("step 0: legal moves of white: extra (take 3)",)


def test_facts_that_differ(game: Path) -> None:
    change(game, "(next (winner ?player))", "(next (last ?player))")
    assert failures(game)["playthrough"] == (
        "step 5, after (take 1) wait: facts: missing (winner white)",
        "step 5, after (take 1) wait: facts: extra (last white)",
        "step 5, after (take 1) wait: goal of white: 0, not 100",
    )


def test_an_end_that_differs(game: Path) -> None:
    change(game, "(<= terminal\n    (true (pile 0)))", "(<= terminal\n    (true (pile 2)))")
    assert failures(game) == {
        "playthrough": (
            "step 3, after (take 2) wait: the game is over",
            "step 3, after (take 2) wait: wait (take 1) is no legal joint move",
        ),
        "perft": (
            "depth 3: terminal_states: 1, not 0",
            "depth 3: terminal_paths: 3, not 0",
            'depth 3: goals: {"0,0": [1, 3]}, not {}',
            "depth 3: legal_sum: [3, 5], not [4, 7]",
            "depth 3: joint_sum: 5, not 7",
        ),
    }


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda f: f.update(roles="black white"), "the roles are white black, not black white"),
        (lambda f: f["steps"][0].update(terminal=True), "step 0: the game is not over"),
        (
            lambda f: f["steps"][0].update(goals=[0, None]),
            "step 0: goal of black: 0, not none, or several",
        ),
        (lambda f: f["steps"][0].update(facts="(pile 7)"), "step 0: facts: extra (control white)"),
        (
            lambda f: f["steps"][0].update(joint_move="wait wait"),
            "step 0: wait wait is no legal joint move",
        ),
        (
            lambda f: f["steps"][0].update(joint_move="(take 1)"),
            "step 0: (take 1) is no legal joint move",
        ),
        (
            lambda f: f["steps"][0].update(
                legal=[" ".join(f"(take {n})" for n in range(1, 20)), "wait"]
            ),
            "step 0: legal moves of white: missing (take 10), (take 11), (take 12), (take 13), "
            "(take 14), (take 15), (take 16), (take 17) and 9 more",
        ),
    ],
)
def test_a_playthrough_that_says_something_else(
    game: Path, edit: Callable[[Any], object], line: str
) -> None:
    change_json(playthrough_of(game), edit)
    assert failures(game) == {"playthrough": (line,)}


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda f: f["layers"][3].update(paths=9), "depth 3: paths: 8, not 9"),
        (lambda f: f["layers"][7]["goals"].clear(), 'depth 7: goals: {"100,0": [1, 1]}, not {}'),
        (
            lambda f: f["layers"][2].update(fp="0" * 16),
            "depth 2: the states differ, although their number is the same",
        ),
        (lambda f: f["layers"][2].update(states=9, fp="0" * 16), "depth 2: states: 3, not 9"),
        (lambda f: f["layers"].append({"states": 1}), "depth 8: no state, not 1"),
        (lambda f: f["layers"].pop(), "depth 7: there are states, and there were none"),
    ],
)
def test_perft_counts_that_say_something_else(
    game: Path, edit: Callable[[Any], object], line: str
) -> None:
    change_json(perft_of(game), edit)
    assert failures(game) == {"perft": (line,)}


def test_what_the_command_perft_prints_is_taken(here: Here, game: Path) -> None:
    perft_of(game).write_text(here("perft", game, "--depth", "3", "--json").out)
    outcome = [found for found in run_tests(game) if found.test == "perft"]
    assert outcome == [Outcome("perft", "pile.perft.json", "passed", ("3 steps deep",))]


def test_what_only_one_reasoner_says_is_told_so(
    game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Description.from_text(game.read_text().replace("(init (pile 7))", "(init (pile 6))"))

    def opened(
        description: Description, *, kind: str, deadline: Deadline | None = None
    ) -> Reasoner:
        return open_reasoner(other if kind == "compiled" else description, kind="prolog")

    monkeypatch.setattr(ggp.authoring.regression, "open_reasoner", opened)
    assert failures(game)["playthrough"] == (
        "step 0: facts: missing (pile 7) (compiled only)",
        "step 0: facts: extra (pile 6) (compiled only)",
    )


def test_a_game_that_no_reasoner_takes_fails(game: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(
        description: Description, *, kind: str, deadline: Deadline | None = None
    ) -> Reasoner:
        raise ReasonerUnavailable(f"no {kind}")

    monkeypatch.setattr(ggp.authoring.regression, "open_reasoner", opened)
    assert failures(game) == {"reasoner": ("no reasoner can take the game",)}


def test_an_error_of_the_checker_fails_and_a_warning_is_shown(game: Path) -> None:
    change(game, "(amount 2)", "(amount 2)\n(unused 1)")
    first, *_ = run_tests(game)
    assert (first.status, len(first.details)) == ("passed", 1)
    assert "warning[unused-relation]" in first.details[0]
    change(game, "(unused 1)", "(unused ?x)")
    outcomes = list(run_tests(game))
    assert [outcome.status for outcome in outcomes] == ["failed"]
    assert any("error[variable-in-fact]" in line for line in outcomes[0].details)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "no playthrough: Expecting"),
        ("[]", "no playthrough: "),
        ("[" * 100_000, "no playthrough: "),
        ('{"game": "g", "steps": []}', "no playthrough: 'roles' is missing"),
        ('{"game": "g", "roles": "(x", "steps": []}', "this parenthesis is never closed"),
        ('{"game": "g", "roles": "x", "steps": [{"fact": ""}]}', "no playthrough: a step has no"),
        ('{"game": "g", "roles": "x", "steps": [{"terminal": 1}]}', "no playthrough: terminal is"),
        ('{"game": "g", "roles": "x", "steps": [{"goals": ["9"]}]}', "no playthrough: goals are"),
        ('{"game": "g", "roles": "x", "steps": [{}, {}]}', "step 0 has no joint move, but another"),
    ],
)
def test_a_file_that_holds_no_playthrough(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "pile.playthrough.json"
    path.write_text(content)
    with pytest.raises(RecordError) as raised:
        Playthrough.read(path)
    assert str(raised.value).startswith(f"{path}: {said}")


def test_such_a_file_fails_and_no_update_overwrites_it(game: Path) -> None:
    playthrough_of(game).write_text("{")
    (line,) = failures(game)["playthrough"]
    assert line.startswith(f"{playthrough_of(game)}: no playthrough")
    with pytest.raises(RecordError):
        list(update(game))
    assert playthrough_of(game).read_text() == "{"


@pytest.mark.sample(1)
@pytest.mark.parametrize("content", ["{", "[]", '{"layers": []}', '{"layers": [1]}'])
def test_a_file_that_holds_no_counts(game: Path, content: str) -> None:
    perft_of(game).write_text(content)
    (line,) = failures(game)["perft"]
    assert line.startswith(f"{perft_of(game)}: ")


def test_an_update_changes_nothing_that_is_right(here: Here, game: Path) -> None:
    before = {path: path.read_bytes() for path in game.parent.iterdir()}
    done = here("test", "--update", game)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        f"{playthrough_of(game)}: unchanged: 5 steps",
        f"{perft_of(game)}: unchanged: 7 steps deep",
        "0 of 1 failed",
    ]
    assert before == {path: path.read_bytes() for path in game.parent.iterdir()}


def test_an_update_keeps_the_moves(game: Path) -> None:
    moves = Playthrough.read(playthrough_of(game)).joint_moves
    change(game, "(goal ?player 100)", "(goal ?player 90)")
    assert dict(update(game))[playthrough_of(game)] == "recorded: 5 steps"
    after = Playthrough.read(playthrough_of(game))
    assert after.joint_moves == moves
    assert 90 in (after.steps[-1].goals or ())
    assert failures(game) == {}


def test_an_update_refuses_a_move_that_is_not_legal(here: Here, game: Path) -> None:
    change(game, "(goal ?player 100)", "(goal ?player 90)")  # the other file would change, too
    line = game.with_name("pile.zz.playthrough.json")
    steps = '[{"joint_move": "(take 2) wait"}, {"joint_move": "wait (take 3)"}]'
    line.write_text(f'{{"game": "pile", "roles": "white black", "steps": {steps}}}')
    before = {path: path.read_bytes() for path in game.parent.iterdir()}
    done = here("test", "--update", game)
    assert (done.code, done.err) == (1, "")
    assert f"{line.name}: step 1: (take 3) is not legal for black, which has " in done.out
    assert "(take 1), (take 2)" in done.out
    assert before == {path: path.read_bytes() for path in game.parent.iterdir()}
    change(line, "wait (take 3)", "wait")
    with pytest.raises(GameError, match="wait: 1 of 2 roles have a move"):
        list(update(game))


def test_a_line_of_play_written_by_hand_is_completed(game: Path) -> None:
    line = game.with_name("pile.short.playthrough.json")
    moves = [{"joint_move": "(take 2) wait"}, {"joint_move": "wait (take 2)"}]
    line.write_text(json.dumps({"game": "pile", "roles": "white black", "steps": moves}))
    assert failures(game) == {}
    assert dict(update(game))[line] == "recorded: 2 steps"
    steps = Playthrough.read(line).steps
    assert [" ".join(map(str, step.joint_move or ())) for step in steps] == [
        "(take 2) wait",
        "wait (take 2)",
        "",
    ]
    assert " ".join(map(str, steps[-1].facts or ())) == "(control white) (pile 3)"
    assert failures(game) == {}


def test_an_update_makes_what_is_missing(here: Here, game: Path) -> None:
    text = playthrough_of(game).read_text()
    playthrough_of(game).unlink()
    perft_of(game).unlink()
    skipped = [outcome.status for outcome in run_tests(game) if outcome.test == "playthrough"]
    assert skipped == ["skipped"]
    done = here("test", "--update", "--json", game)
    assert (done.code, done.json["passed"]) == (0, True)
    assert done.json["games"][0]["files"] == [
        {"file": str(playthrough_of(game)), "what": "recorded: 5 steps"},
        {"file": str(perft_of(game)), "what": "recorded: 7 steps deep"},
    ]
    assert playthrough_of(game).read_text() == text


def test_an_update_refuses_rules_with_an_error(here: Here, game: Path) -> None:
    change(game, "(init (pile 7))", "(init (pile ?n))")
    with pytest.raises(GameError, match="variable"):
        list(update(game))
    done = here("test", "--update", game)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith(f"{game}: FAILED: {game}:")


def test_an_update_of_a_game_where_a_role_has_no_move(game: Path) -> None:
    change(game, "(legal ?player wait)", "(idle ?player)")
    playthrough_of(game).unlink()
    with pytest.raises(GameError, match="black has no legal move"):
        list(update(game))


def test_what_was_found_before_an_interrupt_is_printed(
    here: Here, game: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(path: Path, *, seconds: float) -> Iterator[Outcome]:
        if path == game:
            return run_tests(path, seconds=seconds)
        raise KeyboardInterrupt

    monkeypatch.setattr("ggp.cli.rules.test.run_tests", run)
    done = here("test", "--json", game, "nim")
    assert (done.code, done.err) == (130, "ggp: interrupted\n")
    assert [tested["file"] for tested in done.json["games"]] == [str(game)]


@pytest.mark.parametrize("options", [[], ["--update"]])
def test_the_games_beside_one_that_cannot_be_read_are_tested(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    paths = [tmp_path / name for name in ("gone.kif", "one.kif", "full.kif", "two.kif")]
    for path in paths[1:]:
        path.write_text("(role r)")

    def run(path: Path, **_: object) -> Iterator[Any]:
        if path.name == "full.kif":
            raise OSError(errno.ENOSPC, "No space left on device", f"{path}.json")
        yield (path, "recorded") if options else Outcome("check", path.name, "failed")

    monkeypatch.setattr("ggp.cli.rules.test.run_tests", run)
    monkeypatch.setattr("ggp.cli.rules.test.update", run)
    done = here("test", *options, *paths)
    assert done.code == 2
    assert done.err.splitlines() == [
        f"ggp: {paths[0]}: no such file, and no bundled game of this name; `ggp games` lists them",
        f"ggp: {paths[2]}.json: No space left on device",
    ]
    assert str(paths[1]) in done.out
    assert str(paths[3]) in done.out
    assert done.out.endswith(f"{2 if options else 4} of 4 failed\n")
    games = here("test", *options, "--json", *paths).json["games"]
    assert [game["file"] for game in games] == list(map(str, paths))
    assert ["error" in game and bool(game["error"]) for game in games] == [True, False, True, False]


def test_wrong_use(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments, said in (
        (["nowhere.kif"], "nowhere.kif: no such file"),
        (["--update", "nim"], "nim: comes with the program; give the name of a copy"),
        (["/dev/null"], "/dev/null: is no regular file"),
        ([], "Missing argument"),
    ):
        done = here("test", *arguments)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert done.err.startswith(f"ggp: {said}")
