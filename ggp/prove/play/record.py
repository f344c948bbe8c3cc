"""Plays that answer questions, as match records, for the manager and for `ggp replay`."""

from __future__ import annotations

from ggp.gdl import Description
from ggp.match import MatchRecord
from ggp.prove.play.replay import replay
from ggp.prove.question import Verdict
from ggp.reasoner import open_reasoner

__all__ = ["witness_record"]


def witness_record(
    description: Description, verdict: Verdict, *, url: str, start_time: int
) -> MatchRecord:
    """Return the witness of a verdict as a match record.

    Args:
        description: the rules.
        verdict: an answer with a witness.
        url: where the rules are.
        start_time: milliseconds since 1970.

    Raises:
        ValueError: the verdict has no witness that is legal.
        ReasonerError: the reasoner failed.
    """
    with open_reasoner(description) as reasoner:
        states = None if verdict.witness is None else replay(reasoner, verdict.witness)
        if states is None or verdict.witness is None:
            raise ValueError(f"{verdict.question} has no legal witness")
        view = reasoner.view(states[-1])
        return MatchRecord(
            match_id="-".join(str(verdict.question).split()),
            random_token="",
            start_time=start_time,
            game_meta_url=url,
            start_clock=0,
            play_clock=0,
            player_names=tuple(map(str, description.roles)),
            is_completed=view.terminal,
            is_aborted=not view.terminal,
            states=tuple(map(reasoner.facts, states)),
            state_times=(start_time,) * len(states),
            moves=verdict.witness,
            goal_values=tuple(goal or 0 for goal in view.goals) if view.terminal else (),
        )
