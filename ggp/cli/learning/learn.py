"""`ggp learn`: a network that learns a game by playing it against itself."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ggp.cli.common import (
    Seconds,
    game_argument,
    interruptible,
    json_option,
    load_game,
    log_to_stderr,
    print_json,
    seed_option,
    show_progress,
)
from ggp.cluster import Pool
from ggp.errors import GgpError

if TYPE_CHECKING:
    from ggp.learning import Progress, TrialResult
    from ggp.players.learning.offline import Course

__all__ = ["command"]


@click.command("learn")
@game_argument
@click.option("--seconds", type=Seconds(), default=60.0, show_default=True,
              help="How long to learn.")  # fmt: skip
@click.option("--plies", type=click.IntRange(min=1), metavar="N",
              help="How many joint moves to make, whatever the time.")  # fmt: skip
@click.option("--hidden", type=click.IntRange(min=32), metavar="N",
              help="Begin anew with N hidden units, a multiple of 32.  [default: 64]")  # fmt: skip
@click.option("--pairs/--no-pairs", default=None,
              help="Begin anew, with weights for pairs of facts or without.  [default: with them "
              "unless it plays worse]")  # fmt: skip
@click.option("--net", type=click.Path(dir_okay=False, path_type=Path), metavar="PATH",
              help="Write the network to a file, too.")  # fmt: skip
@click.option("--fresh", is_flag=True,
              help="Begin anew instead of going on with what was learned before.")  # fmt: skip
@click.option("--keep/--no-keep", default=True, show_default=True,
              help="Keep the network where players find it, see `ggp knowledge`.")  # fmt: skip
@click.option("--cluster", metavar="ADDRESS",
              help="Play in other processes: local for those of this machine; auto for the cluster "
              "of Ray that this machine is part of; ray://HOST:10001.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(min=1), metavar="N",
              help="Threads that play together, or processes, with --cluster.  [default: one on "
              "each core; of processes one fewer; on a cluster, all that fit]")  # fmt: skip
@click.option("--memory", type=click.FloatRange(min=0, min_open=True), metavar="GIB",
              help="Memory that each process needs on a node of a cluster.  "
              "[default: 1]")  # fmt: skip
@seed_option
@json_option
def command(
    file: str,
    seconds: float,
    plies: int | None,
    hidden: int | None,
    pairs: bool | None,
    net: Path | None,
    fresh: bool,
    keep: bool,
    cluster: str | None,
    jobs: int | None,
    memory: float | None,
    seed: int | None,
    as_json: bool,
) -> None:
    """Learn to estimate the states of a game by playing it against itself.

    FILE is a rulesheet, - for standard input, or the name of a bundled game. The command goes on
    with what was learned of the game before, in any words. Afterwards the network plays short
    matches against random playouts. It is kept where the player `auto` finds it. Ctrl-C ends the
    learning early and keeps what has been learned. With --cluster, other processes play while this
    one learns.
    """
    from ggp.learning import LEARNING_KERNELS, LearningSettings, Store
    from ggp.players.learning import learn_offline
    from ggp.reasoner import open_reasoner
    from ggp.reasoner.compiled import CompiledReasoner

    log_to_stderr()
    if hidden is not None and hidden % 32:
        raise click.UsageError(f"--hidden {hidden}: give a multiple of 32")
    description, store = load_game(file), Store()
    if cluster is None and memory is not None:
        raise click.UsageError("--memory is for --cluster")
    pool = None if cluster is None else Pool(cluster=cluster, jobs=jobs, memory=memory or 1.0)
    is_new = fresh or hidden is not None or pairs is not None
    known = None if is_new else store.find(description)
    with interruptible() as interrupt, ExitStack() as stack:
        show_progress("compiling")
        reasoner = stack.enter_context(
            open_reasoner(description, kind="compiled", deadline=interrupt)
        )
        assert isinstance(reasoner, CompiledReasoner)
        LEARNING_KERNELS.wait(interrupt)  # the time to learn begins when all is there
        settings = LearningSettings()
        try:
            course = learn_offline(
                reasoner,
                until=interrupt if plies else interrupt.within(seconds),
                deadline=interrupt,
                plies=plies,
                known=known,
                settings=replace(settings, hidden=hidden or settings.hidden, pairs=pairs),
                pool=pool,
                threads=jobs if pool is None else None,
                seed=seed or 0,
                report=lambda progress: show_progress(_described(progress)),
                name=Path(file).stem if file != "-" else None,
            )
        except ValueError as error:
            raise click.ClickException(f"the network that is kept: {error}; --fresh") from None
        show_progress("")
    knowledge = course.knowledge
    kept = store.keep(description, knowledge) if keep else None
    if net is not None:
        knowledge.net.save(net)
    if keep and kept is None and net is None:
        raise GgpError("what was learned could not be kept; --net PATH writes it elsewhere")
    if pairs and not course.progress.pairs:
        click.echo("the rules relate no facts: the network has no weights for pairs", err=True)
    _print(course, net=net, kept=kept, as_json=as_json)
    if course.failure is not None:
        raise course.failure


def _print(course: Course, *, net: Path | None, kept: Path | None, as_json: bool) -> None:
    progress, learned = course.progress, course.knowledge.learned
    if as_json:
        rate = progress.plies / progress.seconds if progress.seconds else 0.0
        loss = progress.loss if progress.steps else None
        print_json({
            **asdict(progress), "loss": loss, "plies_per_second": rate,
            "score": learned.score, "trial": learned.trial, "total_plies": learned.plies,
            "net": None if net is None else str(net), "kept": None if kept is None else str(kept),
        })  # fmt: skip
        return
    click.echo(_described(progress))
    if learned.plies > progress.plies:
        click.echo(f"{learned.plies:,} joint moves in all")
    click.echo(_judged(course.trial))
    if net is not None:
        click.echo(f"{net}: play with it as {learned.search}:net={net}")
    if kept is not None:
        click.echo("kept: `auto` plays by it where it scores well; `ggp knowledge show` tells more")


def _described(progress: Progress) -> str:
    rate = progress.plies / progress.seconds if progress.seconds else 0.0
    text = (
        f"{progress.plies:,} joint moves in {progress.seconds:.0f} s, {rate:,.0f} a second, "
        f"{progress.matches:,} matches"
    )
    if progress.pairs:
        text = f"{text}, {progress.pairs:,} pairs of facts"
    return f"{text}, loss {progress.loss:.4f}" if progress.steps else text


def _judged(trial: TrialResult) -> str:
    if not trial.matches:
        return "there was no time to play against random playouts"
    return f"score against random playouts: {trial.score:.0%} of {trial.matches} short matches"
