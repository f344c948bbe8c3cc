"""Plays the matches of a tournament, several at the same time, and stores each when it ends."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, closing
from functools import partial

from ggp.deadline import Deadline
from ggp.errors import TournamentError
from ggp.match import (
    Address,
    MatchFinished,
    MatchRecord,
    MatchSettings,
    Participant,
    Referee,
    Scrambled,
    make_participant,
    new_match_id,
    seats,
)
from ggp.tournament.plan import Fixture, Plan
from ggp.tournament.schedule import fixtures
from ggp.tournament.store import Result, Store

__all__ = ["play"]

#: Seconds between two checks whether the deadline was cancelled.
_TICK = 0.1
#: Seconds between two times that spectators are told how far the matches are.
_TELLING = 1.0


def play(
    store: Store,
    *,
    jobs: int,
    deadline: Deadline,
    on_result: Callable[[Result], None] = lambda _result: None,
) -> None:
    """Play the remaining matches of a tournament until the deadline.

    Matches that are under way when the clock is cut are aborted, and not kept: they will be played
    anew. A player elsewhere plays one match at a time, whatever the jobs.

    Args:
        store: where the tournament is kept; its lock is taken.
        jobs: how many matches are played at the same time.
        deadline: how long to play.
        on_result: called with each match that is over, when it has been kept.

    Raises:
        TournamentError: another process plays this tournament, or what is kept does not fit it.
    """
    plan = store.plan
    with store.locked(), ThreadPoolExecutor(jobs) as pool:
        results = {result.fixture.number: result for result in store.results()}
        running: dict[Future[tuple[Result, MatchRecord] | None], Fixture] = {}
        waiting: list[Fixture] = []
        progress: dict[Fixture, MatchRecord] = {}
        told = 0.0
        try:
            while not deadline.is_over:
                if not waiting and not running:
                    waiting = _waiting(plan, results)
                    if not waiting:
                        return
                while len(running) < jobs and (fixture := _next(plan, waiting, running.values())):
                    waiting.remove(fixture)
                    match = pool.submit(
                        _play_match, plan, fixture, deadline, partial(progress.__setitem__, fixture)
                    )
                    running[match] = fixture
                done, _ = wait(running, timeout=_TICK, return_when=FIRST_COMPLETED)
                for future in done:
                    progress.pop(running.pop(future), None)
                    played = future.result()
                    if played is not None:
                        result, record = played
                        store.add(result, record)
                        results[result.fixture.number] = result
                        on_result(result)
                if time.monotonic() - told > _TELLING:
                    store.tell(list(progress.items()))
                    told = time.monotonic()
        finally:
            deadline.cancel()  # also ends the matches that are being played
            store.tell(())


def _waiting(plan: Plan, results: dict[int, Result]) -> list[Fixture]:
    """Return the known fixtures that have not been played. Raises `TournamentError`."""
    settled = fixtures(plan, results.values())
    for number, result in results.items():
        if number >= len(settled) or settled[number] != result.fixture:
            raise TournamentError(
                f"match {number} is not what the plan says: another version of ggp began this "
                "tournament, which cannot be gone on with"
            )
    return [fixture for fixture in settled if fixture.number not in results]


def _next(plan: Plan, waiting: Iterable[Fixture], running: Iterable[Fixture]) -> Fixture | None:
    """Return the first fixture that may begin: its remote players are in no other match."""
    busy = {plan.players[player] for fixture in running for player in fixture.players}
    busy = {player for player in busy if Address.parse(player)}
    for fixture in waiting:
        if busy.isdisjoint(plan.players[player] for player in fixture.players):
            return fixture
    return None


def _play_match(
    plan: Plan, fixture: Fixture, deadline: Deadline, on_progress: Callable[[MatchRecord], None]
) -> tuple[Result, MatchRecord] | None:
    """Play a match to its end; return None if the deadline was cancelled before.

    `on_progress` is called with the record after each event.
    """
    game = plan.games[fixture.game]
    description = game.description()
    settings = MatchSettings(
        new_match_id(game.name), description, plan.start_clock, plan.play_clock
    )
    chance = plan.chance("match", fixture.number)
    words, lots, *seeds = (chance.getrandbits(32) for _ in range(2 + game.seats))
    with ExitStack() as stack:
        participants: list[Participant] = []
        for player, seed in zip(fixture.players, seeds, strict=True):
            participant: Participant = make_participant(
                plan.players[player], seed=seed, reasoner=plan.reasoner
            )
            stack.enter_context(closing(participant))
            participants.append(
                Scrambled(participant, seed=words) if plan.scramble else participant
            )
        referee = Referee(
            settings,
            participants,
            reasoner=plan.reasoner,
            seed=lots,
            game_url=game.url,
            tournament=plan.name,
            max_steps=plan.max_steps,
        )
        for event in referee.run(deadline):
            finished = event
            if referee.record.states:
                on_progress(referee.record)
        assert isinstance(finished, MatchFinished)
    if finished.goals is None and deadline.is_over:
        return None
    indices = [description.roles.index(role) for role in seats(description)]
    result = Result(
        fixture=fixture,
        match_id=settings.match_id,
        goals=finished.goals and tuple(finished.goals[index] for index in indices),
        errors=tuple(_errors(referee.record, index) for index in indices),
        moves=len(referee.record.moves),
        remark=finished.remark,
    )
    return result, referee.record


def _errors(record: MatchRecord, role: int) -> Counter[str]:
    """Count the errors of a role by kind."""
    kinds = (errors[role].partition(" ")[0] for errors in record.errors)
    return Counter(kind for kind in kinds if kind)
