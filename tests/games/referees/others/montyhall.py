"""Monty Hall, on the doors of the car, the choice and the open one, and the number of the step."""

from __future__ import annotations

from typing import NamedTuple

from tests.games.referees import Moves, Referee, numbers


class Doors(NamedTuple):
    step: int = 0
    car: int = 0
    chosen: int = 0
    opened: int = 0


class MontyHall(Referee[Doors]):
    start = Doors()

    def moves(self, state: Doors) -> Moves:
        if state.step == 0:
            return ["noop"], [f"(hide {door})" for door in (1, 2, 3)]
        if state.step == 1:
            return [f"(choose {door})" for door in (1, 2, 3)], ["noop"]
        if state.step == 2:
            others = {1, 2, 3} - {state.car, state.chosen}
            return ["noop"], [f"(open {door})" for door in sorted(others)]
        return ["keep", "switch"], ["noop"]

    def after(self, state: Doors, joint_move: tuple[str, ...]) -> Doors:
        mine, hosts = joint_move
        following = state._replace(step=state.step + 1)
        if state.step == 0:
            return following._replace(car=numbers(hosts)[0])
        if state.step == 1:
            return following._replace(chosen=numbers(mine)[0])
        if state.step == 2:
            return following._replace(opened=numbers(hosts)[0])
        return (
            following._replace(chosen=6 - state.chosen - state.opened)
            if mine == "switch"
            else (following)
        )

    def is_over(self, state: Doors) -> bool:
        return state.step == 4

    def goals(self, state: Doors) -> tuple[int, ...]:
        return (100 if state.car == state.chosen else 0), 0


referee = MontyHall()
