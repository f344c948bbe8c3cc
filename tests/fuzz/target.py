"""The targets of fuzzing: the way from bytes to an answer, with fake players."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

from waitress.adjustments import Adjustments

from ggp.kif import Source, parse_term
from ggp.server.http.request import Request
from ggp.server.messages import Abort, MessageEnd, Start, Stop, parse_message
from tests.server.fakes import RULES, SEES_EVERYTHING, Table, start

__all__ = ["SEEDS", "WORDS", "answer", "receive"]

_SEES = "(<= (sees white bell) (does black (choose 2)))"
_MOVES = "((choose 0) (choose 2))"

#: Messages from which others are made.
SEEDS = (
    b"(INFO)",
    b"info()",
    f"(PREVIEW ({RULES}) 10)".encode(),
    start("m2").encode(),
    start("m3", rules=RULES + SEES_EVERYTHING).encode(),
    start("m4", rules=RULES + _SEES).upper().encode(),
    b"(PLAY m1 NIL)",
    f"(PLAY m1 {_MOVES})".encode(),
    b"(PLAY m1 1 (choose 0) ((did black (choose 2)) (did white (choose 0))))",
    f"( STOP m1 {_MOVES} )".encode(),
    b"(STOP m1 3 noop (bell))",
    b"(ABORT m1)",
    "(PLAY m1 ((caf\u00e9 \u2192) ; comment\n |a b|))".encode(),
    b"POST / HTTP/1.0\r\nContent-Length: 6\r\n\r\n(INFO)",
    b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n(IN\r\n3\r\nFO)\r\n0\r\n\r\n",
    b"GET /%28INFO%29 HTTP/1.0\r\n\r\n",
)
#: Words that mean something to what is fuzzed.
WORDS = (
    *(b"(", b")", b"()", b" ", b";", b"\n", b"\x00", b"\xff", b"\xc3", b"\xe2\x80\xa8", b"|", b'"'),
    *(b"info", b"START", b"play", b"stop", b"abort", b"preview", b"NIL", b"nil", b"m1", b"m2"),
    *(b"?x", b"<=", b"role", b"sees", b"does", b"did", b"1", b"0", b"-1", b"1e9", b"nan", b"inf"),
    *(b"99999999999999999999", b"1_0", "\u0663".encode(), b"(" * 300, b")" * 300, b"x" * 3000),
    *(b"HTTP/1.1", b"Content-Length: ", b"\r\n\r\n", b"Transfer-Encoding: chunked", b"%28", b"+"),
)

_LONE = Adjustments(max_request_header_size=100_000, max_request_body_size=100_000)


def answer(data: bytes) -> None:
    """Send bytes as a message to a server in the middle of a match. Raises what goes wrong."""
    message = Source.decode(data).text
    parsed = parse_message(message)
    with _errors_raised():
        table = Table(max_matches=4)
        assert table.ask_all(start(), "(PLAY m1 NIL)") == ["ready", "(choose 0)"]
        for _ in range(2):  # the second is a repetition
            _check(table.ask(message))
        is_end = isinstance(parsed, Start | Stop | Abort) and parsed.match == "m1"
        if not is_end:
            assert len(table.protocol.matches()) in (1, 2)
            _check(table.ask(f"(PLAY m1 {_MOVES})"))
        table.protocol.close()
    assert all(session.is_closed for session in table.sessions)


def receive(data: bytes) -> None:
    """Let bytes arrive as a request over HTTP, in two pieces, and end. Raises what goes wrong."""
    request = Request(_LONE)
    middle = len(data) // 2
    for piece in (data[:middle], data[middle:]):
        if piece and not request.completed:
            assert request.received(piece) == len(piece)
    if not request.completed:
        request.finish()
    assert request.completed
    if request.error is None:
        SimpleNamespace(body=request.get_body_stream().read(), path=request.path)
    MessageEnd().feed(data)


def _check(reply: str) -> None:
    assert reply.isascii()
    assert reply.isprintable()
    parse_term(reply)


class _Raising(logging.Handler):
    """Raises the errors that the server has caught, answered and logged."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.exc_info[1]:
            raise record.exc_info[1]


@contextmanager
def _errors_raised() -> Iterator[None]:
    log, handler = logging.getLogger("ggp.server"), _Raising(logging.ERROR)
    log.addHandler(handler)
    log.propagate, before = False, log.propagate
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = before
