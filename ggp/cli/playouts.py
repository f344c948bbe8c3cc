"""`ggp playouts`: random playouts, their speed and their goals."""

from __future__ import annotations

import random
from contextlib import ExitStack
from dataclasses import dataclass

import click

from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game,
    print_json,
    reasoner_option,
    seed_option,
    show_progress,
)
from ggp.gdl import Description
from ggp.playouts import PlayoutStatistics, playouts
from ggp.reasoner import bounded, open_reasoner

__all__ = ["command"]

#: Seconds to wait for the machine code before playing, or as long as to play if that is longer.
_WARM_UP = 5.0


@click.command("playouts")
@game_argument
@click.option("--seconds", type=Seconds(), default=5.0, show_default=True)
@seed_option
@reasoner_option
@json_option
def command(file: str, seconds: float, seed: int | None, reasoner: str, as_json: bool) -> None:
    """Play a game at random again and again, and say how it ends: on average, at worst, at best.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. Prolog plays until the
    game is compiled. Playouts that do not finish in time do not count. With --seed the command
    waits until the game is compiled or cannot be; then each run makes the same playouts, as many as
    the time allows.
    """
    description = load_game(file)
    with interruptible() as interrupt, ExitStack() as stack:
        show_progress("compiling")
        patience = interrupt.within(max(seconds, _WARM_UP)) if seed is None else interrupt
        opened = stack.enter_context(open_reasoner(description, kind=reasoner, deadline=patience))
        opened.warm_up(patience)
        deadline = interrupt.within(seconds)
        with bounded(opened, deadline=deadline):
            found = playouts(
                opened,
                deadline=deadline,
                generator=random.Random(seed),
                adaptive=seed is None,
                progress=lambda count: show_progress(f"{count:,} playouts"),
            )
    show_progress("")
    goals = _goals(found, description)
    if as_json:
        print_json(
            {
                "playouts": found.playouts,
                "steps": found.steps,
                "mean_steps": found.steps / found.playouts if found.playouts else None,
                "seconds": found.seconds,
                "playouts_per_second": found.playouts / found.seconds,
                "steps_per_second": found.steps / found.seconds,
                "mean_goals": {role: goal and goal.mean for role, goal in goals.items()},
                "min_goals": {role: goal and goal.least for role, goal in goals.items()},
                "max_goals": {role: goal and goal.greatest for role, goal in goals.items()},
                "compiled_after": found.taken_over_after,
                "compiled_playouts_per_second": found.compiled_playouts_per_second,
            }
        )
        return
    each = f", {found.steps / found.playouts:.1f} each," if found.playouts else ""
    click.echo(
        f"{found.playouts:,} playouts of {found.steps:,} steps{each} in {found.seconds:.2f} s: "
        f"{found.playouts / found.seconds:,.0f} playouts/s, "
        f"{found.steps / found.seconds:,.0f} steps/s"
    )
    click.echo(f"  {_played_by(found)}")
    for role, values in description.goal_values.items():
        click.echo(f"  {role}: {_describe(goals[str(role)], values)}")


@dataclass(frozen=True, slots=True)
class _Goals:
    """The goals of a role."""

    mean: float
    least: int
    greatest: int


def _goals(found: PlayoutStatistics, description: Description) -> dict[str, _Goals | None]:
    """Return the goals of each role; None where the rules give it none, or no playout ended."""
    if found.mean_goals is None:
        return {str(role): None for role in description.roles}
    return {
        str(role): _Goals(mean, *ends) if description.goal_values[role] else None
        for role, mean, ends in zip(description.roles, found.mean_goals, found.ranges, strict=True)
    }


def _played_by(found: PlayoutStatistics) -> str:
    if found.taken_over_after is None:
        return "played by Prolog"
    rate = found.compiled_playouts_per_second
    since = "" if rate is None else f": {rate:,.0f} playouts/s from then on"
    return f"machine code took over after {found.taken_over_after:.1f} s{since}"


def _describe(goals: _Goals | None, values: tuple[int, ...]) -> str:
    """Return the goals of a role as text, given those that its rules can give."""
    if not values:
        return "the rules give this role no goal"
    if goals is None:
        return "no playout ended"
    # A goal below the least one means that some playouts ended without a goal.
    missing = "; playouts without a goal count 0; see `ggp check`" * (goals.least < values[0])
    return f"{goals.mean:.2f} ({goals.least} to {goals.greatest}){missing}"
