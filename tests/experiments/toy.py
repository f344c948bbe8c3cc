"""Experiments without a game, to test what all experiments share."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ggp.errors import GgpError
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    integer,
)
from ggp.experiments.running.statistics import Summary

if TYPE_CHECKING:  # every process would load it
    from matplotlib.figure import Figure

#: A task that cannot be done.
BAD = 3


def tasks(*, deals: int, seed: int, log: str) -> Iterator[Task]:
    for deal in range(deals):
        yield {"deal": deal, "seed": seed, "log": log}


def measure(task: Task) -> Result:
    """Square a number, and write down that it was done."""
    number = integer(task, "deal") + integer(task, "seed")
    if task["log"]:
        with Path(str(task["log"])).open("a") as log:
            log.write(f"{number}\n")
    return {"square": number**2}


def fail(task: Task) -> Result:
    if task["deal"] == BAD:
        raise GgpError("it cannot be done")
    return measure(task)


def die(task: Task) -> Result:
    if task["deal"] == BAD:
        os._exit(9)
    return measure(task)


def report(measured: Sequence[Measured]) -> Report:
    squares = [done.result["square"] for done in measured]
    summary = Summary.of(squares)
    return Report(
        "Squares",
        (
            Table("all", ("deal", "square"), tuple((integer(done.task, "deal"), square)
                  for done, square in zip(measured, squares, strict=True))),
            Table("summary", ("mean", "median"), ((summary.mean, summary.median),)),
        ),
        notes=("They grow.",),
        files={"more.txt": "more\n"},
    )  # fmt: skip


def plot(report: Report, figure: Figure) -> None:
    axes = figure.subplots()
    axes.plot(report.tables[0].numbers("deal"), report.tables[0].numbers("square"))


squares, failing, dying = (
    experiment_command(
        name,
        help="Squares of numbers.",
        tasks=tasks,
        measure=measuring,
        report=report,
        plot=plot,
        deals=4,
        options=(click.option("--log", default=""),),
    )
    for name, measuring in (("squares", measure), ("failing", fail), ("dying", die))
)
