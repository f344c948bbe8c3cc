"""Figures of one game: its circuit, what it takes to compile, and how fast the reasoners are."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from statistics import median
from typing import TypeVar

import numba
import numpy as np

from ggp.cli.common import load_game
from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import Assembly, assemble
from ggp.compiler.codegen.rows import ViewRows
from ggp.compiler.codegen.straightline import Program
from ggp.compiler.measures import measure
from ggp.compiler.runtime.halves import next_program, view_program
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.loops import to_rows
from ggp.compiler.runtime.playout import Results
from ggp.native.numba_support import Words, run
from ggp.reasoner import Reasoner, State, open_reasoner
from ggp.reasoner.compiled import CompiledReasoner

__all__ = ["BATCH", "Figures", "Rates", "figures", "prepare"]

#: States that the compiled reasoner expands at a time: one pass of the view.
BATCH = 512

_T = TypeVar("_T")

# A turn of a slow reasoner goes over at least this many states.
_FEWEST = 8

# Seconds and bytes that compiling may take, and joint moves that a state may have.
_PATIENCE, _MEMORY, _MOST = 600.0, 8 << 30, 10**6


@dataclass(frozen=True, slots=True)
class Rates:
    """Events per second, medians of the rounds; the ratio is the median of the rounds' ratios."""

    prolog: float
    compiled: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured of one game. Times are in seconds."""

    game: str
    facts: int
    moves: int
    gates: int
    depth: int
    #: Whether both halves of the circuit run as machine code, or some as a table.
    code: bool
    #: From the rules to the circuit, and from there to the code that views and steps.
    circuit_seconds: float
    code_seconds: float
    #: From the file to the expansion of the initial state: nothing kept, all kept, and by Prolog.
    cold_seconds: float
    warm_seconds: float
    prolog_seconds: float
    #: Successors of a state, on average.
    branching: float
    #: States expanded a second: in arrays, and as terms through the reasoner's contract.
    expansions: Rates
    contract_expansions: Rates
    playouts: Rates
    #: Passes a second over the bare circuit, and the states that one takes.
    passes: float
    lanes: int
    #: Joint moves in random playouts a second, as a share of the states in these passes.
    share_of_bare: float


def figures(game: str, *, seconds: float, rounds: int) -> Figures:
    """Measure a game.

    Args:
        game: a file, or the name of a bundled game.
        seconds: how long each reasoner has its turn in a round.
        rounds: how often they take turns.

    Raises:
        ReasonerError: the game cannot be compiled, or there is no SWI-Prolog.
        click.UsageError: there is no such game.
        SourceError: it cannot be read.
    """
    description = load_game(game)
    circuit, circuit_seconds = _timed(
        lambda: build_circuit(description, time_limit=_PATIENCE, memory_limit=_MEMORY)
    )
    _, code_seconds = _timed(Kernel(circuit).compile)
    sizes = measure(circuit)

    def first_answer(kind: str) -> Reasoner:
        opened = open_reasoner(
            load_game(game), kind=kind, time_limit=_PATIENCE, memory_limit=_MEMORY
        )
        opened.expand(opened.initial_state(), max_joint_moves=_MOST)
        return opened

    with _empty_cache():
        opened, cold_seconds = _timed(lambda: first_answer("compiled"))
        opened.close()
        compiled, warm_seconds = _timed(lambda: first_answer("compiled"))
        prolog, prolog_seconds = _timed(lambda: first_answer("prolog"))
        with compiled, prolog:
            assert isinstance(compiled, CompiledReasoner)
            compiled.kernel.compile()  # else a table answers, until it has worked for long
            sample = _Sample.of(compiled, prolog)
            expansions, contract = _expansions(sample, seconds=seconds, rounds=rounds)
            playouts, passes, share = _playouts(sample, circuit, seconds=seconds, rounds=rounds)
            lanes = 64 * compiled.kernel.words
    return Figures(
        game=game,
        facts=sizes.facts,
        moves=sizes.moves,
        gates=sizes.gates,
        depth=sizes.depth,
        code=set(sizes.forms.values()) == {"code"},
        circuit_seconds=circuit_seconds,
        code_seconds=code_seconds,
        cold_seconds=cold_seconds,
        warm_seconds=warm_seconds,
        prolog_seconds=prolog_seconds,
        branching=sample.branching,
        expansions=expansions,
        contract_expansions=contract,
        playouts=playouts,
        passes=passes,
        lanes=lanes,
        share_of_bare=share,
    )


def prepare() -> None:
    """Bind this process and its children to one core; load what is loaded only once."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    numba.set_num_threads(1)
    with open_reasoner(load_game("nim"), kind="compiled") as reasoner:
        reasoner.expand(reasoner.initial_state())


@dataclass(frozen=True, slots=True)
class _Sample:
    """States of random playouts, not terminal, by ascending number of joint moves."""

    compiled: CompiledReasoner
    prolog: Reasoner
    #: The same states in three forms.
    states: list[State]
    prolog_states: list[State]
    packed: Words
    branching: float

    @classmethod
    def of(cls, compiled: CompiledReasoner, prolog: Reasoner) -> _Sample:
        generator = random.Random(1)
        found: list[tuple[int, State]] = []
        while len(found) < BATCH:
            state = compiled.initial_state()
            while len(found) < BATCH and not (view := compiled.view(state)).terminal:
                found.append((view.joint_move_count, state))
                moves = [generator.choice(options) for options in view.legal]
                state = compiled.next_state(state, moves)
        found.sort()
        states = [state for _, state in found]
        packed = np.frombuffer(b"".join(states), np.uint64).reshape(BATCH, -1)
        return cls(
            compiled,
            prolog,
            states,
            [prolog.state_of(compiled.facts(state)) for state in states],
            packed,
            sum(count for count, _ in found) / BATCH,
        )


def _expansions(sample: _Sample, *, seconds: float, rounds: int) -> tuple[Rates, Rates]:
    """Expand the sample in turns: by Prolog, as terms, and in arrays."""
    compiled = sample.compiled

    def by_prolog(states: Sequence[State]) -> int:
        return len(sample.prolog.expand_all(states, max_joint_moves=_MOST))

    def by_contract() -> int:
        return len(compiled.expand_all(sample.states, max_joint_moves=_MOST))

    def in_arrays() -> int:
        views = compiled.kernel.views(sample.packed)
        compiled.kernel.expand(sample.packed, views, limit=_MOST)
        return BATCH

    # Prolog may be too slow for the whole sample in its turn: then it takes every n-th state, which
    # have as many joint moves on average, and in the next turn the ones beside them.
    few = sample.prolog_states[BATCH // _FEWEST // 2 :: BATCH // _FEWEST]
    _, needed = _timed(lambda: by_prolog(few))
    stride = max(1, BATCH // max(_FEWEST, int(seconds / needed * len(few))))
    chunks = cycle([sample.prolog_states[i::stride] for i in range(stride)])
    by_contract()
    in_arrays()
    turns = [
        (
            _rate(lambda: by_prolog(next(chunks)), seconds),
            _rate(by_contract, seconds),
            _rate(in_arrays, seconds),
        )
        for _ in range(rounds)
    ]
    prolog, contract, arrays = zip(*turns, strict=True)
    return _rates(prolog, arrays), _rates(prolog, contract)


def _playouts(
    sample: _Sample, circuit: Circuit, *, seconds: float, rounds: int
) -> tuple[Rates, float, float]:
    """Play at random in turns; return also `Figures.passes` and `Figures.share_of_bare`."""
    compiled, prolog = sample.compiled, sample.prolog
    initial, start = prolog.initial_state(), compiled.kernel.initial()
    _, needed = _timed(lambda: prolog.playouts(initial, count=1, seed=0))
    count = 1 + int(seconds / needed / 10)
    seeds = iter(range(10**9))

    def by_prolog() -> int:
        return len(prolog.playouts(initial, count=count, seed=next(seeds)))

    def in_arrays() -> Results:
        return compiled.random_playouts.play(start, seed=next(seeds), seconds=seconds)

    bare = _bare_passes(circuit, sample.packed, words=compiled.kernel.words)
    in_arrays()
    slow, fast, passes, shares = [], [], [], []
    for _ in range(rounds):
        slow.append(_rate(by_prolog, seconds))
        made, taken = _timed(in_arrays)
        fast.append(made.count / taken)
        passes.append(_rate(bare, seconds))
        shares.append(made.steps / taken / (passes[-1] * 64 * compiled.kernel.words))
    return _rates(slow, fast), median(passes), median(shares)


def _bare_passes(circuit: Circuit, states: Words, *, words: int) -> Callable[[], int]:
    """Return a function that runs a pass over the whole circuit with all lanes full."""

    def assembled(name: str, program: Program) -> Assembly:
        return assemble(lambda: [program], [name], key=name, words=words, form=None, cache=None)

    view = assembled("view", view_program(circuit))
    following = assembled("next", next_program(circuit))
    lanes, facts = np.arange(min(64 * words, len(states))), ViewRows.of(circuit).facts
    for half in (view, following):
        to_rows(states, lanes, len(facts), half.buffer, words, facts.start)

    def passes(count: int) -> int:
        _pass_by(
            view.addresses["view"], view.buffer, following.addresses["next"], following.buffer,
            count,
        )  # fmt: skip
        return count

    passes(1)
    # this number of passes takes a few milliseconds
    count = 1 + int(_rate(lambda: passes(1), 0.02) / 200)
    return lambda: passes(count)


@numba.njit(nogil=True)
def _pass_by(view: int, view_buffer: Words, following: int, buffer: Words, count: int) -> None:
    for _ in range(count):
        run(view, view_buffer)
        run(following, buffer)


def _rates(prolog: Sequence[float], compiled: Sequence[float]) -> Rates:
    ratios = [fast / slow for slow, fast in zip(prolog, compiled, strict=True)]
    return Rates(median(prolog), median(compiled), median(ratios))


def _rate(work: Callable[[], int], seconds: float) -> float:
    """Repeat work for a number of seconds; return how much is done per second."""
    done, began = 0, time.perf_counter()
    while True:
        done += work()
        passed = time.perf_counter() - began
        if passed >= seconds:
            return done / passed


def _timed(work: Callable[[], _T]) -> tuple[_T, float]:
    began = time.perf_counter()
    result = work()
    return result, time.perf_counter() - began


@contextmanager
def _empty_cache() -> Iterator[None]:
    """Keep compiled code in a new, empty folder."""
    before = os.environ.get("GGP_CACHE_DIR")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GGP_CACHE_DIR"] = folder
        try:
            yield
        finally:
            del os.environ["GGP_CACHE_DIR"]
            if before is not None:
                os.environ["GGP_CACHE_DIR"] = before
