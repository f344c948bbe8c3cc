"""Planning as satisfiability: plans of one round of moves, of two rounds, of three, and so on.

A plan of few rounds is found, or shown not to be there, much faster than one of many; and to show
that there is none may take very long. So all numbers of rounds take turns, with more and more time
(Rintanen 2004, "Evaluation strategies for planning as satisfiability").
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

from ggp.compiler.circuit.circuit import FALSE
from ggp.engine.puzzle.effects import Effects, SharedEffects
from ggp.engine.puzzle.found import Progress
from ggp.engine.puzzle.packed import PackedPuzzle
from ggp.engine.puzzle.rounds.counting import moves_made_once
from ggp.engine.puzzle.rounds.encoding import Encoding, Ending
from ggp.engine.puzzle.symbolic import TRUE
from ggp.native.numba_support import Words

__all__ = ["Rounds"]

# Seconds of the first search for a plan of a number of rounds, and between two looks at the clock.
_FIRST, _TICK = 0.1, 0.01
# Bytes that an atom of the program takes with its rules, about, and the most rounds.
_ATOM, _MOST = 1000, 200
# How many numbers of rounds are tried at first.
_AT_FIRST = 3
# How often a number of rounds is tried, each time for twice as long.
_ATTEMPTS = 10


class Rounds:
    """Looks for plans with the highest goal that is named, where moves do not rest on a clock."""

    is_finished = False

    def __init__(
        self,
        puzzle: PackedPuzzle,
        start: Words,
        effects: SharedEffects,
        progress: Progress,
        *,
        max_bytes: int,
    ) -> None:
        """Prepare to search.

        Args:
            puzzle: the game.
            start: the state to begin from, not terminal: uint64[1, words].
            effects: what moves do.
            progress: what was found, which the search improves.
            max_bytes: the memory that it may take.
        """
        self._puzzle, self._start, self._effects = puzzle, start, effects
        self._progress, self._max_atoms = progress, max_bytes // _ATOM

    def steps(self) -> Iterator[None]:
        """Search, with a break after each step."""
        effects = yield from self._effects.find()
        if effects is None or not effects.goals or not effects.is_timeless:
            return
        goal = max(effects.goals)
        endings = _endings(effects, goal)
        if not endings or not self._progress.is_better(goal):
            return
        values = self._puzzle.values(self._start, effects.facts)[0]
        begin = {fact for fact, value in zip(effects.facts, values, strict=True) if value}
        over = [literal for literal in effects.terminal_after if literal != TRUE]
        encoding = Encoding(
            effects,
            begin,
            between=effects.graph.disjunction(over),
            endings=endings,
            once=moves_made_once(effects, begin, [ending.literal for ending in endings]),
        )
        longest = max(ending.most or _MOST for ending in endings)
        left = [number for number in _numbers() if number < longest]
        left.append(min(longest, _MOST))
        for attempt in range(_ATTEMPTS):
            if not left:
                return
            for number in left[: _AT_FIRST + attempt]:
                while len(encoding.lasts) < number and encoding.atoms < self._max_atoms:
                    yield from encoding.add_round()
                if len(encoding.lasts) < number:
                    left = [other for other in left if other < number]
                    break
                has_ended, moves = self._search(encoding, number, _FIRST * 2**attempt)
                if moves is not None:
                    self._progress.improve(goal, moves)
                    return
                if has_ended:
                    left.remove(number)
                yield

    def _search(
        self, encoding: Encoding, number: int, seconds: float
    ) -> tuple[bool, list[int] | None]:
        """Search for a plan of a number of rounds; return whether that is done, and its moves."""
        until, assumptions = time.monotonic() + seconds, [encoding.lasts[number - 1]]
        with encoding.control.solve(assumptions, yield_=True, async_=True) as handle:
            handle.resume()
            while not handle.wait(_TICK):
                if self._progress.deadline.is_over or time.monotonic() > until:
                    handle.cancel()
                    return False, None
            if (model := handle.model()) is None:
                return True, None
            rounds = encoding.rounds[:number]
            return True, [
                move for moves in rounds for move, atom in moves.items() if model.is_true(atom)
            ]


def _numbers() -> Iterator[int]:
    """Yield 1, 2, 3, 4, 6, 8, 12, 16, ..."""
    yield 1
    power = 2
    while power * 3 // 2 < _MOST:
        yield from (power, power * 3 // 2)
        power *= 2


def _endings(effects: Effects, goal: int) -> list[Ending]:
    """Return how plans to a goal may end; none if the clock is not known long enough."""
    over, reached = effects.terminal_after, effects.goals_after[goal]
    literals = [effects.graph.both(*pair) for pair in zip(over, reached, strict=True)]
    ends: list[Ending] = []
    for steps, literal in enumerate(literals[1:], 1):
        if ends and literal == ends[-1].literal and ends[-1].most == steps - 1:
            ends[-1] = replace(ends[-1], most=steps)
        elif literal != FALSE:
            ends.append(Ending(literal, fewest=steps, most=steps))
        if over[steps] == TRUE:
            return ends
    if not effects.is_still:
        return []
    last = len(literals) - 1
    if ends and ends[-1].most == last:
        ends[-1] = replace(ends[-1], most=None)
    elif literals[-1] != FALSE:
        ends.append(Ending(literals[-1], fewest=last + 1, most=None))
    return ends
