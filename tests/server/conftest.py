"""Servers on free ports that end with their test, and one command that many tests share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread

import pytest

from ggp.server.http import KifServer
from ggp.server.match import Session
from ggp.server.player import make_server
from ggp.server.protocol import PlayerProtocol
from tests.server.command import Command, running

Serve = Callable[[Callable[[], Session]], KifServer]


@contextmanager
def serving(open_session: Callable[[], Session]) -> Iterator[KifServer]:
    protocol = PlayerProtocol(open_session, name="fake")
    server = make_server(protocol, host="127.0.0.1", port=0)
    thread = Thread(target=server.run)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()
        protocol.close()
        server.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Give a function that serves players, and returns the server."""
    with ExitStack() as stack:
        yield lambda open_session: stack.enter_context(serving(open_session))


@pytest.fixture(scope="session")
def command() -> Iterator[Command]:
    """`ggp serve legal` with a limit of every kind, for tests that leave it as it was."""
    limits = ("--max-message", "1", "--max-matches", "1")
    with running("legal", "--name", "my player", *limits) as opened:
        yield opened
