"""The rule at fault is the first that is named where a play refutes a claim."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.gdl import Description
from ggp.prove import prove

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "rule", "condition"),
    [
        # Marks vanish when o moves. Plays go round, and nothing is wrong in their last step.
        ("tictactoe", "(<= (next (mark ?column ?row ?player))\n    (true", "(true (control x))"),
        # A role that takes does not end the game, which goes on without anything to take.
        ("centipede", "(<= terminal\n    taken", "(true (turn 1))"),
    ],
)
def test_the_rule_with_a_condition_too_many_is_named_first(
    name: str, rule: str, condition: str
) -> None:
    text = (GAMES / f"{name}.kif").read_text()
    assert text.count(rule) == 1
    head, rest = rule.split("\n")
    line = text[: text.index(rule)].count("\n") + 1
    changed = text.replace(rule, f"{head} {condition}\n{rest}")
    description = Description.from_text(changed)
    faults = [verdict for verdict in prove(description, seconds=2) if verdict.is_fault]
    assert faults
    assert {verdict.places(description)[0].line for verdict in faults} == {line}
