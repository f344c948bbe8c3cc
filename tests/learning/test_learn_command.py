"""`ggp learn` and `ggp knowledge` as their users call them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from ggp.cli.learning import knowledge, learn
from ggp.gdl import Description
from ggp.kif import to_kif
from ggp.learning import Store
from ggp.players.learning import offline
from ggp.search import ValueNet
from tests.gdl.test_correspondence import disguised
from tests.learning.test_store import made


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep what is learned in a folder of the test's own."""
    monkeypatch.setenv("GGP_KNOWLEDGE_DIR", str(tmp_path / "knowledge"))
    return tmp_path / "knowledge"


@pytest.fixture
def many_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the moves of a trial short, with time for all matches however busy the machine is."""
    monkeypatch.setattr(offline, "_MOVE", 0.002)
    monkeypatch.setattr(offline, "_TRIAL_LEAST", 30.0)


def learned(*arguments: str) -> Result:
    return CliRunner().invoke(learn.command, arguments)


def known(*arguments: str) -> Result:
    return CliRunner().invoke(knowledge.command, arguments)


def test_it_writes_a_network_that_players_take(tmp_path: Path, folder: Path) -> None:
    target = tmp_path / "net.npz"
    done = learned("tictactoe", "--plies", "3000", "--net", str(target), "--no-keep", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert found["plies"] >= 3000
    assert found["net"] == str(target)
    assert found["kept"] is None
    assert len(ValueNet.load(target).roles) == 2
    assert not folder.exists()


def test_it_goes_on_with_what_was_learned_before(tmp_path: Path) -> None:
    first = json.loads(learned("tictactoe", "--plies", "2000", "--json").stdout)
    assert first["kept"] is not None
    scrambled, _ = disguised(Description.load("tictactoe"), 2)
    other = tmp_path / "other.kif"
    other.write_text(to_kif(scrambled.terms))
    second = json.loads(learned(str(other), "--plies", "2000", "--json").stdout)
    assert second["kept"] == first["kept"]
    assert second["total_plies"] == first["plies"] + second["plies"]
    third = json.loads(learned("tictactoe", "--plies", "2000", "--fresh", "--json").stdout)
    assert third["total_plies"] == third["plies"]


@pytest.mark.parametrize("name", ["uptoten", "montyhall", "kriegtictactoe", "eightpuzzle"])
def test_games_with_chance_hidden_things_and_one_player_are_learned(
    name: str, many_matches: None
) -> None:
    done = learned(name, "--plies", "2000", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["kept"] is not None
    assert json.loads(done.stdout)["trial"] >= 6
    found = Store().find(Description.load(name))
    assert found is not None
    assert found.learned.search == "mcts"


def test_a_bundled_game_has_its_name_though_it_was_learned_in_other_words(folder: Path) -> None:
    description, network = made("breakthrough")
    other, _ = disguised(description, 3)
    strange = Description.from_text(to_kif(other.terms))
    nameless = replace(network.learned, name=None)
    Store(folder).keep(strange, replace(network, rules=strange.source.text, learned=nameless))
    assert known("list").output.splitlines()[1].split()[1] == "breakthrough"
    assert "\nbreakthrough: 7 joint moves" in known("show", "breakthrough").output


def test_a_seed_and_a_number_of_plies_give_the_same_network(tmp_path: Path) -> None:
    nets = []
    for name in ("one.npz", "other.npz"):
        done = learned("tictactoe", "--plies", "3000", "--seed", "4", "--no-keep",
                       "--net", str(tmp_path / name))  # fmt: skip
        assert done.exit_code == 0, done.output
        nets.append(ValueNet.load(tmp_path / name))
    assert (nets[0].weights == nets[1].weights).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "--hidden", "40"], "give a multiple of 32"),
        (["nosuchgame"], "nosuchgame"),
    ],
)
def test_wrong_use_is_explained(arguments: list[str], message: str) -> None:
    done = learned(*arguments)
    assert done.exit_code == 2
    assert message in done.output


def test_what_was_learned_is_listed_shown_moved_and_removed(
    tmp_path: Path, folder: Path, many_matches: None
) -> None:
    assert "nothing has been learned" in known("list").stdout
    assert learned("tictactoe", "--seconds", "1.5").exit_code == 0
    (path,) = folder.glob("*.npz")
    assert "tictactoe" in known("list").stdout
    (row,) = json.loads(known("list", "--json").stdout)
    assert row["name"] == "tictactoe"
    assert row["plies"] > 0

    shown = known("show", "tictactoe").stdout
    assert "random playouts" in shown
    assert "loss:" in shown
    assert "(mark ? ? x):" in shown  # three rows of three numbers
    assert known("show", "tictactoe", "--plot", str(tmp_path / "loss.svg")).exit_code == 0
    assert "million joint moves" in (tmp_path / "loss.svg").read_text()
    effects = json.loads(known("show", path.stem[:6], "--json").stdout)["effects"]
    assert set(effects["(mark 1 1 x)"]) == set(map(str, Description.load("tictactoe").roles))

    assert known("export", "tictactoe", str(tmp_path / "moved.npz")).exit_code == 0
    assert known("remove", "tictactoe").exit_code == 0
    assert not path.exists()
    assert known("import", str(tmp_path / "moved.npz")).exit_code == 0
    assert path.exists()


def test_pairs_of_facts_are_an_option(folder: Path, many_matches: None) -> None:
    for option, there in (("--pairs", True), ("--no-pairs", False)):
        done = learned("connectfour", "--plies", "3000", option)
        assert done.exit_code == 0
        assert ("pairs of facts" in done.stdout) == there
        assert ("pairs of facts" in known("show", "connectfour").stdout) == there
    done = learned("nim", "--plies", "3000", "--pairs", "--no-keep")
    assert "the rules relate no facts" in done.stderr


def test_what_is_not_there_is_explained(tmp_path: Path, folder: Path) -> None:
    assert "nothing has been learned of nim" in known("show", "nim").output
    (tmp_path / "junk.npz").write_bytes(b"junk")
    done = known("import", str(tmp_path / "junk.npz"))
    assert done.exit_code == 1
    assert "junk.npz is no file of a value network" in done.output
    assert learned("tictactoe", "--plies", "1000").exit_code == 0
    (path,) = folder.glob("*.npz")
    path.write_bytes(b"junk")
    done = known("list")
    assert done.exit_code == 0
    assert "is no file of a value network" in done.output
