"""The board of one game: how its states are drawn, and where its moves are clicked.

A board is found by random play, which shows how facts behave. The first picture comes after a
moment of it. Where that moment was too short, because the rules are heavy or the machine is busy,
play goes on while no page asks for anything, and the picture gets better.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.kif import Symbol, Term
from ggp.reasoner import Reasoner, State, View, bounded
from ggp.server.manager.drawing.clicks import Clicks
from ggp.server.manager.drawing.declared import find_drawing
from ggp.server.manager.drawing.looks.boards import board_looks
from ggp.server.manager.drawing.looks.words import is_pass
from ggp.server.manager.drawing.pieces import role_tones
from ggp.server.manager.drawing.play import Line, RandomPlay
from ggp.server.manager.drawing.scene import cards_of, scene_of
from ggp.server.manager.export.picture import picture_of
from ggp.server.manager.export.svg import to_svg

__all__ = ["Board"]

#: Seconds of random play before the first picture, and by which one answer may overrun them: a
#: board found from little is there sooner than the moves of a heavy game.
_FIRST, _OVERRUN = 0.8, 0.4
#: Seconds of play at a time while no page asks, for one answer of the rules, and in all.
_SLICE, _ANSWER, _IN_ALL = 0.5, 8.0, 40.0
#: The picture is found anew when there are this many times the states that it was found from.
_MORE = 3
#: The limits on moves of a role whose effects are computed to find the places to click, and on the
#: seconds that this takes.
_MAX_TRIED, _TRYING = 300, 0.8
#: A person clicks the places that a move of one word changes, if there are no more than this.
_WIDE = 8


class Board:
    """Draws the states of one game."""

    def __init__(
        self, description: Description | None, *, line: Line | None = None, declared: str = ""
    ) -> None:
        """Prepare a board; `learn` finds it.

        Args:
            description: the rules; None if only a record is known.
            line: the line of play of that record.
            declared: the drawing that the author declares, as JSON; empty without one.
        """
        self._description = description
        self._declared = declared
        self._known: Sequence[Line] = () if line is None else (line,)
        self._play = RandomPlay()
        self._left = 0.0 if description is None else _IN_ALL
        #: The number of states that the picture was found from; None before there is one.
        self._found_from: int | None = None

    @property
    def revision(self) -> int:
        """The number of the picture, 0 for none: spots of different ones have nothing in common.

        In every process that knows the game the same number is that of the same picture, because
        random play is the same.
        """
        return 0 if self._found_from is None else 1 + self._found_from

    @property
    def is_settled(self) -> bool:
        """Whether the picture stays as it is in this process."""
        return self._left <= 0

    @property
    def is_complete(self) -> bool:
        """Whether another process finds the same picture: random play is at its end."""
        return self._description is None or self._play.is_complete

    def settle(self) -> None:
        """Leave the picture as it is."""
        self._left = 0.0

    def learn_first(self, reasoner: Reasoner | None, reopen: Callable[[], None]) -> None:
        """Find the first picture, once.

        Args:
            reasoner: the game's; None without rules.
            reopen: closes it, which is done when an answer takes too long.

        Raises:
            GgpError: the reasoner fails, or the declared drawing is wrong.
        """
        if self.revision:
            return
        if reasoner is not None:
            patience = Deadline.after(_FIRST + _OVERRUN)
            with bounded(reasoner, deadline=patience):
                self._play.go_on(reasoner, Deadline.after(_FIRST))
            if patience.is_over:
                reopen()
        self._find()

    def learn_more(self, reasoner: Reasoner, reopen: Callable[[], None]) -> None:
        """Play on for a moment, and find the picture anew if much more is known then."""
        before = Deadline.after(self._left)
        patience = Deadline.after(_ANSWER)
        try:
            with bounded(reasoner, deadline=patience):
                self._play.go_on(reasoner, Deadline.after(min(_SLICE, self._left)))
        except GgpError:
            self.settle()  # the rules fail on the way; what was found stays
        if patience.is_over:
            reopen()
        self._left = min(self._left, before.remaining)
        is_much_more = self._play.work >= _MORE * max(1, self._found_from or 0)
        if self._play.is_complete or self.is_settled or is_much_more:
            self._find()

    def _find(self) -> None:
        if self._play.is_complete:
            self.settle()
        if self._play.work == self._found_from:
            return
        self._layout, self._looks = find_drawing(self._description, self.lines, self._declared)
        self._clicks = Clicks(self._layout, self._description)
        self._board_looks = board_looks(self._layout, self._looks, self.lines)
        self._found_from = self._play.work

    @property
    def lines(self) -> Sequence[Line]:
        """The lines of play by which it was found."""
        return self._known or self._play.lines

    # What pages show

    def layout(self) -> dict[str, Any]:
        """Return the places of all boards, see `Layout.to_json`, and the colours of the roles."""
        told = self._layout.to_json()
        for board, look in zip(told["boards"], self._board_looks, strict=True):
            board["look"] = look
        return {
            **told,
            "tones": list(role_tones(self._layout.roles)),
            "revision": self.revision,
            "is_settled": self.is_settled,
        }

    def scene(self, facts: Sequence[Term]) -> dict[str, Any]:
        """Return a state as `scene_of` does."""
        return {**scene_of(facts, self._layout, self._looks), "revision": self.revision}

    def svg(self, facts: Sequence[Term], *, title: str) -> str:
        """Return a picture of a state."""
        return to_svg(picture_of(self.layout(), self.scene(facts), title=title), title=title)

    def legal(
        self, reasoner: Reasoner, state: State, view: View, facts: Sequence[Term]
    ) -> list[list[dict[str, Any]]]:
        """Return the legal moves of each role, each with the places to click.

        A move of one word that has no place of its own, such as a pass, is a `button`.
        """
        cards = cards_of(facts, self._layout)
        legal = []
        for role, moves in enumerate(view.legal):
            named = {move: self._clicks.named(move, cards) for move in moves}
            unnamed = [move for move in moves if not named[move]]
            if len(moves) > 1 and all(view.legal):
                tried = self._changes(reasoner, state, view, role, unnamed, moves)
                for move, step in tried.items():
                    is_wide = isinstance(move, Symbol) and len(step) > _WIDE
                    named[move] = (step,) if step and not is_wide and not is_pass(move) else ()
            legal.append([_offered(move, named[move], among=len(moves)) for move in moves])
        return legal

    def _changes(
        self,
        reasoner: Reasoner,
        state: State,
        view: View,
        role: int,
        unnamed: Sequence[Term],
        moves: Sequence[Term],
    ) -> Mapping[Term, tuple[str, ...]]:
        """Return the places that each unnamed move changes, except those that all moves change.

        The other roles make their first legal moves.
        """
        if not unnamed:
            return {}
        # One move with a place shows what every move changes, if only one has none.
        others = [move for move in moves if move not in set(unnamed)][:1]
        tried = [*others, *unnamed[:_MAX_TRIED]]
        first = [legal[0] for legal in view.legal]
        joint_moves = [(*first[:role], move, *first[role + 1 :]) for move in tried]
        after: list[frozenset[Term]] = []
        deadline = Deadline.after(_TRYING)
        while len(after) < len(tried) and not deadline.is_over:
            batch = joint_moves[len(after) : 2 * len(after) + 1]
            successors = reasoner.step_all([state] * len(batch), batch)
            after += [frozenset(reasoner.facts(successor)) for successor in successors]
        before = frozenset(reasoner.facts(state))
        always = frozenset.intersection(*after) if len(after) > 1 else frozenset[Term]()
        never = before - frozenset().union(*after) if len(after) > 1 else frozenset[Term]()
        return {
            move: self._clicks.changed(
                sorted(facts - before - always, key=str), sorted(before - facts - never, key=str)
            )
            for move, facts in zip(tried, after, strict=False)
            if move not in others
        }


def _offered(move: Term, clicks: Sequence[Sequence[str]], *, among: int) -> dict[str, Any]:
    is_button = isinstance(move, Symbol) and not clicks and among > 1
    return {
        "move": str(move),
        "clicks": clicks,
        **({"button": "pass" if is_pass(move) else "move"} if is_button else {}),
    }
