"""What was learned is found again, whatever the words, and whatever happens to the files."""

from __future__ import annotations

import errno
import logging
import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from ggp import Game
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.learning import Knowledge, Learned, Progress, Store, TrialResult
from ggp.search import ValueNet
from tests.gdl.test_correspondence import disguised


def made(name: str, seed: int = 1) -> tuple[Description, Knowledge]:
    """Return a game with a network of random weights, also for facts side by side."""
    generator = np.random.default_rng(seed)
    with Game.load(name) as game:
        pairs = [*pairwise(range(len(game.facts)))]
        net = ValueNet.of_layers(
            game.roles,
            game.facts,
            weights=generator.normal(0, 0.3, (32, len(game.facts) + len(pairs))),
            bias=generator.normal(0, 0.3, 32),
            outputs=generator.normal(0, 1, (len(game.roles), 32)),
            output_bias=np.zeros(len(game.roles)),
            pairs=pairs,
        )
    description = Description.load(name)
    learned = Learned(name=name, plies=7, score=0.75, trial=16, curve=((7, 0.5),))
    return description, Knowledge(net, description.source.text, learned)


@pytest.mark.parametrize("name", ["tictactoe", "breakthrough", "triad", "hexapawn"])
def test_a_disguised_game_finds_its_network(tmp_path: Path, name: str) -> None:
    description, known = made(name)
    store = Store(tmp_path / "new")
    assert store.find(description) is None
    path = store.keep(description, known)
    assert path is not None
    other, scrambler = disguised(description, 5)
    found = store.find(other)
    assert found is not None
    assert found.learned == known.learned
    assert found.net.roles == tuple(map(str, other.roles))
    with Game(description) as game, Game(other) as scrambled:
        found.net.check_game(other.roles, scrambled.facts)
        # the same position is worth the same for the same role
        facts = game.reasoner.facts(game.reasoner.initial_state())
        renamed = [scrambler.scramble(fact) for fact in facts]
        for number, role in enumerate(description.roles):
            place = [*map(str, other.roles)].index(str(scrambler.scramble(role)))
            assert found.net.goal(renamed, place) == known.net.goal(facts, number)


def test_the_file_is_one_that_players_take(tmp_path: Path) -> None:
    description, known = made("nim")
    path = Store(tmp_path).keep(description, known)
    assert path is not None
    assert (ValueNet.load(path).weights == known.net.weights).all()


def test_alpha_beta_plays_by_a_network_that_best_first_minimax_played_by(tmp_path: Path) -> None:
    description, known = made("nim")
    store = Store(tmp_path)
    store.keep(description, replace(known, learned=replace(known.learned, search="bestfirst")))
    found = store.find(description)
    assert found is not None
    assert found.learned.search == "alphabeta"


def test_a_broken_file_is_ignored_with_a_word(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    description, known = made("nim")
    store = Store(tmp_path)
    path = store.keep(description, known)
    assert path is not None
    whole = path.read_bytes()
    for content in (b"", b"junk", whole[: len(whole) // 2]):
        path.write_bytes(content)
        caplog.clear()
        assert store.find(description) is None
        assert "is not used" in caplog.text
    store.keep(description, known)
    assert store.find(description) is not None


def test_the_network_of_another_game_is_not_used(tmp_path: Path) -> None:
    description, known = made("nim")
    other, _ = made("tictactoe")
    store = Store(tmp_path)
    path = store.keep(description, known)
    assert path is not None
    beside = store.keep(other, replace(known, rules=other.source.text))
    assert beside is not None
    beside.write_bytes(path.read_bytes())
    assert store.find(other) is None


def test_a_full_disk_is_told_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    description, known = made("nim")
    store = Store(tmp_path)
    store.keep(description, known)

    def full(_descriptor: int, _content: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING):
        patch.setattr("os.write", full)
        patch.setattr("os.fsync", lambda _descriptor: full(0, b""))
        assert store.keep(description, replace(known, learned=Learned(plies=99))) is None
    assert "is not kept" in caplog.text
    found = store.find(description)
    assert found is not None
    assert found.learned.plies == 7


def test_what_was_used_least_recently_goes_first(tmp_path: Path) -> None:
    store = Store(tmp_path)
    paths = []
    for number, name in enumerate(("nim", "tictactoe", "hexapawn")):
        path = store.keep(*made(name))
        assert path is not None
        os.utime(path, (number + 1, number + 1))
        paths.append(path)
    assert store.find(Description.load("nim")) is not None  # it has been used now
    small = Store(tmp_path, limit=sum(path.stat().st_size for path in paths))
    small.keep(*made("chomp"))
    kept = {entry.path for entry in small.entries()}
    assert paths[0] in kept
    assert paths[1] not in kept


def test_a_file_that_is_no_knowledge_is_explained(tmp_path: Path) -> None:
    _, known = made("nim")
    known.net.save(tmp_path / "net.npz")
    with pytest.raises(GgpError, match="not one of the store"):
        Knowledge.load(tmp_path / "net.npz")
    with pytest.raises(GgpError, match="No such file"):
        Knowledge.load(tmp_path / "missing.npz")


def test_rules_that_are_removed_are_gone(tmp_path: Path) -> None:
    description, known = made("nim")
    store = Store(tmp_path)
    path = store.keep(description, known)
    assert path is not None
    assert store.remove(path.stem)
    assert not store.remove(path.stem)
    assert store.find(description) is None


def test_a_trial_without_a_match_leaves_the_score() -> None:
    played = Progress(plies=100, matches=5, steps=3, seconds=1.0, loss=0.5)
    first = Learned().after(played, TrialResult(16, 0.75, "alphabeta"))
    assert (first.score, first.trial, first.untried, first.search) == (0.75, 16, 0, "alphabeta")
    for trial in (None, TrialResult(0, 0.5)):
        after = first.after(played, trial)
        assert after.plies == 200
        assert (after.score, after.trial, after.untried) == (0.75, 16, 100)
        assert after.search == "alphabeta"
