"""Lets many browsers follow one match: ``python -m benchmarks.viewers``.

It runs a manager and a match between two players, and follows it with as many connections as there
are viewers, which come back as browsers do where all streams are taken. It fails unless every
viewer is told every move, and prints how much later than it was made.
"""

from __future__ import annotations

import http.client
import json
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import median
from threading import Thread
from urllib.parse import urlsplit

import click

from ggp.gdl.bundled import bundled_games
from ggp.server.manager.manager import Manager
from ggp.server.manager.setup import Seat
from ggp.server.manager.web.app import make_app
from ggp.server.manager.web.site import Site


@click.command()
@click.option("--viewers", default=200, show_default=True, help="Connections.")
def main(viewers: int) -> None:
    """Measure how fast many viewers are told the moves of a match."""
    with tempfile.TemporaryDirectory() as folder:
        manager = Manager.open(bundled=bundled_games(), folder=Path(folder))
        with Site(make_app(manager), host="127.0.0.1", port=0) as site:
            thread = Thread(target=site.run)
            thread.start()
            try:
                game = manager.games.find("connectfour")
                assert game is not None
                match = manager.matches.begin(
                    game,
                    [Seat("player", "mcts"), Seat("player", "mcts")],
                    start_clock=2,
                    play_clock=0.5,
                    humans_take_time=True,
                )
                address = f"/api/matches/{match.id}/events"
                with ThreadPoolExecutor(viewers) as pool:
                    told = list(pool.map(lambda _: dict(follow(site.url, address)), range(viewers)))
                steps = len(match.states) - 1
            finally:
                manager.close()
                site.stop()
                thread.join()
    delays = sorted(delay for each in told for delay in each.values() if delay is not None)
    complete = sum(len(each) == steps for each in told)
    print(f"{viewers} viewers, {steps} moves; {complete} viewers were told all of them")
    print(
        f"delays: {1000 * median(delays):,.1f} ms (median), {1000 * delays[-1]:,.1f} ms (longest)"
    )
    sys.exit(complete < viewers)


def follow(url: str, address: str) -> Iterator[tuple[int, float | None]]:
    """Yield each move that a viewer is told, and after how many seconds.

    The delay is None for what had been played before the viewer came.
    """
    known, is_over, came = "", False, time.time()
    while not is_over:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
        connection.request("GET", f"{address}?after={known}")
        is_sent_back = False
        for line in connection.getresponse():
            name, _, value = line.decode().rstrip().partition(": ")
            if name == "id":
                known = value
            elif name == "event":
                is_over, is_sent_back = value == "end", value == "again"
            elif name == "data" and '"event": "move"' in value:
                event = json.loads(value)
                yield event["step"], time.time() - event["time"] if event["time"] > came else None
        connection.close()
        if is_sent_back:
            time.sleep(2)


if __name__ == "__main__":
    main()
