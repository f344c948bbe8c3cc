"""What the soak reads from the pages of the server."""

from __future__ import annotations

from ggp.server.player import make_app
from tests.server.fakes import Table, start
from tests.soak.server import rows_of


def test_the_soak_finds_the_matches_and_their_processes_on_the_status_page() -> None:
    table = Table()
    client = make_app(table.protocol).test_client()
    assert rows_of(client.get("/status").text) == []
    table.ask_all(start("one"), "(PLAY one NIL)", start("<two>"))
    rows = rows_of(client.get("/status").text)
    assert [(row["match"], row["role"], row["processes"]) for row in rows] == [
        ("one", "white", "4711 4712"),
        ("<two>", "white", "4711 4712"),
    ]
