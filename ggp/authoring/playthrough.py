"""Golden playthroughs: what the rules say, state by state, of one line of play."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ggp.errors import GameError, KifError, RecordError
from ggp.files import read_file
from ggp.gdl import GoalVector
from ggp.kif import Symbol, Term, parse
from ggp.reasoner import JointMove, Reasoner, View

__all__ = ["MAX_BYTES", "MAX_STEPS", "Playthrough", "Step", "first_difference", "record"]

#: A playthrough that is played at random ends after this many joint moves.
MAX_STEPS = 40
#: Bytes of the largest playthrough that is read.
MAX_BYTES = 64_000_000

# What a broken file is compared with.
_EXAMPLE = (
    'a playthrough looks like {"game": "pile", "roles": "white black", '
    '"steps": [{"joint_move": "(take 2) wait"}]}'
)

# Terms that a difference names.
_NAMED = 8


@dataclass(frozen=True, slots=True)
class Step:
    """One state, and the joint move that is made in it. None stands for what is not recorded."""

    facts: tuple[Term, ...] | None = None
    terminal: bool | None = None
    goals: GoalVector | None = None
    #: The moves of each role, in role order.
    legal: tuple[tuple[Term, ...], ...] | None = None
    joint_move: JointMove | None = None


@dataclass(frozen=True, slots=True)
class Playthrough:
    """A line of play from the initial state."""

    game: str
    roles: tuple[Term, ...]
    steps: tuple[Step, ...]

    @classmethod
    def read(cls, path: Path) -> Playthrough:
        """Read a playthrough from a file.

        Raises:
            OSError: the file cannot be read.
            RecordError: it holds no playthrough.
        """
        try:
            fields = json.loads(read_file(path, most=MAX_BYTES).decode())
            steps = tuple(map(_read_step, fields["steps"]))
            made = cls(str(fields["game"]), parse(fields["roles"]), steps)
        except KifError as error:
            raise RecordError(f"{path}: {error.message}") from None
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            reason = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise RecordError(f"{path}: no playthrough: {reason}; {_EXAMPLE}") from None
        for number, step in enumerate(steps[:-1]):
            if step.joint_move is None:
                raise RecordError(f"{path}: step {number} has no joint move, but another follows")
        return made

    def to_text(self) -> str:
        """Return the playthrough as JSON, one step a line."""
        head = json.dumps({"game": self.game, "roles": _text(self.roles)})
        steps = (json.dumps(_step_fields(s), separators=(",", ":")) for s in self.steps)
        return head[:-1] + ', "steps": [\n' + ",\n".join(steps) + "\n]}\n"

    @property
    def joint_moves(self) -> tuple[JointMove, ...]:
        """The joint moves in their order."""
        return tuple(step.joint_move for step in self.steps if step.joint_move is not None)


def record(
    reasoner: Reasoner,
    game: str,
    *,
    moves: Sequence[JointMove] = (),
    goes_on: bool = True,
) -> Playthrough:
    """Play, and record what the rules say of each state.

    Args:
        reasoner: computes the rules.
        game: the name of the game. It also seeds the random moves.
        moves: the joint moves to make first.
        goes_on: whether to play at random after them, to the end or to `MAX_STEPS`.

    Raises:
        GameError: one of the moves is not legal, or a role has no legal move.
    """
    generator = random.Random(game)
    planned = iter(moves)
    steps: list[Step] = []
    state = reasoner.initial_state()
    while True:
        view = reasoner.view(state)
        joint_move = next(planned, None)
        if joint_move is not None and not _is_legal(view, joint_move):
            raise GameError(f"step {len(steps)}: {_why_illegal(view, joint_move, reasoner.roles)}")
        if joint_move is None and goes_on and not view.terminal and len(steps) < MAX_STEPS:
            joint_move = _random_move(view, reasoner, generator)
        facts = reasoner.facts(state)
        steps.append(Step(facts, view.terminal, view.goals, view.legal, joint_move))
        if joint_move is None:
            return Playthrough(game, tuple(reasoner.roles), tuple(steps))
        state = reasoner.next_state(state, joint_move)


def first_difference(playthrough: Playthrough, reasoner: Reasoner) -> tuple[str, ...]:
    """Replay a playthrough; say what differs in the first state where anything does.

    Returns:
        One line for each part that differs, each with the step and the joint move that led there;
        none where the rules say what was recorded.
    """
    roles = tuple(reasoner.roles)
    if playthrough.roles != roles:
        return (f"the roles are {_text(roles)}, not {_text(playthrough.roles)}",)
    place = "step 0"
    try:
        state = reasoner.initial_state()
        for number, step in enumerate(playthrough.steps, 1):
            view = reasoner.view(state)
            found = list(_differences(step, view, reasoner.facts(state), list(map(str, roles))))
            if found or step.joint_move is None:
                return tuple(f"{place}: {line}" for line in found)
            place = f"step {number}, after {_text(step.joint_move)}"
            state = reasoner.next_state(state, step.joint_move)
    except GameError as error:
        return (f"{place}: {error}",)
    return ()


def _differences(
    step: Step, view: View, facts: tuple[Term, ...], roles: Sequence[str]
) -> Iterator[str]:
    if step.facts is not None:
        yield from _set_difference("facts", step.facts, facts)
    if step.terminal is not None and step.terminal != view.terminal:
        yield "the game is over" if view.terminal else "the game is not over"
    for role, was, now in zip(roles, step.goals or (), view.goals, strict=False):
        if was != now:
            yield f"goal of {role}: {_goal(now)}, not {_goal(was)}"
    for role, moves, legal in zip(roles, step.legal or (), view.legal, strict=False):
        yield from _set_difference(f"legal moves of {role}", moves, legal)
    if step.joint_move is not None and not _is_legal(view, step.joint_move):
        yield f"{_text(step.joint_move)} is no legal joint move"


def _why_illegal(view: View, joint_move: JointMove, roles: Sequence[Symbol]) -> str:
    """Return what is wrong with a joint move, with the moves that are legal."""
    if view.terminal:
        return f"the game is over, but {_text(joint_move)} follows"
    if len(joint_move) != len(roles):
        return f"{_text(joint_move)}: {len(joint_move)} of {len(roles)} roles have a move"
    told = (
        f"{move} is not legal for {role}, which has {_named(legal)}"
        for role, move, legal in zip(roles, joint_move, view.legal, strict=True)
        if move not in legal
    )
    return "; ".join(told)


def _named(terms: Sequence[Term], most: int = 4 * _NAMED) -> str:
    """Return terms as text, the first of them where they are many."""
    rest = len(terms) - most
    return (", ".join(map(str, terms[:most])) or "none") + (f" and {rest} more" if rest > 0 else "")


def _set_difference(what: str, was: Iterable[Term], now: Iterable[Term]) -> Iterator[str]:
    before, after = set(map(str, was)), set(map(str, now))
    for word, terms in (("missing", before - after), ("extra", after - before)):
        if terms:
            rest = len(terms) - _NAMED
            named = ", ".join(sorted(terms)[:_NAMED])
            yield f"{what}: {word} {named}" + (f" and {rest} more" if rest > 0 else "")


def _goal(goal: int | None) -> str:
    return "none, or several" if goal is None else str(goal)


def _is_legal(view: View, joint_move: JointMove) -> bool:
    return (
        not view.terminal
        and len(joint_move) == len(view.legal)
        and all(move in legal for move, legal in zip(joint_move, view.legal, strict=True))
    )


def _random_move(view: View, reasoner: Reasoner, generator: random.Random) -> JointMove:
    for role, legal in zip(reasoner.roles, view.legal, strict=True):
        if not legal:
            raise GameError(f"{role} has no legal move in a state that is not terminal")
    return tuple(map(generator.choice, view.legal))


def _text(terms: Iterable[Term]) -> str:
    return " ".join(map(str, terms))


def _step_fields(step: Step) -> dict[str, Any]:
    fields = {
        "facts": None if step.facts is None else _text(step.facts),
        "terminal": step.terminal,
        "goals": step.goals,
        "legal": None if step.legal is None else list(map(_text, step.legal)),
        "joint_move": None if step.joint_move is None else _text(step.joint_move),
    }
    return {name: value for name, value in fields.items() if value is not None}


def _read_step(fields: Mapping[str, Any]) -> Step:
    """Raises `KifError`, `TypeError` or `ValueError`."""
    known = Step.__dataclass_fields__
    for name in fields:
        if name not in known:
            raise ValueError(f"a step has no {name!r}; it has {', '.join(known)}")
    facts, terminal, goals, legal, move = (fields.get(name) for name in known)
    if not isinstance(terminal, bool | None):
        raise ValueError("terminal is true or false")
    if goals is not None and not all(isinstance(goal, int | None) for goal in goals):
        raise ValueError("goals are numbers, or null")
    return Step(
        facts=None if facts is None else parse(facts),
        terminal=terminal,
        goals=None if goals is None else tuple(goals),
        legal=None if legal is None else tuple(map(parse, legal)),
        joint_move=None if move is None else parse(move),
    )
