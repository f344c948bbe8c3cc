from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ggp import Description
from ggp.gdl.bundled import find_game
from tests.cli.command import ggp
from tests.cli.conftest import Here
from tests.reasoner.games import LIGHTS

GAMES = Path(__file__).parents[2] / "games"


def states_of(*arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None) -> list[int]:
    finished = ggp("perft", *arguments, "--depth", "1", "--json", stdin=stdin, cwd=cwd)
    assert (finished.code, finished.err) == (0, "")
    states: list[int] = finished.json["states"]
    return states


@pytest.mark.parametrize("name", ["nim", "nim.kif"])
def test_a_bundled_game_goes_by_its_bare_name(name: str, tmp_path: Path) -> None:
    assert states_of(name, cwd=tmp_path) == [1, 3]


def test_a_file_of_the_current_folder_comes_first(tmp_path: Path) -> None:
    (tmp_path / "nim").write_text(LIGHTS)
    assert states_of("nim", cwd=tmp_path) == [1, 6]


def test_a_folder_of_the_same_name_does_not_hide_it(tmp_path: Path) -> None:
    (tmp_path / "nim").mkdir()
    assert states_of("nim", cwd=tmp_path) == [1, 3]


def test_a_game_is_read_from_standard_input() -> None:
    assert states_of("-", stdin=LIGHTS.encode()) == [1, 6]


def test_a_game_is_read_from_a_named_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=(LIGHTS,))
    writer.start()
    assert states_of(tmp_path / "pipe") == [1, 6]
    writer.join()


def test_every_bundled_game_is_found_and_listed(here: Here) -> None:
    names = sorted(path.stem for path in GAMES.glob("*.kif"))
    assert [find_game(name).resolve() for name in names] == [GAMES / f"{n}.kif" for n in names]
    listed = here("games")
    assert [line.split()[0] for line in listed.out.splitlines()] == names
    games = here("games", "--json").json
    assert [game["name"] for game in games] == names
    assert all(game["title"] and game["roles"] and game["rules"] for game in games)
    assert all(game["description"].endswith(".") for game in games)
    nim = next(game for game in games if game["name"] == "nim")
    assert nim["description"] == "A pile has six toothpicks."
    assert nim["rules"] == len(Description.load("nim").terms)
    assert all(Path(game["file"]).is_file() for game in games)


def test_a_description_is_loaded_by_the_name_of_a_bundled_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    roles = [str(role) for role in Description.load("tictactoe").roles]
    assert roles == ["x", "o"]
    with pytest.raises(FileNotFoundError, match="did you mean tictactoe"):
        Description.load("ticktacktoe")
    Path("tictactoe").write_text("(role only)")
    assert [str(role) for role in Description.load("tictactoe").roles] == ["only"]


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("tictacto", "did you mean tictactoe?"),
        ("Connect4.kif", "did you mean connectfour?"),
        ("games/nim.kif", "`ggp games` lists them"),
        ("zzzz", "`ggp games` lists them"),
    ],
)
def test_an_unknown_name_suggests_similar_ones(
    here: Here, name: str, hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    found = here("perft", name)
    assert (found.code, found.out) == (2, "")
    assert found.err == f"ggp: {name}: no such file, and no bundled game of this name; {hint}\n"


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_any_encoding_of_a_file(here: Here, encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "é.kif"
    path.write_bytes("(role é) (init i) (legal é go)".encode(encoding))
    shown = here("show", path, "--json", "--seconds", "0")
    assert (shown.code, shown.err, shown.json["roles"]) == (0, "", ["é"])
    assert shown.json["file"] == str(path)


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("as_json", [True, False])
def test_any_encoding_of_the_terminal(encoding: str, as_json: bool, tmp_path: Path) -> None:
    path = tmp_path / "日本.kif"
    path.write_text("(role 日本) (init i) (legal 日本 go) (日本 ?x)", encoding="utf-8")
    options = ["--json"] if as_json else []
    shown = ggp("show", path, "--seconds", "0", *options, env={"PYTHONIOENCODING": encoding})
    assert (shown.code, shown.err) == (0, "")
    if as_json:
        assert shown.json["roles"] == ["日本"]
    else:
        assert shown.out.startswith("roles")
