"""What `ggp show` tells of a game's symmetries and factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from ggp.errors import ReasonerError
from ggp.gdl import Description

if TYPE_CHECKING:
    from ggp.compiler.circuit.circuit import Circuit
    from ggp.compiler.symmetry import Symmetry

__all__ = ["print_structure", "structure_of"]

#: No more symmetries are listed, as `ggp solve` uses no more; of each no more facts and moves,
_SYMMETRIES, _PAIRS = 7, 200
#: of a factor no more examples; and in the text no more of anything.
_EXAMPLES, _SHOWN = 5, 2


def structure_of(
    description: Description, circuit: Circuit | None, *, seconds: float
) -> dict[str, Any]:
    """Return the symmetries and the factors of a game.

    Args:
        description: the rules.
        circuit: their circuit; without one, none are known.
        seconds: how long symmetries may take, and factors.
    """
    from ggp.compiler.factors.find import find_factors
    from ggp.compiler.symmetry import find_symmetries

    found: dict[str, Any] = {
        "symmetries": None,
        "more_symmetries": False,
        "factors": None,
        "factors_error": None,
    }
    if circuit is None or seconds == 0:
        found["factors_error"] = (
            "there is no circuit" if circuit is None else "not asked for: --structure-seconds is 0"
        )
        return found
    first, names = len(circuit.facts), _names(circuit)
    try:
        symmetries = find_symmetries(description, circuit, most=_SYMMETRIES + 1, time_limit=seconds)
        found["symmetries"] = [_mapped(each, names) for each in symmetries[:_SYMMETRIES]]
        found["more_symmetries"] = len(symmetries) > _SYMMETRIES
        found["factors"] = [
            {
                "facts": len(factor.facts),
                "moves": len(factor.moves),
                "examples": [
                    *(names[fact] for fact in factor.facts[:_EXAMPLES]),
                    *(names[first + move] for move in factor.moves[:_EXAMPLES]),
                ],
            }
            for factor in find_factors(circuit, time_limit=seconds)
        ]
    except ReasonerError as error:
        found["factors_error"] = str(error)
    except KeyboardInterrupt:
        found["factors_error"] = "interrupted"
    return found


def print_structure(shown: dict[str, Any]) -> None:
    """Print what `structure_of` returned."""
    symmetries = shown["symmetries"]
    if symmetries is not None:
        more = " or more" if shown["more_symmetries"] else ""
        click.echo(f"symmetries  {len(symmetries)}{more}")
        for symmetry in symmetries:
            pairs = [*_some(symmetry["facts"]), *_some(symmetry["moves"])]
            click.echo(f"            {', '.join(pairs)}")
    if shown["factors"] is None:
        click.echo(f"factors     not known: {shown['factors_error']}")
        return
    parts = [
        f"({factor['facts']:,} facts, {factor['moves']:,} moves: {factor['examples'][0]} ...)"
        for factor in shown["factors"][: 3 * _SHOWN]
        if factor["examples"]
    ]
    rest = ", ..." if len(shown["factors"]) > len(parts) else ""
    click.echo(f"factors     {len(shown['factors'])}: {', '.join(parts)}{rest}")


def _names(circuit: Circuit) -> list[str]:
    """Return facts as they stand in the rules, and moves with their role if there are several."""
    names = list(map(str, circuit.facts))
    for role, moves in zip(circuit.roles, circuit.moves, strict=True):
        names += [f"{role} {move}" if len(circuit.roles) > 1 else str(move) for move in moves]
    return names


def _mapped(symmetry: Symmetry, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the facts and the moves that a symmetry does not leave as they are."""
    first = len(symmetry.facts)
    images = [*symmetry.facts, *(first + move for move in symmetry.moves)]
    return {
        what: {
            names[place]: names[images[place]]
            for place in islice((each for each in among if images[each] != each), _PAIRS)
        }
        for what, among in (("facts", range(first)), ("moves", range(first, len(images))))
    }


def _some(pairs: dict[str, str]) -> Iterator[str]:
    for source, image in islice(pairs.items(), _SHOWN):
        yield f"{source} -> {image}"
