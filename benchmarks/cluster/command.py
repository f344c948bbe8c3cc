"""`python -m benchmarks.cluster`: measures, and prints the figures or writes them into a page."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from benchmarks.cluster.measuring import CORES, Figures, measure
from benchmarks.figures import check_page, command_line, machine, markdown, write_page
from ggp.cli.common import json_option, print_json
from ggp.errors import GgpError
from ggp.requirements import advice

__all__ = ["command", "lines"]

#: The lengths of matches, in seconds, that the estimate is for.
_LENGTHS = (1, 10, 60, 600)


def lines(figures: Figures) -> Iterator[str]:
    """Yield the figures as lines of Markdown."""
    share, driver = figures.share, figures.driver
    yield from markdown(
        ("what", "measured"),
        [
            (f"start of the {share.nodes} simulated nodes", f"{figures.cluster_seconds:.1f} s"),
            ("from a command to its first task", f"{figures.first_seconds:.1f} s"),
            (
                f"{share.matches} matches of {share.seconds:g} s by {share.workers} workers",
                f"{share.wall_seconds:.1f} s",
            ),
            ("share of play in the time of these workers", f"{share.play:.1%}"),
            ("driver: CPU time to handle a match", _ms(driver.handling)),
            ("driver: waiting for the disk to store it", _ms(driver.storing)),
            (f"driver: a look at {driver.submitted:,} submitted matches", _ms(driver.looking)),
        ],
    )
    yield ""
    first = {each.where: each.playouts for each in reversed(figures.throughput)}
    yield from markdown(
        ("tasks run by", "cores", "playouts a second", "speedup"),
        [
            (
                each.where,
                str(each.cores),
                f"{each.playouts:,.0f}",
                f"{each.playouts / first[each.where]:.2f}",
            )
            for each in figures.throughput
        ],
    )
    yield ""
    yield from markdown(
        (f"matches on {CORES:,} cores, on paper", "share of play"),
        [(f"of {length} s", f"{figures.estimate(length):.1%}") for length in _LENGTHS],
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"


@click.command()
@click.option("--workers", type=click.IntRange(min=1), default=16, show_default=True)
@click.option("--nodes", type=click.IntRange(min=1), default=4, show_default=True,
              help="Simulated nodes, which share the workers equally.")  # fmt: skip
@click.option("--matches", type=click.IntRange(min=1), default=160, show_default=True)
@click.option("--seconds", type=click.FloatRange(min=0, min_open=True), default=1.0,
              show_default=True, help="Of a match.")  # fmt: skip
@click.option("--submitted", type=click.IntRange(min=1), default=2 * CORES, show_default=True,
              help="Matches submitted at once when the driver is measured.")  # fmt: skip
@click.option("--playouts", type=click.IntRange(min=1), default=20_000, show_default=True,
              help="Of each task of the throughput.")  # fmt: skip
@click.option("--write", "page", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Replace the figures in a page of the documentation.")  # fmt: skip
@json_option
def command(page: Path | None, as_json: bool, **sizes: Any) -> None:
    """Measure what a cluster of Ray costs and brings, on nodes that this machine simulates."""
    if page is not None:
        check_page(page)
    if sizes["workers"] % sizes["nodes"]:
        raise click.UsageError("the nodes share the workers equally")
    load = os.getloadavg()[0]
    try:
        found = measure(**sizes)
    except ModuleNotFoundError as error:
        raise click.ClickException(advice(error) or str(error)) from None
    except GgpError as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        print_json(asdict(found) | {"play": found.share.play})
    text = list(lines(found))
    if not as_json:
        click.echo("\n".join(text))
    if page is not None:
        others = f"{load:.1f} other processes were running when it began"
        head = f"`{command_line('benchmarks.cluster')}`: {machine()}; {others}."
        write_page(page, [head, "", *text])
