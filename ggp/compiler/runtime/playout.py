"""Random playouts of a circuit, all in compiled code: one playout in every lane.

The results favour neither short games nor long ones. Each word of 64 lanes starts a number of
playouts that is fixed beforehand, and every playout that starts is played to its end and counted.
Whether the next one starts never depends on how it will go. With a time limit instead of a number,
no lane starts a playout after that time, and those that have started are still played to their end:
by Wald's identity the expected sums are the expected number of playouts times the expected goals.

Each word of 64 lanes has its own random numbers, so that the results of a number of playouts depend
on the seed alone, not on how many words a pass takes on this CPU.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import Assembly, Form, assemble, code_name, digest
from ggp.compiler.runtime.loops import ALL_ENDED, NO_LEGAL_MOVE, play_passes
from ggp.compiler.runtime.pass_frame import frame
from ggp.compiler.runtime.pass_program import pass_programs
from ggp.compiler.runtime.pass_rows import AGE_BITS, EXTRA_BITS, PassRows
from ggp.compiler.runtime.turns import Turns, find_turns, no_turns
from ggp.deadline import Deadline
from ggp.errors import NoLegalMove
from ggp.native.cache import Cache
from ggp.native.numba_support import Words

__all__ = ["Playouts", "Results", "Stuck", "assemble_passes", "limit_steps"]

#: Words of 64 lanes that have random numbers of their own.
STREAMS = 8

#: Seconds between two checks of the deadline, roughly.
PATIENCE = 0.005

#: To give lanes a state of more facts than this takes long; so they wait for some passes, and more
#: of them start at once.
_MANY_FACTS, _PAUSE = 1000, 2

#: The functions of the compiled program.
_FUNCTIONS = ("begin", "examine", "run")


@dataclass(frozen=True, slots=True)
class Results:
    """What random playouts came to."""

    #: How many playouts were played to their end.
    count: int
    #: The joint moves made in all of them.
    steps: int
    #: Per role, how often each goal of `Circuit.goals` was reached. What is missing to `count`
    #: ended without exactly one goal.
    histogram: tuple[tuple[int, ...], ...]
    #: float64[roles]: the goals' sums.
    sums: NDArray[np.float64]
    #: int16[count, roles], if recorded: which goal of each role every playout reached, -1 for none.
    goals: NDArray[np.int16] | None = None
    #: int32[count], if recorded: the joint moves made in each playout.
    lengths: NDArray[np.int32] | None = None


class Stuck(NoLegalMove):
    """A role has no legal move in a state that is not terminal."""

    def __init__(self, state: Words | None = None) -> None:
        """Take the state, uint64[1, words], where it is known."""
        super().__init__()
        self.state = state


def limit_steps(matrix: NDArray[np.uint64], rows: PassRows, most: int) -> None:
    """End every playout after some steps.

    Args:
        matrix: the buffer of a program of passes, by rows.
        rows: where it keeps what.
        most: the number of steps, from 1 to 2**AGE_BITS - 1.
    """
    # A counter of as few bits as possible begins so that it has run through after these steps.
    bits = most.bit_length()
    matrix[rows.age_bits, 0] = bits
    for bit in range(bits):
        young = np.uint64(2**64 - 1) * np.uint64((2**bits - most) >> bit & 1)
        matrix[rows.age.start + bit] = matrix[rows.young.start + bit] = young


def assemble_passes(
    circuit: Circuit,
    *,
    words: int,
    form: Form | None = None,
    cache: Cache | None = None,
    turns: Callable[[Circuit], Turns] = find_turns,
    extra_bits: int = EXTRA_BITS,
) -> Assembly:
    """Compile the passes of random play, or take their code from the cache.

    Their functions are those of `frame`, their buffer is laid out as `PassRows` says. The arguments
    are those of `Playouts`.
    """
    rows = PassRows.of(circuit, extra_bits)
    return assemble(
        lambda: pass_programs(circuit, rows, turns(circuit)),
        _FUNCTIONS,
        key=_key(circuit, turns, extra_bits),
        words=words,
        form=form,
        cache=cache,
        frame=partial(frame, rows),
    )


def _key(circuit: Circuit, turns: Callable[[Circuit], Turns], extra_bits: int) -> str:
    # the turns depend on the first state, too, which the digest leaves out
    first = circuit.initial.tolist()
    return f"playout {extra_bits} {turns.__name__} {first} {digest(circuit)}"


class Playouts:
    """Plays at random. It holds a buffer, so one thread at a time uses it."""

    def __init__(
        self,
        circuit: Circuit,
        *,
        words: int = 8,
        form: Form | None = None,
        cache: Cache | None = None,
        turns: Callable[[Circuit], Turns] = find_turns,
        extra_bits: int = EXTRA_BITS,
    ) -> None:
        """Take the circuit; it is compiled when first needed.

        Args:
            circuit: what to play.
            words: a pass takes 64 * words playouts one step further; 1, 4 or 8.
            form: machine code or a table; by the circuit's size if None.
            cache: where compiled code is kept; None compiles anew.
            turns: finds the facts that are certain at each turn.
            extra_bits: random bits beyond those of the number of a role's moves: with n of them, no
                move's probability is off by more than a factor of 1 +- 2^-n.
        """
        self.circuit, self.words, self.form, self.cache = circuit, words, form, cache
        self.turns, self.extra_bits = turns, extra_bits
        self._rows = PassRows.of(circuit, extra_bits)
        self._places = self._rows.places(words)
        #: Passes in which no playout starts, after each cycle in which some do. Records need 0.
        self.pause = _PAUSE if len(circuit.facts) > _MANY_FACTS else 0
        #: Passes between two checks of the deadline.
        self._stretch = 16

    def compile(self) -> None:
        """Compile now; otherwise this happens with the first use."""
        _ = self._code, self._turns

    @property
    def is_kept(self) -> bool:
        """Whether the cache has the compiled code."""
        key = _key(self.circuit, self.turns, self.extra_bits)
        name = code_name(_FUNCTIONS, key=key, words=self.words, form=self.form)
        return self.cache is not None and name in self.cache

    def play(
        self,
        state: Words,
        *,
        seed: int,
        count: int | None = None,
        seconds: float | None = None,
        max_steps: int | None = None,
        record: bool = False,
        deadline: Deadline | None = None,
    ) -> Results:
        """Play from a state to the end, every role uniformly at random.

        Args:
            state: a packed state, uint64[words] or uint64[1, words].
            seed: the same seed gives the same results, where `count` is given and not `seconds`.
            count: how many playouts.
            seconds: the time after which no playout starts; those under way are played to the end.
            max_steps: joint moves after which a playout ends.
            record: whether to give each playout's goals and length, in the order of their starts
                within each of eight streams; not where the time ends the run.
            deadline: checked every few milliseconds; when it passes, all playouts are abandoned.

        Raises:
            TimeUp: the deadline has passed.
            Stuck: a role has no legal move in a state that is not terminal.
            ValueError: neither a count nor seconds, or a record of unknown length.
        """
        if count is None and seconds is None:
            raise ValueError("playouts need a count or a time")
        if record and (count is None or seconds is not None):
            raise ValueError("a record needs a count of playouts, and no time that may cut it")
        if not self._turns.has(state.reshape(1, -1)).all():
            return self._anywhere.play(
                state, seed=seed, count=count, seconds=seconds, max_steps=max_steps,
                record=record, deadline=deadline,
            )  # fmt: skip
        parts = STREAMS // self.words
        begin = time.monotonic()
        totals = np.zeros(2 + len(self._rows.scores), np.int64)
        quotas = np.full(STREAMS, 1 << 62, np.int64)
        if count is not None:
            quotas = count // STREAMS + (np.arange(STREAMS) < count % STREAMS).astype(np.int64)
        recorded = count if record and count is not None else 0
        goals = np.full((recorded, len(self.circuit.roles)), -1, np.int16)
        lengths = np.zeros(recorded, np.int32)
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(quotas[:-1])])
        for part in range(parts):
            due = np.inf if seconds is None else begin + seconds * (part + 1) / parts
            own = slice(part * self.words, (part + 1) * self.words)
            prepare = partial(self._prepare, state, quotas[own], seed, part, max_steps, record)
            prepare()
            passes = self._play(due, deadline, first[own], goals, lengths)
            if passes is not None:
                prepare()
                raise Stuck(self._state_before(passes, first[own], goals, lengths))
            totals += self._totals()
        return self._results(totals, (goals, lengths) if record else None)

    @cached_property
    def _turns(self) -> Turns:
        return self.turns(self.circuit)

    @cached_property
    def _code(self) -> Assembly:
        return assemble_passes(
            self.circuit,
            words=self.words,
            form=self.form,
            cache=self.cache,
            turns=self.turns,
            extra_bits=self.extra_bits,
        )

    @cached_property
    def _anywhere(self) -> Playouts:
        """Playouts from states that are not in the cycle: only states that no game reaches."""
        return Playouts(
            self.circuit,
            words=self.words,
            form=self.form,
            cache=self.cache,
            turns=no_turns,
            extra_bits=self.extra_bits,
        )

    def _row(self, row: int | range) -> Words:
        """Return a view of rows of the buffer: uint64[words], or uint64[rows, words]."""
        matrix = self._code.buffer.reshape(-1, self.words)
        return matrix[row.start : row.stop] if isinstance(row, range) else matrix[row]

    def _prepare(
        self,
        state: Words,
        quotas: NDArray[np.int64],
        seed: int,
        part: int,
        max_steps: int | None,
        record: bool,
    ) -> None:
        rows = self._rows
        everything = np.uint64(2**64 - 1)
        self._row(rows.counters)[:] = 0
        self._row(rows.pause)[0] = 0 if record else self.pause
        self._row(rows.scores)[:] = 0
        first = np.minimum(quotas, 64)
        self._row(rows.active)[:] = [2 ** int(n) - 1 for n in first]
        self._row(rows.starts)[:] = (quotas - first).astype(np.uint64)
        self._row(rows.watched)[:] = everything if record else 0
        if max_steps == 0:
            self._row(rows.forced)[:] = everything
        elif max_steps is not None and max_steps < 2**AGE_BITS:
            limit_steps(self._code.buffer.reshape(-1, self.words), rows, max_steps)
        facts = np.arange(len(rows.start))
        flat = np.ascontiguousarray(state).reshape(-1)
        bits_set = (flat[facts >> 6] >> (facts & 63).astype(np.uint64)) & np.uint64(1)
        self._row(rows.start)[:] = (bits_set * everything)[:, None]
        numbers = np.random.SeedSequence(seed).generate_state(8 * STREAMS, np.uint64)
        streams = numbers.reshape(STREAMS, 8)[part * self.words : (part + 1) * self.words]
        self._row(rows.generator)[:] = streams.T

    def _play(
        self,
        due: float,
        deadline: Deadline | None,
        first: NDArray[np.int64],
        goals: NDArray[np.int16],
        lengths: NDArray[np.int32],
    ) -> int | None:
        """Play to the end; return after how many passes a lane is stuck, None if none ever is."""
        made = np.zeros(2, np.int64)
        passes = self._passes(made, first, goals, lengths)
        while True:
            last = time.monotonic()
            status = passes(self._stretch)
            now = time.monotonic()
            if status == NO_LEGAL_MOVE:
                return int(made[0])
            if status == ALL_ENDED:
                return None
            if deadline:
                deadline.check()
            if now >= due:
                self._row(self._rows.starts)[:] = 0
            pace = PATIENCE / max(now - last, 1e-9)
            self._stretch = max(1, int(self._stretch * min(2.0, max(0.25, pace))))

    def _passes(
        self,
        made: NDArray[np.int64],
        first: NDArray[np.int64],
        goals: NDArray[np.int16],
        lengths: NDArray[np.int32],
    ) -> Callable[[int], int]:
        """Return what makes that many passes, from the prepared ones on."""
        code = self._code
        # per lane the number of its playout, and the pass in which it began
        numbers = np.repeat(first, 64) + np.tile(np.arange(64), self.words)
        following = first + 64
        born = np.zeros(64 * self.words, np.int64)
        return lambda count: play_passes(
            code.addresses["begin"], code.addresses["run"], code.buffer, self.words, self._places,
            count, len(self._turns), made, self.circuit.first_goal, numbers, following, born, goals,
            lengths,
        )  # fmt: skip

    def _state_before(
        self,
        passes: int,
        first: NDArray[np.int64],
        goals: NDArray[np.int16],
        lengths: NDArray[np.int32],
    ) -> Words | None:
        """Return the state of a lane that is stuck after some passes, from the prepared ones on.

        The pass that finds it overwrites the state, so the passes before it are made once more.
        None if the time has ended the first run differently.
        """
        again = self._passes(np.zeros(2, np.int64), first, goals, lengths)
        again(passes - 1)
        known = self._turns.known(int(self._row(self._rows.turn)[0]))
        state = self._row(self._rows.state).copy()
        if again(1) != NO_LEGAL_MOVE:
            return None
        stuck = self._row(self._rows.stuck)
        word = int(np.flatnonzero(stuck)[0])
        lane = np.uint64(int(stuck[word]).bit_length() - 1)
        facts = (state[:, word] >> lane & np.uint64(1)).astype(bool)
        facts[list(known)] = list(known.values())
        bits = np.zeros(64 * -(-len(facts) // 64), np.bool_)
        bits[: len(facts)] = facts
        return np.packbits(bits, bitorder="little").view(np.uint64).reshape(1, -1)

    def _totals(self) -> NDArray[np.int64]:
        rows = self._rows
        numbers = [self._row(rows.finished).sum(), self._row(rows.steps).sum()]
        return np.array([*numbers, *self._row(rows.scores).sum(axis=1)]).astype(np.int64)

    def _results(
        self,
        totals: NDArray[np.int64],
        record: tuple[NDArray[np.int16], NDArray[np.int32]] | None,
    ) -> Results:
        count, steps, *scores = totals.tolist()
        histogram, sums = [], []
        for goals in self.circuit.goals:
            own, scores = scores[: len(goals)], scores[len(goals) :]
            histogram.append(tuple(own))
            sums.append(sum(value * n for (value, _), n in zip(goals, own, strict=True)))
        goal_record, lengths = record or (None, None)
        return Results(count, steps, tuple(histogram), np.array(sums, float), goal_record, lengths)
