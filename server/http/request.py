"""One HTTP request while it arrives: waitress's parser, adapted to game managers.

Older managers end lines with LF, count Content-Length in characters, and do not encode the spaces
in a GET. So a message ends where its parentheses do, whatever the headers say.
"""

from __future__ import annotations

import re
from io import BytesIO

from waitress.parser import HTTPRequestParser
from waitress.utilities import BadRequest, RequestHeaderFieldsTooLarge

from ggp.server.messages import MessageEnd

__all__ = ["Request"]

#: Bytes of the headers after the request line, which may hold a message. Waitress takes quadratic
#: time for a header that is repeated.
_MAX_FIELDS = 1 << 16

_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LINE_END = re.compile(rb"\r?\n")
#: A message in the request line, whose spaces should have been encoded.
_GET = re.compile(rb"(?<=GET /)[^\r\n]*(?= HTTP/)")
#: What is answered at once: these messages, and the pages.
_BRIEF = re.compile(rb"[\s(/]*((info|ping|stop|abort|status|metrics)\b|/\?$)", re.I)
#: What needs no player and no match.
_INFO = re.compile(rb"[\s(]*(info|ping)[\s)]*", re.I)
_PEEK = 100
#: The continuation bytes of UTF-8, which begin no character.
_CONTINUATION = bytes(range(0x80, 0xC0))


class _Body:
    """The body of a request while it arrives; a receiver, in the words of waitress."""

    error = None

    def __init__(self, length: int | None) -> None:
        self._length = length
        self._data = bytearray()
        self._end = MessageEnd()
        self._characters = 0
        self.completed = False

    def received(self, data: bytes) -> int:
        self._data += data
        self._characters += len(data.translate(None, _CONTINUATION))
        is_counted = self._length is not None and self._characters >= self._length
        self.completed = self._end.feed(data) or is_counted
        return len(data)

    def __len__(self) -> int:
        return len(self._data)

    def getfile(self) -> BytesIO:
        return BytesIO(self._data)

    def getbuf(self) -> BytesIO:
        return BytesIO()


class Request(HTTPRequestParser):  # type: ignore[misc] # waitress has no types
    """A request while it arrives, the only one of its connection."""

    path = ""
    empty: bool
    completed: bool

    def __init__(self, adj: object) -> None:
        super().__init__(adj)
        self._head = bytearray()

    def received(self, data: bytes) -> int:
        """Accept bytes; all of them belong to this request."""
        try:
            if self.headers_finished:
                super().received(data)
            else:
                self._receive_head(data)
        except Exception as error:  # such as a URL that urllib refuses
            self.error = BadRequest(repr(error))
        if self.empty:
            self.empty, self.error = False, BadRequest("no request")
        self.completed = self.completed or self.error is not None
        return len(data)

    @property
    def is_brief(self) -> bool:
        """Whether the request is surely answered at once, since it asks for no move."""
        return self.error is not None or _BRIEF.match(self._start()) is not None

    @property
    def is_info(self) -> bool:
        """Whether the request is a message that asks whether the player is there."""
        if self.error is not None or self.command != "POST" or self.body_bytes_received > _PEEK:
            return False
        return _INFO.fullmatch(self._start()) is not None

    @property
    def size(self) -> int:
        """The number of bytes that have arrived."""
        return len(self._head) + int(self.body_bytes_received)

    def _start(self) -> bytes:
        """Return the beginning of the message, or of the address that stands for one."""
        if self.command != "POST":
            return f"{self.path}?{self.query}"[:_PEEK].encode("latin-1", "replace")
        stream = self.get_body_stream()
        start: bytes = stream.read(_PEEK)
        stream.seek(0)
        return start

    def _receive_head(self, data: bytes) -> None:
        searched = max(0, len(self._head) - 3)
        self._head += data if self._head else data.lstrip(b"\r\n")
        end = _BLANK_LINE.search(self._head, searched)
        length = end.end() if end else len(self._head)
        line = self._head.find(b"\n", 0, length)
        if line >= 0 and length - line > _MAX_FIELDS:
            self.error = RequestHeaderFieldsTooLarge(f"exceeds {_MAX_FIELDS} bytes")
        elif end:
            head = _LINE_END.sub(b"\r\n", self._head[:length])
            super().received(_GET.sub(lambda path: path[0].replace(b" ", b"+"), head, count=1))
            if not self.completed and length < len(self._head):
                super().received(bytes(self._head[length:]))
            del self._head[:]
        elif length >= self.adj.max_request_header_size:
            super().received(bytes(self._head))

    def finish(self) -> None:
        """End the request with what has arrived."""
        if not self.headers_finished:
            self.received(b"\r\n\r\n")
        if not self.headers_finished:
            self.error = BadRequest("nothing but blank lines")
        self.completed = True

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the request line and the headers, and prepare for the body."""
        try:
            super().parse_header(header_plus)
        finally:
            self.headers["CONNECTION"] = "close"
        if self.command == "POST" and not self.chunked:
            is_counted = "CONTENT_LENGTH" in self.headers
            if self.content_length or not is_counted:
                self.body_rcv = _Body(self.content_length if is_counted else None)
