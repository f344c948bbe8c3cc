"""Which players a visitor of the pages can choose, and what of them a visitor can set."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from flask.testing import FlaskClient

from ggp.errors import PlayerError
from ggp.match import Address, ForkServer, MatchRecord
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.players import Hosts, Players
from ggp.server.manager.setup import Seat
from ggp.server.manager.web.app import make_app
from tests.manager.conftest import opened
from tests.manager.drawn import GAMES
from tests.match.fakes import answers, fake_player
from tests.processes import happens

CLOCKS = {"start_clock": "5", "play_clock": "5"}
SECRET = "top-secret-key"


class Model(BaseHTTPRequestHandler):
    """A server of a language model, which keeps the keys that it is sent."""

    keys: ClassVar[list[str | None]] = []

    def do_POST(self) -> None:
        self.keys.append(self.headers["Authorization"])
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"choices": [{"message": {"content": "noop"}}]}).encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def model() -> Iterator[str]:
    Model.keys.clear()
    with HTTPServer(("127.0.0.1", 0), Model) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@contextmanager
def offering(folder: Path, players: Players) -> Iterator[Manager]:
    manager = Manager.open(bundled=[GAMES / "tictactoe.kif"], folder=folder, players=players)
    try:
        yield manager
    finally:
        manager.close()


def _is_over(match: Match) -> bool:
    return match.is_over


def begin(client: FlaskClient, kind: str, told: str = "") -> tuple[int, str]:
    form = {**CLOCKS, "kind-0": kind, "spec-0": told, "kind-1": "legal"}
    reply = client.post("/games/tictactoe/matches", data=form)
    return reply.status_code, reply.text


@pytest.mark.parametrize(
    ("kind", "told", "complaint"),
    [
        ("llm", "url=http://127.0.0.1:1/v1,key=PATH", "no player"),
        ("mcts", "net=/etc/passwd", "has no option"),
        ("mcts", "seed=1, net = /dev/zero", "has no option"),
        ("alphabeta", "net=none", "has no option"),
        ("legal", "9147", "has no option"),
        ("mcts", "seed=x", "seed&#39; is int"),
        ("os.system", "", "no player"),
        ("player", "", "no player"),
        ("refused", "", "no player"),
        ("url", "file:///etc/passwd", "http only"),
        ("url", "mcts", "a player is at http://host:port"),
        ("url", "http://a b:80/", "no name of a host"),
    ],
)
def test_a_visitor_cannot_name_files_addresses_and_variables(
    client: FlaskClient, kind: str, told: str, complaint: str
) -> None:
    status, text = begin(client, kind, told)
    assert status == 400
    assert complaint in text


def test_the_pages_offer_what_a_visitor_can_set(client: FlaskClient) -> None:
    page = client.get("/games/tictactoe").text
    assert '<option value="mcts"' in page
    assert "seed=0" in page
    assert "net=" not in page
    assert 'value="llm"' not in page


@pytest.mark.long
def test_a_player_that_the_operator_names_keeps_its_secrets(
    tmp_path: Path, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_A_TEST", SECRET)
    players = Players.open({"small": f"llm:url={model},key=SECRET_OF_A_TEST"})
    with offering(tmp_path, players) as manager:
        client = make_app(manager).test_client()
        page = client.get("/games/tictactoe").text
        assert '<option value="small"' in page
        assert model not in page
        assert "has no option" in begin(client, "small", "url=http://127.0.0.1:1")[1]
        assert "has no option" in begin(client, "small", "key=PATH")[1]
        assert begin(client, "small", "attempts=1")[0] == 302
        (match,) = manager.matches
        assert happens(lambda: match.is_over, within=60)
        shown = json.dumps(match.log) + match.record.read_text()
    assert set(Model.keys) == {f"Bearer {SECRET}"}
    assert MatchRecord.read(match.record).player_names == ("small:attempts=1", "legal")
    assert not [word for word in (SECRET, "SECRET_OF_A_TEST", model) if word in shown]


@pytest.mark.long
def test_a_match_of_an_earlier_manager_does_not_bring_its_players_along(
    tmp_path: Path, fork_server: ForkServer
) -> None:
    with fake_player(answers("noop")) as player:
        for seat in (
            Seat("player", "llm:url=http://127.0.0.1:1,key=PATH"),
            Seat("url", player.url),
        ):
            folder = tmp_path / seat.kind
            with opened(folder, fork_server) as manager:
                game = manager.games.find("tictactoe")
                assert game is not None
                match = manager.matches.begin(
                    game,
                    [seat, Seat("human", "Ada")],
                    start_clock=1,
                    play_clock=1,
                    humans_take_time=True,
                )
                if seat.kind == "url":
                    assert happens(lambda: bool(player.messages), within=30)
            told = len(player.messages)
            with offering(folder, Players.open(hosts=Hosts.parse([]))) as manager:
                for match in manager.matches:
                    manager.matches.wake(match)
                    assert happens(partial(_is_over, match), within=30)
                    remark = match.log[-1]["remark"]
                    assert "no player 'llm'" in remark or "asks no players at that host" in remark
            assert len(player.messages) == told


@pytest.mark.parametrize(
    ("allowed", "address", "is_allowed"),
    [
        ([], "http://127.0.0.1:9147", False),
        (["*"], "http://169.254.169.254:80", True),
        (["localhost"], "http://LOCALHOST:9147/a", True),
        (["localhost"], "http://127.0.0.1:9147", False),
        (["localhost:9147"], "localhost:9148", False),
        (["Games.example.org"], "http://games.example.org.:9147", True),
        (["games.example.org"], "http://evil.games.example.org:9147", False),
        (["10.0.0.0/8"], "http://10.1.2.3:9147", True),
        (["10.0.0.0/8"], "http://11.1.2.3:9147", False),
        (["10.0.0.0/8:9147"], "http://10.1.2.3:80", False),
        (["127.0.0.1"], "http://2130706433:80", False),
        (["127.0.0.1"], "http://[::ffff:127.0.0.1]:80", False),
        (["::1"], "[::1]:9147", True),
        (["[::1]:9147"], "[::1]:9147", True),
        (["[::1]:9147"], "[::1]:9148", False),
        (["127.0.0.1", "10.0.0.1"], "10.0.0.1:9147", True),
    ],
)
def test_hosts_of_players(allowed: list[str], address: str, is_allowed: bool) -> None:
    found = Address.parse(address)
    assert found is not None
    hosts = Hosts.parse(allowed)
    if is_allowed:
        hosts.check(found)
        return
    with pytest.raises(PlayerError, match="--allow-player-host"):
        hosts.check(found)


@pytest.mark.parametrize("text", ["http://host:80", "a b", "host:x", "10.0.0.0/99", ""])
def test_what_is_no_host(text: str) -> None:
    with pytest.raises(ValueError, match="is no host, such as"):
        Hosts.parse([text])


def test_without_hosts_the_pages_offer_no_player_at_a_url(tmp_path: Path) -> None:
    with offering(tmp_path, Players.open(hosts=Hosts.parse([]))) as manager:
        client = make_app(manager).test_client()
        assert "a player at a URL" not in client.get("/games/tictactoe").text
        status, text = begin(client, "url", "http://127.0.0.1:9147")
    assert (status, "asks no players at that host" in text) == (400, True)


@pytest.mark.parametrize(
    ("name", "spec", "complaint"),
    [
        ("url", "legal", "no name for a player"),
        ("a b", "legal", "no name for a player"),
        ("easy", "legal", "the name of a level"),
        ("small", "no_such", "no such player"),
        ("small", "llm", "'url' must be given"),
        ("small", "legal:depth=1", "no option"),
    ],
)
def test_what_the_operator_cannot_offer(name: str, spec: str, complaint: str) -> None:
    with pytest.raises(PlayerError, match=complaint):
        Players.open({name: spec})
