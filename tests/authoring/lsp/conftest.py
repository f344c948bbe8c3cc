"""One server for all tests: it starts once, and each test opens files of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_lsp

from tests.authoring.lsp.editor import CONFIG, Client, initialize


@pytest_lsp.fixture(config=CONFIG, scope="session")  # type: ignore[untyped-decorator]
async def client(client: Client) -> AsyncIterator[None]:
    """Yield an editor that is connected to `ggp lsp`."""
    await initialize(client)
    yield
    await client.shutdown_session()


@pytest.fixture(autouse=True)
def files_are_closed(request: pytest.FixtureRequest) -> Iterator[None]:
    """Close what a test has opened: the server would look for proofs until the last test ends."""
    shared = request.getfixturevalue("client") if "client" in request.fixturenames else None
    yield
    if shared is not None:
        shared.close_files()
