"""Two facts that together name a place: its x is told by one, its y by the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ggp.kif import Compound, Symbol, Term
from ggp.server.manager.drawing.axes import axis_of
from ggp.server.manager.drawing.families import Family
from ggp.server.manager.drawing.forms import take_apart
from ggp.server.manager.drawing.layout import Join
from ggp.server.manager.drawing.play import Line

__all__ = ["find_joins", "joined", "joined_lines"]

_PLACES = ("pos", "loc", "at", "place", "coord")


def find_joins(families: Sequence[Family], chains: Sequence[Sequence[str]]) -> Iterator[Join]:
    """Yield the pairs of forms such as `(posx car 3)` and `(posy car 7)`.

    Their names are alike but for x and y at the end, begin with a word for a place, and they tell
    an ordered value of the same things in every state.
    """
    named = {family.name.lower(): family for family in families if family.width == 2}
    for name, mine in named.items():
        other = named.get(f"{name[:-1]}y")
        if name[-1] != "x" or other is None or not name.startswith(_PLACES):
            continue
        pairs = zip(mine.states, other.states, strict=True)
        if all({row[0] for row in a} == {row[0] for row in b} for a, b in pairs) and all(
            axis_of(each.values(1), chains).is_ordered and each.decides((0,), (1,))
            for each in (mine, other)
        ):
            yield Join(mine.form, other.form, mine.name[:-1])


def joined(facts: Iterable[Term], joins: Sequence[Join]) -> tuple[Term, ...]:
    """Return facts with one `(pos car 3 7)` instead of two that are joined."""
    if not joins:
        return tuple(facts)
    by_x = {join.x: join for join in joins}
    by_y = {join.y: join for join in joins}
    kept: list[Term] = []
    found: dict[tuple[Join, str], dict[str, str]] = {}
    for fact in facts:
        form, values = take_apart(fact)
        join = by_x.get(form) or by_y.get(form)
        if join is None:
            kept.append(fact)
        else:
            found.setdefault((join, values[0]), {})[form] = values[1]
    for (join, thing), places in found.items():
        if len(places) == 2:
            words = (join.name, thing, places[join.x], places[join.y])
            kept.append(Compound(tuple(map(Symbol, words))))
    return tuple(kept)


def joined_lines(lines: Sequence[Line], joins: Sequence[Join]) -> Sequence[Line]:
    """Return lines of play whose facts are joined."""
    if not joins:
        return lines
    return [replace(line, states=tuple(joined(s, joins) for s in line.states)) for line in lines]
