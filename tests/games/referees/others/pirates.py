"""Pirates: the proposer, the pirate to speak, the proposed split, whether it is settled."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee, in_turn, numbers, the_move

CAPTAIN, MATE, COOK = range(3)


class Deck(NamedTuple):
    proposer: int
    speaker: int
    offer: tuple[int, ...] = ()
    settled: bool = False


class Pirates(Referee[Deck]):
    start = Deck(CAPTAIN, CAPTAIN)

    def moves(self, state: Deck) -> Moves:
        if state.speaker != state.proposer:
            return in_turn(state.speaker, ["aye", "nay"], players=3)
        coins = 5 if state.proposer == CAPTAIN else 3
        splits = [(a, b, coins - a - b) for a in range(coins + 1) for b in range(coins + 1 - a)]
        if state.proposer == MATE:
            splits = [split for split in splits if split[CAPTAIN] == 0]
        return in_turn(state.speaker, [f"(propose {a} {b} {c})" for a, b, c in splits], players=3)

    def after(self, state: Deck, joint_move: tuple[str, ...]) -> Deck:
        move = the_move(joint_move)
        if move == "aye":
            return Deck(CAPTAIN, CAPTAIN, state.offer, settled=True)
        if move != "nay":
            return Deck(state.proposer, state.proposer + 1, tuple(numbers(move)))
        if state.speaker == MATE:
            return state._replace(speaker=COOK)
        if state.proposer == CAPTAIN:
            return Deck(MATE, MATE)
        return Deck(CAPTAIN, CAPTAIN, (0, 0, 1), settled=True)

    def is_over(self, state: Deck) -> bool:
        return state.settled

    def goals(self, state: Deck) -> tuple[int, ...]:
        return tuple(20 * coins for coins in state.offer)


referee = Pirates()
