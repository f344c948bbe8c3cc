"""The card games with points from hand to hand, with teams, and with chance as the dealer."""

from __future__ import annotations

import random
from fractions import Fraction
from functools import cache

import pytest

from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Source, parse
from ggp.reasoner import Reasoner, State, open_reasoner
from ggp.search import AlphaBeta
from tests.games.bundled import FOLDER, load
from tests.games.referees.cards.spades300 import Spades300

PLAYERS = ("ann", "bob", "cid")


def numbers_of(reasoner: Reasoner, state: State, name: str) -> dict[str, int]:
    """The numbers in the facts of a name, by what they are said of."""
    facts = [str(fact).strip("()").split() for fact in reasoner.facts(state)]
    return {
        fact[1]: int(fact[2].replace("m", "-")) for fact in facts if fact[0] == name and fact[2:]
    }


def points(reasoner: Reasoner, state: State) -> tuple[int, ...]:
    """The points in a state of `spades300`."""
    tens, bags = (numbers_of(reasoner, state, name) for name in ("tens", "bags"))
    return tuple(10 * tens[player] + bags[player] for player in PLAYERS)


def whole_game() -> Description:
    """`spades300` from the first hand on, changed as its comment says."""
    text = (FOLDER / "spades300.kif").read_text(encoding="utf-8")
    for old, new in [
        ("(first_tens 20)", "(first_tens 0)"),
        ("(first_bags 5)", "(first_bags 0)"),
        ("(last_round 12)", "(last_round 24)"),
    ]:
        assert text.count(old) == 1
        text = text.replace(old, new)
    return Description.from_text(Source(text, "a whole game"))


@pytest.mark.long
@pytest.mark.parametrize("whole", [False, True])
def test_points_in_spades300_are_those_of_the_score(*, whole: bool) -> None:
    first, hands = (0, 24) if whole else (205, 12)
    referee = Spades300(points=first, overtricks=first % 10, hands=hands)
    chance = random.Random(1)
    lowest, is_punished = first, False
    with open_reasoner(whole_game() if whole else load("spades300")) as reasoner:
        for _ in range(4):
            state, twin = reasoner.initial_state(), referee.start
            while not (view := reasoner.view(state)).terminal:
                assert points(reasoner, state) == tuple(mine for mine, _ in twin.scores)
                assert all(mine % 10 == overtricks for mine, overtricks in twin.scores)
                joint_move = tuple(map(chance.choice, view.legal))
                before = twin.scores
                state = reasoner.next_state(state, joint_move)
                twin = referee.after(twin, tuple(map(str, joint_move)))
                is_punished |= any(
                    new < old - 20 for (new, _), (old, _) in zip(twin.scores, before, strict=True)
                )
            assert referee.is_over(twin)
            assert points(reasoner, state) == tuple(mine for mine, _ in twin.scores)
            assert view.goals == referee.goals(twin)
            lowest = min(lowest, *points(reasoner, state))
    assert is_punished
    assert (lowest < 0) == whole


#: The last card of the first hand is to be played: ann wins the trick. The bids are 1, 2 and 1.
LAST_CARD = """
(round 1) (laid 2) (led s) broken (winning ann s01) (control cid) (hand cid s02)
(took ann 1) (took bob 2) (took cid 0)
(tens ann 28) (bags ann 9) (tens bob {tens}) (bags bob {bags}) (tens cid 0) (bags cid 3)
"""


@pytest.mark.parametrize(("tens", "bags", "after"), [(28, 0, 300), (27, 9, 299)])
def test_spades300_ends_when_a_player_has_300_points(tens: int, bags: int, after: int) -> None:
    with open_reasoner(load("spades300")) as reasoner:
        state = reasoner.state_of(parse(LAST_CARD.format(tens=tens, bags=bags)))
        joint_move = parse("noop noop (play s02)")
        reasoner.check_legal(state, joint_move)
        state = reasoner.next_state(state, joint_move)
        # ann's tenth bag costs 100 points, and cid has missed a bid of one trick.
        assert points(reasoner, state) == (289 + 10 + 1 - 100, after, 3 - 10)
        view = reasoner.view(state)
        assert view.terminal == (after == 300)
        assert view.goals == (40, 100 if after == 300 else 80, 0)
        assert numbers_of(reasoner, state, "took") == (
            {"ann": 2, "bob": 2, "cid": 0} if view.terminal else dict.fromkeys(PLAYERS, 0)
        )


def test_goals_in_spades300_compare_the_bags_where_the_tens_are_equal() -> None:
    facts = "(round 12) (laid 0) (tens ann 30) (tens bob 30) (tens cid m1)"
    with open_reasoner(load("spades300")) as reasoner:
        for bags, goals in [
            ("(bags ann 3) (bags bob 4) (bags cid 9)", (60, 100, 0)),
            ("(bags ann 4) (bags bob 4) (bags cid 9)", (60, 60, 0)),
        ]:
            assert reasoner.goals(reasoner.state_of(parse(f"{facts} {bags}"))) == goals


@pytest.mark.long
def test_partners_in_spades4_have_the_same_goal_by_the_tricks_of_both() -> None:
    chance = random.Random(2)
    seen = set()
    with open_reasoner(load("spades4")) as reasoner:
        for _ in range(60):
            state = reasoner.initial_state()
            tricks, trick = [0, 0], []
            while not (view := reasoner.view(state)).terminal:
                joint_move = tuple(map(chance.choice, view.legal))
                ((player, move),) = (
                    (player, str(move))
                    for player, move in enumerate(joint_move)
                    if str(move) != "noop"
                )
                trick.append((move[6], move[7:9], player))
                if len(trick) == 4:
                    led = trick[0][0]
                    suit = "s" if any(card[0] == "s" for card in trick) else led
                    winner = min(card[1:] for card in trick if card[0] == suit)[1]
                    tricks[winner % 2] += 1
                    trick.clear()
                state = reasoner.next_state(state, joint_move)
            # Both teams bid two of the four tricks.
            won = {0: 0, 1: 0, 2: 60, 3: 95, 4: 90}
            expected = won[tricks[0]], won[tricks[1]]
            assert view.goals == expected * 2
            seen.add(tuple(tricks))
    assert len(seen) >= 4


def value_of_uptoten() -> Fraction:
    """Ann's expected goal if both play well: a recursion without any rules in GDL."""

    @cache
    def choice(left: frozenset[int], mine: int, others: int, *, alone: bool) -> Fraction:
        """The value for the player who may draw, or stand."""
        drawn = Fraction(0)
        for card in left:
            if mine + card > 10:
                continue
            rest = left - {card}
            if alone:
                drawn += choice(rest, mine + card, others, alone=True)
            else:
                drawn += 100 - choice(rest, others, mine + card, alone=False)
        drawn /= len(left)
        if alone:
            stood = Fraction(100 if mine > others else 50 if mine == others else 0)
        else:
            stood = 100 - choice(left, others, mine, alone=True)
        return max(drawn, stood)

    pack = frozenset(range(1, 8))
    deals = [(ann, bob) for ann in pack for bob in pack - {ann}]
    values = (choice(pack - {ann, bob}, ann, bob, alone=False) for ann, bob in deals)
    return sum(values, Fraction(0)) / len(deals)


@pytest.mark.long
def test_the_search_finds_the_value_of_uptoten() -> None:
    expected = value_of_uptoten()
    assert round(float(expected), 2) == 48.55
    with open_reasoner(load("uptoten")) as reasoner:
        result = AlphaBeta(GameGraph(reasoner)).run()
    assert result.exact
    assert result.value == pytest.approx(float(expected))
