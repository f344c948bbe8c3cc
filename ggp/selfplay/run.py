"""Runs a self-play in many processes; one that was ended goes on where it was."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a self-play has come."""

    #: Matches that are written, those of earlier runs included, and matches of the plan.
    written: int
    matches: int
    #: Matches that are over, but not written: the rest of their part is missing.
    played: int
    #: States with a choice, of the matches of this run.
    states: int


def selfplay(
    plan: Plan,
    folder: Path,
    *,
    pool: Pool = Pool(jobs=1),  # noqa: B008 - frozen
    deadline: Deadline | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Progress:
    """Play the matches of a plan that the folder does not have, until the deadline.

    The matches of a part are written together, when the last of them is over. Whatever ends a run,
    the next one repeats only parts that are not complete.

    Args:
        plan: what to play.
        folder: where the data goes, see `ggp.selfplay.data`.
        pool: where matches are played, and how many at the same time.
        deadline: when to stop.
        progress: called after each match.

    Raises:
        GgpError: the game or the player cannot be used, or the folder has other data.
        OSError: the folder cannot be written.
    """
    description = Description.from_text(plan.rules)
    if description.has_imperfect_information:
        raise GgpError("self-play needs a game in which the roles know the state, and not GDL-II")
    try:
        make_player(plan.player)
    except PlayerError as error:
        raise GgpError(str(error)) from None
    target, deadline = Folder(folder), deadline or Deadline()
    target.begin(plan)
    with Game(description, name=plan.game) as game:
        played = _Run(plan, target, game, progress)
        if played.waiting:
            played.play(pool, deadline)
    return played.now


class _Run:
    """A run: which matches are missing, and which parts are being completed."""

    def __init__(
        self, plan: Plan, folder: Folder, game: Game, progress: Callable[[Progress], None]
    ) -> None:
        self._plan, self._folder, self._game, self._progress = plan, folder, game, progress
        missing = [part for part in range(plan.parts) if not folder.has(part)]
        self.waiting = [number for part in missing for number in plan.numbers(part)]
        self._parts: dict[int, list[Match]] = {part: [] for part in missing}
        self.now = Progress(plan.matches - len(self.waiting), plan.matches, 0, 0)

    def play(self, pool: Pool, deadline: Deadline) -> None:
        """Play the missing matches."""
        play = partial(play_numbered, self._plan)
        with pool.open(play, memory_limit=_MEMORY) as executor:
            for _, match in run(executor, following(self.waiting), deadline=deadline):
                self._take(match)

    def _take(self, match: Match) -> None:
        plan, part = self._plan, match.number // self._plan.part
        done = self._parts[part]
        done.append(match)
        written, played = self.now.written, self.now.played + 1
        if len(done) == len(plan.numbers(part)):
            done.sort(key=lambda each: each.number)
            self._folder.add(part, done, self._game, plan)
            del self._parts[part]
            written, played = written + len(done), played - len(done)
        states = self.now.states + len(match.choices)
        self.now = Progress(written, plan.matches, played, states)
        self._progress(self.now)
