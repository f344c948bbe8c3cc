"""The questions about a game as literals of its machine: each asks whether one may come true."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ggp.compiler.circuit.circuit import FALSE, Circuit
from ggp.gdl import RANDOM
from ggp.kif import Compound, Term
from ggp.prove.machine import GameMachine
from ggp.prove.question import Question

__all__ = ["Claim", "Place", "claims", "content_places"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A question, and the literal that tells of a state, and the step from it, that it is shown."""

    question: Question
    literal: int
    #: Whether the claim holds if the literal comes true in some play, rather than in none.
    is_existential: bool = False


def claims(
    machine: GameMachine, *, total: int | None, places: Iterable[Place] | None = None
) -> Iterator[Claim]:
    """Yield the claims of a game, but for its end.

    Args:
        machine: the game.
        total: a sum of the goals of all roles that is known to occur at the end.
        places: what has a content; found in the circuit if it is not given.
    """
    both, roles = machine.aig.both, machine.circuit.roles
    at_first = machine.aig.conjunction([node * 2 + 1 for node in machine.latches])
    yield Claim(Question.about("begins"), both(machine.terminal, at_first))
    for role, stuck in zip(roles, machine.stuck, strict=True):
        literal = both(machine.terminal ^ 1, stuck)
        yield Claim(Question.about("playable", role), literal)
    no_goal = [_no_goal(machine, number) for number in range(len(roles))]
    for role, literal in zip(roles, no_goal, strict=True):
        yield Claim(Question.about("goals", role), both(machine.terminal, literal))
    for role, held, missing in zip(roles, machine.goals, no_goal, strict=True):
        if role.text.lower() != RANDOM:
            best, has_best = held[-1] if held else (None, FALSE)
            question = Question.about("winnable", role, None if best is None else str(best))
            literal = machine.aig.conjunction([machine.terminal, missing ^ 1, has_best])
            yield Claim(question, literal, is_existential=True)
    if len(roles) > 1:
        several = machine.two_of(machine.two_of(moves) for moves in machine.legal)
        yield Claim(Question.about("turn-taking"), both(machine.live, several))
        if total is not None:
            one_each = machine.aig.disjunction(no_goal) ^ 1
            other = machine.aig.conjunction(
                [machine.terminal, one_each, _sum_is(machine, total) ^ 1]
            )
            yield Claim(Question.about("constant-sum", None, str(total)), other)
    for place in content_places(machine.circuit) if places is None else places:
        yield from _content_claims(machine, place)
    yield from _monotone(machine)


def _content_claims(machine: GameMachine, place: Place) -> Iterator[Claim]:
    """Yield the claims that places never have two contents, and that none loses its content."""
    several = machine.aig.disjunction(
        machine.two_of(machine.facts[fact] for fact in group) for group in place.groups
    )
    question = Question.about("one-content", None, str(place), expected=place.is_cell)
    yield Claim(question, machine.aig.both(machine.terminal ^ 1, several))
    if place.is_full:
        empty = machine.aig.disjunction(
            machine.aig.disjunction(machine.facts[fact] for fact in group) ^ 1
            for group in place.groups
        )
        question = Question.about("keeps-content", None, str(place), expected=place.is_cell)
        # A cell has one in the last state, too: where cells vanish, that may be why it is the last.
        seen = empty if place.is_cell else machine.aig.both(machine.terminal ^ 1, empty)
        yield Claim(question, seen)


@dataclass(frozen=True, slots=True)
class Place:
    """Facts that differ in one argument, its content: such as (cell 1 1 ?)."""

    name: str
    arity: int
    #: Which argument is the content.
    content: int
    #: The facts, by number, of each place.
    groups: tuple[tuple[int, ...], ...]
    #: Whether each place has exactly one content initially.
    is_full: bool
    #: Whether it is like a cell of a board: the other arguments are two or more and have other
    #: constants, and the content comes last. The rules are at fault where it has two.
    is_cell: bool

    def within(self, circuit: Circuit) -> Place:
        """Return the same places in the circuit of other rules, as far as they are there."""
        facts = _families(circuit).get((self.name, self.arity), [])
        groups = _grouped(facts, self.content)
        if self.is_full:
            initial = set(circuit.initial.tolist())
            groups = [group for group in groups if not initial.isdisjoint(group)]
        return replace(self, groups=tuple(groups))

    def __str__(self) -> str:
        marks = ("*" if place == self.content else "?" for place in range(self.arity))
        return f"({self.name} {' '.join(marks)})"


def content_places(circuit: Circuit) -> Iterator[Place]:
    """Yield what the rules treat as places with a content.

    Initially each place has exactly one content; a cell of a board may have none.
    """
    initial = set(circuit.initial.tolist())
    for (name, arity), facts in _families(circuit).items():
        columns = [{fact.arguments[place] for _, fact in facts} for place in range(arity)]
        for content in reversed(range(arity)):
            groups = _grouped(facts, content)
            counts = {len(initial.intersection(group)) for group in groups if len(group) > 1}
            others = set[Term]().union(*columns[:content], *columns[content + 1 :])
            is_cell = arity > 2 and columns[content].isdisjoint(others) and content == arity - 1
            if counts == {1} or (is_cell and counts == {0, 1}):
                is_full = all(len(initial.intersection(group)) == 1 for group in groups)
                yield Place(name, arity, content, tuple(groups), is_full, is_cell)
                break


def _families(circuit: Circuit) -> dict[tuple[str, int], list[tuple[int, Compound]]]:
    """Return the facts and their numbers by their names and arities."""
    families: defaultdict[tuple[str, int], list[tuple[int, Compound]]] = defaultdict(list)
    for number, fact in enumerate(circuit.facts):
        if isinstance(fact, Compound):
            families[fact.name, len(fact.arguments)].append((number, fact))
    return families


def _grouped(facts: Iterable[tuple[int, Compound]], content: int) -> list[tuple[int, ...]]:
    """Return the numbers of facts that differ in one argument only, together."""
    groups: defaultdict[tuple[Term, ...], list[int]] = defaultdict(list)
    for number, fact in facts:
        groups[*fact.arguments[:content], *fact.arguments[content + 1 :]].append(number)
    return [tuple(group) for group in groups.values()]


def _no_goal(machine: GameMachine, role: int) -> int:
    """Return the literal that a role has no goal, or more than one."""
    goals = [literal for _, literal in machine.goals[role]]
    return machine.aig.disjunction(
        [
            machine.aig.disjunction(goals) ^ 1,
            machine.two_of([*goals, machine.bad_goals[role]]),
            machine.bad_goals[role],
            *(literal for goal, literal in machine.goals[role] if goal > 100),
        ]
    )


def _sum_is(machine: GameMachine, total: int) -> int:
    """Return the literal that goals, one of each role, come to a sum."""
    sums = {0: FALSE ^ 1}
    for held in machine.goals:
        terms: defaultdict[int, list[int]] = defaultdict(list)
        for value, so_far in sums.items():
            for goal, literal in held:
                if value + goal <= total:
                    terms[value + goal].append(machine.aig.both(so_far, literal))
        sums = {value: machine.aig.disjunction(found) for value, found in terms.items()}
    return sums.get(total, FALSE)


def _monotone(machine: GameMachine) -> Iterator[Claim]:
    """Yield the claims that goals never fall, of the roles that have a goal from the beginning."""
    initial = set(machine.circuit.initial.tolist())
    first = machine.looking_at([FALSE ^ (n in initial) for n in range(len(machine.facts))])
    at_first = machine.goals_in(first)
    if FALSE in (machine.aig.disjunction(lit for _, lit in held) for held in at_first):
        return
    later = machine.goals_in(machine.looking_at(machine.after))
    for role, now, then in zip(machine.circuit.roles, machine.goals, later, strict=True):
        literal = machine.aig.both(machine.live, _falls(machine, now, then))
        yield Claim(Question.about("monotone", role), literal)


def _falls(
    machine: GameMachine, now: Sequence[tuple[int, int]], then: Sequence[tuple[int, int]]
) -> int:
    """Return the literal that the one goal is lower after the step. Both are ascending."""
    several = [machine.two_of(literal for _, literal in goals) for goals in (now, then)]
    lower, falls = FALSE, []
    for (_, before), (_, after) in zip(now, then, strict=True):
        falls.append(machine.aig.both(before, lower))
        lower = machine.either(lower, after)
    return machine.aig.conjunction([machine.aig.disjunction(falls), *(s ^ 1 for s in several)])
