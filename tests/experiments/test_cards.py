"""Card games: the deals, and that the rulesheets allow exactly the legal play."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from itertools import product
from statistics import mean
from typing import Any

import pytest

from ggp.experiments.cards.bidding import BIDDING, with_bids
from ggp.experiments.cards.deal import GAMES, Card, Deal, Game, card, deal, high_card_bids
from ggp.experiments.cards.rulesheet import RANK_EQUIVALENTS, RankEquivalent, evaluations, rulesheet
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.kif import Source
from ggp.reasoner import Reasoner, open_reasoner
from tests.experiments.card_referee import CardReferee, referee_of
from tests.games.bundled import FOLDER

#: Deals of each game that the long test plays through.
DEALS = int(os.environ.get("CARD_DEALS", "700"))


def description(text: str) -> Description:
    return Description.from_text(Source(text, "a deal"))


def compare(reasoner: Reasoner, referee: CardReferee, *, seed: object) -> None:
    """Play one random game with both at the same time."""
    chance = random.Random(f"{seed}")
    state, twin = reasoner.initial_state(), referee.start
    while not referee.is_over(twin):
        view = reasoner.view(state)
        assert not view.terminal
        expected = [sorted(moves) for moves in referee.moves(twin)]
        assert [list(map(str, moves)) for moves in view.legal] == expected
        joint_move = tuple(map(chance.choice, view.legal))
        state = reasoner.next_state(state, joint_move)
        twin = referee.after(twin, tuple(map(str, joint_move)))
    assert reasoner.is_terminal(state)
    assert reasoner.goals(state) == referee.goals(twin)


def options_of(game: Game, number: int) -> dict[str, Any]:
    """Different ones for different deals."""
    known = evaluations(game)
    return {
        "evaluation": known[number % len(known)],
        "breaking": number % 2 == 0,
        "rank_equivalent": RANK_EQUIVALENTS[number % 3],
    }


def play(game: Game, *, players: int, cards: int, number: int, kind: str, games: int = 1) -> None:
    dealt = deal(game, players=players, cards=cards, number=number)
    options = options_of(game, number)
    with open_reasoner(description(rulesheet(dealt, **options)), kind=kind) as reasoner:
        referee = referee_of(dealt, **options)
        for seed in range(games):
            compare(reasoner, referee, seed=(number, seed))


SIZES = [(2, 13), (3, 9), (3, 4), (4, 2)]


@pytest.mark.sample(2)
@pytest.mark.parametrize(("game", "size"), list(product(GAMES, SIZES)))
def test_play_is_legal_card_play(game: Game, size: tuple[int, int]) -> None:
    for number in (1, 2):
        play(game, players=size[0], cards=size[1], number=number, kind="compiled", games=3)


@pytest.mark.parametrize("game", GAMES)
def test_prolog_plays_the_same(game: Game) -> None:
    play(game, players=3, cards=3, number=4, kind="prolog")


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_play_is_legal_card_play_for_thousands_of_deals(game: Game) -> None:
    chance = random.Random(game)
    for number in range(DEALS):
        players = chance.choice((2, 3, 4))
        cards = chance.randint(1, 51 // players if number % 10 == 0 else 9)
        kind = "prolog" if number % 100 == 0 and cards < 5 else "compiled"
        play(game, players=players, cards=cards, number=number, kind=kind, games=3)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("game", "breaking", "rank_equivalent"), list(product(GAMES, (True, False), RANK_EQUIVALENTS))
)
def test_the_checker_finds_nothing(
    game: Game, *, breaking: bool, rank_equivalent: RankEquivalent
) -> None:
    for evaluation in evaluations(game):
        dealt = deal(game, cards=3)
        text = rulesheet(
            dealt, evaluation=evaluation, breaking=breaking, rank_equivalent=rank_equivalent
        )
        assert not check(Source(text, "a deal"))


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "hands", ["h01|d01|c01", "s03|d01|c01", "s03 s04|s02 s05|h01 s09", "c01 c02|c03 c04|c05 c06"]
)
def test_hands_without_points_or_without_hearts_can_be_played(hands: str) -> None:
    dealt = Deal("hearts", tuple(tuple(map(card, hand.split())) for hand in hands.split("|")))
    for evaluation in evaluations("hearts"):
        text = rulesheet(dealt, evaluation=evaluation)
        with open_reasoner(description(text), kind="compiled") as reasoner:
            referee = referee_of(
                dealt, evaluation=evaluation, breaking=True, rank_equivalent="left"
            )
            compare(reasoner, referee, seed=0)


def test_the_same_numbers_give_the_same_deal() -> None:
    assert deal("spades", seed=3, number=2) == deal("spades", seed=3, number=2)
    assert deal("spades", seed=3, number=2) != deal("spades", seed=3, number=3)
    assert deal("spades", seed=3, number=2) != deal("spades", seed=2, number=2)


@pytest.mark.parametrize(("players", "cards"), [(2, 26), (3, 17), (4, 13)])
def test_no_card_is_dealt_twice(players: int, cards: int) -> None:
    dealt = deal("spades", players=players, cards=cards)
    assert [len(hand) for hand in dealt.hands] == [cards] * players
    assert len(set(dealt.cards)) == players * cards


def test_the_trump_of_oh_hell_is_turned_up() -> None:
    trumps = [deal("ohhell", number=number).trump for number in range(40)]
    assert set(trumps) == set("cdhs")


def test_bids_add_up_to_about_three_quarters_of_the_tricks() -> None:
    sums = [sum(deal("spades", number=number).bids) for number in range(1000)]
    assert mean(sums) == pytest.approx(6.8, abs=0.15)


def test_a_bid_counts_high_cards() -> None:
    hands = "s01 s02 h01 d02", "s03 s04 c05 c06", "c04 d04 h04 s05"
    named = Deal("spades", tuple(tuple(map(card, hand.split())) for hand in hands), "s")
    assert high_card_bids(named) == (4, 2, 0)
    assert high_card_bids(replace(named, trump="c")) == (4, 1, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"players": 1}, "1 players; there can be 2 to 4"),
        ({"cards": 18}, "18 cards for each of 3 players; there can be 1 to 17"),
        ({"cards": 0}, "0 cards for each of 3 players; there can be 1 to 17"),
        ({"cards": 3, "bids": (1, 2)}, "bids 1 2; one for each player, from 0 to 3"),
        ({"cards": 3, "bids": (1, 2, 4)}, "bids 1 2 4; one for each player, from 0 to 3"),
    ],
)
def test_a_deal_that_is_not_possible_is_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        deal("spades", **options)
    with pytest.raises(ValueError, match="no bids in Hearts"):
        deal("hearts", bids=(1, 1, 1))


def test_an_unknown_evaluation_is_said() -> None:
    with pytest.raises(ValueError, match="no evaluation 'few'; there are mot, "):
        rulesheet(deal("spades"), evaluation="few")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("spades2", {"game": "spades", "players": 2, "cards": 6, "number": 4}),
        ("spades3", {"game": "spades", "cards": 4, "number": 7}),
        ("ohhell3", {"game": "ohhell", "cards": 4, "number": 2}),
        ("hearts3", {"game": "hearts", "cards": 4, "number": 6}),
    ],
)
def test_the_bundled_games_are_deals(name: str, options: dict[str, Any]) -> None:
    evaluation = "moon" if name == "hearts3" else None
    written = rulesheet(deal(**options), evaluation=evaluation)
    assert (FOLDER / f"{name}.kif").read_text(encoding="utf-8") == written


def hand(names: str) -> tuple[Card, ...]:
    return tuple(sorted(map(card, names.split())))


@pytest.mark.parametrize(
    ("bidding", "bids"),
    [
        # ace, king, queen of clubs; ace and jack of spades: the jack is the trump jack
        ("high-cards", (5, 1)),
        ("aces-kings", (3, 0)),
        ("long-trumps", (3, 1)),
        ("every-trump", (4, 3)),
    ],
)
def test_a_rule_of_bidding_counts_its_cards(bidding: str, bids: tuple[int, ...]) -> None:
    hands = (hand("c01 c02 c03 s01 s04"), hand("c05 c06 s03 s05 s06"))
    assert with_bids(Deal("spades", hands, "s"), bidding=bidding).bids == bids


def test_expected_bids_are_what_random_play_takes() -> None:
    for number in range(1, 6):
        dealt = deal("spades", number=number)
        bids = with_bids(dealt, bidding="expected").bids
        assert with_bids(dealt, bidding="expected").bids == bids  # the same each time
        assert abs(sum(bids) - dealt.tricks) <= 1
    sure = (hand("s01 s02 s03"), hand("c01 c02 c03"), hand("d01 d02 d03"))
    assert with_bids(Deal("spades", sure, "s"), bidding="expected").bids == (3, 0, 0)


def test_no_bid_is_more_than_there_are_tricks() -> None:
    dealt = deal("spades", cards=3)
    for bidding in BIDDING:
        assert max(with_bids(dealt, bidding=bidding, offset=9).bids) == 3
