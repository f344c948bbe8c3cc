"""`make soak`: fifty matches at once on one server, and every kind of fault.

Nothing may be late, illegal or left over: see `Verdict`.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from statistics import quantiles
from threading import Thread

from tests.processes import happens
from tests.soak.faults import FAULTS, Scene
from tests.soak.match import Match, Records, load_games
from tests.soak.server import Server, serving

__all__ = ["Verdict", "soak"]

#: Seconds of the start clock and the play clock, alternately.
CLOCKS = ((5, 5), (2, 2))
#: Seconds between two INFO, within which each must be answered, and 99 in a hundred.
_PERIOD, _INFO, _INFO_99 = 0.25, 1.0, 0.1
#: Seconds of a sleep that measures how busy the machine is.
_NAP = 0.02
#: Seconds in which the server gets ready for many matches.
_START = 60.0
#: Seconds after the last STOP in which everything must have been cleared away.
_TIDY = 15.0
#: Bytes by which the server may have grown, for what it keeps on purpose.
_GROWTH = 64 << 20


@dataclass(frozen=True)
class Verdict:
    """The result of a soak."""

    records: Records
    seconds: float
    #: Bytes by which the front process and the fork servers have grown.
    growth: int
    #: The longest that a thread had to wait for the machine after its sleep was over, in seconds:
    #: where others use the processors, no server can answer in time.
    starved: float

    def lines(self) -> list[str]:
        """The same for people."""
        records = self.records
        lines = [
            f"{records.matches} matches in {self.seconds:.0f} s, "
            f"{sum(records.faults.values())} faults of {len(records.faults)} kinds, "
            f"the server has grown by {self.growth / 1e6:.1f} MB",
            f"the machine kept everybody waiting for up to {self.starved:.2f} s",
            f"{'question':<14}{'answers':>8}{'median':>9}{'99 %':>9}{'longest':>9}",
        ]
        for kind, seconds in sorted(records.seconds.items()):
            cuts = _hundredths(seconds)
            lines.append(
                f"{kind:<14}{len(seconds):>8}{cuts[49]:>8.3f}s{cuts[98]:>8.3f}s{max(seconds):>8.3f}s"
            )
        return [*lines, *(f"VIOLATION {violation}" for violation in records.violations)]


def soak(
    *,
    player: str,
    matches: int,
    seconds: float,
    faults_at_once: int = 2,
    seed: int = 1,
    clocks: Sequence[tuple[int, int]] = CLOCKS,
    log: Path | None = None,
) -> Verdict:
    """Soak a server of its own.

    Args:
        player: who is served.
        matches: healthy matches at the same time.
        seconds: for how long new turns are begun.
        faults_at_once: how many faults happen at the same time.
        seed: of the matches.
        clocks: the start clock and the play clock of the matches, alternately.
        log: where to keep what the server logs.
    """
    limits = ("--max-matches", str(2 * matches + 20), "--memory", "512")
    games, records = load_games(), Records()
    with serving(player, *limits, log=log) as server:
        _play_and_stop(server, games[0].rules, games[0].roles[0])
        memory, faults, waits = server.memory(), cycle(FAULTS), list[float]()
        end = time.monotonic() + seconds

        def keeps_on() -> bool:
            return time.monotonic() < end

        def play(number: int) -> None:
            generator = random.Random(seed * 1000 + number)
            start_clock, clock = clocks[number % len(clocks)]
            while keeps_on():
                Match(
                    generator.choice(games),
                    port=server.port,
                    clock=clock,
                    start_clock=start_clock,
                    records=records,
                    generator=generator,
                ).run(keeps_on)

        def harm(number: int) -> None:
            scene = Scene(server, games, records, random.Random(seed + number))
            while keeps_on():
                fault = next(faults)
                try:
                    fault(scene)
                except Exception as error:
                    records.blame(f"{fault.__name__}: {error!r}")
                records.count_fault(fault.__name__)

        threads = [
            *(Thread(target=_guarded(play, number, records)) for number in range(matches)),
            *(Thread(target=harm, args=(number,)) for number in range(faults_at_once)),
            Thread(target=_guarded(lambda _: _watch(server, records, keeps_on), 0, records)),
            Thread(target=lambda: waits.append(_longest_wait(keeps_on))),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        growth = _tidied(server, records) - memory
        slow = _hundredths(records.seconds["INFO"])[98]
        if slow > _INFO_99:
            records.blame(f"one INFO in a hundred took {slow:.3f} s or longer")
        if growth > _GROWTH:
            records.blame(f"the server has grown by {growth / 1e6:.0f} MB")
    return Verdict(records, seconds, growth, max(waits))


def _hundredths(seconds: list[float]) -> list[float]:
    """Return the 99 numbers that cut others into hundredths."""
    return quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else seconds * 99


def _guarded(task: Callable[[int], None], number: int, records: Records) -> Callable[[], None]:
    def run() -> None:
        try:
            task(number)
        except Exception as error:
            records.blame(f"the manager failed: {error!r}")

    return run


def _watch(server: Server, records: Records, keeps_on: Callable[[], bool]) -> None:
    """Send INFO again and again."""
    while keeps_on():
        began = time.monotonic()
        reply = server.ask("( INFO )")
        seconds = time.monotonic() - began
        records.note("INFO", seconds)
        if seconds > _INFO:
            records.blame(f"INFO was answered after {seconds:.2f} s")
        if "status" not in reply:
            records.blame(f"INFO was answered {reply!r}")
        time.sleep(_PERIOD)


def _longest_wait(keeps_on: Callable[[], bool]) -> float:
    """Sleep repeatedly, and return by how many seconds the longest sleep was too long."""
    longest = 0.0
    while keeps_on():
        began = time.monotonic()
        time.sleep(_NAP)
        longest = max(longest, time.monotonic() - began - _NAP)
    return longest


def _play_and_stop(server: Server, rules: str, role: str) -> None:
    """Play a first match, for which the server loads its modules, and let it get ready."""
    server.ask(f"(START first {role} ({rules}) 5 5)")
    server.ask("(PLAY first NIL)")
    server.ask("(STOP first NIL)")
    happens(server.is_idle, within=_START)


def _tidied(server: Server, records: Records) -> int:
    """Check that nothing is left over; return the bytes of memory that the server still has.

    The matches of which no STOP came are aborted: to be abandoned would take them minutes.
    """
    for match in server.running():
        server.ask(f"(ABORT {match})")
    if not happens(server.is_idle, within=_TIDY):
        for process in server.described():
            records.blame(f"this process is left over, or spare: {process}")
    if server.files():
        records.blame(f"files are left over: {server.files()}")
    return server.memory()


def main() -> int:
    """Soak, print the result, and return 0 if there was no violation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--player", default="alphabeta")
    parser.add_argument("--matches", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--faults-at-once", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path)
    parser.add_argument("--clocks", type=int, nargs=2, metavar=("START", "PLAY"))
    options = vars(parser.parse_args())
    clocks = options.pop("clocks")
    verdict = soak(**options, clocks=[tuple(clocks)] if clocks else CLOCKS)
    print("\n".join(verdict.lines()))
    return 1 if verdict.records.violations else 0


if __name__ == "__main__":
    sys.exit(main())
