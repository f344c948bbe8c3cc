"""What `ggp show` tells of a game's symmetries and factors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from ggp.errors import ReasonerError
from ggp.gdl import Description

if TYPE_CHECKING:
    from ggp.reasoner.compiled import Circuit, Symmetry

__all__ = ["as_json", "print_structure"]

#: No more symmetries are listed, as `ggp solve` uses no more; of each no more facts and moves,
_SYMMETRIES, _PAIRS = 7, 200
#: of a factor no more examples; and in the text no more of anything.
_EXAMPLES, _SHOWN = 5, 3


def as_json(description: Description, circuit: Circuit | None, *, seconds: float) -> dict[str, Any]:
    """Return the symmetries and the factors of a game.

    Args:
        description: the rules.
        circuit: their circuit; without one, none are known.
        seconds: how long symmetries may take, and factors.
    """
    from ggp.reasoner.compiled import find_factors, find_symmetries

    found: dict[str, Any] = {
        "symmetries": None,
        "more_symmetries": False,
        "factors": None,
        "factors_error": None,
    }
    if circuit is None or seconds == 0:
        found["factors_error"] = "there is no circuit" if circuit is None else "not asked for"
        return found
    try:
        symmetries = find_symmetries(description, circuit, most=_SYMMETRIES + 1, time_limit=seconds)
        found["symmetries"] = [_mapped(circuit, each) for each in symmetries[:_SYMMETRIES]]
        found["more_symmetries"] = len(symmetries) > _SYMMETRIES
        found["factors"] = [
            {
                "facts": len(factor.facts),
                "moves": len(factor.moves),
                "examples": [
                    *_texts(circuit, factor.facts[:_EXAMPLES]),
                    *_texts(circuit, [len(circuit.facts) + m for m in factor.moves[:_EXAMPLES]]),
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
    """Print what `as_json` returned."""
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
        for factor in shown["factors"][: 2 * _SHOWN]
        if factor["examples"]
    ]
    rest = ", ..." if len(shown["factors"]) > len(parts) else ""
    click.echo(f"factors     {len(shown['factors'])}: {', '.join(parts)}{rest}")


def _mapped(circuit: Circuit, symmetry: Symmetry) -> dict[str, dict[str, str]]:
    """Return the images of facts and of moves; a move comes with its role if there are several."""
    first = len(circuit.facts)
    images = [*symmetry.facts, *(first + move for move in symmetry.moves)]
    return {
        "facts": _images(circuit, images, range(first)),
        "moves": _images(circuit, images, range(first, len(images))),
    }


def _images(circuit: Circuit, images: Sequence[int], among: range) -> dict[str, str]:
    moved = list(islice((place for place in among if images[place] != place), _PAIRS))
    return dict(
        zip(
            _texts(circuit, moved), _texts(circuit, [images[place] for place in moved]), strict=True
        )
    )


def _texts(circuit: Circuit, inputs: Sequence[int]) -> list[str]:
    """Return facts as they stand in the rules, and moves with their role if there are several."""
    names = list(map(str, circuit.facts))
    for role, moves in zip(circuit.roles, circuit.moves, strict=True):
        names += [f"{role} {move}" if len(circuit.roles) > 1 else str(move) for move in moves]
    return [names[number] for number in inputs]


def _some(pairs: dict[str, str]) -> Iterator[str]:
    for source, image in islice(pairs.items(), _SHOWN):
        yield f"{source} -> {image}"
