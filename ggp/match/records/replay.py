"""Replays a record by the rules and finds the first step at which it is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ggp.errors import KifError, RecordError
from ggp.kif import Term, parse_term
from ggp.match.records.record import MatchRecord, Progress, goals_of_loss
from ggp.match.spelling import Spelling, game_spelling
from ggp.reasoner import JointMove, Reasoner, State, View

__all__ = ["Mistake", "completed", "first_mistake"]


@dataclass(frozen=True, slots=True)
class Mistake:
    """The first place at which a record contradicts the rules."""

    #: The number of joint moves after which the mistake shows: 0 for the first state.
    step: int
    reason: str


def completed(record: MatchRecord, reasoner: Reasoner) -> MatchRecord:
    """Return a record with all its states, which the rules give, if it does not tell them.

    The moves are spelled as the rules spell them then. The time of a state that the record does
    not tell is 0.

    Args:
        record: what was played.
        reasoner: of the game that was played.

    Raises:
        RecordError: a move is not legal.
        ReasonerError: the reasoner failed.
    """
    if record.states or not record.moves:
        return record
    states: list[State] = [reasoner.initial_state()]
    moves: list[JointMove] = []
    for step, joint_move in enumerate(record.moves, start=1):
        found = _wrong_moves(joint_move, (), reasoner.view(states[-1]), reasoner)
        if isinstance(found, str):
            raise RecordError(f"step {step}: {found}")
        moves.append(found)
        states.append(reasoner.next_state(states[-1], found))
    return replace(
        record,
        states=tuple(map(reasoner.facts, states)),
        state_times=tuple(0 for _ in states),
        moves=tuple(moves),
    )


def first_mistake(
    record: MatchRecord, reasoner: Reasoner, *, progress: Progress = lambda _done, _all: None
) -> Mistake | None:
    """Return the first mistake of a record; None if it agrees with the rules.

    It checks every state that is told, the legality of every move, that moves which are recorded as
    illegal are illegal, that the match ends exactly where the game does, unless a role gave up, and
    the goals. Capitals count only where they tell two words of the game apart, since Dresden's
    records are in upper case. A role without exactly one goal has 0.

    Args:
        record: what was played.
        reasoner: of the game that was played.
        progress: called before each joint move.

    Raises:
        ReasonerError: the reasoner failed.
    """
    if not record.states and not record.moves:
        return None  # the match was aborted before it began
    spelling, state = Spelling(reasoner.description), reasoner.initial_state()
    reason = _wrong_facts(_told(record, 0), reasoner.facts(state), spelling)
    if reason:
        return Mistake(0, reason)
    for step, joint_move in enumerate(record.moves, start=1):
        progress(step - 1, len(record.moves))
        view = reasoner.view(state)
        errors = record.errors[step] if record.errors else ()
        found = _wrong_moves(joint_move, errors, view, reasoner)
        if isinstance(found, str):
            return Mistake(step, found)
        state = reasoner.next_state(state, found)
        reason = _wrong_facts(_told(record, step), reasoner.facts(state), spelling)
        if reason:
            return Mistake(step, reason)
    reason = _wrong_end(record, state, reasoner)
    return Mistake(len(record.moves), reason) if reason else None


def _told(record: MatchRecord, step: int) -> Iterable[Term] | None:
    """Return the facts that a record tells of a state; None if it tells none of them."""
    if record.states:
        return record.states[step]
    return (record.final_state or None) if step == len(record.moves) else None


def _wrong_facts(recorded: Iterable[Term] | None, true: Iterable[Term], spelling: Spelling) -> str:
    """Return what is wrong with a state; "" for nothing."""
    if recorded is None:
        return ""
    theirs, ours = set(recorded), set(true)
    if theirs == ours:
        return ""
    theirs = set(map(spelling.of, theirs))
    wrong = [f"{fact} is recorded, but not true" for fact in sorted(map(str, theirs - ours))]
    missing = [f"{fact} is true, but not recorded" for fact in sorted(map(str, ours - theirs))]
    if not wrong and not missing:
        return ""
    more = len(wrong) + len(missing) - 1
    return [*wrong, *missing][0] + (f", and {more} facts more are wrong" if more else "")


def _wrong_moves(
    joint_move: JointMove, errors: Iterable[str], view: View, reasoner: Reasoner
) -> str | JointMove:
    """Return the joint move in the game's spelling, or what is wrong with it."""
    if view.terminal:
        return "a move was made, but the game was over"
    if len(joint_move) != len(reasoner.roles):
        return f"{len(joint_move)} moves for {len(reasoner.roles)} roles"
    known = []
    for role, move, legal in zip(reasoner.roles, joint_move, view.legal, strict=True):
        spelled = game_spelling(move, legal)
        if spelled is None:
            return f"{role} may not do {move}"
        known.append(spelled)
    for role, error, legal in zip(reasoner.roles, errors, view.legal, strict=False):
        kind, _, text = error.partition(" ")
        if kind == "IL" and _is_among(text, legal):
            return f"{role} may do {text}, which is called illegal"
    return tuple(known)


def _is_among(text: str, legal: Iterable[Term]) -> bool:
    """Return whether a move is legal as it is spelled: to some referees capitals count."""
    try:
        return parse_term(text) in legal
    except KifError:
        return False


def _wrong_end(record: MatchRecord, state: State, reasoner: Reasoner) -> str:
    """Return what is wrong with the end of the match; "" for nothing."""
    view = reasoner.view(state)
    if not record.is_completed:
        return ""
    if record.gave_up is not None:
        return (
            _wrong_loss(record, record.gave_up, reasoner)
            if not view.terminal
            else (f"{record.gave_up} is said to have given up, but the game was over")
        )
    if not view.terminal:
        return "the match is called completed, but the game is not over"
    goals = tuple(goal or 0 for goal in view.goals)
    if record.goal_values and len(record.goal_values) != len(goals):
        return f"{len(record.goal_values)} goals for {len(goals)} roles"
    for role, recorded, goal in zip(reasoner.roles, record.goal_values, goals, strict=False):
        if recorded != goal:
            return f"{role} has a goal of {goal}, not {recorded}"
    return ""


def _wrong_loss(record: MatchRecord, role: str, reasoner: Reasoner) -> str:
    """Return what is wrong with the goals after a role gave up; "" for nothing."""
    roles = list(map(str, reasoner.roles))
    if role not in roles:
        return f"{role} is said to have given up, but is no role"
    goals = goals_of_loss(reasoner.roles, reasoner.roles[roles.index(role)])
    return "" if record.goal_values == goals else f"the goals are not those of a loss of {role}"
