"""Managers and their pages, which leave nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
from flask import Flask
from flask.testing import FlaskClient

from ggp.match import ForkServer
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.setup import Seat
from ggp.server.manager.web.app import make_app
from ggp.server.manager.web.site import Site
from tests.manager.browser import Page, browsing
from tests.manager.drawn import GAMES

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver


@contextmanager
def opened(folder: Path, fork_server: ForkServer) -> Iterator[Manager]:
    bundled = sorted(GAMES.glob("*.kif"))
    manager = Manager.open(bundled=bundled, folder=folder, start=fork_server.fork)
    try:
        yield manager
    finally:
        manager.close()


#: People take the time that they need.
CLOCKS: dict[str, Any] = {"start_clock": 20.0, "play_clock": 20.0, "humans_take_time": True}


def begin(manager: Manager, name: str, *seats: Seat, **options: object) -> Match:
    """Begin a match of a game that the manager has; the options are those of `Matches.begin`."""
    game = manager.games.find(name)
    assert game is not None
    return manager.matches.begin(game, seats, **{**CLOCKS, **options})


@pytest.fixture
def manager(tmp_path: Path, fork_server: ForkServer) -> Iterator[Manager]:
    """A manager without matches."""
    with opened(tmp_path / "matches", fork_server) as manager:
        yield manager


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, fork_server: ForkServer) -> Iterator[Manager]:
    """A manager that many tests share; they change only the games that they upload.

    A guide takes seconds to learn a game, once.
    """
    with opened(tmp_path_factory.mktemp("shared"), fork_server) as manager:
        yield manager


@pytest.fixture(scope="session")
def app(shared: Manager) -> Flask:
    """The pages of that manager, whose templates take a while to compile."""
    return make_app(shared)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser without cookies."""
    return app.test_client()


@pytest.fixture(scope="module")
def driver() -> Iterator[WebDriver]:
    with browsing() as opened:
        yield opened


@pytest.fixture
def page(driver: WebDriver, url: str) -> Iterator[Page]:
    """A tab of a browser, which is left empty."""
    shown = Page(driver, url)
    yield shown
    shown.driver.get("about:blank")


@contextmanager
def serving(manager: Manager) -> Iterator[str]:
    with Site(make_app(manager), host="127.0.0.1", port=0) as site:
        thread = Thread(target=site.run)
        thread.start()
        try:
            yield site.url
        finally:
            site.stop()
            thread.join()


@pytest.fixture
def url(manager: Manager) -> Iterator[str]:
    """The address of a running server."""
    with serving(manager) as address:
        yield address
