"""The reasoner that answers at once and soon fast: Prolog, until the machine code is ready."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import Term
from ggp.reasoner.base import (
    MAX_JOINT_MOVES,
    Expansion,
    Playout,
    PlayoutTotals,
    Reasoner,
    State,
    View,
)
from ggp.reasoner.compilation import Compilation
from ggp.reasoner.prolog import PrologReasoner

if TYPE_CHECKING:  # it takes longer to load than Prolog to answer
    from ggp.reasoner.compiled.reasoner import CompiledReasoner

__all__ = ["AutoReasoner"]

#: Seconds of Prolog's work after which compiling begins: who asks little does not pay for it.
_ENOUGH = 0.2

#: States that may be given out before the machine code takes over: they are remembered until then.
_MAX_ISSUED = 1_000_000

# Seconds between two looks at whether somebody has cut the clock.
_TICK = 0.05

_WORD = 8
# What fills a state up to two bytes more than whole words: so no state of machine code is like it.
_FILLING = b","

#: States that are converted together.
_CHUNK = 1024

_log = logging.getLogger(__name__)


class AutoReasoner(Reasoner):
    """Prolog answers while the game is compiled in the background; then machine code does.

    Compiling begins when Prolog has worked for a while, or with `warm_up`. Nobody notices but by
    the speed: states that were given out before stay good, and are given out again for the same
    facts. Where a game cannot be compiled, Prolog goes on, and a warning is logged, once.
    """

    def __init__(
        self,
        description: Description,
        *,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        """Start Prolog.

        Args:
            description: the rules.
            time_limit: seconds that one question to Prolog, or compiling, may take; None for the
                reasoners' defaults.
            memory_limit: bytes that each of them may use; None for the defaults.

        Raises:
            ReasonerError: Prolog is not installed, or cannot load the game.
        """
        self.description = description
        self._limits = time_limit, memory_limit
        self._prolog = PrologReasoner(description, time_limit=time_limit, memory_limit=memory_limit)
        #: Seconds that Prolog has worked.
        self._worked = 0.0
        self._compilation: Compilation | None = None
        #: Whether everything will stay as it is.
        self._is_settled = False
        self._compiled: CompiledReasoner | None = None
        #: What Prolog has given out, until the machine code takes over,
        self._issued: set[State] = set()
        #: and from then on what each has become, and the other way round.
        self._new: dict[State, State] = {}
        self._old: dict[State, State] = {}

    @property
    def name(self) -> str:
        """The reasoner's kind."""
        return "auto"

    @property
    def compiled(self) -> CompiledReasoner | None:
        """The machine code, if it has taken over."""
        self._take_over()
        return self._compiled

    @property
    def is_settled(self) -> bool:
        """Whether all is as fast as it gets: random playouts, too, are compiled, or never will."""
        self._take_over()
        return self._is_settled

    def warm_up(self, deadline: Deadline) -> None:
        """Wait for the machine code."""
        if self._is_settled:
            return
        compilation = self._compilation = self._compilation or self._begin()
        while not compilation.is_over and not deadline.is_over:
            compilation.wait(min(_TICK, deadline.remaining))
        self._take_over()

    def initial_state(self) -> State:
        """Return the state that the game begins in."""
        if compiled := self.compiled:
            return self._given(compiled.initial_state())
        return self._issue(self._prolog.initial_state())

    def view_all(self, states: Sequence[State]) -> list[View]:
        """Return the view of each state."""
        if compiled := self.compiled:
            return compiled.view_all(self._taken(states))
        with self._at_work():
            return self._prolog.view_all([_bare(state) for state in states])

    def expand_all(
        self, states: Sequence[State], *, max_joint_moves: int = MAX_JOINT_MOVES
    ) -> list[Expansion]:
        """Return the expansion of each state. Raises `TooManyJointMoves`."""
        if compiled := self.compiled:
            expansions = compiled.expand_all(self._taken(states), max_joint_moves=max_joint_moves)
            if not self._old:
                return expansions
            give = self._given
        else:
            bare = [_bare(state) for state in states]
            with self._at_work():
                expansions = self._prolog.expand_all(bare, max_joint_moves=max_joint_moves)
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
            return [*map(self._given, compiled.step_all(self._taken(states), joint_moves))]
        bare = [_bare(state) for state in states]
        with self._at_work():
            after = self._prolog.step_all(bare, joint_moves)
        return [*map(self._issue, after)]

    def playouts(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> list[Playout]:
        """Play from the state to the end, at random, `count` times.

        Which playouts a seed gives depends on whether the machine code has taken over.
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
            return compiled.facts(self._new.get(state, state))
        return self._prolog.facts(_bare(state))

    def text(self, state: State) -> str:
        """Return the facts as text, one a line, sorted."""
        if compiled := self.compiled:
            return compiled.text(self._new.get(state, state))
        return self._prolog.text(_bare(state))

    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which exactly the given ground terms are true."""
        if compiled := self.compiled:
            return self._given(compiled.state_of(facts))
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
        if self._worked > _ENOUGH and self._compilation is None and not self._is_settled:
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
            compiled = compilation.result
            before = [*self._issued]
            self._new = dict(zip(before, _converted(before, self._prolog, compiled), strict=True))
            self._old = {new: old for old, new in self._new.items()}
            self._issued.clear()
            self._compiled = compiled
        if compilation.is_over:
            self._compilation = None
            self._is_settled = True
            self._prolog.close()

    def _stay(self) -> None:
        """Do without machine code."""
        if self._compilation is not None:
            self._compilation.close()
            self._compilation = None
        self._is_settled = True
        self._issued.clear()

    def _player(self, state: State) -> tuple[Reasoner, State]:
        """Return who plays at random, and what the state is there."""
        compiled = self.compiled
        if compiled is None:
            return self._prolog, _bare(state)
        own = self._new.get(state, state)
        if self._is_settled:
            return compiled, own
        # Its playouts are still being compiled.
        return self._prolog, self._prolog.state_of(compiled.facts(own))

    def _issue(self, state: State) -> State:
        """Return what stands for one of Prolog's states."""
        issued = state + _FILLING * ((2 - len(state)) % _WORD)
        if not self._is_settled:
            self._issued.add(issued)
            if len(self._issued) > _MAX_ISSUED:
                self._stay()
        return issued

    def _given(self, state: State) -> State:
        """Return what stands for a state of the machine code."""
        return self._old.get(state, state)

    def _taken(self, states: Sequence[State]) -> Sequence[State]:
        """Return the machine code's states."""
        return [self._new.get(state, state) for state in states] if self._new else states


def _bare(state: State) -> State:
    """Return Prolog's state."""
    return state.rstrip(_FILLING)


def _converted(
    issued: Sequence[State], prolog: PrologReasoner, compiled: CompiledReasoner
) -> Iterator[State]:
    """Turn Prolog's states into those of the machine code, many at once: there may be many."""
    import numpy as np

    facts = compiled.circuit.facts
    bits = np.full(max(prolog.numbers.values(), default=0) + 1, -1)
    for bit, fact in enumerate(facts):
        if fact in prolog.numbers:
            bits[prolog.numbers[fact]] = bit
    for begin in range(0, len(issued), _CHUNK):
        chunk = [_bare(state) for state in issued[begin : begin + _CHUNK]]
        sizes = [state.count(b",") + 1 if state else 0 for state in chunk]
        numbers = np.fromstring(b",".join(filter(None, chunk)), np.int64, sep=",")
        rows, places = np.repeat(np.arange(len(chunk)), sizes), bits[numbers]
        has_all = np.ones(len(chunk), np.bool_)
        has_all[rows[places < 0]] = False
        true = np.zeros((len(chunk), 64 * compiled.kernel.state_words), np.bool_)
        true[rows, places] = True
        packed = np.packbits(true, axis=1, bitorder="little")
        for state, row, is_whole in zip(chunk, packed, has_all.tolist(), strict=True):
            yield row.tobytes() if is_whole else compiled.state_of(prolog.facts(state))
