"""The matches in play: what the list says, also after a restart, and where they are full."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ggp.match import ForkServer
from ggp.server.manager import matches as matches_module
from ggp.server.manager.manager import Manager
from ggp.server.manager.web.app import make_app
from tests.manager.conftest import opened
from tests.processes import happens

TOLD = {
    "kind-0": "human",
    "spec-0": "Ada",
    "kind-1": "legal",
    "start_clock": "20",
    "play_clock": "20",
    "humans_take_time": "on",
}


@pytest.mark.long
def test_a_match_rests_after_a_restart_until_its_page_is_opened(
    tmp_path: Path, fork_server: ForkServer
) -> None:
    with opened(tmp_path, fork_server) as manager:
        client = make_app(manager).test_client()
        client.post("/games/nim/matches", data=TOLD)
        (match,) = manager.matches
        assert happens(lambda: match.legal(0, 0) is not None, within=60)
        (told,) = client.get("/api/matches").get_json()["matches"]
        assert (told["waits_for"], told["rests"]) == (["Ada"], False)
        assert abs(told["began"] / 1000 - time.time()) < 300
    with opened(tmp_path, fork_server) as manager:
        client = make_app(manager).test_client()
        (told,) = client.get("/api/matches").get_json()["matches"]
        assert (told["waits_for"], told["rests"], told["failed"]) == ([], True, None)
        (match,) = manager.matches
        manager.matches.wake(match)
        assert happens(lambda: match.legal(0, 0) is not None, within=60)
        (told,) = client.get("/api/matches").get_json()["matches"]
        assert (told["waits_for"], told["rests"]) == (["Ada"], False)


def test_where_no_more_can_be_played_the_page_leads_to_those_in_play(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matches_module, "_MAX_OF_VISITOR", 1)
    client = make_app(manager).test_client()
    client.post("/games/nim/matches", data=TOLD)
    (match,) = manager.matches
    reply = client.post("/games/nim/matches", data=TOLD)
    assert (reply.status_code, "1 matches are being played" in reply.text) == (503, True)
    assert f'href="/matches/{match.id}"' in reply.text


@pytest.mark.long
def test_a_match_that_ended_early_can_be_taken_from_the_list(manager: Manager) -> None:
    client = make_app(manager).test_client()
    client.post("/games/nim/matches", data={**TOLD, "kind-2": "legal"})  # nim has two roles
    (match,) = manager.matches
    assert happens(lambda: match.is_over, within=60)
    (told,) = client.get("/api/matches").get_json()["matches"]
    assert "3 players for 2 roles" in told["failed"]
    assert client.post(f"/matches/{match.id}/remove").status_code == 302
    assert client.get("/api/matches").get_json() == {"matches": []}
