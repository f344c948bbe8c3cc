"""The leaf-value tables of card games, enumerated from the rules."""

from __future__ import annotations

import pytest

from ggp.experiments.cards.deal import deal
from ggp.experiments.cards.rulesheet import rulesheet
from ggp.gdl import Description
from ggp.kif import Source
from ggp.search import LeafValueTable

#: Seconds: enough even on a busy machine.
ENOUGH = 100


def table(text: str) -> LeafValueTable:
    description = Description.from_text(Source(text, "a deal"))
    return LeafValueTable.enumerate(description, time_limit=ENOUGH)


@pytest.mark.long
@pytest.mark.parametrize(
    ("players", "cards", "rows"),
    [
        (3, 3, 10),  # (t + 1)(t + 2) / 2 for three players and t tricks (Sturtevant 2005)
        (3, 9, 55),
        (2, 13, 14),
    ],
)
def test_all_divisions_of_the_tricks_are_found(players: int, cards: int, rows: int) -> None:
    found = table(rulesheet(deal("spades", players=players, cards=cards), evaluation="mt"))
    assert len(found) == rows
    assert found.constant_sum


@pytest.mark.long
def test_what_was_taken_cannot_be_lost() -> None:
    found = table(rulesheet(deal("spades", cards=3), evaluation="mt"))
    (link,) = found.links
    assert {str(fact) for group in link.groups for fact in group.facts} == {
        f"(took {role} {n})" for role in ("ann", "bob", "cid") for n in range(4)
    }
    for group in link.groups:
        for value, later in zip(group.facts, group.later, strict=False):
            taken = int(str(value).split()[-1][:-1])
            can_come = {
                int(str(fact).split()[-1][:-1])
                for number, fact in enumerate(group.facts)
                if later >> number & 1
            }
            assert can_come == set(range(taken, 4))


@pytest.mark.long
def test_the_divisions_of_the_hearts_and_who_has_the_queen() -> None:
    dealt = deal("hearts", cards=4, number=6)
    hearts = sum(card.suit == "h" for card in dealt.cards)
    found = table(rulesheet(dealt, evaluation="few"))
    assert len(found) == 3 * (hearts + 1) * (hearts + 2) // 2
    assert found.constant_sum
    assert not table(rulesheet(dealt, evaluation="moon")).constant_sum
