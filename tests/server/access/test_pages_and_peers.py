"""What web pages and strangers may do at the player server."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from ggp.server.access.origins import Origins
from ggp.server.access.peers import HERE, Peers
from ggp.server.player import make_app
from tests.server.fakes import Table, start

INFO = "((name fake) (status available))"
BROWSER = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/133.0"}
EVIL = {"Origin": "http://evil.com"}


def client_of(
    table: Table, *, origins: Origins | None = None, peers: Peers | None = None
) -> FlaskClient:
    return make_app(table.protocol, origins=origins, peers=peers).test_client()


def address(text: str, *, local: str = "") -> dict[str, dict[str, str]]:
    return {"environ_overrides": {"REMOTE_ADDR": text, "ggp.local": local}}


# Web pages


@pytest.mark.parametrize("headers", [EVIL, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}])
@pytest.mark.parametrize("message", [start("other"), "(PLAY m1 NIL)", "(STOP m1 NIL)", "(INFO)"])
def test_a_page_of_another_site_can_do_nothing(headers: dict[str, str], message: str) -> None:
    table = Table()
    table.ask(start())
    client = client_of(table)
    for method, path, body in (("POST", "/", message), ("GET", f"/{message}", "")):
        if message == "(INFO)" and method == "GET":
            continue
        response = client.open(path, method=method, data=body, headers={**BROWSER, **headers})
        assert (response.status_code, response.text) == (403, "what")
        assert "Access-Control-Allow-Origin" not in response.headers
    assert len(table.sessions) == 1
    assert table.session.told == ["start white 2.5"]
    assert [match.id for match in table.protocol.matches()] == ["m1"]


def test_an_image_of_a_page_is_no_message() -> None:
    table = Table()
    table.ask(start())
    client = client_of(table)
    # Over plain HTTP, browsers do not say from which page the request for an image comes.
    assert client.get("/(STOP%20m1%20NIL)", headers=BROWSER).status_code == 403
    assert len(table.protocol.matches()) == 1
    for path in ("/", "/info", "/%28INFO%29"):  # what a person types
        assert client.get(path, headers=BROWSER).text == INFO
    assert client.get("/(STOP%20m1%20NIL)").text == "done"  # a program


@pytest.mark.parametrize("host", ["evil.com", "evil.com:9147", "", "<> /"])
def test_a_name_that_points_here_is_not_answered(host: str) -> None:
    client = client_of(Table())
    for path in ("/", "/status", "/metrics"):
        assert client.get(path, headers={"Host": host}).text == "what"
    assert client.post("/", data="(INFO)", headers={"Host": host}).status_code == 403
    every = client_of(Table(), origins=Origins.open(host="127.0.0.1", allowed_hosts=["*"]))
    assert every.post("/", data="(INFO)", headers={"Host": host}).text == INFO


@pytest.mark.parametrize(
    ("allowed", "answered"), [("https://ggp.org", "https://ggp.org"), ("*", "*")]
)
def test_the_operator_may_let_a_site_send_messages(allowed: str, answered: str) -> None:
    client = client_of(Table(), origins=Origins.open(host="127.0.0.1", allowed_origins=[allowed]))
    page = {**BROWSER, "Origin": "https://ggp.org", "Sec-Fetch-Site": "cross-site"}
    preflight = client.options("/", headers=page)
    assert (preflight.status_code, preflight.text) == (200, "")
    assert preflight.headers["Access-Control-Allow-Methods"] == "POST, GET, OPTIONS"
    allowed_headers = "Sender, Receiver, Content-Type, Accept"
    assert preflight.headers["Access-Control-Allow-Headers"] == allowed_headers
    assert preflight.headers["Access-Control-Max-Age"] == "86400"
    reply = client.post("/", data=start(), headers=page)
    assert reply.text == "ready"
    for response in (preflight, reply):
        assert response.headers["Access-Control-Allow-Origin"] == answered
        assert response.headers["Vary"] == "Origin"
    other = client.post("/", data="(INFO)", headers={**BROWSER, "Origin": "http://ggp.org"})
    assert other.status_code == (200 if allowed == "*" else 403)


# Peers


@pytest.mark.parametrize("path", ["/status", "/metrics"])
def test_the_pages_are_for_this_machine(path: str) -> None:
    client = client_of(Table())
    for here in ("127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"):
        assert client.get(path, **address(here)).status_code == 200
    assert client.get(path, **address("192.0.2.7", local="192.0.2.7")).status_code == 200
    refused = client.get(path, **address("192.0.2.8", local="192.0.2.7"))
    assert (refused.status_code, refused.text) == (403, "what")
    assert "ggp_refused_total 1.0" in client.get("/metrics").text.splitlines()
    peers = Peers.open(readers=["192.0.2.0/24", "2001:db8::1"])
    open_client = client_of(Table(), peers=peers)
    for reader in ("192.0.2.8", "2001:db8::1", "127.0.0.1"):
        assert open_client.get(path, **address(reader)).status_code == 200
    for stranger in ("198.51.100.1", "2001:db8::2", ""):
        assert open_client.get(path, **address(stranger)).status_code == 403


def test_a_match_is_ended_from_where_it_was_started() -> None:
    table = Table()
    client = client_of(table)
    assert client.post("/", data=start(), **address("192.0.2.1")).text == "ready"
    for stranger in ("192.0.2.2", "127.0.0.1"):
        assert client.post("/", data="(STOP m1 NIL)", **address(stranger)).text == "done"
        assert client.post("/", data="(PLAY m1 NIL)", **address(stranger)).text == "what"
    assert client.post("/", data="(PLAY m1 NIL)", **address("192.0.2.1")).text == "(choose 0)"
    assert [match.peer for match in table.protocol.matches()] == ["192.0.2.1"]


def test_only_the_managers_that_the_operator_names_may_send_messages() -> None:
    peers = Peers.open(managers=["192.0.2.0/28"])
    table = Table()
    client = client_of(table, peers=peers)
    assert client.post("/", data=start(), **address("192.0.2.1")).text == "ready"
    # The manager has several addresses.
    assert client.post("/", data="(PLAY m1 NIL)", **address("192.0.2.9")).text == "(choose 0)"
    refused = client.post("/", data="(INFO)", **address("192.0.2.200"))
    assert (refused.status_code, refused.text) == (403, "what")
    assert client.post("/", data="(INFO)", **address("127.0.0.1")).text == INFO
    assert client.post("/", data="(STOP m1 NIL)", **address("192.0.2.2")).text == "done"
    assert not table.protocol.matches()


@pytest.mark.parametrize(
    ("one", "local", "peer"),
    [
        ("127.0.0.1", "", HERE),
        ("::1", "", HERE),
        ("10.0.0.7", "10.0.0.7", HERE),
        ("::ffff:10.0.0.7", "10.0.0.7", HERE),
        ("10.0.0.8", "10.0.0.7", "10.0.0.8"),
        ("::ffff:10.0.0.8", "10.0.0.7", "10.0.0.8"),
        ("2001:db8::1:2:3:4", "", "2001:db8::/64"),
        ("2001:db8::5:6:7:8", "", "2001:db8::/64"),
        ("fe80::1%eth0", "", "fe80::/64"),
        ("", "", ""),
    ],
)
def test_a_peer_is_a_machine_or_a_network_of_ipv6(one: str, local: str, peer: str) -> None:
    assert Peers().peer(one, local=local) == peer


@pytest.mark.parametrize("text", ["games.example.org", "192.0.2.0/33", "", "192.0.2.1:80"])
def test_what_is_no_network_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is no address or network, such as 192\.0\.2\.7"):
        Peers.open(managers=[text])
