"""Spades to 300 points, hand by hand."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ggp.experiments.table4 import Score
from tests.experiments import card_referee
from tests.experiments.card_referee import CardReferee
from tests.games.referees import Moves, Referee

#: The deals: what is dealt to, and bid by, the player who leads, the second and the third.
CARDS = [
    CardReferee(hands, evaluation="", trump="s", unbroken="s", rank_equivalent="none", bids=bids)
    for hands, bids in (
        (["d01 h04 s02 s04", "d03 h02 s01 s03", "d02 d04 h01 h03"], (1, 2, 1)),
        (["d04 h01 h02 s02", "d02 h04 s01 s04", "d01 d03 h03 s03"], (2, 1, 1)),
    )
]


@dataclass(frozen=True, slots=True)
class State:
    #: The number of the hand, from 0.
    hand: int
    cards: card_referee.State
    #: The points of each player, and the overtricks that have not been punished.
    scores: tuple[tuple[int, int], ...]


class Spades300(Referee[State]):
    def __init__(self, *, points: int, overtricks: int, hands: int) -> None:
        self.hands = hands
        self.start = State(0, self.deal(0), ((points, overtricks),) * 3)

    def deal(self, hand: int) -> card_referee.State:
        seats = CARDS[hand % 2].start.hands
        hands = tuple(seats[(player - hand) % 3] for player in range(3))
        return card_referee.State(hands, leader=hand % 3)

    def moves(self, state: State) -> Moves:
        return CARDS[0].moves(state.cards)

    def after(self, state: State, joint_move: tuple[str, ...]) -> State:
        cards = CARDS[0].after(state.cards, joint_move)
        if any(cards.hands):
            return replace(state, cards=cards)
        scores = tuple(self.score(state, cards, player) for player in range(3))
        hand = state.hand + 1
        if hand < self.hands and all(points < 300 for points, _ in scores):
            cards = self.deal(hand)
        return State(hand, cards, scores)

    def score(self, state: State, cards: card_referee.State, player: int) -> tuple[int, int]:
        score = Score(*state.scores[player])
        taken = sum(who == player for who, _ in cards.taken)
        score.add(bid=CARDS[state.hand % 2].bids[(player - state.hand) % 3], taken=taken)
        return score.points, score.overtricks

    def is_over(self, state: State) -> bool:
        return not any(state.cards.hands)

    def goals(self, state: State) -> tuple[int, ...]:
        points = [points for points, _ in state.scores]
        return tuple(
            40 * sum(other < mine for other in points) + 20 * (mine >= 300) for mine in points
        )


referee = Spades300(points=205, overtricks=5, hands=12)
