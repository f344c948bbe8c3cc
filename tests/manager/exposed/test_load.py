"""What one visitor sends, slowly or too much of it, stops the pages for no other one."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from threading import Event, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask, Response
from flask.testing import FlaskClient

from ggp.server.manager.manager import Manager
from ggp.server.manager.matches import MatchesFull
from ggp.server.manager.places import Full, Overloaded, Places, visitor
from ggp.server.manager.processes.analyses import Analyses
from ggp.server.manager.processes.guides import Guides
from ggp.server.manager.processes.questions import Draw, Subject
from ggp.server.manager.web.site import Site, _Queue

GET = b"GET /quick HTTP/1.1\r\nHost: localhost\r\n\r\n"


@contextmanager
def as_visitor(address: str) -> Iterator[None]:
    token = visitor.set(address)
    try:
        yield
    finally:
        visitor.reset(token)


# Places


def test_no_visitor_takes_all_places() -> None:
    places = Places(total=4, of_visitor=2, of_subject=4, subjects=4)
    with ExitStack() as stack:
        with as_visitor("10.0.0.1"):
            for _ in range(2):
                stack.enter_context(places.take("chess"))
            with pytest.raises(Overloaded, match="you ask for too much"), places.take("chess"):
                pass
        with as_visitor("10.0.0.2"):
            stack.enter_context(places.take("chess"))


def test_no_visitor_keeps_all_subjects_busy_and_no_subject_takes_all_places() -> None:
    places = Places(total=10, of_visitor=9, of_subject=2, subjects=2)
    with ExitStack() as stack:
        for subject in ("chess", "chess", "hex"):
            stack.enter_context(places.take(subject))
        with pytest.raises(Overloaded, match="about this game"), places.take("chess"):
            pass
        with pytest.raises(Overloaded, match="you ask for too much"), places.take("nim"):
            pass
    with places.take("nim"):  # all were given back
        pass


# Guides


class Busy:
    """A guide whose answers come when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, guides: Guides) -> None:
        self.asked: list[str] = []
        self.may_answer = Event()
        self.begun = Event()

        def answer(_guide: object, subject: Callable[[], Any], *asked: Any) -> dict[str, Any]:
            self.asked.append(repr(asked))
            self.begun.set()
            assert self.may_answer.wait(60)
            return {"ok": {"of": subject().text}}

        monkeypatch.setattr(guides, "_ask", answer)


def test_what_many_ask_at_once_is_worked_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    guides = Guides()
    busy = Busy(monkeypatch, guides)
    threads = [Thread(target=guides.ask, args=("nim", Subject, Draw())) for _ in range(5)]
    for thread in threads:
        thread.start()
    busy.may_answer.set()
    for thread in threads:
        thread.join()
    assert len(busy.asked) == 1


def test_a_guide_at_work_is_not_ended_for_another_game(monkeypatch: pytest.MonkeyPatch) -> None:
    guides = Guides(room=1)
    busy = Busy(monkeypatch, guides)
    found: list[Any] = []
    first = Thread(target=lambda: found.append(guides.ask("nim", Subject, Draw())))
    first.start()
    assert busy.begun.wait(60)
    with pytest.raises(Overloaded, match="all reasoners are busy"):
        guides.ask("chess", Subject, Draw())
    busy.may_answer.set()
    first.join()
    assert found == [{"of": None}]
    assert guides.ask("chess", Subject, Draw()) == {"of": None}  # it is idle now


@pytest.mark.timing
def test_pages_are_there_while_all_wait_for_one_guide(
    app: Flask, client: FlaskClient, shared: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy = Busy(monkeypatch, shared.guides)

    def draw(step: int) -> tuple[int, str | None, str]:
        told = {"facts": [f"(step {step})"]}
        reply = app.test_client().post("/api/games/nim/draw", json=told)
        return reply.status_code, reply.headers.get("Retry-After"), reply.text

    waiting = [Thread(target=draw, args=(step,)) for step in range(8)]
    for thread in waiting:
        thread.start()
    until(lambda: len(shared.places._taken) == len(waiting))
    # The next one is not kept waiting, and other pages are as they were.
    assert draw(8) == (
        503,
        "1",
        '{"error":"too many questions about this game at once; try again in a moment"}\n',
    )
    assert client.get("/games/nim").status_code == 200
    assert client.get("/").status_code == 200
    busy.may_answer.set()
    for thread in waiting:
        thread.join()


# What lasts


def test_a_visitor_leaves_analyses_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.server.manager.processes.analyses.Child", Silent)
    analyses = Analyses()
    task = {"kind": "perft", "seconds": 60.0}
    with as_visitor("10.0.0.1"):
        for _ in range(3):
            analyses.begin(task)
        with pytest.raises(Full, match="stop one first"):
            analyses.begin(task)
    with as_visitor("10.0.0.2"):
        analyses.begin(task)
    analyses.close()


class Silent:
    """A process that says nothing."""

    is_running = True

    def __init__(self, *_: object, **__: object) -> None:
        pass

    def send(self, message: object) -> None:
        pass

    def close(self) -> None:
        pass

    def join(self) -> None:
        pass


def test_a_visitor_leaves_matches_to_others(
    manager: Manager, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.server.manager.match.Child", Silent)
    matches, game = manager.matches, manager.games.find("nim")
    assert game is not None

    def begin() -> None:
        matches.begin(game, [], start_clock=1, play_clock=1, humans_take_time=False)

    with as_visitor("10.0.0.1"):
        for _ in range(8):
            begin()
        with pytest.raises(MatchesFull, match="8 matches are being played; end one of them first"):
            begin()
    with as_visitor("10.0.0.2"):
        for _ in range(4):
            begin()
        with pytest.raises(MatchesFull, match="12 matches"):
            begin()


# Connections


@contextmanager
def served(*, threads: int | None = None, **limits: Any) -> Iterator[Site]:
    """A site whose pages are quick, large, endless or not there, with limits of its own."""
    app, may_answer = Flask("test"), Event()
    app.config["MAX_CONTENT_LENGTH"] = 100_000

    @app.get("/quick")
    def quick() -> str:
        return "quick"

    @app.get("/large")
    def large() -> bytes:
        return b"x" * 8_000_000

    @app.get("/slow")
    def slow() -> str:
        may_answer.wait(60)
        return "slow"

    @app.get("/stream")
    def stream() -> Response:
        return Response(b"x" * 1_000_000 for _ in range(100))

    with Site(app, host="127.0.0.1", port=0) as site:
        site._server.limits = replace(site._server.limits, **limits)
        if threads is not None:
            site._threads.set_thread_count(threads)
            until(lambda: len(site._threads.threads) == threads)
        thread = Thread(target=site.run)
        thread.start()
        try:
            yield site
        finally:
            may_answer.set()
            site.stop()
            thread.join()


def fetched(site: Site, path: str = "/quick") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
    try:
        connection.request("GET", path)
        reply = connection.getresponse()
        return reply.status, reply.read()
    finally:
        connection.close()


def connected(site: Site, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", site.port), timeout=30)
    connection.sendall(sent)
    return connection


def received(connection: socket.socket) -> bytes:
    """Read to the end of the stream."""
    found = b""
    while data := connection.recv(1 << 16):
        found += data
    return found


def until(happens: Callable[[], bool]) -> None:
    """Wait for something that happens soon, on any machine."""
    due = time.monotonic() + 60
    while not happens():
        assert time.monotonic() < due
        time.sleep(0.01)


QUICK = (200, b"quick")


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTT", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]
)
def test_those_who_send_slowly_make_room(sent: bytes) -> None:
    with served(waiting=4, connections=8) as site, ExitStack() as stack:
        for _ in range(12):
            stack.enter_context(connected(site, sent))
        assert fetched(site) == QUICK


def test_those_who_do_not_read_make_room() -> None:
    with served(waiting=4, connections=8) as site, ExitStack() as stack:
        for _ in range(12):
            ask = GET.replace(b"quick", b"large")
            stack.enter_context(connected(site, ask))
        assert fetched(site) == QUICK


@pytest.mark.long
def test_those_who_do_not_read_a_stream_keep_no_thread() -> None:
    with served(threads=2, unread=0.2) as site, ExitStack() as stack:
        for _ in range(4):
            ask = GET.replace(b"quick", b"stream")
            stack.enter_context(connected(site, ask))
        assert fetched(site) == QUICK


def test_requests_behind_another_wait_for_no_thread() -> None:
    """Such as hundreds of requests in one packet, whose replies the client does not read."""
    with served() as site, connected(site, GET * 3) as connection:
        told = received(connection)
        assert told.count(b"HTTP/1.1 200 OK") == 1
        assert b"Connection: close" in told


@pytest.mark.parametrize("arrives", ["silence", "arrival"])
def test_a_request_that_does_not_arrive_is_answered(arrives: str) -> None:
    limits: dict[str, Any] = {arrives: 0.2}
    with served(**limits) as site, connected(site, b"GET / HTTP/1.1\r\nX: y") as slow:
        assert received(slow).startswith(b"HTTP/1.0 408 Request Timeout\r\n")


def test_a_body_that_is_too_large_is_answered_though_it_was_sent_first() -> None:
    with served() as site, connected(site) as connection:
        head = b"POST /quick HTTP/1.1\r\nHost: x\r\nContent-Length: 20000000\r\n\r\n"
        connection.sendall(head + b"x" * 20_000_000)
        told = received(connection)
    assert told.startswith(b"HTTP/1.1 413 ")
    assert told.endswith(b"a request may have 100,000 bytes\n")


def test_bodies_that_have_not_arrived_take_little_room() -> None:
    head = b"POST /quick HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n"
    with served(bodies=100_000) as site, ExitStack() as stack:
        first, *others = (stack.enter_context(connected(site, head)) for _ in range(3))
        first.sendall(b"x" * 80_000)
        for each in others:
            each.sendall(b"x" * 40_000)
        assert first.recv(1) == b""  # the largest was closed
        assert fetched(site) == QUICK


def test_too_many_requests_are_refused_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.server.manager.web.site._MAX_QUEUE", 1)
    with served(threads=1) as site, ExitStack() as stack:
        stack.enter_context(connected(site, GET.replace(b"quick", b"slow")))
        until(lambda: site._threads.active_count == 1)
        stack.enter_context(connected(site, GET))
        until(lambda: bool(site._threads.queue))
        status, told = fetched(site)
        assert (status, b"too many requests" in told) == (503, True)


def test_each_client_has_its_turn() -> None:
    queue = _Queue()
    for client in "aaab":
        queue.append(SimpleNamespace(client=client))  # type: ignore[arg-type]
    assert [queue.popleft().client for _ in range(len(queue))] == ["a", "b", "a", "a"]
