"""Runs a self-play in many processes; one that was ended goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from ggp.batch import Game
from ggp.cluster import Pool, following, run
from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.gdl import Description
from ggp.match import make_player
from ggp.selfplay.data import Folder
from ggp.selfplay.plan import Plan
from ggp.selfplay.play import Match, play_numbered

__all__ = ["Progress", "selfplay"]

# Bytes that a process may take.
_MEMORY = 8 << 30
#: Seconds between two times that the caller is told how far the matches are.
_TELLING = 1.0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a self-play has come."""

    #: Matches in the folder, those of earlier runs included, and matches of the plan.
    written: int
    matches: int
    #: Matches of this run.
    played: int
    #: States with a choice in them.
    states: int
    #: Joint moves so far of each match that is being played.
    running: tuple[int, ...] = ()


def selfplay(
    plan: Plan,
    folder: Path,
    *,
    pool: Pool = Pool(jobs=1),  # noqa: B008 - frozen
    deadline: Deadline | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Play the matches of a plan that the folder does not have, until the deadline.

    Each match is written when it is over. Whatever ends a run, the next one plays only the others.

    Args:
        plan: what to play.
        folder: where the data goes, see `ggp.selfplay.data`.
        pool: where matches are played, and how many at the same time.
        deadline: when to stop.
        progress: called after each match, and once a second while matches are played.

    Raises:
        GgpError: the game or the player cannot be used, or the folder has other data, or another
            process writes to it.
        OSError: a file cannot be written; `filename` says which.
    """
    description = Description.from_text(plan.rules)
    if description.has_imperfect_information:
        raise GgpError("self-play needs a game in which the roles know the state, and not GDL-II")
    try:
        make_player(plan.player)
    except PlayerError as error:
        raise GgpError(str(error)) from None
    target, deadline = Folder(folder), deadline or Deadline()
    with target.opened(plan), Game(description, name=plan.game) as game:
        missing = target.missing(plan)
        now = Progress(plan.matches - len(missing), plan.matches, 0, 0)
        if not missing:
            return now
        watched = partial(play_numbered, plan)
        with pool.open(watched, memory_limit=_MEMORY, is_watched=True) as executor:

            def meanwhile() -> None:
                steps = dict(executor.told)
                running = tuple(steps.get(number, 0) for number in executor.running)
                progress(replace(now, running=running))

            match: Match
            for _, match in run(
                executor, following(missing), deadline=deadline, meanwhile=meanwhile, every=_TELLING
            ):
                target.add(match, game, plan)
                now = replace(
                    now,
                    written=now.written + 1,
                    played=now.played + 1,
                    states=now.states + len(match.choices),
                )
                progress(now)
    return now
