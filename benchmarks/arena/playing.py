"""Contests that are played, kept and continued: one, named rows, or all rows in short."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.arena.contest import Contest, Standing
from benchmarks.arena.measuring import measure
from benchmarks.arena.rows import GROUPS, Group
from benchmarks.arena.table import Line, Tables, Together
from ggp.cli.common import interruptible, show_progress
from ggp.cluster import Pool
from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.experiments.running.measuring import Kept, Task, measure_all

__all__ = [
    "RowSettings", "play_all_quickly", "play_contest", "play_games", "play_named", "recorded",
]  # fmt: skip

# Seconds of a quick run, without what it takes to start and to stop.
_BUDGET = 150.0


@dataclass(frozen=True, slots=True)
class RowSettings:
    """How rows are played, and where they are kept."""

    player: str
    #: None for what each row says, and so for the matches.
    seconds: float | None
    start: float | None
    matches: int | None
    folder: Path

    def contests(self, groups: Sequence[Group]) -> dict[str, Contest]:
        """Return the contests of rows for which nothing is missing, by their full names."""
        found = {}
        for group in groups:
            for name, row in group.named().items():
                if not row.missing:
                    contest = row.contest(self.player, seconds=self.seconds, start=self.start)
                    found[name] = replace(contest, matches=self.matches or contest.matches)
        return found


def play_contest(contest: Contest, *, pool: Pool, folder: Path | None) -> Tables:
    """Play a contest; a folder keeps it. Raises `PlayerError` as `Pairing.check` does."""
    pairing = contest.pairing
    with interruptible() as deadline, _kept(folder and folder / "measured.jsonl") as kept:
        standing = _played(contest, kept, pool=pool, deadline=deadline)
    return {f"{pairing.a} against {pairing.b}": [Line(Path(pairing.game).stem, standing)]}


def play_games(contests: Sequence[Contest], *, pool: Pool, folder: Path | None) -> Tables:
    """Play contests of two players, each in another game; a folder keeps them.

    The openings of all games are one set of tasks, so that the processes of a pool play several
    games at once. A game that the arena cannot play has a line that says why.

    Raises:
        PlayerError: there is no such player.
    """
    contests[0].pairing.check_players()
    notes = {contest.pairing.game: _unplayable(contest) for contest in contests}
    played = [contest for contest in contests if notes[contest.pairing.game] is None]
    tasks = [task for contest in played for task in contest.tasks]
    with interruptible() as deadline, _kept(folder and folder / "measured.jsonl") as kept:
        _measure(tasks, "openings", kept, pool=pool, deadline=deadline)
        standings = {contest.pairing.game: contest.standing(kept) for contest in played}
    lines = [Line(Path(game).stem, standings.get(game), note=note) for game, note in notes.items()]
    tallies = [standing.tally for standing in standings.values() if standing.measured]
    pairing = contests[0].pairing
    return {f"{pairing.a} against {pairing.b}": [*lines, Together(tallies)]}


def _measure(
    tasks: Sequence[Task], things: str, kept: Kept, *, pool: Pool, deadline: Deadline
) -> None:
    """Play the openings of several contests, and show how many things are played."""
    done = measure_all(tasks, measure, kept, pool=pool, deadline=deadline)
    for number, _ in enumerate(done, 1):
        show_progress(f"{number} of {len(tasks)} {things}")
    show_progress("")


def _unplayable(contest: Contest) -> str | None:
    """Return why the arena cannot play a contest; None if it can."""
    try:
        contest.pairing.check_game()
    except PlayerError as error:
        return str(error)
    return None


def play_all_quickly(player: str) -> Tables:
    """Play an opening of each main row for which nothing is missing."""
    groups = [group for group in GROUPS if group.is_quick]
    rows = {name: row for group in groups for name, row in group.named().items() if not row.missing}
    share = _BUDGET / max(1, len(rows))
    played = _play_quickly([row.quick(player, share=share) for row in rows.values()])
    return _tables(groups, dict(zip(rows, played, strict=True)), player)


def play_named(
    groups: Sequence[Group], settings: RowSettings, *, pool: Pool, fresh: bool
) -> Tables:
    """Play or continue rows, and return how they stand."""
    contests = settings.contests(groups)
    _play_rows(contests, pool=pool, folder=settings.folder, fresh=fresh)
    return _tables(groups, _standings(contests, folder=settings.folder), settings.player)


def recorded(settings: RowSettings) -> Tables:
    """Return how the rows of each group stand of which a row was played.

    Raises:
        GgpError: nothing was played with these settings.
    """
    found = _standings(settings.contests(GROUPS), folder=settings.folder)
    groups = [group for group in GROUPS if any(n in found for n in group.named())]
    if not groups:
        raise GgpError(
            f"{settings.folder}: no row of {settings.player} was played; --row does that"
        )
    return _tables(groups, found, settings.player)


def _tables(groups: Sequence[Group], found: Mapping[str, Standing], player: str) -> Tables:
    return {
        group.title.format(player=player): [
            Line(row.name, found.get(name), row.aim, row.missing)
            for name, row in group.named().items()
        ]
        for group in groups
    }


def _play_rows(contests: Mapping[str, Contest], *, pool: Pool, folder: Path, fresh: bool) -> None:
    """Play rows one after the other, each kept in a file of its own."""
    with interruptible() as deadline:
        for name, contest in contests.items():
            if not deadline.is_over:
                with _kept(_file(folder, name), fresh=fresh) as kept:
                    _played(contest, kept, pool=pool, deadline=deadline, name=f"{name}: ")


def _standings(contests: Mapping[str, Contest], *, folder: Path) -> dict[str, Standing]:
    """Return how rows stand of which something was played."""
    found = {}
    for name, contest in contests.items():
        if _file(folder, name).exists():
            with _kept(_file(folder, name)) as kept:
                standing = contest.standing(kept)
            if standing.measured:
                found[name] = standing
    return found


def _play_quickly(contests: Sequence[Contest]) -> list[Standing]:
    """Play an opening of each contest, as far as there is time; all in one process."""
    for contest in contests:
        contest.pairing.check()
    tasks = [contest.tasks[0] for contest in contests]
    with interruptible(_BUDGET) as deadline, _kept(None) as kept:
        _measure(tasks, "rows", kept, pool=Pool(jobs=1), deadline=deadline)
        return [contest.standing(kept) for contest in contests]


def _played(
    contest: Contest, kept: Kept, *, pool: Pool, deadline: Deadline, name: str = ""
) -> Standing:
    contest.pairing.check()
    for standing in contest.play(kept, pool=pool, deadline=deadline):
        tally = standing.tally
        if tally.score is not None:
            error = "" if tally.error is None else f" ± {tally.error:.1%}"
            show_progress(f"{name}{tally.games} matches: {tally.score:.1%}{error}")
    show_progress("")
    return contest.standing(kept)


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.jsonl"


@contextmanager
def _kept(path: Path | None, *, fresh: bool = False) -> Iterator[Kept]:
    """Open a file of results, or a temporary one."""
    with ExitStack() as stack:
        if path is None:
            path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "measured.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        yield stack.enter_context(closing(Kept(path, fresh=fresh)))
