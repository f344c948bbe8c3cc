"""The fast reasoner: the rules, compiled to machine code that answers for many states at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import get_args

import numpy as np

from ggp.background import Background
from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import Form
from ggp.compiler.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
from ggp.compiler.runtime.halves import Halves
from ggp.compiler.runtime.kernel import Kernel, Views
from ggp.compiler.runtime.playout import Playouts, Results, Stuck
from ggp.compiler.store import kept_circuit, load_circuit
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerDied, TooManyJointMoves
from ggp.gdl import Description, canonical
from ggp.kif import Term, parse_term
from ggp.native.cache import Cache
from ggp.native.numba_support import Words, words_of
from ggp.reasoner.base import (
    MAX_JOINT_MOVES,
    Expansion,
    Playout,
    PlayoutTotals,
    Reasoner,
    State,
    View,
)
from ggp.reasoner.prolog import PrologReasoner
from ggp.reasoner.stuck import no_legal_move

__all__ = ["SMALL_GAME", "CompiledReasoner", "compile_kernels"]

#: A game for which functions that all games share can be called.
SMALL_GAME = """
(role a) (role b) (init start) (legal a left) (legal a right) (legal b wait)
(<= (next (done ?m)) (does a ?m)) (<= terminal (true (done ?m)))
(<= (goal a 100) (true (done left))) (<= (goal a 0) (true (done right))) (goal b 50)
"""

# Bytes of a word. A packed state is whole words; one with facts that have no bit is held as text,
# filled up to one byte more than whole words.
_WORD = 8
_FILLING = b"\0"

# How many sets of legal moves are kept as terms.
_MAX_LEGAL_SETS = 100_000


class CompiledReasoner(Reasoner):
    """Reasons in machine code that was made for this game.

    A state is the bits of its facts, in the order of their printed text. Facts and moves that the
    rules can never bring about have no bit. Prolog answers for the rare state or joint move that
    holds one; it is started when that first happens. So it does for a state in which two facts hold
    that never hold together in a match, if the machine code rests on that (`Circuit.unique`).
    """

    def __init__(
        self,
        description: Description,
        *,
        circuit: Circuit | None = None,
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        """Ground the rules and compile them.

        Args:
            description: the rules.
            circuit: the circuit of the rules, if it is known.
            time_limit: seconds for that; None for `DEFAULT_TIME_LIMIT`.
            memory_limit: bytes for that; None for `DEFAULT_MEMORY_LIMIT`.

        Raises:
            ReasonerError: the game is too large for these limits, or cannot be grounded.
        """
        self.description = description
        cache = Cache()
        self.circuit: Circuit = circuit or load_circuit(
            description,
            cache=cache,
            time_limit=DEFAULT_TIME_LIMIT if time_limit is None else time_limit,
            memory_limit=DEFAULT_MEMORY_LIMIT if memory_limit is None else memory_limit,
        )
        #: Answers for many packed states at once, in arrays.
        self.kernel = Kernel(self.circuit, cache=cache)
        self._fact_numbers = {fact: i for i, fact in enumerate(self.circuit.facts)}
        self._fact_texts = [str(fact) for fact in self.circuit.facts]
        self._move_numbers = [
            {move: i for i, move in enumerate(moves)} for moves in self.circuit.moves
        ]
        self._all_moves = [move for moves in self.circuit.moves for move in moves]
        self._own_moves = self.circuit.own_moves
        # The same moves are legal together in many states.
        self._legal_sets: dict[bytes, tuple[tuple[Term, ...], ...]] = {}
        #: Passes when the reasoner is closed, which ends all its work.
        self._open = Deadline()
        #: Compiles what is missing, if another process does that.
        self.compilation: Background | None = None

    @classmethod
    def kept(cls, description: Description) -> CompiledReasoner | None:
        """Return a reasoner if the cache has all its code; None if something must be compiled."""
        circuit = kept_circuit(description, cache=Cache())
        if circuit is None:
            return None
        made = cls(description, circuit=circuit)
        is_kept = made.kernel.is_kept and made.random_playouts.is_kept
        return made if is_kept and made.search_halves.is_kept else None

    @property
    def name(self) -> str:
        """The reasoner's kind."""
        return "compiled"

    @property
    def lanes(self) -> int:
        """Random playouts that take as long as one."""
        return 64 * self.random_playouts.words

    @cached_property
    def search_words(self) -> int:
        """The words of a pass that suit a search, by the joint moves of the initial state."""
        count = self.view(self.initial_state()).joint_move_count
        return 1 if count <= 64 else 4 if count <= 256 else 8

    @cached_property
    def search_halves(self) -> Halves:
        """The code of a search, which is made when it is asked for."""
        if self.search_words == self.kernel.words:
            return self.kernel.halves
        return Halves(self.circuit, words=self.search_words, form=None, cache=Cache())

    def initial_state(self) -> State:
        """Return the state that the game begins in."""
        self._check_open()
        return self.kernel.initial().tobytes()

    def view_all(self, states: Sequence[State]) -> list[View]:
        """Return the view of each state."""
        self._check_open()
        if not any(map(_is_text, states)):
            return self._read_views(self.kernel.views(self._words(states)))
        return [
            self._prolog.view(self._known_to_prolog(state))
            if _is_text(state)
            else self.view_all([state])[0]
            for state in states
        ]

    def expand_all(
        self, states: Sequence[State], *, max_joint_moves: int = MAX_JOINT_MOVES
    ) -> list[Expansion]:
        """Return the expansion of each state. Raises `TooManyJointMoves`."""
        self._check_open()
        if any(map(_is_text, states)):
            return [
                self._expand_by_prolog(state, max_joint_moves)
                if _is_text(state)
                else self.expand_all([state], max_joint_moves=max_joint_moves)[0]
                for state in states
            ]
        words = self._words(states)
        packed_views = self.kernel.views(words)
        views = self._read_views(packed_views)
        largest = max((view.joint_move_count for view in views), default=0)
        if largest > max_joint_moves:
            raise TooManyJointMoves(f"{largest:,} joint moves in one state")
        children = self.kernel.expand(words, packed_views, limit=max_joint_moves)
        packed = _rows(children.states)
        return [
            Expansion(view.terminal, view.goals, view.legal, tuple(packed[begin:end]))
            for view, (begin, end) in zip(views, pairwise(children.first.tolist()), strict=True)
        ]

    def step_all(
        self, states: Sequence[State], joint_moves: Sequence[Sequence[Term]]
    ) -> list[State]:
        """Return the state after each joint move."""
        self._check_open()
        if any(len(moves) != len(self.roles) for moves in joint_moves):
            raise ValueError(f"a joint move has one move for each of {len(self.roles)} roles")
        if len(states) != len(joint_moves):
            raise ValueError(f"{len(joint_moves)} joint moves for {len(states)} states")
        numbers = [
            [known.get(move, -1) for known, move in zip(self._move_numbers, moves, strict=True)]
            for moves in joint_moves
        ]
        strange = [
            min(chosen, default=0) < 0 or _is_text(state)
            for chosen, state in zip(numbers, states, strict=True)
        ]
        if any(strange):
            return [
                self._step_by_prolog(state, moves) if odd else self.step_all([state], [moves])[0]
                for state, moves, odd in zip(states, joint_moves, strange, strict=True)
            ]
        chosen = np.array(numbers, np.int32).reshape(len(numbers), len(self.roles))
        return _rows(self.kernel.steps(self._words(states), chosen))

    def playouts(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> list[Playout]:
        """Play from the state to the end, at random, `count` times."""
        self._check_open()
        if _is_text(state):
            return self._prolog.playouts(
                self._known_to_prolog(state), count=count, seed=seed, max_steps=max_steps
            )
        made = self._play(state, count=count, seed=seed, max_steps=max_steps, record=True)
        assert made.goals is not None
        assert made.lengths is not None
        return [
            Playout(self._goals(goals), length)
            for goals, length in zip(made.goals.tolist(), made.lengths.tolist(), strict=True)
        ]

    def playout_totals(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> PlayoutTotals:
        """Play as `playouts` does, and add up: at full speed."""
        self._check_open()
        if _is_text(state):
            return super().playout_totals(state, count=count, seed=seed, max_steps=max_steps)
        made = self._play(state, count=count, seed=seed, max_steps=max_steps, record=False)
        return PlayoutTotals(
            made.count, made.steps, tuple(map(int, made.sums)), tuple(self._ranges(made))
        )

    def _ranges(self, made: Results) -> Iterator[tuple[int, int]]:
        """Yield the least and the greatest goal of each role; none without playouts."""
        for goals, counts in zip(self.circuit.goals, made.histogram, strict=True):
            reached = [value for (value, _), n in zip(goals, counts, strict=True) if n]
            if sum(counts) < made.count:
                reached.append(0)  # a missing goal
            if reached:
                yield min(reached), max(reached)

    def warm_up(self, deadline: Deadline) -> None:
        """Wait until all is compiled; where this process compiles, that takes what it takes."""
        if self.compilation is not None:
            with suppress(TimeUp):
                deadline.wait(self.compilation.wait)
            return
        self.kernel.compile()
        self.prepare_to_answer()
        self.prepare_to_play()

    def prepare_to_answer(self) -> None:
        """Make and load what the first question needs."""
        self.expand_all([])

    def prepare_to_play(self) -> None:
        """Compile and load what the first playout would compile and load."""
        self.playout_totals(self.initial_state(), count=0, seed=0)

    @cached_property
    def random_playouts(self) -> Playouts:
        """Random playouts on packed states."""
        return Playouts(self.circuit, cache=Cache())

    def facts(self, state: State) -> tuple[Term, ...]:
        """Return what is true in the state, sorted by printed text."""
        if _is_text(state):
            return tuple(map(parse_term, _text_of(state).split("\n")))
        return tuple(self.circuit.facts[number] for number in self._true(state))

    def text(self, state: State) -> str:
        """Return the facts as text, one a line, sorted."""
        if _is_text(state):
            return _text_of(state)
        return "\n".join(self._fact_texts[number] for number in self._true(state))

    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which exactly the given ground terms are true.

        It is held as text where a fact has no bit, or where the circuit does not say what the rules
        say of it: then Prolog answers.
        """
        terms = {canonical(fact) for fact in facts}
        numbers = [self._fact_numbers.get(term, -1) for term in terms]
        if min(numbers, default=0) >= 0 and self._is_said(numbers):
            return self.kernel.pack(np.array(sorted(numbers), np.int32)).tobytes()
        text = "\n".join(sorted(map(str, terms))).encode()
        return text + _FILLING * ((1 - len(text)) % _WORD)

    def _is_said(self, numbers: Sequence[int]) -> bool:
        """Return whether the circuit says what the rules say of a state, given by its facts."""
        if not self.circuit.unique:
            return True
        true = np.zeros((1, len(self.circuit.facts)), np.bool_)
        true[0, numbers] = True
        return bool(self.circuit.is_said(true)[0])

    def close(self) -> None:
        """Release what the reasoner holds."""
        self._open.cancel()
        if self.compilation is not None:
            self.compilation.close()
        if "_prolog" in vars(self):
            self._prolog.close()

    @cached_property
    def _prolog(self) -> PrologReasoner:
        return PrologReasoner(self.description)

    def _known_to_prolog(self, state: State) -> State:
        return self._prolog.state_of(self.facts(state))

    def _from_prolog(self, state: State) -> State:
        return self.state_of(self._prolog.facts(state))

    def _expand_by_prolog(self, state: State, limit: int) -> Expansion:
        made = self._prolog.expand(self._known_to_prolog(state), max_joint_moves=limit)
        successors = tuple(map(self._from_prolog, made.successors))
        return Expansion(made.terminal, made.goals, made.legal, successors)

    def _step_by_prolog(self, state: State, moves: Sequence[Term]) -> State:
        return self._from_prolog(self._prolog.next_state(self._known_to_prolog(state), moves))

    def _play(
        self, state: State, *, count: int, seed: int, max_steps: int | None, record: bool
    ) -> Results:
        if self.compilation is not None and count:  # none are played to prepare
            self.warm_up(self._open)
        try:
            self._open.check()
            return self.random_playouts.play(
                self._words([state]),
                count=count,
                seed=seed,
                max_steps=max_steps,
                record=record,
                deadline=self._open,
            )
        except TimeUp:
            raise ReasonerDied("the reasoner is closed") from None
        except Stuck as stuck:
            if stuck.state is None:
                raise
            (found,) = _rows(stuck.state)
            raise no_legal_move(self.roles, self.view(found).legal, self.facts(found)) from None

    def _check_open(self) -> None:
        if self._open.is_over:
            raise ReasonerDied("the reasoner is closed")

    def _words(self, states: Sequence[State]) -> Words:
        return words_of(*states).reshape(-1, self.kernel.state_words)

    def fact_numbers(self, state: State) -> list[int] | None:
        """Return which of the circuit's facts are true; None if there are others."""
        return None if _is_text(state) else self._true(state)

    def _true(self, state: State) -> list[int]:
        """Return the numbers of the state's facts."""
        bits = np.unpackbits(np.frombuffer(state, np.uint8), bitorder="little")
        numbers: list[int] = np.flatnonzero(bits).tolist()
        return numbers

    def _read_views(self, views: Views) -> list[View]:
        return [
            View(terminal, self._goals(goals), self._legal(legal))
            for terminal, goals, legal in zip(
                views.terminal.tolist(), views.goals.tolist(), _rows(views.legal), strict=True
            )
        ]

    def _goals(self, places: Sequence[int]) -> tuple[int | None, ...]:
        return tuple(
            None if place < 0 else goals[place][0]
            for place, goals in zip(places, self.circuit.goals, strict=True)
        )

    def _legal(self, packed: bytes) -> tuple[tuple[Term, ...], ...]:
        known = self._legal_sets.get(packed)
        if known is None:
            numbers = self._true(packed)
            known = tuple(
                tuple(self._all_moves[n] for n in numbers if n in own) for own in self._own_moves
            )
            if len(self._legal_sets) >= _MAX_LEGAL_SETS:
                self._legal_sets.clear()
            self._legal_sets[packed] = known
        return known


def _is_text(state: State) -> bool:
    return len(state) % _WORD == 1


def _text_of(state: State) -> str:
    return state.rstrip(_FILLING).decode()


def _rows(words: Words) -> list[bytes]:
    """Return each row's bytes."""
    data, size = words.tobytes(), words.shape[1] * _WORD
    return [data[at : at + size] for at in range(0, len(data), size)]


def compile_kernels(_name: str) -> None:
    """Call the functions that all games share, so that numba compiles them."""
    circuit = build_circuit(Description.from_text(SMALL_GAME), time_limit=inf)
    kernel = Kernel(circuit)
    kernel.expand(kernel.initial(), limit=MAX_JOINT_MOVES)
    for form in get_args(Form):
        Playouts(circuit, form=form).play(kernel.initial(), count=1, seed=0)
