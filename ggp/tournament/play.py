"""Plays the matches of a tournament, several at the same time, and stores each when it ends.

A match is a task, which plays in one process with its players' processes beside it, on this machine
or on a node of a cluster. Only this process writes to the store.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import TypeAlias

from ggp.cluster import Pool, run, tell
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
    seats,
)
from ggp.tournament.plan import Fixture, Plan
from ggp.tournament.schedule import fixtures
from ggp.tournament.store import Result, Store

__all__ = ["Underway", "play", "play_match"]

#: Matches that are being played, each with its record so far.
Underway: TypeAlias = "Sequence[tuple[Fixture, MatchRecord | None]]"

#: Seconds between two times that spectators are told how far the matches are.
_TELLING = 1.0
#: Seconds for matches that are aborted to take leave of their players.
_LEAVING = 2.0


def play(
    store: Store,
    *,
    pool: Pool,
    deadline: Deadline,
    on_result: Callable[[Result], None] = lambda _result: None,
    meanwhile: Callable[[Underway], None] = lambda _underway: None,
) -> None:
    """Play the remaining matches of a tournament until the deadline.

    Matches that are under way when the clock is cut are aborted, and not kept: they will be played
    anew. A player elsewhere plays one match at a time, whatever the pool.

    Args:
        store: where the tournament is kept; its lock is taken.
        pool: where matches are played, and how many at the same time.
        deadline: how long to play.
        on_result: called with each match that is over, when it has been kept.
        meanwhile: called once a second with the matches that are being played, each with its record
            so far, or None if it has not begun.

    Raises:
        TournamentError: another process plays this tournament, or what is kept does not fit it.
        GgpError: a process of a match died, or the cluster is gone.
    """
    plan = store.plan
    cores = max(game.seats for game in plan.games)
    with (
        store.locked(),
        pool.open(partial(play_match, plan), cores=cores, is_watched=True) as executor,
    ):
        results = {result.fixture.number: result for result in store.results()}
        waiting: list[Fixture] = []

        def following() -> Fixture | None:
            nonlocal waiting
            if not waiting and not executor.running:
                waiting = _waiting(plan, results)
            fixture = _next(plan, waiting, executor.running)
            if fixture is not None:
                waiting.remove(fixture)
            return fixture

        def tell_spectators() -> None:
            told = executor.told
            store.tell(told)
            records = {fixture.number: record for fixture, record in told}
            meanwhile([(each, records.get(each.number)) for each in executor.running])

        try:
            played = run(
                executor, following, deadline=deadline, meanwhile=tell_spectators, every=_TELLING
            )
            for _, (result, record) in played:
                store.add(result, record)
                results[result.fixture.number] = result
                on_result(result)
        finally:
            executor.interrupt(_LEAVING)  # so that players elsewhere hear of it
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


def play_match(plan: Plan, fixture: Fixture) -> tuple[Result, MatchRecord]:
    """Play a match to its end, and tell after each event how far it is."""
    game = plan.games[fixture.game]
    description = game.description()
    settings = MatchSettings(plan.match_id(fixture), description, plan.start_clock, plan.play_clock)
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
        for event in referee.run():
            finished = event
            if referee.record.states:
                tell(referee.record)
        assert isinstance(finished, MatchFinished)
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
