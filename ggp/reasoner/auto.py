"""A reasoner that starts on Prolog and switches to machine code."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import Symbol, Term
from ggp.reasoner.base import (
    MAX_JOINT_MOVES,
    Expansion,
    Playout,
    PlayoutTotals,
    Reasoner,
    SomeMoves,
    State,
    View,
)
from ggp.reasoner.compiling import Compilation, is_kept
from ggp.reasoner.handover import Handover, Remembered, Translated, bare, issued
from ggp.reasoner.prolog import PrologReasoner

if TYPE_CHECKING:  # loading it takes longer than an answer by Prolog
    from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["AutoReasoner"]

#: Seconds of Prolog's work after which compiling begins: short sessions never pay for it.
_ENOUGH = 0.2
#: The same for a game whose machine code is kept, which only has to be loaded.
_ENOUGH_IF_KEPT = 0.02

#: States given out by Prolog that are remembered. If there are more, each state is translated.
_MAX_REMEMBERED = 250_000

_log = logging.getLogger(__name__)


class AutoReasoner(Reasoner):
    """Prolog answers while the game is compiled in the background; then machine code does.

    Compiling begins when Prolog has worked for a while, at once if the machine code is kept from an
    earlier run, or with `warm_up`. Only the speed tells the difference: states that were given out
    before stay good, and are given out again for the same facts. `name` tells which of the two
    answers, and a message is logged when that changes. Where a game cannot be compiled, Prolog goes
    on, and a warning is logged, once.
    """

    def __init__(
        self,
        description: Description,
        *,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        """Start Prolog.

        Args:
            description: the rules.
            time_limit: seconds that one question to Prolog, or compiling, may take; None for the
                reasoners' defaults.
            memory_limit: bytes that each of them may use; None for the defaults.
            deadline: ends the loading; None for the time limit alone.

        Raises:
            ReasonerError: Prolog is not installed, or cannot load the game.
        """
        self.description = description
        self._limits = time_limit, memory_limit
        self._prolog = PrologReasoner(
            description, time_limit=time_limit, memory_limit=memory_limit, deadline=deadline
        )
        self._opened = time.monotonic()
        #: Seconds that Prolog has worked, and after how many compiling begins.
        self._worked = 0.0
        self._enough = _ENOUGH_IF_KEPT if is_kept(description) else _ENOUGH
        self._compilation: Compilation | None = None
        #: Whether nothing will change any more.
        self._is_settled = False
        self._compiled: CompiledReasoner | None = None
        #: What Prolog has given out, until the machine code takes over; None if that is too much.
        self._issued: set[State] | None = set()
        self._handover: Handover | None = None

    @property
    def name(self) -> str:
        """The kind of the reasoner that answers now: "prolog" or "compiled"."""
        return "prolog" if self.compiled is None else "compiled"

    @property
    def lanes(self) -> int:
        """Random playouts that take as long as one."""
        self._take_over()
        if self._compiled is not None and self._is_settled:
            return self._compiled.lanes
        return self._prolog.lanes

    @property
    def compiled(self) -> CompiledReasoner | None:
        """The machine code, if it has taken over."""
        self._take_over()
        return self._compiled

    @property
    def is_settled(self) -> bool:
        """Whether nothing will change: random playouts, too, are compiled, or never will be.

        From then on, the same seed gives the same playouts.
        """
        self._take_over()
        return self._is_settled

    def warm_up(self, deadline: Deadline) -> None:
        """Wait for the machine code."""
        if self._is_settled:
            return
        compilation = self._compilation = self._compilation or self._begin()
        with suppress(TimeUp):
            deadline.wait(compilation.wait)
        self._take_over()

    def initial_state(self) -> State:
        """Return the state that the game begins in."""
        if compiled := self.compiled:
            return self._states.to_outside(compiled.initial_state())
        return self._issue(self._prolog.initial_state())

    def view_all(self, states: Sequence[State]) -> list[View]:
        """Return the view of each state."""
        if compiled := self.compiled:
            return compiled.view_all(self._states.to_compiled(states))
        with self._at_work():
            return self._prolog.view_all([bare(state) for state in states])

    def legal_moves(self, state: State, role: Symbol) -> tuple[Term, ...]:
        """Return the moves of a role, sorted by printed text. Raises `ValueError` for no role."""
        return self.some_moves(state, role, limit=sys.maxsize).moves

    def some_moves(self, state: State, role: Symbol, *, limit: int, seed: int = 0) -> SomeMoves:
        """Return how many moves a role has, and at most `limit` of them. Raises `ValueError`."""
        if compiled := self.compiled:
            (own,) = self._states.to_compiled([state])
            return compiled.some_moves(own, role, limit=limit, seed=seed)
        with self._at_work():
            return self._prolog.some_moves(bare(state), role, limit=limit, seed=seed)

    def expand_all(
        self, states: Sequence[State], *, max_joint_moves: int = MAX_JOINT_MOVES
    ) -> list[Expansion]:
        """Return the expansion of each state. Raises `TooManyJointMoves`."""
        if compiled := self.compiled:
            expansions = compiled.expand_all(
                self._states.to_compiled(states), max_joint_moves=max_joint_moves
            )
            give = self._states.to_outside
        else:
            own = [bare(state) for state in states]
            with self._at_work():
                expansions = self._prolog.expand_all(own, max_joint_moves=max_joint_moves)
            give = self._issue
        return [
            replace(expansion, successors=tuple(map(give, expansion.successors)))
            for expansion in expansions
        ]

    def step_all(
        self, states: Sequence[State], joint_moves: Sequence[Sequence[Term]]
    ) -> list[State]:
        """Return the state after each joint move."""
        if compiled := self.compiled:
            return [
                *map(
                    self._states.to_outside,
                    compiled.step_all(self._states.to_compiled(states), joint_moves),
                )
            ]
        own = [bare(state) for state in states]
        with self._at_work():
            after = self._prolog.step_all(own, joint_moves)
        return [*map(self._issue, after)]

    def playouts(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> list[Playout]:
        """Play from the state to the end, at random, `count` times.

        Which playouts a seed gives depends on whether the machine code of playouts has taken over,
        see `is_settled`.
        """
        reasoner, own = self._player(state)
        with self._at_work():
            return reasoner.playouts(own, count=count, seed=seed, max_steps=max_steps)

    def playout_totals(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> PlayoutTotals:
        """Play as `playouts` does, and add up."""
        reasoner, own = self._player(state)
        with self._at_work():
            return reasoner.playout_totals(own, count=count, seed=seed, max_steps=max_steps)

    def facts(self, state: State) -> tuple[Term, ...]:
        """Return what is true in the state, sorted by printed text."""
        if compiled := self.compiled:
            return compiled.facts(self._own(state))
        return self._prolog.facts(bare(state))

    def text(self, state: State) -> str:
        """Return the facts as text, one a line, sorted."""
        if compiled := self.compiled:
            return compiled.text(self._own(state))
        return self._prolog.text(bare(state))

    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which exactly the given ground terms are true."""
        if compiled := self.compiled:
            return self._states.to_outside(compiled.state_of(facts))
        return self._issue(self._prolog.state_of(facts))

    def close(self) -> None:
        """Stop both."""
        self._prolog.close()
        if self._compilation is not None:
            self._compilation.close()
        if self._compiled is not None:
            self._compiled.close()

    @contextmanager
    def _at_work(self) -> Iterator[None]:
        """Note how long Prolog works, and begin to compile when that is long enough."""
        began = time.monotonic()
        yield
        self._worked += time.monotonic() - began
        if self._worked > self._enough and self._compilation is None and not self._is_settled:
            self._compilation = self._begin()

    def _begin(self) -> Compilation:
        time_limit, memory_limit = self._limits
        return Compilation(self.description, time_limit=time_limit, memory_limit=memory_limit)

    def _take_over(self) -> None:
        """Let the machine code take over if it is ready."""
        compilation = self._compilation
        if compilation is None or compilation.result is None:
            return
        if isinstance(compilation.result, ReasonerError):
            _log.warning("this game is left to Prolog, which is slower: %s", compilation.result)
            self._stay()
            return
        if self._compiled is None:
            self._hand_over(compilation.result)
        if compilation.is_over:
            self._compilation = None
            self._is_settled = True
            if not isinstance(self._handover, Translated):
                self._prolog.close()

    def _hand_over(self, compiled: CompiledReasoner) -> None:
        if self._issued is None:
            self._handover = Translated(self._prolog, compiled)
        else:
            self._handover = Remembered(self._issued, self._prolog, compiled)
        self._issued = None
        self._compiled = compiled
        seconds = time.monotonic() - self._opened
        _log.info("machine code answers from now on, %.1f s after the game was opened", seconds)

    def _stay(self) -> None:
        """Do without machine code."""
        if self._compilation is not None:
            self._compilation.close()
            self._compilation = None
        self._is_settled = True
        self._issued = None

    def _player(self, state: State) -> tuple[Reasoner, State]:
        """Return who plays at random, and what the state is there."""
        compiled = self.compiled
        if compiled is None:
            return self._prolog, bare(state)
        own = self._own(state)
        if self._is_settled:
            return compiled, own
        # Its playouts are still being compiled.
        return self._prolog, self._prolog.state_of(compiled.facts(own))

    def _issue(self, state: State) -> State:
        """Return what stands for one of Prolog's states."""
        outside = issued(state)
        if self._issued is not None:
            self._issued.add(outside)
            if len(self._issued) > _MAX_REMEMBERED:
                self._issued = None
        return outside

    @property
    def _states(self) -> Handover:
        assert self._handover is not None
        return self._handover

    def _own(self, state: State) -> State:
        """Return the machine code's state."""
        return self._states.to_compiled([state])[0]
