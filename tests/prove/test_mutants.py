"""Planted faults are found, and the rule at fault is named."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from ggp.compiler.circuit.build import build_circuit
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.prove import prove
from ggp.prove.claims import content_places
from tests.prove.mutants import Mutant, faults, mutants

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"
#: Ten games, each with the mutants that are planted in it.
TEN = (
    *("tictactoe", "nim", "hexapawn", "connectfour5x5", "chomp"),
    *("dotsandboxes", "breakthrough", "triad", "centipede", "harvest"),
)
_TRIED = 100


def faulty(name: str, count: int) -> list[Mutant]:
    """Return mutants of a game that the checker takes for a game, and that random plays refute."""
    description = Description.load(GAMES / f"{name}.kif")
    places = [place for place in content_places(build_circuit(description)) if place.is_cell]
    found: list[Mutant] = []
    for mutant in islice(mutants(description, seed=1), _TRIED):
        is_game = not any(finding.severity == "error" for finding in check(mutant.text))
        if is_game and faults(mutant.text, places):
            found.append(mutant)
            if len(found) == count:
                break
    return found


def examined(mutant: Mutant, seconds: float) -> tuple[bool, bool]:
    """Return whether a fault is found in a mutant, and whether its rule is named."""
    description = Description.from_text(mutant.text)
    found = [verdict for verdict in prove(description, seconds=seconds) if verdict.is_fault]
    lines = {position.line for verdict in found for position in verdict.places(description)}
    lines |= {finding.span.line for finding in check(mutant.text)}
    return bool(found), mutant.line in lines


@pytest.mark.long
@pytest.mark.parametrize("name", ["tictactoe", "nim"])
def test_a_fault_is_found_and_its_rule_is_named(name: str) -> None:
    (mutant,) = faulty(name, 1)
    assert examined(mutant, 2) == (True, True), mutant.what


@pytest.mark.long
def test_a_hundred_faults_are_found_and_ninety_rules_are_named() -> None:
    planted = [mutant for name in TEN for mutant in faulty(name, 10)]
    assert len(planted) == 100
    results = [(mutant.what, *examined(mutant, 5)) for mutant in planted]
    assert not [what for what, is_found, _ in results if not is_found]
    unnamed = [what for what, _, is_named in results if not is_named]
    assert len(unnamed) <= 10, unnamed


@pytest.mark.long
@pytest.mark.parametrize("name", TEN)
def test_the_games_without_a_planted_fault_have_none(name: str) -> None:
    description = Description.load(GAMES / f"{name}.kif")
    assert not [str(v.question) for v in prove(description, seconds=5) if v.is_fault]
