"""Some states of a game, packed, and what the rules say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, cached_property
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.batch.loops import find_players
from ggp.compiler.runtime.kernel import Views
from ggp.kif import Term
from ggp.native.numba_support import Words
from ggp.printable import figure, preformatted

if TYPE_CHECKING:
    from ggp.batch.game import Game

__all__ = ["Moves", "States"]

#: int32[n, roles] or int32[n]: numbers of moves, see `Game.step`.
Moves: TypeAlias = NDArray[np.int32]

# States that a notebook shows.
_SHOWN = 8

#: What an index of numpy may be.
_Index: TypeAlias = int | slice | NDArray[np.intp] | NDArray[np.bool_]


class States:
    """Some states of one game: an immutable array of n states.

    What the rules say of them is computed when it is first asked for, for all at once, and kept.
    ``states[index]`` takes any index of numpy along the first axis, and gives `States` again.
    """

    def __init__(self, game: Game, words: Words, *, views: Views | None = None) -> None:
        """Hold states of a game; `Game` makes them.

        Args:
            game: the game.
            words: uint64[n, words]: fact i is bit i % 64 of word i // 64, lowest first.
            views: what the rules say of them, if it is known.
        """
        self.game, self.words = game, np.ascontiguousarray(words)
        if views is not None:
            self.views = views

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[States]:
        return (self[i : i + 1] for i in range(len(self)))

    def __getitem__(self, index: _Index) -> States:
        if isinstance(index, int | np.integer):
            place = range(len(self))[index]
            index = slice(place, place + 1)
        views = vars(self).get("views")
        part = views and Views(
            np.ascontiguousarray(views.legal[index]),
            np.ascontiguousarray(views.terminal[index]),
            views.goals[index],
        )
        return States(self.game, self.words[index], views=part)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, States):
            return NotImplemented
        return self.game is other.game and np.array_equal(self.words, other.words)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} states of {self.game.name}>"

    def _repr_html_(self) -> str:
        """Return pictures of the first states, for notebooks; their facts, if there are none."""
        figures = []
        for number in range(min(len(self), _SHOWN)):
            state = self[number]
            facts = preformatted("\n".join(map(str, state.facts(0))))
            figures.append(figure(state._repr_svg_() or facts, self._caption(number)))
        more = f"<p>and {len(self) - _SHOWN:,} more</p>" if len(self) > _SHOWN else ""
        return "".join(figures) + more

    def _repr_svg_(self) -> str | None:
        """Return a picture of a single state; None if there are several, or nothing that draws."""
        drawing = _drawing() if len(self) == 1 else None
        return None if drawing is None else drawing(self)

    def _caption(self, number: int) -> str:
        if self.terminated[number]:
            return "goals " + " ".join(map(str, self.goals[number].tolist()))
        player = int(self.current_player[number])
        return f"{self.game.roles[player]} moves" if player >= 0 else "several roles choose"

    @cached_property
    def views(self) -> Views:
        """What the rules say of the states, packed."""
        return self.game.reasoner.kernel.views(self.words)

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """bool[n]: whether the game is over."""
        return self.views.terminal

    @cached_property
    def goals(self) -> NDArray[np.int16]:
        """int16[n, roles]: the goals from 0 to 100; -1 where a role has none, or several."""
        places = self.views.goals
        goals = np.empty_like(places)
        for role, values in enumerate(self.game.goal_values):
            goals[:, role] = values[places[:, role]]
        return goals

    @property
    def rewards(self) -> NDArray[np.float32]:
        """float32[n, roles]: goals from 0 to 1 where the game is over, otherwise 0.

        A missing goal counts as 0.
        """
        goals = np.maximum(self.goals, 0) * self.terminated[:, None]
        return goals.astype(np.float32) / np.float32(100)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """bool[n, roles, actions]: which moves are legal, by each role's own numbers.

        In a terminal state, it is what the rules say, which may be anything.
        """
        first = self.game.reasoner.kernel.first_move
        roles, total = len(self.game.roles), int(first[-1])
        packed = self.views.legal.view(np.uint8)
        bits = np.unpackbits(packed, axis=1, count=total, bitorder="little").view(np.bool_)
        if total == roles * self.game.num_actions:
            return bits.reshape(len(self), roles, self.game.num_actions)
        legal = np.zeros((len(self), roles, self.game.num_actions), np.bool_)
        for role in range(roles):
            own = bits[:, first[role] : first[role + 1]]
            legal[:, role, : own.shape[1]] = own
        return legal

    @cached_property
    def current_player(self) -> NDArray[np.int32]:
        """int32[n]: the number of the role that moves; -1 where several roles choose.

        It is the role that has several legal moves; if only chance (the role `random`) has, it is
        chance. Where no role has a choice, it is the first role that is not chance.
        """
        players = np.empty(len(self), np.int32)
        chance = -1 if self.game.chance is None else self.game.chance
        find_players(self.views.legal, self.game.reasoner.kernel.first_move, chance, players)
        return players

    @property
    def legal_action_mask(self) -> NDArray[np.bool_]:
        """bool[n, actions]: the legal moves of the current player.

        Where several roles choose, it is false everywhere; `legal` has the moves of each role.
        """
        players = self.current_player
        mask = self.legal[np.arange(len(self)), np.maximum(players, 0)]
        mask[players < 0] = False
        return mask

    @property
    def observation(self) -> NDArray[np.uint8]:
        """uint8[n, facts]: 1 where a fact of `Game.facts` is true."""
        count = len(self.game.facts)
        packed = np.ascontiguousarray(self.words).view(np.uint8)
        return np.unpackbits(packed, axis=1, count=count, bitorder="little")

    def facts(self, index: int) -> tuple[Term, ...]:
        """Return what is true in one of the states, sorted by printed text."""
        return self.game.reasoner.facts(self.words[range(len(self))[index]].tobytes())


@cache
def _drawing() -> Callable[[States], str] | None:
    """Return what draws a state as SVG: the entry point ``states`` of the group `ggp.displays`."""
    for point in entry_points(group="ggp.displays", name="states"):
        drawing: Callable[[States], str] = point.load()
        return drawing
    return None
