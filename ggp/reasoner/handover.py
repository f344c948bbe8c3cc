"""States at the change from Prolog to machine code: those given out before stay valid.

Prolog writes a state as the numbers of its facts, machine code as their bits. `issued` fills
Prolog's states up to two bytes more than whole words, so that no state of machine code is equal to
one of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ggp.reasoner.base import State
from ggp.reasoner.prolog import PrologReasoner

if TYPE_CHECKING:  # loading it takes longer than an answer by Prolog
    from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["Handover", "Remembered", "Translated", "bare", "issued"]

_WORD = 8
_FILLING = b","

#: States that are converted together.
_CHUNK = 1024


def issued(state: State) -> State:
    """Return what stands for one of Prolog's states."""
    return state + _FILLING * ((2 - len(state)) % _WORD)


def bare(state: State) -> State:
    """Return the state of Prolog that an issued one stands for."""
    return state.rstrip(_FILLING)


class Handover(ABC):
    """The states of machine code, and what stands for them outside."""

    @abstractmethod
    def to_compiled(self, states: Sequence[State]) -> Sequence[State]:
        """Return the states of machine code for states from outside."""

    @abstractmethod
    def to_outside(self, state: State) -> State:
        """Return what stands outside for a state of machine code."""


class Remembered(Handover):
    """Remembers the states that Prolog has given out; all others are those of machine code."""

    def __init__(
        self, before: Iterable[State], prolog: PrologReasoner, compiled: CompiledReasoner
    ) -> None:
        """Take the states that were issued before."""
        states = [*before]
        self._new = dict(zip(states, _converted(states, prolog, compiled), strict=True))
        self._old = {new: old for old, new in self._new.items()}

    def to_compiled(self, states: Sequence[State]) -> Sequence[State]:
        """Return the states of machine code for states from outside."""
        return [self._new.get(state, state) for state in states] if self._new else states

    def to_outside(self, state: State) -> State:
        """Return what stands outside for a state of machine code."""
        return self._old.get(state, state)


class Translated(Handover):
    """Still gives out states as Prolog writes them, and translates each, so it remembers none.

    That takes some microseconds a state. Prolog stays open, to number facts that are new to it.
    """

    def __init__(self, prolog: PrologReasoner, compiled: CompiledReasoner) -> None:
        """Have Prolog number all facts of the machine code."""
        prolog.state_of(compiled.circuit.facts)
        self._prolog, self._compiled = prolog, compiled
        self._numbers = [prolog.numbers[fact] for fact in compiled.circuit.facts]

    def to_compiled(self, states: Sequence[State]) -> Sequence[State]:
        """Return the states of machine code for states from outside."""
        return [*_converted(states, self._prolog, self._compiled)]

    def to_outside(self, state: State) -> State:
        """Return what stands outside for a state of machine code."""
        bits = self._compiled.fact_numbers(state)
        if bits is None:
            return issued(self._prolog.state_of(self._compiled.facts(state)))
        numbers = sorted([self._numbers[bit] for bit in bits])
        return issued(",".join(map(str, numbers)).encode())


def _converted(
    states: Sequence[State], prolog: PrologReasoner, compiled: CompiledReasoner
) -> Iterator[State]:
    """Turn Prolog's states into those of the machine code, many at a time."""
    import numpy as np

    facts = compiled.circuit.facts
    bits = np.full(max(prolog.numbers.values(), default=0) + 1, -1)
    for bit, fact in enumerate(facts):
        if fact in prolog.numbers:
            bits[prolog.numbers[fact]] = bit
    for begin in range(0, len(states), _CHUNK):
        chunk = [bare(state) for state in states[begin : begin + _CHUNK]]
        sizes = [state.count(b",") + 1 if state else 0 for state in chunk]
        numbers = np.fromstring(b",".join(filter(None, chunk)), np.int64, sep=",")
        rows, places = np.repeat(np.arange(len(chunk)), sizes), bits[numbers]
        has_all = np.ones(len(chunk), np.bool_)
        has_all[rows[places < 0]] = False
        true = np.zeros((len(chunk), 64 * compiled.kernel.state_words), np.bool_)
        true[rows, places] = True
        has_all &= compiled.circuit.is_said(true)
        packed = np.packbits(true, axis=1, bitorder="little")
        for state, row, is_whole in zip(chunk, packed, has_all.tolist(), strict=True):
            yield row.tobytes() if is_whole else compiled.state_of(prolog.facts(state))
