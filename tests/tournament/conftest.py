from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.tournament.postgresql import Server, server


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Server]:
    """A PostgreSQL server, which runs."""
    with server() as started:
        yield started
