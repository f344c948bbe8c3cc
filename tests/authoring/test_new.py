"""`ggp new`: a game that nothing is wrong with, in files that nothing overwrites."""

from __future__ import annotations

import errno
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from ggp.authoring import format_rules
from ggp.authoring.new import KINDS, new_game, new_rules
from ggp.authoring.playthrough import Playthrough
from ggp.authoring.regression import perft_path, playthrough_path
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.perft import perft
from ggp.reasoner import open_reasoner
from tests.cli.command import ggp
from tests.cli.conftest import Here, here
from tests.files.disk import full_disk, names
from tests.games.bundled import declared

__all__ = ["here"]  # the fixture

ROLES = [
    ["solo"],
    ["white", "black"],
    ["a", "B_2", "c3"],
    [f"player_number_{n}" for n in range(12)],
]


@pytest.mark.parametrize("roles", ROLES, ids=len)
def test_the_rules_are_without_a_fault_and_in_the_layout(roles: list[str]) -> None:
    text = new_rules("A title", roles)
    assert text.startswith("; A title\n;\n")
    assert check(text) == []
    assert format_rules(text) == text
    assert max(map(len, text.splitlines())) <= 100
    assert [str(role) for role in Description.from_text(text).roles] == roles


@pytest.mark.sample(1)
@pytest.mark.parametrize("roles", ROLES[:3], ids=len)
def test_the_game_ends_with_one_winner_and_declares_all_that_occurs(roles: list[str]) -> None:
    description = Description.from_text(new_rules("A title", roles))
    facts, moves = declared(description)
    with open_reasoner(description) as reasoner:
        counts = perft(description, reasoner)
        assert counts.stop == "complete"
        ends = {goals for layer in counts.layers for goals in layer.goals or {}}
        assert {sum(map(int, goals.split(","))) for goals in ends} == {100}
        assert len(ends) == len(roles)
        state = reasoner.initial_state()
        while not reasoner.is_terminal(state):
            view = reasoner.view(state)
            assert set(map(str, reasoner.facts(state))) <= facts
            pairs = zip(roles, view.legal, strict=True)
            assert {(role, str(move)) for role, legal in pairs for move in legal} <= moves
            state = reasoner.next_state(state, [legal[0] for legal in view.legal])


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_without_a_fault_and_in_the_layout(kind: str) -> None:
    own = KINDS[kind]
    long = [f"player_with_a_long_name_{number}" for number in range(len(own))]
    for roles in (own, long):
        text = new_rules("A title", roles, kind=kind)
        assert text.startswith("; A title\n;\n")
        assert "$" not in text
        assert check(text) == []
        assert format_rules(text) == text
        assert max(map(len, text.splitlines())) <= 100
        named = [str(role) for role in Description.from_text(text).roles if str(role) != "random"]
        assert named == list(roles)
    with pytest.raises(ValueError, match="is no name of a role"):
        new_rules("A title", [""] * len(own), kind=kind)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_passes_its_tests_and_declares_all_that_occurs(
    here: Here, kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.kif"
    assert here("new", path, "--kind", kind).code == 0
    tested = here("test", path)
    assert tested.code == 0, tested.out
    description = Description.load(path)
    facts, moves = declared(description)
    chance = Random(1)
    with open_reasoner(description) as reasoner:
        for _ in range(20):
            state = reasoner.initial_state()
            while not reasoner.is_terminal(state):
                view = reasoner.view(state)
                assert set(map(str, reasoner.facts(state))) <= facts
                pairs = zip(description.roles, view.legal, strict=True)
                seen = {(str(role), str(move)) for role, legal in pairs for move in legal}
                assert seen <= moves
                state = reasoner.next_state(state, [chance.choice(own) for own in view.legal])
            assert all(goal is not None for goal in reasoner.goals(state))


def test_a_player_to_begin_from_plays(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = here("new", "my_first_player", "--kind", "player")
    assert made.out == (
        "wrote my_first_player.py\nnext: ggp match nim my_first_player.MyFirstPlayer random\n"
    )
    players = ("my_first_player.MyFirstPlayer:count=2", "random")
    match = ggp("match", "nim", *players, "--json", "--seed", "1", cwd=tmp_path)
    assert (match.code, match.json["isCompleted"]) == (0, True)
    again = here("new", "my_first_player", "--kind", "player")
    assert again.err == "ggp: my_first_player.py: is there already\n"


def test_the_files(here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = [
        "tower_of_stones.kif",
        "tower_of_stones.playthrough.json",
        "tower_of_stones.perft.json",
    ]
    made = here("new", "tower_of_stones", "--roles", "ann, bob,cid", "--json")
    assert (made.code, made.err, made.json) == (0, "", {"files": names})
    assert Path(names[0]).read_text().startswith("; Tower of stones\n")
    playthrough = Playthrough.read(Path(names[1]))
    assert [str(role) for role in playthrough.roles] == ["ann", "bob", "cid"]
    assert playthrough.steps[-1].terminal


@pytest.mark.long
def test_the_game_is_played_by_the_other_commands(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert here("new", "pile").code == 0
    assert here("check", "pile.kif").out == "0 errors, 0 warnings in 1 file\n"
    assert here("perft", "pile.kif", "--json", "--depth", "2").json["states"] == [1, 2, 3]
    matched = here("match", "pile.kif", "legal", "legal", "--json", "--record", "r.json")
    assert (matched.code, matched.json["isCompleted"]) == (0, True)


def test_a_name_may_have_a_folder_and_the_ending(here: Here, tmp_path: Path) -> None:
    made = here("new", tmp_path / "pile.kif")
    assert made.code == 0
    assert made.out.splitlines()[0] == f"wrote {tmp_path / 'pile.kif'}"
    assert made.out.splitlines()[-1].startswith(f"next: ggp check {tmp_path / 'pile.kif'}; ")


def test_what_to_do_next_can_be_pasted(here: Here, tmp_path: Path) -> None:
    made = here("new", tmp_path / "two words")
    following = made.out.splitlines()[-1].removeprefix("next: ")
    for command in following.split("; "):
        assert str(tmp_path / "two words.kif") in shlex.split(command)


@pytest.mark.parametrize("there", ["pile.kif", "pile.playthrough.json", "pile.perft.json"])
def test_it_overwrites_nothing(here: Here, there: str, tmp_path: Path) -> None:
    (tmp_path / there).write_text("mine")
    made = here("new", tmp_path / "pile")
    assert (made.code, made.out) == (2, "")
    assert made.err == f"ggp: {tmp_path / there}: is there already\n"
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "mine"
    with pytest.raises(FileExistsError):
        new_game(tmp_path / "pile.kif")


def test_a_full_disk_leaves_nothing(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that are left would keep the next try from writing."""

    def full(path: Path) -> Iterator[None]:
        playthrough_path(path).write_text("recorded")
        yield
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(perft_path(path)))

    with monkeypatch.context() as patched:
        patched.setattr("ggp.authoring.new.update", full)
        made = here("new", tmp_path / "pile")
    assert (made.code, made.out) == (2, "")
    assert made.err == f"ggp: {tmp_path / 'pile.perft.json'}: No space left on device\n"
    assert names(tmp_path) == []
    with full_disk(room=100):
        made = here("new", tmp_path / "pile")
    assert made.err == f"ggp: {tmp_path / 'pile.kif'}: File too large\n"
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pile", "--roles", ""], "--roles: '' is no name of a role: take letters, digits and _"),
        (["pile", "--roles", "x,?y"], "--roles: '?y' is no name of a role: take letters,"),
        (["pile", "--roles", "x,é"], "--roles: 'é' is no name of a role: take letters,"),
        (["pile", "--roles", "x,Take"], "--roles: 'Take' is no name of a role: the rules need"),
        (["pile", "--roles", "x,random"], "--roles: 'random' is no name of a role: the rules"),
        (["pile", "--roles", "x,X"], "--roles: two roles have the name 'X'"),
        (["no/such/folder/pile"], "no/such/folder/pile.kif: No such file or directory"),
        ([".kif"], "'.kif' is no name of a game"),
        (["pile", "--kind", "board", "--roles", "x"], "--roles: the kind board has 2 roles, not 1"),
        (["pile", "--kind", "puzzle", "--roles", "x,y"], "--roles: the kind puzzle has 1 role, "),
        (["pile", "--kind", "hidden", "--roles", "x,high"], "--roles: 'high' is no name of a role"),
        (["a-b", "--kind", "player"], "'a-b' is no name of a module: take letters, digits and _"),
        (["pile", "--kind", "player", "--roles", "x"], "--roles: a player plays any role"),
        (["pile", "--kind", "chess"], "Invalid value for '--kind'"),
        ([], "Missing argument 'NAME'"),
    ],
)
def test_wrong_use(
    here: Here, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = here("new", *arguments)
    assert (made.code, made.out, made.err.count("\n")) == (2, "", 1)
    assert made.err.startswith(f"ggp: {said}")
    assert list(tmp_path.iterdir()) == []
