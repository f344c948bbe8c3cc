"""Which contents mean an empty cell, and which are a part of the board, such as walls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import pairwise

from ggp.server.manager.drawing.forms import name_of, take_apart
from ggp.server.manager.drawing.layout import Layout, Placing, What
from ggp.server.manager.drawing.looks.words import (
    COLOUR_LETTERS,
    EMPTY,
    SOLID,
    says_empty,
    says_solid,
    split,
)
from ggp.server.manager.drawing.neighbours import Key
from ggp.server.manager.drawing.play import Line

__all__ = ["Observed", "blanks", "fixed"]

#: Contents that stay where they are in this many states are a part of the board.
_ENOUGH_STATES = 12
_FEW = 3
_MOSTLY = 0.9


class Observed:
    """The contents of the cells of a layout in lines of play."""

    def __init__(self, layout: Layout, lines: Sequence[Line]) -> None:
        """Sort the facts of all states by what they tell about which cell."""
        self.layout = layout
        placings = {placing.form: placing for placing in layout.placings}
        # What a border holds looks like what a cell holds.
        placings |= {
            border.form: Placing(border.form, border.board, border.cells, border.contents, "piece")
            for border in layout.borders
            if border.contents
        }
        self.placings: Mapping[str, Placing] = placings
        #: The keys of the cells with some contents, for each state.
        self.states: list[dict[What, set[Key]]] = []
        #: The number of the first state of each line.
        self.starts: list[int] = []
        for line in lines:
            self.starts.append(len(self.states))
            for facts in line.states:
                found: defaultdict[What, set[Key]] = defaultdict(set)
                for form, values in map(take_apart, facts):
                    if placing := placings.get(form):
                        found[form, placing.contents_of(values)].add(placing.key_of(values))
                self.states.append(found)
        self.counts: Counter[What] = Counter()
        #: The cells of each form that ever had contents.
        self.cells: defaultdict[str, set[Key]] = defaultdict(set)
        for state in self.states:
            for what, keys in state.items():
                self.counts[what] += len(keys)
                self.cells[what[0]] |= keys

    def of(self, placing: Placing) -> list[What]:
        """Return the contents of a form, sorted."""
        return sorted(what for what in self.counts if what[0] == placing.form)

    @property
    def steps(self) -> Iterator[tuple[dict[What, set[Key]], dict[What, set[Key]]]]:
        """Each state with the next one of the same line."""
        for n, pair in enumerate(pairwise(self.states), start=1):
            if n not in self.starts:
                yield pair

    @property
    def first(self) -> Mapping[What, set[Key]]:
        """The initial state."""
        return self.states[0] if self.states else {}

    def first_of(self, form: str) -> Mapping[What, set[Key]]:
        """Return the first state that has facts of a form: boards may come one after the other."""
        return next((state for state in self.states if any(w[0] == form for w in state)), {})


def blanks(observed: Observed) -> frozenset[What]:
    """Return the contents that mean an empty cell.

    They do if they are in every cell in every state, if a word says so, or if they fill half of
    the cells initially. The first reason that holds for some contents, but not for all, decides.
    A word may be the only one of its form where other contents are terms of several words: it is
    blank if a word says so, or if it and the terms fill all cells, and come and go there.
    """
    found: set[What] = set()
    for placing in observed.placings.values():
        if not placing.contents:
            if _is_everywhere(placing, observed) or _is_the_rest(placing, observed):
                found.add((placing.form, ()))
            continue
        if placing.kind != "piece":
            continue
        if _is_bare(placing, observed):
            found |= set(observed.of(placing))
            continue
        whats = [w for w in observed.of(placing) if not set(w[1]) & set(observed.layout.roles)]
        for reason in (_is_constant, _is_empty, _is_freed, _is_usual, _is_left, _is_lettered):
            blank = {what for what in whats if reason(what, placing, observed)}
            if blank and len(blank) < len(observed.of(placing)):
                found |= blank
                break
    return frozenset(found)


def _is_bare(placing: Placing, observed: Observed) -> bool:
    """Return whether the only word of a form is blank beside terms: `b` by `(piece white king)`."""
    whats = observed.of(placing)
    others = [
        other.form
        for other in observed.placings.values()
        if other.form != placing.form
        and (other.kind, other.board) == ("piece", placing.board)
        and name_of(other.form) == name_of(placing.form)
        and len(other.contents) >= len(placing.contents)
    ]
    if placing.is_amount or len(whats) != 1 or len(whats[0][1]) != 1 or not others:
        return False
    (what,) = whats
    if says_empty(what[1][0]):
        return True
    forms = {placing.form, *others}
    cells = set().union(*(observed.cells[form] for form in forms))
    filled = [
        set().union(*(keys for each, keys in state.items() if each[0] in forms))
        for state in observed.states
    ]
    comes = goes = False
    for before, after in observed.steps:
        comes |= bool(after.get(what, set()) - before.get(what, set()))
        goes |= bool(before.get(what, set()) - after.get(what, set()))
    return comes and goes and all(keys in (cells, set()) for keys in filled)


def _is_constant(what: What, placing: Placing, observed: Observed) -> bool:
    """Return whether contents are in every cell in every state."""
    cells = observed.cells[placing.form]
    return len(cells) > 1 and all(state.get(what) == cells for state in observed.states)


def _is_empty(what: What, placing: Placing, observed: Observed) -> bool:
    """Return whether a word says so, is the opposite of another, or is alone among numbers."""
    if placing.is_amount or len(what[1]) != 1:
        return False
    word = what[1][0]
    others = {other[1][0] for other in observed.of(placing) if other != what}
    is_hole = word.lower() in ("hole", "holes") and any(
        before.get(what, set()) - after.get(what, set()) for before, after in observed.steps
    )
    if is_hole or says_empty(word) or any(word.lower() == f"no{other.lower()}" for other in others):
        return True
    return len(others) > 1 and all(map(str.isdecimal, others)) and not word.isdecimal()


def _is_usual(what: What, placing: Placing, observed: Observed) -> bool:
    """Return whether contents fill half of the cells initially, and all cells have some, always."""
    first = observed.first_of(placing.form)
    at_first = len(first.get(what, ()))
    in_all = sum(len(keys) for each, keys in first.items() if each[0] == placing.form)
    return (
        not placing.is_amount
        and 2 * at_first >= in_all > 0
        and _is_full(placing, observed)
        and not _stays(what, observed)
    )


def _is_left(what: What, placing: Placing, observed: Observed) -> bool:
    """Return whether cells hold something else only for a time: pieces come and go there."""
    if placing.is_amount or len(observed.of(placing)) <= _FEW or not _is_full(placing, observed):
        return False
    with_it = changes = 0
    for before, after in observed.steps:
        for other in observed.of(placing):
            came = after.get(other, set()) - before.get(other, set())
            changes += len(came)
            with_it += len(came if other == what else came & before.get(what, set()))
    return _MOSTLY * changes <= with_it > 0


def _stays(what: What, observed: Observed) -> bool:
    """Return whether contents are in the same cells in all of many states."""
    first = observed.first.get(what, set())
    return (
        len(first) > 1
        and len(observed.states) >= _ENOUGH_STATES
        and len(observed.starts) > 2
        and all(state.get(what) == first for state in observed.states)
    )


def _is_lettered(what: What, placing: Placing, observed: Observed) -> bool:
    """Return whether contents are `b`, the letter is no colour, and all cells have contents."""
    letters = {other[1][0][:1] for other in observed.of(placing) if len(other[1][0]) <= 2}
    is_colour = len(letters & COLOUR_LETTERS.keys()) > 1 or any(
        role[:1].lower() == "b" for role in observed.layout.roles
    )
    return what[1] == ("b",) and not is_colour and _is_full(placing, observed)


def _is_freed(what: What, placing: Placing, observed: Observed) -> bool:
    """Return whether contents are `b`, as `_is_lettered` says, and cells become so, too."""
    if not observed.first.get(what) or not _is_lettered(what, placing, observed):
        return False
    return any(after.get(what, set()) - before.get(what, set()) for before, after in observed.steps)


def _is_full(placing: Placing, observed: Observed) -> bool:
    """Return whether the cells of a form have contents in every state, nine of ten of them.

    States without any such facts do not count: another board is played on there.
    """
    spots = len(observed.layout.boards[placing.board].spots)
    cells = observed.cells[placing.form]
    kept = [
        len({key for what, keys in state.items() if what[0] == placing.form for key in keys})
        for state in observed.states
    ]
    # Some games name the cells that are never used in the initial state only.
    later = {count for n, count in enumerate(kept) if count and n not in observed.starts}
    kept = [count for count in kept if count]
    is_kept = min(kept, default=0) >= 0.9 * len(cells) or len(later) == 1
    # Half of the cells of a board may have one form of facts and half of them another.
    on_board = (p.form for p in observed.placings.values() if p.board == placing.board)
    known = set().union(*(observed.cells[form] for form in on_board))
    return (
        len(known) >= 0.85 * spots
        and 3 * len(cells) >= spots
        and max(kept[:1], default=0) >= 0.9 * len(cells)
        and is_kept
    )


def _is_everywhere(placing: Placing, observed: Observed) -> bool:
    """Return whether facts without contents are in all cells, beside others."""
    spots = len(observed.layout.boards[placing.board].spots)
    on_board = [p for p in observed.placings.values() if p.board == placing.board]
    return len(on_board) > 1 and all(
        len(state.get((placing.form, ()), ())) == spots for state in observed.states
    )


def _is_the_rest(placing: Placing, observed: Observed) -> bool:
    """Return whether facts without contents always stand exactly where no others do."""
    board = [p.form for p in observed.placings.values() if p.board == placing.board]
    spots = len(observed.layout.boards[placing.board].spots)
    if len(board) < 2:
        return False
    words = split(name_of(placing.form))
    for state in observed.states:
        keys = [key for what, found in state.items() if what[0] in board for key in found]
        if len(set(keys)) != len(keys) or len(keys) != spots:
            return False
    partners = [
        p for p in observed.placings.values() if p.board == placing.board and not p.contents
    ]
    return len(partners) == 1 or any(word in EMPTY for word in words)


def fixed(observed: Observed) -> frozenset[What]:
    """Return the contents that are a part of the board: walls by their name, or what never moves.

    Numbers, and what has a role in it, are none.
    """
    return frozenset(
        what
        for placing in observed.placings.values()
        if placing.kind == "piece" or not placing.contents
        for what in observed.of(placing)
        if _is_fixed(what, placing, observed)
    )


def _is_fixed(what: What, placing: Placing, observed: Observed) -> bool:
    form, contents = what
    if not contents:
        return says_solid(name_of(form))
    if any(part.isdecimal() for part in contents) or placing.is_amount:
        return False
    roles = [role.lower() for role in observed.layout.roles]
    if any(word.lower() in SOLID and word.lower() not in roles for word in contents):
        return not any(role.startswith(word.lower()) for word in contents for role in roles)
    if any(role in word.lower() for word in contents for role in roles):
        return False
    return (
        _stays(what, observed)
        and len(observed.first[what]) >= _FEW
        and not _has_twin(contents, {each[1] for each in observed.of(placing)}, roles)
    )


def _has_twin(
    contents: tuple[str, ...], others: Collection[tuple[str, ...]], roles: Sequence[str]
) -> bool:
    """Return whether another owner has the same men: `wr` and `br`, `whiteRook` and `blackRook`."""
    letters = {role[0] for role in roles} | COLOUR_LETTERS.keys()
    word = contents[0].lower()
    return (
        len(contents) == 1
        and len(word) > 1
        and word[0] in letters
        and any((letter + word[1:],) in others for letter in letters - {word[0]})
    )
