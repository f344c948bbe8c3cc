"""Answers the questions about a game in a process of its own."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from ggp.deadline import Deadline, TimeUp
from ggp.errors import GameError, ReasonerDied, ReasonerError, ReasonerMemory
from ggp.gdl import Description
from ggp.kif import Term, parse_term, to_kif
from ggp.prove.finding import doubted, slips
from ggp.prove.question import Phases, Question, Spent, Verdict
from ggp.reasoner import open_reasoner
from ggp.workers.child import Owner
from ggp.workers.worker import Worker

__all__ = ["DEFAULT_SECONDS", "main", "prove"]

DEFAULT_SECONDS = 10.0
_MEMORY_LIMIT = 6 << 30
# The findings of the checker that say that a rule is missing: no change of another one heals that.
_MISSING_RULE = frozenset({"initial-only-fact", "no-frame-rule"})
# All questions together may take _PATIENCE times their seconds, and _START seconds more.
_PATIENCE, _START = 2.0, 60.0


def prove(
    description: Description,
    *,
    seconds: float = DEFAULT_SECONDS,
    never: Sequence[Term] = (),
    deadline: Deadline | None = None,
    memory_limit: int = _MEMORY_LIMIT,
    early: bool = False,
    timed: Callable[[Phases], None] = lambda _: None,
) -> Iterator[Verdict]:
    """Answer the questions about a game, and yield the answers as they are found.

    A fault comes when a change that heals it was looked for, after all other answers. Close the
    iterator, or cancel the deadline, to stop early.

    Args:
        description: the rules.
        seconds: how long each question may take.
        never: conditions, as `read_condition` returns them, that are claimed to hold in no state.
        deadline: when all of them end; those that are not answered by then are missing.
        memory_limit: bytes that each of the processes may use.
        early: whether to yield a fault as soon as it is seen, too. It may come again with a shorter
            play, and at the end with a change that heals it.
        timed: called at the end with how long it took.

    Raises:
        ReasonerError: the process failed.
    """
    deadline, clock = deadline or Deadline(), _Clock()
    found = slips(description)
    with (
        Worker(
            __name__,
            to_kif(description.terms),
            [str(condition) for condition in never],
            seconds,
            deadline.due,
            doubted(description, found),
            any(finding.code in _MISSING_RULE for finding in found),
            early,
            memory_limit=memory_limit,
        ) as worker,
        suppress(TimeUp),
    ):
        yield from _answers(worker, seconds, deadline, clock, early=early)
    timed(clock.phases())


class _Clock:
    """Tells how long the phases take."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        #: When the game was compiled, if it was.
        self.compiled: float | None = None
        self.spent = Spent(0.0, 0.0)

    def phases(self) -> Phases:
        total = time.monotonic() - self._began
        spent = min(total, self.spent.plays + self.spent.repairs)
        if self.compiled is None:
            compiling = total - spent
        else:
            compiling = min(self.compiled - self._began, total - spent)
        proofs = max(0.0, total - spent - compiling)
        return Phases(total, compiling, self.spent.plays, proofs, self.spent.repairs)


def _answers(
    worker: Worker, seconds: float, deadline: Deadline, clock: _Clock, *, early: bool = False
) -> Iterator[Verdict]:
    """Yield what a process finds; what it leaves unanswered for too long is open."""
    asked: dict[Question, None] = {}
    #: Faults that come again with a change that heals them.
    held: dict[Question, Verdict] = {}
    limit = deadline
    while True:
        try:
            message = _received(worker, limit)
        except TimeUp:
            yield from held.values()
            if not deadline.is_over:
                yield from (Verdict(question, "open", "", seconds) for question in asked)
            return
        if message is None or isinstance(message, ReasonerError):
            yield from held.values()
            if message is not None:
                raise message
            return
        if isinstance(message, Spent):
            clock.spent = message
        elif isinstance(message, Verdict):
            asked.pop(message.question, None)
            is_again = held.pop(message.question, None) is not None
            if early or is_again or not message.is_fault:
                yield message
            else:
                held[message.question] = message
        else:
            asked = dict.fromkeys(message)
            clock.compiled = time.monotonic()
            # A solver cannot always be interrupted.
            limit = deadline.within(_START + (len(asked) + 1) * max(1.0, seconds) * _PATIENCE)


def _received(worker: Worker, deadline: Deadline) -> Any:
    try:
        return worker.receive(deadline)
    except EOFError:
        raise ReasonerDied("the process that looks for proofs ended unexpectedly") from None


def main(
    owner: Owner,
    rules: str,
    never: Sequence[str],
    seconds: float,
    due: float,
    doubted: Sequence[int],
    is_rule_missing: bool,
    early: bool,
) -> None:
    """Send the questions and the verdicts about a game, then None; an error where there are none.

    Where the game has no circuit, there are verdicts only.
    """
    try:
        description = Description.from_text(rules)
        conditions = [parse_term(text) for text in never]
        for message in _messages(
            description,
            conditions,
            seconds,
            Deadline(due),
            doubted=doubted,
            is_rule_missing=is_rule_missing,
            early=early,
        ):
            owner.send(message)
        owner.send(None)
    except (ReasonerError, GameError) as error:
        owner.send(ReasonerError(str(error)))
    except MemoryError:
        owner.send(ReasonerMemory("the proofs need more memory than they may take"))


def _messages(
    description: Description,
    conditions: Sequence[Term],
    seconds: float,
    deadline: Deadline,
    *,
    doubted: Sequence[int],
    is_rule_missing: bool,
    early: bool,
) -> Iterator[Verdict | Spent | tuple[Question, ...]]:
    # Loading these takes a second, which is for the process to spend.
    from ggp.compiler.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
    from ggp.compiler.store import load_circuit
    from ggp.native.cache import Cache
    from ggp.prove.conditions import with_conditions
    from ggp.prove.play.without_circuit import verdicts_of_plays
    from ggp.prove.prover import Prover

    circuit = None
    with suppress(ReasonerError):
        circuit = load_circuit(
            with_conditions(description, conditions),
            cache=Cache(),
            time_limit=min(max(DEFAULT_TIME_LIMIT, seconds), deadline.remaining),
            memory_limit=DEFAULT_MEMORY_LIMIT,
        )
    if circuit is not None and not circuit.loops:
        prover = Prover(
            description,
            circuit,
            conditions=conditions,
            seconds=seconds,
            deadline=deadline,
            doubted=doubted,
            is_rule_missing=is_rule_missing,
            early=early,
        )
        yield prover.questions
        for verdict in prover.verdicts():
            yield verdict
            yield prover.spent
        return
    start = time.monotonic()
    with open_reasoner(description, kind="prolog") as reasoner:
        yield from verdicts_of_plays(description, reasoner, deadline=deadline.within(seconds))
    yield Spent(time.monotonic() - start, 0.0)
    for condition in conditions:
        yield Verdict(Question.about("never", None, str(condition)), "open", "", 0.0)
