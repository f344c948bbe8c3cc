"""Answers the questions about one game, with every engine that there is.

Random plays refute what is often wrong. Then two engines that share nothing but the circuit look
for proofs: induction by clingo, and property directed reachability by ABC, which also finds plays
that random ones do not. What one of them proves, the other checks; what a play shows, Prolog
replays.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import FALSE, Circuit
from ggp.deadline import Deadline, TimeUp
from ggp.errors import ReasonerError
from ggp.gdl import Description
from ggp.kif import Term
from ggp.prove.abc import ModelChecked, find_abc, model_check, shortest
from ggp.prove.certificate import confirms
from ggp.prove.claims import Claim, claims, content_places
from ggp.prove.conditions import FIRST_VALUE
from ggp.prove.ends import Ranking, find_ranking, returns
from ggp.prove.induction import Induction, is_invariant
from ggp.prove.machine import GameMachine
from ggp.prove.play.simulation import Player, Plays, Run, Simulator
from ggp.prove.play.witness import witnessed
from ggp.prove.question import Answer, Question, Spent, Verdict
from ggp.prove.repair import Repairs
from ggp.search.leaf_values.outcomes import Outcomes

__all__ = ["Prover"]

# Of the seconds for a question, the share that random plays get, for all questions together, and
# again for those that are left open; and of those for the end of the game, the share of a rank.
_PLAYS, _MORE_PLAYS, _RANK = 0.1, 0.5, 0.8
# Seconds of processor time that random plays get at least, each time; and how many times as long
# they may last where other processes leave them less.
_LEAST_PLAYS, _WAITING = 0.5, 4.0
# Seconds to look for a shorter play than the one that is known.
_SHORTEN = 2.0
# Seconds that the other engine has at least to check a proof, and how many times the seconds for
# the question. A check is harder than the proof: it is about all invariants at once.
_CHECK, _CHECKS = 5.0, 3.0
# Of the seconds for a question, how many times that all repairs may take, and seconds at most; the
# share for finding one, and seconds for each question when it is proved.
_REPAIRS, _MOST_REPAIRING, _FINDING, _REPROVING = 5.0, 20.0, 0.5, 1.0
# What a fault says that no change heals, as far as changes were tried in time.
_NONE_HEALS = "no change of one statement was found that heals this: a rule is probably missing"
# The most rules that are named, and how many of them by the changes that heal.
_NAMED, _HEALED = 5, 3


@dataclass(slots=True, eq=False)
class _Work:
    """The progress of the engines on a claim."""

    claim: Claim
    #: The play that shows the literal, and what found it.
    run: Run | None = None
    #: The engine that has found the answer; empty as long as there is none.
    engine: str = ""
    #: The other engine that has confirmed a proof.
    checked: str = ""
    seconds: float = 0.0


class Prover:
    """The questions about a game whose circuit has no loops."""

    def __init__(
        self,
        description: Description,
        circuit: Circuit,
        *,
        conditions: Sequence[Term] = (),
        seconds: float,
        deadline: Deadline,
        repairs: bool = True,
        doubted: Sequence[int] = (),
        is_rule_missing: bool = False,
        early: bool = False,
    ) -> None:
        """Prepare the questions.

        Args:
            description: the rules, without the conditions.
            circuit: of the rules with the conditions.
            conditions: what is claimed never to hold.
            seconds: how long each question may take.
            deadline: when all of them end.
            repairs: whether to look for changes of the rules that heal a fault.
            doubted: statements that the checker warns of, by their numbers.
            is_rule_missing: whether it says that a rule is missing; then no change heals.
            early: whether faults that random plays show are yielded before they are shortened.
        """
        self._doubted, self._is_early = doubted, early
        self._is_healing = repairs
        self._repairs = (
            Repairs(description, places=list(content_places(circuit)), prove=self._prove_again)
            if repairs and not is_rule_missing
            else None
        )
        self._description = description
        self._conditions = {str(condition): condition for condition in conditions}
        self._seconds, self._deadline = seconds, deadline
        self._played = self._repaired_for = 0.0
        self._circuit, literals = _without_conditions(circuit, len(conditions))
        self._machine = GameMachine(self._circuit)
        look = self._machine.looking_at(self._machine.facts)
        never = [
            Claim(Question.about("never", None, text), look(literal))
            for text, literal in zip(self._conditions, literals, strict=True)
        ]
        self._asked = [*claims(self._machine, total=self._total()), *never]

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked."""
        return (Question.about("ends"), *(claim.question for claim in self._asked))

    @property
    def spent(self) -> Spent:
        """How long random plays took, and the search for changes, so far."""
        return Spent(self._played, self._repaired_for)

    def verdicts(self) -> Iterator[Verdict]:
        """Yield the answers as they are found, and faults again with a change that heals them."""
        start = time.monotonic()
        works = [_Work(claim) for claim in self._asked]
        plays = self._plays([claim.literal for claim in self._asked])
        share = (time.monotonic() - start) / (1 + len(works))
        for work in works:
            work.seconds, work.run = share, plays.runs.get(work.claim.literal)
            work.engine = "play" if work.run else ""
        with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1)) as pool:
            try:
                yield from self._healed(self._answered(pool, works, plays.loop, share))
            finally:
                self._deadline.cancel()
                pool.shutdown(cancel_futures=True)

    def _healed(self, found: Iterator[Verdict]) -> Iterator[Verdict]:
        """Yield answers, and at the end each fault again, with a change that heals it."""
        faults: dict[Question, Verdict] = {}
        doubts: set[Question] = set()
        for verdict in found:
            if verdict.doubt:
                doubts.add(verdict.question)
            if verdict.is_fault:
                faults[verdict.question] = verdict
            yield verdict
        start = time.monotonic()
        for fault in faults.values() if self._is_healing else ():
            if self._repairs is None:
                yield _advised(fault)
            else:
                yield self._repaired(fault, self._repairs, doubts)
                self._repaired_for = time.monotonic() - start

    def _answered(
        self, pool: ThreadPoolExecutor, works: Sequence[_Work], loop: Run | None, share: float
    ) -> Iterator[Verdict]:
        tasks = {pool.submit(self._model_check, work): work for work in works if work.run}
        if self._is_early:
            shown = (work for work in works if work.run and work.claim.question.expected)
            yield from map(self._verdict, shown)
        engine = _Engine(self._machine, self._deadline.within(self._seconds).due)
        # This comes first: the claims add gates to the program that would slow it down.
        yield self._ending(loop, engine, share)
        for work in works:
            if work.run is None and not self._induce(work, engine):
                tasks[pool.submit(self._model_check, work)] = work
        proved = [work for work in works if work.engine == "induction"]
        self._confirm(proved, engine)
        for work in proved:
            if work.checked:
                yield self._verdict(work)
            else:
                tasks[pool.submit(self._model_check, work)] = work
        # While ABC works on what is left, more invariants may be found.
        left = [work for work in tasks.values() if not work.engine]
        with ThreadPoolExecutor(1) as helper:
            again = helper.submit(self._induce_again, left, engine)
            for task in as_completed(tasks):
                self._conclude(tasks[task], task.result())
                if tasks[task] not in left:
                    yield self._verdict(tasks[task])
            again.result()
        unchecked = [work for work in left if work.engine == "induction" and not work.checked]
        self._confirm(unchecked, engine)
        self._play_again(pool, [work for work in left if not work.engine])
        yield from map(self._verdict, left)

    def _play_again(self, pool: ThreadPoolExecutor, works: Sequence[_Work]) -> None:
        """Give random plays more time for what no engine has answered."""
        if not works:
            return
        start = time.monotonic()
        literals = [work.claim.literal for work in works]
        plays = self._plays(literals, share=_MORE_PLAYS, seed=1)
        for work in works:
            work.seconds += (time.monotonic() - start) / len(works)
            work.run = plays.runs.get(work.claim.literal)
            work.engine = "play" if work.run else ""
        tasks = {pool.submit(self._model_check, work): work for work in works if work.run}
        for task in as_completed(tasks):
            self._conclude(tasks[task], task.result())

    def _confirm(self, proved: Sequence[_Work], engine: _Engine) -> None:
        """Let ABC check what was proved by induction, all at once."""
        if proved and self._is_confirmed(engine, [work.claim.literal for work in proved], None):
            for work in proved:
                work.checked = "abc"

    def _induce_again(self, works: Sequence[_Work], engine: _Engine) -> None:
        """Look for more invariants while ABC works, and for the proofs that they allow.

        Each question may take its time; that of all of them together goes to the invariants, which
        they share.
        """
        workers = max(1, (os.cpu_count() or 1) - 1)
        due = self._deadline.within(self._seconds * len(works) / workers).due
        if works and engine.outcomes.improve(due=due):
            for work in works:
                if not work.engine:
                    self._induce(work, engine)

    def _is_confirmed(
        self, engine: _Engine, excluded: Sequence[int], ranking: Ranking | None
    ) -> bool:
        """Return whether ABC confirms what was proved by induction."""
        invariants = engine.outcomes.invariants
        return confirms(
            self._machine, invariants, excluded, ranking, deadline=self._check_deadline()
        )

    def _check_deadline(self) -> Deadline:
        return self._deadline.within(max(_CHECK, _CHECKS * self._seconds))

    def _model_check(self, work: _Work) -> ModelChecked | None:
        """Ask ABC for a shorter play, a check, or an answer. Any thread may call this."""
        start = time.monotonic()
        literal = work.claim.literal
        try:
            if work.run is not None:
                steps = len(work.run.inputs) - 1
                deadline = self._deadline.within(_SHORTEN)
                run = shortest(self._machine, literal, steps=steps, deadline=deadline)
                return None if run is None else ModelChecked(run=run)
            seconds = min(_CHECK, self._seconds) if work.engine else self._seconds
            return model_check(self._machine, literal, deadline=self._deadline.within(seconds))
        finally:
            work.seconds += time.monotonic() - start

    def _induce(self, work: _Work, engine: _Engine) -> bool:
        """Look for a proof by induction, and return whether there is one."""
        start = time.monotonic()
        with suppress(TimeUp):
            due = self._deadline.within(self._seconds).due
            if engine.induction.excludes(
                work.claim.literal, assumptions=engine.outcomes.invariants.assumptions, due=due
            ):
                assert work.run is None, f"two engines disagree about {work.claim.question}"
                work.engine = work.engine or "induction"
        work.seconds += time.monotonic() - start
        return bool(work.engine)

    def _conclude(self, work: _Work, found: ModelChecked | None) -> None:
        """Take into account what ABC has found."""
        if found is None:
            return
        if found.run is not None:
            assert work.engine != "induction", f"two engines disagree about {work.claim.question}"
            work.run, work.engine = found.run, work.engine or "pdr"
        elif work.engine:
            work.checked = "abc"
        else:
            work.engine = "pdr"
            work.checked = self._check(self._machine, work.claim.literal, found)

    def _check(self, machine: GameMachine, literal: int, found: ModelChecked) -> str:
        """Return what confirms the invariant that ABC has found."""
        assert found.excluded is not None
        with suppress(TimeUp):
            due = self._check_deadline().due
            is_confirmed = is_invariant(machine, literal, found.excluded, due=due)
            assert is_confirmed, "what ABC gave is no invariant"
            return "clingo"
        return ""

    def _verdict(self, work: _Work) -> Verdict:
        question, claim = work.claim.question, work.claim
        if work.run is not None:
            seen: Answer = "proved" if claim.is_existential else "refuted"
            verdict = Verdict(question, seen, work.engine, work.seconds)
            return self._shown(verdict, self._machine, work.run)
        if not work.engine:
            return Verdict(question, "open", "", work.seconds)
        answer: Answer = "refuted" if claim.is_existential else "proved"
        return _settled(Verdict(question, answer, work.engine, work.seconds, None, work.checked))

    def _ending(self, loop: Run | None, engine: _Engine, spent: float) -> Verdict:
        """Answer whether every play ends."""
        question, start = Question.about("ends"), time.monotonic() - spent
        if loop is not None:
            verdict = Verdict(question, "refuted", "play", time.monotonic() - start)
            return self._shown(verdict, self._machine, loop)
        with suppress(TimeUp):
            deadline = self._deadline.within(self._seconds * _RANK)
            ranking = find_ranking(self._circuit, engine.outcomes, deadline=deadline)
            if ranking is not None:
                seconds = time.monotonic() - start
                checked = "abc" if self._is_confirmed(engine, (), ranking) else ""
                longest = ranking.longest(self._circuit.initial.tolist())
                return _settled(
                    Verdict(
                        question, "proved", "induction", seconds, None, checked, longest=longest
                    )
                )
        machine = GameMachine(self._circuit)
        literal = returns(machine)
        within = self._deadline.within(start + self._seconds - time.monotonic())
        found = model_check(machine, literal, deadline=within)
        seconds = time.monotonic() - start
        if found is None:
            return Verdict(question, "open", "", seconds)
        if found.run is not None:
            verdict = Verdict(question, "refuted", "pdr", seconds)
            return self._shown(verdict, machine, found.run)
        checked = self._check(machine, literal, found)
        return _settled(Verdict(question, "proved", "pdr", seconds, None, checked))

    def _shown(self, verdict: Verdict, machine: GameMachine, run: Run) -> Verdict:
        found = witnessed(
            verdict,
            run,
            machine=machine,
            description=self._description,
            conditions=self._conditions,
        )
        if not found.is_fault:
            return found
        # What the checker warns of is where to look first.
        named = dict.fromkeys([*self._doubted, *found.suspects])
        return replace(found, suspects=tuple(named)[:_NAMED])

    def _repaired(self, fault: Verdict, repairs: Repairs, doubts: Collection[Question]) -> Verdict:
        """Return a fault with a change that heals it, if there is one, and the rules to look at.

        Args:
            fault: what is refuted.
            repairs: the changes.
            doubts: questions of which the answers are doubted already, before a change.
        """
        if fault.witness is None:
            return fault
        left = self._repairing.remaining
        healing = repairs.healing(
            fault.question,
            fault.witness,
            suspects=fault.suspects,
            deadline=self._repairing.within(left * _FINDING),
        )
        repair = repairs.proved(healing, doubts=doubts, deadline=self._repairing)
        # The statement whose change heals comes first, before those that the checker warns of.
        healed = [] if repair is None else [repair.number]
        likely = list(dict.fromkeys([*healed, *(found.change.number for found in healing)]))
        named = dict.fromkeys([*healed, *self._doubted, *likely[:_HEALED], *fault.suspects])
        found = replace(fault, suspects=tuple(named)[:_NAMED], repair=repair)
        return found if repair is not None else _advised(found)

    @cached_property
    def _repairing(self) -> Deadline:
        """When all repairs end; their time begins with the first fault."""
        return self._deadline.within(min(_MOST_REPAIRING, _REPAIRS * self._seconds))

    def _prove_again(self, description: Description) -> Iterator[Verdict]:
        """Answer the questions about a game with a change. Raises `ReasonerError`."""
        circuit = build_circuit(description, time_limit=max(0.1, self._repairing.remaining))
        if circuit.loops:
            raise ReasonerError("rules depend on themselves")
        seconds = min(_REPROVING, self._seconds)
        # That prover cancels its deadline at its end, which must not end this one.
        deadline = Deadline.after(self._repairing.remaining)
        deadline = deadline.until(lambda: self._deadline.is_cancelled)
        prover = Prover(description, circuit, seconds=seconds, deadline=deadline, repairs=False)
        yield from prover.verdicts()

    def _plays(
        self,
        literals: Sequence[int],
        *,
        share: float = _PLAYS,
        seed: int = 0,
        is_one_enough: bool = False,
    ) -> Plays:
        """Look for literals in random plays, for a share of the time of a question."""
        start = time.monotonic()
        player = Player(self._machine, literals, seed=seed)
        seconds = max(_LEAST_PLAYS, self._seconds * share)
        deadline = self._deadline.within(seconds * _WAITING)
        plays = player.play(deadline, processor=seconds, is_one_enough=is_one_enough)
        self._played += time.monotonic() - start
        return plays

    def _total(self) -> int | None:
        """Return the sum of the goals of a terminal state, None if none was found."""
        machine = self._machine
        run = self._plays([machine.terminal], is_one_enough=True).runs.get(machine.terminal)
        if run is None:
            return None
        simulator = Simulator(machine, [lit for held in machine.goals for _, lit in held])
        *_, last = simulator.run(run.inputs)
        return sum(goal for held in machine.goals for goal, literal in held if last(literal))


class _Engine:
    """Induction over the steps of a game."""

    def __init__(self, machine: GameMachine, due: float) -> None:
        self._machine = machine
        self.outcomes = Outcomes(machine.circuit, due=due)

    @cached_property
    def induction(self) -> Induction:
        return Induction(self._machine, self.outcomes.transitions)


def _advised(fault: Verdict) -> Verdict:
    """Return a fault with an advice; what an author claims never to hold may be wrong itself."""
    return fault if fault.question.name == "never" else replace(fault, advice=_NONE_HEALS)


def _settled(proof: Verdict) -> Verdict:
    """Return a proof if the other engine has checked it; without that the question is open.

    Where ABC is not installed there is no other engine for an induction, which counts then.
    """
    if proof.checked or (proof.engine == "induction" and find_abc() is None):
        return proof
    return replace(proof, verdict="open", engine="", longest=None)


def _without_conditions(circuit: Circuit, count: int) -> tuple[Circuit, list[int]]:
    """Return the circuit without the goals that stand for conditions, and their literals."""
    first = dict(circuit.goals[0])
    literals = [first.pop(FIRST_VALUE + number, FALSE) for number in range(count)]
    return replace(circuit, goals=(tuple(first.items()), *circuit.goals[1:])), literals
