"""`ggp learn`: a network that learns a game by playing it against itself."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game,
    print_json,
    seed_option,
    show_progress,
)

if TYPE_CHECKING:
    from ggp.learning import Progress

__all__ = ["command"]


@click.command("learn")
@game_argument
@click.option("--seconds", type=Seconds(), default=60.0, show_default=True,
              help="How long to learn.")  # fmt: skip
@click.option("--plies", type=click.IntRange(min=1), metavar="N",
              help="How many joint moves to make, whatever the time.")  # fmt: skip
@click.option("--hidden", type=click.IntRange(min=32), default=64, show_default=True,
              help="Hidden units of the network, a multiple of 32.")  # fmt: skip
@click.option("--net", type=click.Path(dir_okay=False, path_type=Path), metavar="PATH",
              help="Where to write the network; GAME.npz if left out.")  # fmt: skip
@seed_option
@json_option
def command(
    file: str,
    seconds: float,
    plies: int | None,
    hidden: int,
    net: Path | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Learn to estimate the states of a game by playing it against itself.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. The network is written
    to a file that players take, as in `alphabeta:net=PATH`. Ctrl-C ends the learning early and
    keeps what has been learned.
    """
    from ggp.learning import Learner, LearningSettings
    from ggp.reasoner import open_reasoner
    from ggp.reasoner.compiled import CompiledReasoner, find_symmetries

    if hidden % 32:
        raise click.UsageError(f"--hidden {hidden}: give a multiple of 32")
    description = load_game(file)
    target = net or Path(f"{'stdin' if file == '-' else Path(file).stem}.npz")
    with interruptible() as interrupt, ExitStack() as stack:
        show_progress("compiling")
        reasoner = stack.enter_context(
            open_reasoner(description, kind="compiled", deadline=interrupt)
        )
        assert isinstance(reasoner, CompiledReasoner)
        learner = Learner(
            reasoner.kernel,
            symmetries=find_symmetries(description, reasoner.circuit),
            settings=LearningSettings(hidden=hidden),
            seed=seed or 0,
        )
        learner.learn(
            deadline=interrupt if plies else interrupt.within(seconds),
            plies=plies,
            report=lambda progress: show_progress(_described(progress)),
        )
        show_progress("")
        learner.net.save(target)
    found = learner.progress
    if as_json:
        rate = found.plies / found.seconds if found.seconds else 0.0
        loss = found.loss if found.steps else None
        print_json({**asdict(found), "loss": loss, "plies_per_second": rate, "net": str(target)})
        return
    click.echo(_described(found))
    click.echo(f"{target}: play with it as alphabeta:net={target}")


def _described(progress: Progress) -> str:
    rate = progress.plies / progress.seconds if progress.seconds else 0.0
    text = (
        f"{progress.plies:,} joint moves in {progress.seconds:.0f} s, {rate:,.0f} a second, "
        f"{progress.matches:,} matches"
    )
    return f"{text}, loss {progress.loss:.4f}" if progress.steps else text
