"""What was played before a match begins: a match may start from any state of another one.

The players are sent rules whose initial state is the one where the match begins, so that any player
can play on from there, in one message. Where the game hides information, such rules would tell
everything: there the players are sent the rules of the game, and what each of them saw. The record
holds the whole line of play, and agrees with the rules of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ggp.errors import GameError, IllegalMove
from ggp.gdl import Description, canonical
from ggp.kif import Term, parse_term
from ggp.match import MatchRecord, joint_spelling
from ggp.reasoner import JointMove, Reasoner
from ggp.server.manager.processes.plain_reasoner import plain_reasoner
from ggp.server.manager.processes.record_files import read_record

__all__ = ["Prelude"]


@dataclass(frozen=True)
class Prelude:
    """A line of play from the initial state of a game."""

    #: The same game, but that it begins where the line ends, unless it hides information.
    description: Description
    #: The facts of each state, the last one included, and the joint moves between them.
    states: tuple[tuple[Term, ...], ...]
    moves: tuple[JointMove, ...]
    #: The record that the line was taken from; None if it comes from elsewhere.
    source: MatchRecord | None

    @classmethod
    def of(cls, start: Mapping[str, Any] | None, description: Description) -> Prelude | None:
        """Replay the line with which a match begins; None if there is nothing to be replayed.

        Args:
            start: as in `Setup`; the step None is the last one of the record.
            description: the game.

        Raises:
            GgpError: the line is not legal, or the record cannot be read.
            OSError: the record cannot be read.
        """
        if start is None:
            return None
        source = None
        if "record" in start:
            source = read_record(start["record"])
            moves: Sequence[JointMove] = source.moves[: start["step"]]
        else:
            moves = [tuple(canonical(parse_term(move)) for move in each) for each in start["moves"]]
        if not moves:
            return None
        with plain_reasoner(description) as reasoner:
            states, spelled = _replayed(reasoner, moves)
        if not description.has_imperfect_information:
            description = description.starting_at(states[-1])
        return cls(description, states, spelled, source)

    @property
    def played(self) -> tuple[JointMove, ...]:
        """The joint moves of which the players are told what they saw."""
        return self.moves if self.description.has_imperfect_information else ()

    def joined(self, record: MatchRecord) -> MatchRecord:
        """Return the record of a match that began here, with all that was played before."""
        steps, source = len(self.moves), self.source
        times = (record.start_time,) * steps
        blank: tuple[tuple[str, ...], ...] = ((),) * (steps + 1)
        errors = blank
        search: tuple[tuple[Mapping[str, Any] | None, ...], ...] = ((),) * steps
        # what the players thought during this start clock was about a later state
        record = replace(record, start_search=source.start_search if source else ())
        if source is not None:
            times = source.state_times[:steps]
            errors = source.errors[: steps + 1] or blank
            search = source.search[:steps] or search
            if source.match_id == record.match_id:  # the match goes on
                record = replace(
                    record, start_time=source.start_time, random_token=source.random_token
                )
        return replace(
            record,
            states=(*self.states[:-1], *(record.states or self.states[-1:])),
            state_times=(*times, *(record.state_times or (record.start_time,))),
            moves=(*self.moves, *record.moves),
            errors=(*errors, *record.errors[1:]),
            search=(*search, *record.search),
        )


def _replayed(
    reasoner: Reasoner, moves: Iterable[JointMove]
) -> tuple[tuple[tuple[Term, ...], ...], tuple[JointMove, ...]]:
    """Return the facts of all states, and the joint moves in the game's spelling."""
    state = reasoner.initial_state()
    states, made = [reasoner.facts(state)], []
    for step, joint_move in enumerate(moves, 1):
        view = reasoner.view(state)
        spelled = joint_spelling(joint_move, view.legal)
        if view.terminal:
            raise GameError(f"the game is over before step {step}")
        try:
            reasoner.check_legal(state, spelled)
        except IllegalMove as error:
            raise GameError(f"step {step} is not legal: {error}") from None
        state = reasoner.next_state(state, spelled)
        states.append(reasoner.facts(state))
        made.append(spelled)
    return tuple(states), tuple(made)
