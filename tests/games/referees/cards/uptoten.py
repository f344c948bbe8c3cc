"""Up to ten, on the cards that are left, the totals, who stands, and who draws or may choose."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee, numbers, win_lose_draw


class Table(NamedTuple):
    left: frozenset[int] = frozenset(range(1, 8))
    totals: tuple[int, int] = (0, 0)
    stand: frozenset[int] = frozenset()
    player: int = 0
    is_drawing: bool = True


class UpToTen(Referee[Table]):
    start = Table()

    def moves(self, state: Table) -> Moves:
        if state.is_drawing:
            return ["noop"], ["noop"], [f"(deal {card})" for card in state.left]
        mine, others = ["draw", "stand"], ["noop"]
        return (mine, others, ["noop"]) if state.player == 0 else (others, mine, ["noop"])

    def after(self, state: Table, joint_move: tuple[str, ...]) -> Table:
        other = 1 - state.player
        following = state.player if other in state.stand else other
        if state.is_drawing:
            (card,) = numbers(joint_move[2])
            totals = list(state.totals)
            totals[state.player] += card
            # A player who is bust has lost, no matter by how much.
            totals[state.player] = min(totals[state.player], 11)
            return state._replace(
                left=state.left - {card},
                totals=(totals[0], totals[1]),
                player=following,
                is_drawing=totals[1] == 0,
            )
        if joint_move[state.player] == "draw":
            return state._replace(is_drawing=True)
        return state._replace(stand=state.stand | {state.player}, player=following)

    def is_over(self, state: Table) -> bool:
        return len(state.stand) == 2 or 11 in state.totals

    def goals(self, state: Table) -> tuple[int, ...]:
        first, second = (0 if total == 11 else total for total in state.totals)
        return *win_lose_draw(first, second), 0


referee = UpToTen()
