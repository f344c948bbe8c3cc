"""A manager with its pages, that leaves nothing behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from flask.testing import FlaskClient

from ggp.server.manager.manager import Manager
from ggp.server.manager.web.app import make_app
from ggp.server.manager.web.site import Site
from tests.manager.drawn import GAMES


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    opened = Manager.open(bundled=sorted(GAMES.glob("*.kif")), folder=tmp_path / "matches")
    try:
        yield opened
    finally:
        opened.close()


@pytest.fixture
def client(manager: Manager) -> FlaskClient:
    return make_app(manager).test_client()


@contextmanager
def _serving(manager: Manager) -> Iterator[str]:
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
    with _serving(manager) as address:
        yield address
