"""The reference reasoner: the rules run as a Prolog program."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice, product
from math import prod
from typing import NamedTuple

from ggp.deadline import Deadline
from ggp.gdl import Description, GoalVector, canonical
from ggp.kif import Compound, Symbol, Term
from ggp.reasoner.base import (
    MAX_JOINT_MOVES,
    Expansion,
    Playout,
    Reasoner,
    SomeMoves,
    State,
    View,
)
from ggp.reasoner.prolog.process import PrologProcess
from ggp.reasoner.prolog.translate import prolog_program, prolog_term

__all__ = ["DEFAULT_MEMORY_LIMIT", "DEFAULT_TIME_LIMIT", "PrologReasoner"]

#: Seconds that Prolog may take for one question.
DEFAULT_TIME_LIMIT = 300.0
#: Bytes of address space that the Prolog process may use.
DEFAULT_MEMORY_LIMIT = 4 << 30

#: States that go into one question: enough to make the crossing cheap, few enough that a time
#: limit bounds little work.
_BATCH = 64

# A longer number is no goal; Python would refuse to read one of thousands of digits.
_MAX_DIGITS = 10

# A symbol may hold characters that Python counts as blanks.
_TOKEN = re.compile(r"[()]|[^ ()]+")


class PrologReasoner(Reasoner):
    """Reasons in a SWI-Prolog process of its own.

    A state is the text of its facts' numbers, ascending, as in ``b"3,17,42"``; the numbers are
    given out by Prolog in the order in which it meets the facts.
    """

    def __init__(
        self,
        description: Description,
        *,
        time_limit: float | None = None,
        memory_limit: int | None = None,
        deadline: Deadline | None = None,
    ) -> None:
        """Start the process and load the rules.

        Args:
            description: the rules.
            time_limit: seconds for one question; None for `DEFAULT_TIME_LIMIT`.
            memory_limit: bytes for the process; None for `DEFAULT_MEMORY_LIMIT`.
            deadline: ends the loading; None for the time limit alone.

        Raises:
            ReasonerError: SWI-Prolog is missing, or cannot load the game within its limits.
        """
        self.description = description
        self._terms: dict[int, _Numbered] = {}
        #: The numbers of the facts and moves that were met so far.
        self.numbers: dict[Term, int] = {}
        self._process = PrologProcess(
            prolog_program(description),
            time_limit=DEFAULT_TIME_LIMIT if time_limit is None else time_limit,
            memory_limit=DEFAULT_MEMORY_LIMIT if memory_limit is None else memory_limit,
            deadline=deadline,
        )
        self._initial: State | None = None

    @property
    def name(self) -> str:
        """The reasoner's kind."""
        return "prolog"

    def initial_state(self) -> State:
        """Return the state that the game begins in."""
        if self._initial is None:
            self._initial = self._ask("initial").encode()
        return self._initial

    def view_all(self, states: Sequence[State]) -> list[View]:
        """Return the view of each state."""
        views: list[View] = []
        for batch in _batches(map(_list, states)):
            for line in _lines(self._ask(f"views([{batch}])")):
                terminal, goals, legal = self._read_view(line.split("\t"))
                views.append(View(terminal, goals, _terms(sorted(m, key=_text) for m in legal)))
        return views

    def legal_moves(self, state: State, role: Symbol) -> tuple[Term, ...]:
        """Return the moves of a role, sorted by printed text. Raises `ValueError` for no role."""
        return self.some_moves(state, role, limit=sys.maxsize).moves

    def some_moves(self, state: State, role: Symbol, *, limit: int, seed: int = 0) -> SomeMoves:
        """Return how many moves a role has, and at most `limit` of them. Raises `ValueError`."""
        self.roles.index(role)
        question = f"some_moves({_list(state)},{prolog_term(role)},{limit},{seed})"
        count, _, numbers = self._ask(question).partition("\t")
        moves = sorted((self._terms[int(number)] for number in numbers.split()), key=_text)
        return SomeMoves(int(count), tuple(numbered.term for numbered in moves))

    def expand_all(
        self, states: Sequence[State], *, max_joint_moves: int = MAX_JOINT_MOVES
    ) -> list[Expansion]:
        """Return the expansion of each state. Raises `TooManyJointMoves`."""
        return [
            self._read_expansion(line)
            for batch in _batches(map(_list, states))
            for line in _lines(self._ask(f"expansions([{batch}],{max_joint_moves})"))
        ]

    def step_all(
        self, states: Sequence[State], joint_moves: Sequence[Sequence[Term]]
    ) -> list[State]:
        """Return the state after each joint move. The moves are not checked for legality."""
        if any(len(moves) != len(self.roles) for moves in joint_moves):
            raise ValueError(f"a joint move has one move for each of {len(self.roles)} roles")
        steps = (
            f"{_list(state)}-[{','.join(prolog_term(canonical(move)) for move in moves)}]"
            for state, moves in zip(states, joint_moves, strict=True)
        )
        return [
            line.encode()
            for batch in _batches(steps)
            for line in _lines(self._ask(f"steps([{batch}])"))
        ]

    def playouts(
        self, state: State, *, count: int, seed: int, max_steps: int | None = None
    ) -> list[Playout]:
        """Play from the state to the end, at random, `count` times."""
        limit = "inf" if max_steps is None else max_steps
        reply = self._ask(f"playouts({_list(state)},{count},{seed},{limit})")
        lines = (line.partition("\t") for line in _lines(reply))
        return [
            Playout(tuple(map(_goal, goals.split(" "))), int(steps)) for steps, _, goals in lines
        ]

    def facts(self, state: State) -> tuple[Term, ...]:
        """Return what is true in the state, sorted by printed text."""
        return tuple(numbered.term for numbered in self._sorted_facts(state))

    def text(self, state: State) -> str:
        """Return the facts as text, one a line, sorted."""
        return "\n".join(map(_text, self._sorted_facts(state)))

    def state_of(self, facts: Iterable[Term]) -> State:
        """Return the state in which exactly the given ground terms are true."""
        terms = [canonical(fact) for fact in facts]
        unknown = ",".join(prolog_term(term) for term in terms if term not in self.numbers)
        if unknown:
            self._ask(f"state_of([{unknown}])")
        numbers = sorted({self.numbers[term] for term in terms})
        return ",".join(map(str, numbers)).encode()

    def close(self) -> None:
        """Kill the process."""
        self._process.close()

    def _sorted_facts(self, state: State) -> list[_Numbered]:
        found = [self._terms[int(number)] for number in state.split(b",")] if state else []
        return sorted(found, key=_text)

    def _ask(self, question: str) -> str:
        """Return the reply's body, having learned the terms that got their numbers with it."""
        body, _, news = self._process.ask(question).partition("\f")
        for line in _lines(news):
            number, _, text = line.partition(" ")
            term = _read(text)
            self._terms[int(number)] = _Numbered(text, term)
            self.numbers[term] = int(number)
        return body

    def _read_view(self, fields: Sequence[str]) -> tuple[bool, GoalVector, list[list[_Numbered]]]:
        terminal, goals, legal = fields[:3]
        return (
            terminal == "1",
            tuple(map(_goal, goals.split(" "))),
            [[self._terms[int(number)] for number in moves.split()] for moves in legal.split("/")],
        )

    def _read_expansion(self, line: str) -> Expansion:
        fields = line.split("\t")
        terminal, goals, unsorted = self._read_view(fields)
        legal = [sorted(moves, key=_text) for moves in unsorted]
        count = 0 if terminal else prod(map(len, legal))
        successors = [text.encode() for text in fields[3].split(" ")[:count]]
        if legal != unsorted and not terminal:
            # Prolog went through the moves in its own order: find each joint move there.
            place = [{move: i for i, move in enumerate(moves)} for moves in unsorted]
            sizes = [len(moves) for moves in unsorted]
            strides = [prod(sizes[role + 1 :]) for role in range(len(sizes))]
            offsets = [
                [place[role][move] * strides[role] for move in moves]
                for role, moves in enumerate(legal)
            ]
            successors = [successors[sum(choice)] for choice in product(*offsets)]
        return Expansion(terminal, goals, _terms(legal), tuple(successors))


class _Numbered(NamedTuple):
    """A term with its text, by which terms are sorted."""

    text: str
    term: Term


def _read(text: str) -> Term:
    """Return the term that `engine.pl` has written: one blank between items, balanced parentheses.

    A state may have a hundred thousand moves, and the parser takes nine times as long.
    """
    levels: list[list[Term]] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            levels.append([])
        elif token == ")":
            inner = Compound(tuple(levels.pop()))
            levels[-1].append(inner)
        else:
            levels[-1].append(_symbol(token))
    return levels[0][0]


#: The same word stands in many terms.
_symbol = lru_cache(maxsize=4096)(Symbol)


def _text(numbered: _Numbered) -> str:
    return numbered.text


def _terms(legal: Iterable[Iterable[_Numbered]]) -> tuple[tuple[Term, ...], ...]:
    return tuple(tuple(numbered.term for numbered in moves) for moves in legal)


def _lines(text: str) -> list[str]:
    """Split at newlines only: `str.splitlines` knows others, which symbols may hold."""
    return text.split("\n")[:-1]


def _goal(text: str) -> int | None:
    is_number = text.isascii() and text.isdecimal() and len(text) < _MAX_DIGITS
    return int(text) if is_number else None


def _list(state: State) -> str:
    return f"[{state.decode()}]"


def _batches(items: Iterable[str]) -> Iterator[str]:
    remaining = iter(items)
    while batch := list(islice(remaining, _BATCH)):
        yield ",".join(batch)
