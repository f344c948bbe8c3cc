"""What symmetries can save a search: `python -m benchmarks.authoring.images [FILE]...`.

A FILE is a rulesheet, or the name of a bundled game. At each decision of random plays the program
counts the states two joint moves ahead, and how many are left when states that a symmetry maps to
each other count once. The quotient is the factor that a search saves there if it stores such states
as one. It is shown for the first decision of a match and on average over all decisions, with the
share of the decisions at which it is over 1.1.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

import click
from rich.console import Console
from rich.table import Table

from benchmarks.figures import end, measured, of_files
from ggp.cli.common import json_option, load_game, print_json
from ggp.compiler.symmetry import find_symmetries
from ggp.errors import TooManyJointMoves
from ggp.gdl.bundled import bundled_games
from ggp.reasoner import State
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["Savings", "savings_of"]

# A state with more joint moves ends the play.
_MOST = 200
# A quotient up to this counts as no saving.
_SMALL = 1.1


@dataclass(frozen=True, slots=True)
class Savings:
    """States ahead, divided by those left when symmetric ones count once; 1.0 is no saving."""

    game: str
    symmetries: int
    decisions: int
    first: float
    average: float
    #: The share of the decisions at which it is over 1.1.
    share: float


def savings_of(file: str, *, plays: int, seconds: float) -> Savings | None:
    """Measure a game in random plays; None if no symmetry is found within `seconds`."""
    description = load_game(file)
    with CompiledReasoner(description) as reasoner:
        circuit = reasoner.circuit
        found = find_symmetries(description, circuit, time_limit=seconds)
        if not found:
            return None
        place = {fact: number for number, fact in enumerate(circuit.facts)}

        def least_image(state: State) -> tuple[int, ...]:
            held = [place[fact] for fact in reasoner.facts(state)]
            images = [sorted(symmetry.facts[number] for number in held) for symmetry in found]
            return tuple(min([sorted(held), *images]))

        by_play = [
            [
                len(states) / len(set(map(least_image, states)))
                for states in _states_ahead(reasoner, random.Random(seed))
            ]
            for seed in range(plays)
        ]
    quotients = [each for of_play in by_play for each in of_play]
    if not quotients:
        return None
    return Savings(
        Path(file).stem,
        len(found),
        len(quotients),
        mean(of_play[0] for of_play in by_play if of_play),
        mean(quotients),
        mean(each > _SMALL for each in quotients),
    )


def _states_ahead(reasoner: CompiledReasoner, chance: random.Random) -> Iterator[set[State]]:
    """Yield the states two joint moves ahead of each decision of a random play."""
    state = reasoner.initial_state()
    while not (here := reasoner.expand(state)).terminal:
        if here.joint_move_count > 1:
            try:
                ahead = reasoner.expand_all(here.successors, max_joint_moves=_MOST)
            except TooManyJointMoves:
                return
            found = {after for one in ahead for after in one.successors}
            if found:
                yield found
        state = chance.choice(here.successors)


@click.command()
@click.argument("files", nargs=-1, metavar="[FILE]...")
@click.option("--plays", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--seconds", type=click.FloatRange(min=0), default=2, show_default=True)
@json_option
def main(files: Sequence[str], plays: int, seconds: float, as_json: bool) -> None:
    """Measure what symmetries can save in each FILE.

    A FILE that cannot be read or compiled is said on standard error, and makes the exit code 2.
    """
    names = files or [path.stem for path in bundled_games()]
    work = of_files(names, lambda file: savings_of(file, plays=plays, seconds=seconds))
    found, interrupted = measured(work)
    rows = [row for row in found if row is not None]
    if as_json:
        print_json([asdict(row) for row in rows])
    else:
        _print(rows)
    end(interrupted=interrupted, is_whole=len(found) == len(names))


def _print(rows: Sequence[Savings]) -> None:
    table = Table("game", "symmetries", "decisions", "first", "average", "over 1.1", box=None)
    for row in rows:
        table.add_row(
            row.game,
            str(row.symmetries),
            str(row.decisions),
            f"{row.first:.2f}",
            f"{row.average:.2f}",
            f"{row.share:.0%}",
        )
    Console().print(table)
    if rows:
        click.echo(
            f"{len(rows)} games with symmetries: {mean(row.first for row in rows):.2f} at the "
            f"first decision, {mean(row.average for row in rows):.2f} on average over all"
        )


if __name__ == "__main__":
    main()
