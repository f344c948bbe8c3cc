"""`ggp show --passes`: what each step of the compiler does with a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from ggp.cli.common import interruptible, print_json
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.printable import printable
from ggp.reasoner import bounded, open_reasoner

if TYPE_CHECKING:
    from ggp.compiler.report import Check, Step

__all__ = ["show_passes"]

#: States of random play on which Prolog and each step are compared.
_STATES = 100


def show_passes(
    file: str, description: Description, *, seconds: float, is_checked: bool, as_json: bool
) -> bool:
    """Show the steps, and return whether all of them keep the meaning of the game.

    Args:
        file: the name of the rulesheet.
        description: the rules.
        seconds: how long making the circuit may take.
        is_checked: whether each step is compared with Prolog.
        as_json: whether to print JSON.

    Raises:
        ReasonerError: the game cannot be compiled in this time, or Prolog cannot answer.
    """
    from ggp.compiler.report import steps
    from ggp.reasoner.kernels import REASONER_KERNELS

    with interruptible() as deadline:
        REASONER_KERNELS.wait(deadline)  # else the first pass that needs them would compile them
        check = _check(description) if is_checked else None
        made: list[Step] = []
        for step in steps(description, time_limit=seconds, check=check):
            made.append(step)
            if deadline.is_over:
                break
    if as_json:
        print_json({"file": file, "passes": [asdict(step) for step in made]})
    else:
        _print(made, is_checked=is_checked)
    return not any(step.differs for step in made)


def _check(description: Description) -> Check:
    """Return what compares a circuit with Prolog on states of random play."""
    from ggp.reasoner.checking import Sample, difference

    with (
        interruptible() as deadline,
        open_reasoner(description, kind="prolog", deadline=deadline) as prolog,
        bounded(prolog, deadline=deadline),
    ):
        sample = Sample.of(prolog, count=_STATES)
    if deadline.is_over:
        raise ReasonerError("interrupted")
    return partial(difference, sample=sample)


def _print(made: list[Step], *, is_checked: bool) -> None:
    columns = ["pass", "rules", "guards", "atoms", "gates", "seconds"]
    table = Table(box=None, header_style="bold")
    for place, name in enumerate(columns + ["check"] * is_checked):
        table.add_column(name, justify="right" if 0 < place < len(columns) else "left")
    for step in made:
        counts = (step.rules, step.guards, step.atoms, step.gates)
        cells = [
            step.name.replace("_", " "),
            *("" if count is None else f"{count:,}" for count in counts),
            f"{step.seconds:.3f}",
        ]
        table.add_row(*cells, *(_told(step) if is_checked else ()))
    Console(highlight=False, markup=False).print(table)


def _told(step: Step) -> Iterator[str]:
    """Yield what the check says of a step."""
    if step.unchecked is not None:
        yield f"not checked: {printable(step.unchecked)}"
    elif step.differs is None:
        yield ""
    else:
        yield f"differs: {printable(step.differs)}" if step.differs else "agrees"
