"""Things that stand on each other, and things in a line: one fact tells the place of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ggp.server.manager.drawing.axes import axis_of, natural
from ggp.server.manager.drawing.families import Family, Row
from ggp.server.manager.drawing.layout import Board, Spot, Stack
from ggp.server.manager.drawing.looks.labels import labels
from ggp.server.manager.drawing.neighbours import Key

__all__ = ["find_line", "find_stack", "placed"]

_FEW = 3
_MAX_THINGS = 24


def find_stack(family: Family, others: Sequence[Family], number: int) -> tuple[Board, Stack] | None:
    """Return the board of things that stand on each other, if facts of two columns say so.

    Args:
        family: facts `(on thing below)` or `(on below thing)`.
        others: the other families; those that tell which things stand on the ground, and which
            have nothing on them, belong to the stack.
        number: the number of the board.
    """
    if family.width != 2:
        return None
    for thing, below in ((0, 1), (1, 0)):
        things, grounds = family.seen[thing], family.seen[below] - family.seen[thing]
        if not _stands(family, thing, below, grounds):
            continue
        every = things | family.seen[below]
        is_piled = any(
            {row[thing] for row in rows} & {row[below] for row in rows} for rows in family.states
        )
        ground = next((f for f in others if _is_ground(f, family, thing, every)), None)
        if ground is None and not is_piled:
            continue
        bases = sorted(grounds if ground is None else every, key=natural)
        if ground is None and len(grounds) == 1:
            bases = sorted(things, key=natural)
        elif ground is None and len(grounds) < 2:
            continue
        movable = sorted(every if ground is not None else things, key=natural)
        if not _FEW <= len(movable) <= _MAX_THINGS:
            continue
        clear = tuple(f.form for f in others if _is_clear(f, family, below, every))
        stack = Stack(
            family.form,
            number,
            thing,
            below,
            tuple(movable),
            tuple(bases),
            None if ground is None else ground.form,
            clear,
        )
        return _stack_board(family.name, stack), stack
    return None


def _stands(family: Family, thing: int, below: int, grounds: frozenset[str]) -> bool:
    """Return whether each thing stands on one other, on which nothing else stands."""
    middle = family.values(thing) & family.values(below)
    if not middle or len(set(family.states)) < 2:
        return False
    for rows in family.states:
        on = {row[thing]: row[below] for row in rows}
        under = Counter(row[below] for row in rows if row[below] not in grounds)
        if len(on) < len(rows) or any(count > 1 for count in under.values()):
            return False
        if len(grounds) != 1 and any(
            count > 1 for count in Counter(row[below] for row in rows).values()
        ):
            return False
        for start in on:
            at, steps = start, 0
            while at in on and steps <= len(on):
                at, steps = on[at], steps + 1
            if steps > len(on):
                return False
    return True


def _is_ground(other: Family, family: Family, thing: int, every: frozenset[str]) -> bool:
    """Return whether facts name the things that stand on no other."""
    if other.width != 1 or not other.seen[0] or not other.seen[0] <= every:
        return False
    pairs = zip(other.states, family.states, strict=True)
    return all({row[0] for row in mine}.isdisjoint(r[thing] for r in rows) for mine, rows in pairs)


def _is_clear(other: Family, family: Family, below: int, every: frozenset[str]) -> bool:
    """Return whether facts name the things on which nothing stands."""
    if other.width != 1 or not other.seen[0] or not other.seen[0] <= every:
        return False
    pairs = zip(other.states, family.states, strict=True)
    return all({row[0] for row in mine}.isdisjoint(r[below] for r in rows) for mine, rows in pairs)


def _stack_board(name: str, stack: Stack) -> Board:
    spots: dict[Key, Spot] = {
        (base, str(level)): Spot(f"{base} {level}", float(x), float(level))
        for level in range(1, len(stack.things) + 1)
        for x, base in enumerate(stack.bases)
    }
    captions = []
    if stack.ground is None and set(stack.bases).isdisjoint(stack.things):
        short = labels(stack.bases)
        captions = [Spot(short[base], float(x), 0.25) for x, base in enumerate(stack.bases)]
    levels = tuple(str(level) for level in range(1, len(stack.things) + 1))
    return Board(name, "stack", spots, (stack.bases, levels), tuple(captions))


def find_line(family: Family, number: int) -> tuple[Board, Stack] | None:
    """Return the board of things that one fact names in their order, each of them once."""
    rows = [row for rows in family.states for row in rows]
    things = frozenset(rows[0])
    if (
        not _FEW < family.width <= _MAX_THINGS
        or any(len(rows) != 1 for rows in family.states)
        or len(things) < family.width
        or any(frozenset(row) != things for row in rows)
    ):
        return None
    levels = tuple(str(level) for level in range(1, family.width + 1))
    spots: dict[Key, Spot] = {("", n): Spot(n, 0.0, -float(n)) for n in levels}
    stack = Stack(family.form, number, 0, None, tuple(axis_of(things, ()).values), ("",), None, ())
    return Board(family.name, "stack", spots, (("",), levels)), stack


def placed(stack: Stack, facts: Mapping[str, Sequence[Row]]) -> Iterator[tuple[Key, str]]:
    """Yield the key of the spot of each thing, and the thing."""
    rows = facts.get(stack.form, ())
    if stack.below is None:
        for row in rows:
            yield from ((("", str(n + 1)), value) for n, value in enumerate(row))
        return
    on = {row[stack.thing]: row[stack.below] for row in rows}
    things = {thing for thing in stack.things if thing in on or thing in on.values()}
    if stack.ground is not None:
        things |= {row[0] for row in facts.get(stack.ground, ())}
    for thing in sorted(things, key=natural):
        base, height = thing, 1
        while base in on and height <= len(stack.things) and on[base] in stack.things:
            base, height = on[base], height + 1
        column = on.get(base, base) if on.get(base, base) in stack.bases else base
        if column in stack.bases:
            yield (column, str(height)), thing
