"""The server on real sockets, with the requests of managers and with invalid ones."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from urllib.parse import quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st
from waitress.adjustments import Adjustments
from waitress.utilities import RequestHeaderFieldsTooLarge

from ggp.kif import parse_term
from ggp.server.http.request import Request
from tests.server.conftest import Serve, serving
from tests.server.fakes import RULES, FakeSession, patient, start
from tests.server.sockets import PATIENCE, HttpReply, dresden, exchange, ggp_base, old_ggp_base

AVAILABLE = "((name fake) (status available))"


@pytest.fixture
def port(serve: Serve) -> int:
    return int(serve(FakeSession).effective_port)


def check_reply(reply: HttpReply) -> None:
    """Check what holds for every reply except that to OPTIONS."""
    assert reply.status.endswith(" 200 OK")
    assert reply.headers["content-type"] == "text/acl"
    assert reply.headers["content-length"] == str(len(reply.body))
    assert reply.headers["connection"].lower() == "close"
    assert "access-control-allow-origin" not in reply.headers
    assert reply.body.isprintable()
    parse_term(reply.body)


MATCH = [
    ("( INFO )", AVAILABLE),
    (f"( START Match.1 white ({RULES} ) 10 5)", "ready"),
    ("( PLAY Match.1 NIL )", "(choose 0)"),
    ("( PLAY Match.1 ((choose 0) (choose 2) ) )", "(choose 1)"),
    ("( STOP Match.1 ((choose 1) (choose 2) ) )", "done"),
]


@pytest.mark.parametrize("write", [ggp_base, old_ggp_base])
def test_a_match_as_ggp_base_writes_it(port: int, write: Callable[[str], bytes]) -> None:
    for message, body in MATCH:
        reply = exchange(port, write(message))
        check_reply(reply)
        assert reply.body == body


def test_a_match_as_dresden_writes_it(port: int) -> None:
    for message, body in MATCH:
        reply = exchange(port, dresden(message.upper().replace("MATCH.1", "Match.1")))
        check_reply(reply)
        assert reply.body == body


def test_the_headers_of_the_tiltyard_are_logged(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, logger="ggp.server")
    more = "GGP-Match-ID: tiltyard.7\r\nGGP-Match-Step: 12\r\n"
    assert exchange(port, ggp_base("( PLAY tiltyard.7 NIL )", more=more)).body == "what"
    assert "verb='play' match='tiltyard.7'" in caplog.text
    assert "ggp-match-id='tiltyard.7' ggp-match-step='12'" in caplog.text


@pytest.mark.parametrize(
    "request_line",
    [
        f"GET /{quote_plus('( INFO )')} HTTP/1.0",
        "GET /( INFO ) HTTP/1.0",
        "GET /?%28INFO%29 HTTP/1.1",
        "GET /?message=%28INFO%29 HTTP/1.1",
        "GET http://somewhere:9147/%28INFO%29 HTTP/1.1",
        "GET /info HTTP/1.1",
        "GET / HTTP/1.1",
    ],
)
def test_a_message_may_come_in_the_path_of_a_get(port: int, request_line: str) -> None:
    reply = exchange(port, f"{request_line}\r\nAccept: text/delim\r\n\r\n\r\n".encode())
    check_reply(reply)
    assert reply.body == AVAILABLE


def test_a_whole_match_by_get(port: int) -> None:
    for message, body in MATCH:
        request = f"GET /{quote_plus(message)} HTTP/1.0\r\nReceiver: X\r\n\r\n\r\n"
        assert exchange(port, request.encode()).body == body


@pytest.mark.parametrize("path", ["/", "/player", "//a//b/", "/a?b=c"])
@pytest.mark.parametrize(
    "headers",
    ["", "Host: localhost\r\nConnection: keep-alive\r\n", "Content-Type: a b c\r\n"],
)
@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_any_path_and_headers_will_do(port: int, path: str, headers: str, version: str) -> None:
    request = f"POST {path} HTTP/{version}\r\n{headers}Content-Length: 6\r\n\r\n(INFO)"
    reply = exchange(port, request.encode())
    check_reply(reply)
    assert reply.body == AVAILABLE


# Web pages and strangers: tests/server/access has more


def test_a_page_of_another_site_is_refused(port: int) -> None:
    page = "Host: 127.0.0.1:9147\r\nOrigin: http://evil.com\r\n"
    for method in ("POST", "OPTIONS"):
        reply = exchange(port, f"{method} / HTTP/1.1\r\n{page}\r\n(INFO)".encode())
        assert reply.status == "HTTP/1.1 403 FORBIDDEN"
        assert "access-control-allow-origin" not in reply.headers
        assert reply.body == "what"


# Wrong lengths


@pytest.mark.parametrize("length", ["Content-Length: 3\r\n", "Content-Length: 4000\r\n", ""])
@pytest.mark.parametrize("half_close", [False, True])
def test_a_message_is_understood_in_spite_of_a_wrong_length(
    port: int, length: str, half_close: bool
) -> None:
    request = f"POST / HTTP/1.0\r\n{length}\r\n(INFO)"
    reply = exchange(port, request.encode(), half_close=half_close)
    check_reply(reply)
    assert reply.body == AVAILABLE


def test_a_length_may_be_counted_in_characters(port: int) -> None:
    message = start(rules=RULES + "(name caf\u00e9 \u2192)")
    reply = exchange(port, ggp_base(message))
    assert reply.body == "ready"


def test_a_message_may_come_in_many_pieces(port: int) -> None:
    request = ggp_base(start())
    assert exchange(port, *(request[i : i + 7] for i in range(0, len(request), 7))).body == "ready"


def test_a_chunked_message_is_understood(port: int) -> None:
    request = (
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(IN\r\n3\r\nFO)\r\n0\r\n\r\n"
    )
    assert exchange(port, request).body == AVAILABLE


# What is no message


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"garbage\r\n\r\n",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\r\n\r\n",  # a client that tries HTTPS
        b"POST / HTTP/1.0\r\nContent-Length: six\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: -6\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 99999999999\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nContent-Length: 0\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: 4\r\n\r\n(INF",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n(INFO)\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n(INFO)",
        b"POST / HTTP/1.0\r\nno header\r\n\r\n(INFO)",
        b"POST / HTTP/9.9\r\nContent-Length: 7\r\n\r\n(DANCE)",
        b"post / http/1.0\r\n\r\n",
        b"DELETE /match HTTP/1.1\r\n\r\n",
        b"PUT / HTTP/1.1\r\nContent-Length: 2\r\n\r\n()",
        b"GET /favicon.ico HTTP/1.1\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\n\r\n",
        b"GET /%ff%00%0a HTTP/1.1\r\n\r\n",
        b" \r\n\r\n",
    ],
)
def test_text_that_is_not_a_message_is_answered_by_one_word(
    port: int, request_bytes: bytes
) -> None:
    reply = exchange(port, request_bytes)
    check_reply(reply)
    assert reply.body == "what"
    assert exchange(port, ggp_base("( INFO )")).body == AVAILABLE


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n(PLAY m",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n(PLAY",
        b"POST / HTTP/1.0\r\n\r\n",
        b"POST / HTTP/1.0\r\nConte",
        b"\x00",
        b"\r\n",
    ],
)
def test_half_a_request_is_answered_when_its_end_is_closed(port: int, request_bytes: bytes) -> None:
    reply = exchange(port, request_bytes, half_close=True)
    check_reply(reply)
    assert reply.body == "what"


@pytest.mark.long
@pytest.mark.parametrize(
    ("request_bytes", "body"),
    [
        (b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n(PLAY m", "what"),
        (b"POST / HTTP/1.0\r\nConte", "what"),
        (b"GET /%28INFO%29 HTTP/1.0\nAccept: text/delim\n", AVAILABLE),  # the ggp-base of 2010
    ],
)
def test_half_a_request_is_answered_when_nothing_more_comes(
    port: int, request_bytes: bytes, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.server.http.server._MAX_SILENCE", 0.1)
    reply = exchange(port, request_bytes)
    check_reply(reply)
    assert reply.body == body


def test_a_megabyte_of_parentheses_is_answered(port: int) -> None:
    reply = exchange(port, ggp_base("(" * 1_000_000))
    check_reply(reply)
    assert reply.body == "what"


def test_a_message_that_is_too_large_is_answered(port: int) -> None:
    reply = exchange(port, ggp_base("(START " + "x" * 11_000_000 + ")"))
    check_reply(reply)
    assert reply.body == "what"


def test_headers_without_end_are_answered(port: int) -> None:
    reply = exchange(port, b"POST / HTTP/1.0\r\n", b"X: y\r\n" * 400_000)
    check_reply(reply)
    assert reply.body == "what"


def test_headers_of_more_than_64_kib_are_not_parsed() -> None:
    def read(lines: int) -> Request:
        request = Request(Adjustments(max_request_header_size=2_000_000))
        request.received(b"POST /" + b"x" * 100_000 + b" HTTP/1.0\r\n")
        request.received(b"X: y\r\n" * lines + b"\r\n(INFO)")
        return request

    assert read(10_000).error is None
    error = read(12_000).error  # one that is repeated takes quadratic time
    assert isinstance(error, RequestHeaderFieldsTooLarge)


@given(st.binary(min_size=1) | st.text("()\r\n: GETPOST/HTTP1.0Content-Length", min_size=1))
def test_any_bytes_get_one_line_of_kif(junk: bytes | str) -> None:
    data = junk if isinstance(junk, bytes) else junk.encode()
    with serving(FakeSession) as server:
        check_reply(exchange(int(server.effective_port), data, half_close=True))


def test_a_client_that_sends_nothing_gets_nothing(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""


def test_a_client_that_leaves_early_disturbs_no_other(port: int) -> None:
    for message in (start(), "(PLAY m1 NIL)"):
        socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
            connection.sendall(ggp_base("(" * 100_000))
        exchange(port, ggp_base(message))
    assert exchange(port, ggp_base("(PLAY m1 ((choose 0) (choose 2)))")).body == "(choose 1)"


# While players think


def test_info_is_answered_at_once_while_many_players_think(serve: Serve) -> None:
    release = Event()
    thinking = [FakeSession() for _ in range(20)]
    opened = iter(thinking)
    port = int(serve(lambda: next(opened)).effective_port)
    for number, session in enumerate(thinking):
        assert exchange(port, ggp_base(start(f"m{number}", clocks="10 600"))).body == "ready"
        session.thinks = patient(release)
    with ThreadPoolExecutor(20) as pool:
        plays = [
            pool.submit(exchange, port, ggp_base(f"(PLAY m{number} NIL)")) for number in range(20)
        ]
        while any(session.turn < 0 for session in thinking):
            time.sleep(0.01)
        assert exchange(port, ggp_base("( INFO )")).body == AVAILABLE
        assert not any(play.done() for play in plays)
        release.set()
    assert [play.result().body for play in plays] == ["(choose 0)"] * 20


class Stubborn(FakeSession):
    """Prepares until it is closed."""

    def close(self) -> None:
        self.clocks[-1].cancel()


def test_a_server_that_stops_does_not_wait_for_its_players() -> None:
    session = Stubborn(thinks=patient(Event()))
    with ThreadPoolExecutor(1) as pool, serving(lambda: session) as server:
        pool.submit(exchange, int(server.effective_port), ggp_base(start(clocks="600 600")))
        while not session.told:
            time.sleep(0.01)
    assert session.clocks[-1].is_over
