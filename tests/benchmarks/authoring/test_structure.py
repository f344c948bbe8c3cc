from __future__ import annotations

import json

from click.testing import CliRunner

from benchmarks.authoring.images import savings_of
from benchmarks.authoring.structure import main


def test_symmetries_and_factors_are_counted() -> None:
    found = CliRunner().invoke(main, ["lightsout", "rendezvous", "--seconds", "60", "--json"])
    assert found.exit_code == 0, found.output
    lightsout, rendezvous = json.loads(found.output)
    assert (lightsout["game"], lightsout["symmetries"], lightsout["factors"]) == ("lightsout", 7, 1)
    assert rendezvous["factors"] == 2
    printed = CliRunner().invoke(main, ["lightsout", "--seconds", "60"]).output
    assert "1 games: 0 without a circuit, 1 with symmetries" in printed


def test_tic_tac_toe_has_twelve_states_after_two_marks_up_to_symmetry() -> None:
    found = savings_of("tictactoe", plays=1, seconds=10)
    assert found is not None
    assert (found.symmetries, found.first) == (7, 72 / 12)


def test_nothing_is_saved_without_symmetries() -> None:
    assert savings_of("chomp", plays=1, seconds=10) is None
