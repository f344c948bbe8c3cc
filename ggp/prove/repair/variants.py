"""All small changes of a rulesheet in one machine: a changed game in each bit.

A fact that stays as it is says of each statement whether it holds as it was written, and of each
change whether it is made. So thousands of changed games are played at once.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ggp.compiler.circuit.build import build_circuit
from ggp.deadline import Deadline
from ggp.errors import ReasonerError
from ggp.gdl import Description, Literal, Rule
from ggp.kif import Symbol, Term, compound
from ggp.prove.claims import Place, claims
from ggp.prove.machine import GameMachine
from ggp.prove.play.simulation import Simulator, same_as_before
from ggp.prove.question import Question
from ggp.prove.repair.changes import Change
from ggp.reasoner import JointMove

__all__ = ["Behaviour", "Healed", "Variants"]

# Random plays of each changed game, and the steps of the longest.
_PLAYS, _STEPS = 16, 200
# A state that comes back after more steps than this is not noticed.
_LOOP = 8
# Times that the game as it was written is played so often; what is seen in each of them is no
# chance. And the joint moves of a play that hardly is one.
_REPEATED, _TRIVIAL = 8, 2
_ORIGINAL, _CHANGED = "ggp.prove.original", "ggp.prove.changed"
_ENDS = Question.about("ends")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What random plays show of a changed game."""

    #: The questions of which they show what `ggp.prove.question.MEANINGS` says.
    shown: frozenset[Question]
    #: Whether a step can be made.
    is_played: bool
    #: Joint moves of the longest play, up to a fault.
    steps: int = 0

    @property
    def faults(self) -> frozenset[Question]:
        """What is refuted, and should hold in any game."""
        return frozenset(question for question in self.shown if question.expected)

    @property
    def wins(self) -> frozenset[Question]:
        """The best goals that roles have at the end of some play."""
        return frozenset(question for question in self.shown if question.name == "winnable")

    def is_poorer_than(self, other: Behaviour) -> bool:
        """Return whether a role cannot win that can in another game, or a play hardly begins."""
        return not self.wins >= other.wins or self.steps <= _TRIVIAL < other.steps

    @property
    def is_sound(self) -> bool:
        """Whether the game can be played, and has no fault."""
        return self.is_played and not self.faults


@dataclass(frozen=True, slots=True)
class Healed:
    """What becomes of a play by a change after which it does not refute a claim."""

    #: The first step at which the change makes a difference.
    step: int
    #: Whether the play still leads to its last state, and that is sound; otherwise the game is over
    #: before that, or a move is illegal.
    is_whole: bool


class Variants:
    """A game as it was written, and as each of some changes makes it."""

    def __init__(
        self,
        description: Description,
        changes: Sequence[Change],
        *,
        places: Iterable[Place],
        time_limit: float,
    ) -> None:
        """Compile them into one machine.

        Args:
            description: the rules.
            changes: what may be changed.
            places: what has a content in the game as it was written.
            time_limit: seconds that this may take.

        Raises:
            ReasonerError: they are too large, or some rules depend on themselves.
        """
        circuit = build_circuit(_guarded(description, changes), time_limit=time_limit)
        if circuit.loops:
            raise ReasonerError("rules depend on themselves")
        self._machine = machine = GameMachine(circuit)
        self.changes = changes
        same = [place.within(circuit) for place in places]
        self._asked = list(claims(machine, total=None, places=same))
        latches = {node: place for place, node in enumerate(machine.latches)}
        of_fact = {
            str(fact): latches[literal >> 1]
            for fact, literal in zip(circuit.facts, machine.facts, strict=True)
        }
        #: The latch of each statement, and of each change; None where it makes no difference.
        self._original = {c.number: of_fact.get(str(_original(c.number))) for c in changes}
        self._changed = [of_fact.get(str(_changed(number))) for number in range(len(changes))]
        self._facts = [
            literal
            for fact, literal in zip(circuit.facts, machine.facts, strict=True)
            if not str(fact).startswith((f"({_ORIGINAL} ", f"({_CHANGED} "))
        ]
        literals = [claim.literal for claim in self._asked]
        self._simulator = Simulator(machine, [*literals, machine.live])

    def as_written(self, *, deadline: Deadline) -> Behaviour:
        """Play the game as it was written, and return what shows often.

        Args:
            deadline: as for `played`.
        """
        played = self.played([None] * _REPEATED, deadline=deadline)
        shown = frozenset.intersection(*(behaviour.shown for behaviour in played))
        steps = max(behaviour.steps for behaviour in played)
        return Behaviour(shown, all(behaviour.is_played for behaviour in played), steps)

    def played(self, numbers: Sequence[int | None], *, deadline: Deadline) -> list[Behaviour]:
        """Play some changed games at random, and return what shows of each.

        Args:
            numbers: those of the changes; None for the game as it was written.
            deadline: when to stop; a game that is not played to the end then is not played at all.
        """
        if not numbers:
            return []
        shown: list[set[Question]] = [set() for _ in numbers]
        lanes = len(numbers) * _PLAYS
        every, of_game = (1 << lanes) - 1, (1 << _PLAYS) - 1
        chance = random.Random(0)
        state, before = self._initial(numbers, _PLAYS), deque[list[int]](maxlen=_LOOP)
        played, on = set[int](), every
        steps = [0] * len(numbers)
        for step in range(1, _STEPS + 1):
            row = [chance.getrandbits(lanes) for _ in self._machine.inputs]
            frame = self._simulator.frame(state, row, lanes=lanes)
            live = frame(self._machine.live)
            played.update(_lanes(live, _PLAYS) if on == every else ())
            answers = [(claim.question, frame(claim.literal) & on) for claim in self._asked]
            answers.append((_ENDS, same_as_before(state, before, live & on)))
            for question, seen in answers:
                for game in _lanes(seen, _PLAYS):
                    shown[game].add(question)
                    if question.expected:  # more need not be known of a game with a fault
                        on &= ~(of_game << game * _PLAYS)
            on &= live
            for game in _lanes(on, _PLAYS):
                steps[game] = step
            if deadline.is_over:
                played = set()
            if not on or deadline.is_over:
                break
            before.append(state)
            state = [frame(literal) for literal in self._machine.latches.values()]
        return [
            Behaviour(frozenset(found), game in played, steps[game])
            for game, found in enumerate(shown)
        ]

    def healed(self, question: Question, play: Sequence[JointMove]) -> dict[int, Healed]:
        """Return the changes after which a play does not refute a claim.

        Args:
            question: the claim.
            play: the joint moves that refute it; a game ends where one of them is illegal.

        Returns:
            What becomes of the play by each change, by its number; nothing for a condition of the
            author.
        """
        machine, lanes = self._machine, len(self.changes) + 1
        literals = [claim.literal for claim in self._asked if claim.question == question]
        if not literals and question != _ENDS:
            return {}
        seen = [machine.terminal, *self._facts, *(lit for moves in machine.legal for lit in moves)]
        seen += [literal for held in machine.goals for _, literal in held]
        done = [literal for moves in machine.done for literal in moves]
        simulator = Simulator(machine, [*literals, *seen, *done, machine.live])
        # The last lane is the game as it was written.
        state, before = self._initial([*range(len(self.changes)), None], 1), list[list[int]]()
        faulty, on = 0, (1 << lanes) - 1
        whole = 0
        first: dict[int, int] = {}
        for step, joint_move in enumerate((*play, None)):
            inputs, chosen = self._inputs(joint_move)
            frame = simulator.frame(state, [value & on for value in inputs], lanes=lanes)
            differs = 0
            for literal in seen:
                values = frame(literal)
                differs |= ~values & ((1 << lanes) - 1) if values >> lanes - 1 else values
            for number in _lanes(differs, 1):
                first.setdefault(number, step)
            for literal in literals:
                faulty |= frame(literal) & on
            if question == _ENDS:
                faulty |= same_as_before(state, before, frame(machine.live)) & on
            if joint_move is None:
                over = question.name in ("goals", "playable", "begins", "ends")
                whole = on if over else on & frame(machine.live)
            # In a lane whose play is over, nothing more is seen.
            on &= frame(machine.live)
            for literal in chosen:
                on &= frame(literal)
            before.append(state)
            state = [frame(literal) for literal in machine.latches.values()]
        return {
            number: Healed(first.get(number, len(play)), bool(whole >> number & 1))
            for number in range(len(self.changes))
            if not faulty >> number & 1
        }

    def differences(self, numbers: Sequence[int], *, deadline: Deadline) -> list[float]:
        """Play some changed games at random, and return how much each change matters.

        Args:
            numbers: those of the changes.
            deadline: when to stop; at least one state is looked at.

        Returns:
            For each the share of the states in which the original rules have other moves, another
            end, other goals or another next state.
        """
        if not numbers:
            return []
        machine, lanes = self._machine, len(numbers) * _PLAYS
        on, chance = (1 << lanes) - 1, random.Random(0)
        seen = [machine.terminal, *(lit for moves in machine.legal for lit in moves)]
        seen += [literal for held in machine.goals for _, literal in held]
        seen += [machine.latches[literal >> 1] for literal in self._facts]
        simulator = Simulator(machine, [*seen, machine.live])
        state, plain = self._initial(numbers, _PLAYS), self._initial([None] * len(numbers), _PLAYS)
        counted, different = [0] * len(numbers), [0] * len(numbers)
        guards = [p for p in (*self._original.values(), *self._changed) if p is not None]
        for _ in range(_STEPS):
            row = [chance.getrandbits(lanes) for _ in machine.inputs]
            frame = simulator.frame(state, row, lanes=lanes)
            other = list(state)
            for place in guards:
                other[place] = plain[place]
            original = simulator.frame(other, row, lanes=lanes)
            differs = 0
            for literal in seen:
                differs |= frame(literal) ^ original(literal)
            for game in range(len(numbers)):
                of_game = ((1 << _PLAYS) - 1) << game * _PLAYS & on
                counted[game] += of_game.bit_count()
                different[game] += (differs & of_game).bit_count()
            on &= frame(machine.live)
            if not on or deadline.is_over:
                break
            state = [frame(literal) for literal in machine.latches.values()]
        return [part / max(1, all_) for part, all_ in zip(different, counted, strict=True)]

    def _initial(self, numbers: Sequence[int | None], plays: int) -> list[int]:
        """Return the initial state of games: latches that tell which change is made, if any."""
        state = [0] * len(self._machine.latches)
        of_game = (1 << plays) - 1
        every = (1 << plays * len(numbers)) - 1
        for place in self._changed:
            if place is not None:
                state[place] = every
        for game, number in enumerate(numbers):
            if number is None:
                continue
            lanes = of_game << plays * game
            # A latch holds the negation of what is true initially.
            place = self._changed[number]
            if place is not None:
                state[place] ^= lanes
            place = self._original[self.changes[number].number]
            if place is not None:
                state[place] |= lanes
        return state

    def _inputs(self, joint_move: JointMove | None) -> tuple[list[int], list[int]]:
        """Return the inputs by which a joint move is done where it is legal, and its literals."""
        inputs: list[int] = []
        chosen: list[int] = []
        for role, moves in enumerate(self._machine.circuit.moves):
            bits = [0] * (len(moves) - 1).bit_length() if moves else []
            if joint_move is not None:
                number = moves.index(joint_move[role])
                chosen.append(self._machine.done[role][number])
                for level, is_right in enumerate(_path(number, len(moves))):
                    bits[level] = -int(is_right)
            inputs += bits
        return inputs or [0], chosen


def _path(number: int, count: int) -> Iterator[bool]:
    """Yield the way to a leaf of the tree of `GameMachine`: whether it goes right."""
    first, last = 0, count
    while last - first > 1:
        middle = (first + last + 1) // 2
        yield number >= middle
        first, last = (middle, last) if number >= middle else (first, middle)


def _lanes(lanes: int, plays: int) -> Iterator[int]:
    """Yield the games of which a lane is among these; each game has a number of lanes."""
    while lanes:
        game = ((lanes & -lanes).bit_length() - 1) // plays
        yield game
        lanes = lanes >> (game + 1) * plays << (game + 1) * plays


def _guarded(description: Description, changes: Sequence[Change]) -> Description:
    """Return the game with all changes, in whose states facts tell which of them is made."""
    touched = {id(description.terms[change.number]): change.number for change in changes}
    rules = []
    for rule in description.rules:
        number = touched.get(id(rule.source)) if rule.source is not None else None
        rules.append(rule if number is None else _only_if(_original(number), rule))
    for number, change in enumerate(changes):
        rules += [_only_if(_changed(number), rule) for rule in change.rules]
    facts = [*map(_original, touched.values()), *map(_changed, range(len(changes)))]
    rules += [Rule(compound("init", fact)) for fact in facts]
    for name in (_ORIGINAL, _CHANGED):
        fact = compound(name, Symbol("?number"))
        rules.append(Rule(compound("next", fact), (Literal(compound("true", fact)),)))
    return replace(description, rules=tuple(rules))


def _only_if(fact: Term, rule: Rule) -> Rule:
    return replace(rule, body=(Literal(compound("true", fact)), *rule.body))


def _original(number: int) -> Term:
    """Return the fact that a statement is as it was written."""
    return compound(_ORIGINAL, Symbol(str(number)))


def _changed(number: int) -> Term:
    """Return the fact that a change is made."""
    return compound(_CHANGED, Symbol(str(number)))
