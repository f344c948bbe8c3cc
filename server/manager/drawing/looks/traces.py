"""What pieces leave behind, such as the trails of tron, and what they pick up, such as pellets."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ggp.server.manager.drawing.layout import Placing, What
from ggp.server.manager.drawing.looks.blanks import Observed
from ggp.server.manager.drawing.neighbours import Key

__all__ = ["pellets", "trails"]

#: Things are pellets if there are at least this many.
_FEW = 3


def trails(observed: Observed, blank: frozenset[What]) -> frozenset[What]:
    """Return the contents that come only to cells that something else has left, and stay there.

    Contents with a number or the name of a role are none, nor men whose last place another fact
    tells.
    """
    found = set()
    for placing, what in _candidates(observed, blank):
        if any(other[1] == what[1] != () and other[0] != what[0] for other in observed.counts):
            continue
        others = _others(observed, placing, what, blank)
        changes = list(_changes(observed, what))
        comes = [came <= others(before) for before, _, came, _ in changes if came]
        if comes and all(comes) and not any(gone for *_, gone in changes):
            found.add(what)
    return frozenset(found)


def pellets(observed: Observed, blank: frozenset[What]) -> frozenset[What]:
    """Return for each board the contents that only disappear, one where something else comes.

    If there are several, those of the most cells are the pellets.
    """
    most: dict[int, tuple[int, What]] = {}
    for placing, what in _candidates(observed, blank):
        others = _others(observed, placing, what, blank)
        changes = list(_changes(observed, what))
        eaten = [
            gone <= others(before) | others(after) for before, after, _, gone in changes if gone
        ]
        count = len(observed.first.get(what, ()))
        if count >= _FEW and eaten and all(eaten) and not any(came for _, _, came, _ in changes):
            board = placing.board
            most[board] = max(most.get(board, (0, what)), (count, what))
    return frozenset(what for _, what in most.values())


def _candidates(observed: Observed, blank: frozenset[What]) -> Iterator[tuple[Placing, What]]:
    roles = [role.lower() for role in observed.layout.roles]
    for placing in observed.placings.values():
        if placing.kind != "piece" or placing.is_amount:
            continue
        for what in observed.of(placing):
            words = [word.lower() for word in what[1]]
            is_owned = any(role in word or word in role for word in words for role in roles)
            if what not in blank and not is_owned and not any(map(str.isdecimal, words)):
                yield placing, what


_State = dict[What, set[Key]]


def _others(
    observed: Observed, placing: Placing, what: What, blank: frozenset[What]
) -> Callable[[_State], set[Key]]:
    """Return a function from a state to the cells of the board with other contents."""
    forms = {p.form for p in observed.placings.values() if p.board == placing.board}

    def cells(state: _State) -> set[Key]:
        kept = (
            keys
            for each, keys in state.items()
            if each[0] in forms and each != what and each not in blank
        )
        return set().union(*kept)

    return cells


def _changes(observed: Observed, what: What) -> Iterator[tuple[_State, _State, set[Key], set[Key]]]:
    """Yield two successive states, the cells to which contents came, and those that they left."""
    for before, after in observed.steps:
        old, new = before.get(what, set()), after.get(what, set())
        yield before, after, new - old, old - new
