"""Asks a chat-completions server, as many programs that serve language models offer one."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Coroutine, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from ggp.deadline import Deadline, TimeUp
from ggp.errors import PlayerError
from ggp.printable import printable

if TYPE_CHECKING:
    import httpx

__all__ = ["Chat", "ChatError", "Message"]

#: `role` ("system", "user" or "assistant") and `content`.
Message: TypeAlias = Mapping[str, str]

T = TypeVar("T")

_ENDPOINT = "/chat/completions"
# The longest answer that is read, in bytes, and the longest part of an error that is shown.
_MOST, _SHOWN = 4_000_000, 200
# Seconds between two checks whether the deadline is over.
_TICK = 0.05
# What a header can carry.
_SECRET = re.compile(r"[\x21-\x7e]*")


class ChatError(PlayerError):
    """The server did not answer, or not with a completion; the message says why, in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A model on a server.

    An answer is read up to a limit of size and not beyond the deadline, however slowly it comes.
    Redirects are not followed: the secret goes to the server that the user named, and to no other.

    Raises:
        PlayerError: the address or the secret is none.
        ModuleNotFoundError: httpx is not installed.
    """

    #: The address of its interface, with or without ``/chat/completions``.
    url: str
    #: The name of the model; not sent if it is empty.
    model: str = ""
    #: A secret that is sent as a bearer token; none if it is empty.
    key: str = field(default="", repr=False)
    temperature: float = 0.0
    #: How long an answer may become.
    max_tokens: int = 1000

    def __post_init__(self) -> None:
        import httpx

        try:
            url = httpx.URL(self.url)
        except (httpx.InvalidURL, ValueError) as error:
            raise PlayerError(f"url is no address: {error}") from None
        if url.scheme not in ("http", "https") or not url.host:
            raise PlayerError(f"url is an address such as http://127.0.0.1:8080/v1, not {self.url}")
        if url.userinfo:
            raise PlayerError("url holds a secret, which records would show; use key instead")
        if not _SECRET.fullmatch(self.key):
            raise PlayerError("the secret has a blank, a line end, or a letter that is not ASCII")

    def load(self) -> None:
        """Load what sends requests, which takes a good part of a short clock."""
        import httpx

        # A proxy in the environment may be none; `answer` says so.
        with suppress(ImportError, ValueError, httpx.InvalidURL):
            self._client()

    def answer(self, messages: Sequence[Message], deadline: Deadline) -> str:
        """Return what the model says next.

        Raises:
            ChatError: the server cannot be reached, is late, or answers with an error.
        """
        import httpx

        fields: dict[str, Any] = {
            "messages": list(messages),
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        if self.model:
            fields["model"] = self.model
        try:
            body = _finished(self._post(json.dumps(fields).encode()), deadline)
        except TimeUp:
            raise ChatError(f"no answer from {self.url}: it did not come in time") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError, ImportError) as error:
            reason = str(error) or type(error).__name__
            raise ChatError(f"no answer from {self.url}: {self._shown(reason)}") from None
        return self._content(body)

    @property
    def _endpoint(self) -> httpx.URL:
        import httpx

        url = httpx.URL(self.url)
        path = url.path.rstrip("/")
        return url.copy_with(path=path if path.endswith(_ENDPOINT) else path + _ENDPOINT)

    def _client(self) -> httpx.AsyncClient:
        import httpx

        return httpx.AsyncClient(
            timeout=None,  # the deadline ends each request
            follow_redirects=False,
            # Otherwise no certificates are loaded, which takes long.
            verify=self._endpoint.scheme == "https",
        )

    async def _post(self, content: bytes) -> bytes:
        """Return the body of the answer. Raises `ChatError`, `httpx.HTTPError`, `OSError`."""
        # What is not compressed has the size that it seems to have.
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity"}
        if self.key:
            headers["Authorization"] = f"Bearer {self.key}"
        async with (
            self._client() as client,
            client.stream("POST", self._endpoint, content=content, headers=headers) as response,
        ):
            if response.has_redirect_location:
                where = self._shown(response.headers["Location"])
                raise ChatError(
                    f"the server redirects to {where}; if that is right, give it as url"
                )
            is_error = not response.is_success
            body = await _read(response, _SHOWN if is_error else _MOST + 1)
            if is_error:
                told = f"{response.reason_phrase}: ".encode() + body
                raise ChatError(f"the server answers {response.status_code} {self._shown(told)}")
            if len(body) > _MOST:
                raise ChatError(f"the server's answer has more than {_MOST:,} bytes")
            if response.headers.get("Content-Encoding", "identity") != "identity":
                raise ChatError("the server's answer is compressed, though that was not asked for")
        return body

    def _content(self, body: bytes) -> str:
        """Return the text of the first choice. Raises `ChatError`."""
        try:
            content = json.loads(body)["choices"][0]["message"]["content"]
            if not isinstance(content, str | None):
                raise TypeError
        except (ValueError, LookupError, TypeError, RecursionError):
            shown = self._shown(body)
            raise ChatError(f"the server's answer is no chat completion: {shown}") from None
        return content or ""

    def _shown(self, said: bytes | str) -> str:
        """Return the start of what a server said, in one line and without the secret."""
        text = said if isinstance(said, str) else said[: 2 * _SHOWN].decode(errors="replace")
        if self.key:
            text = text.replace(self.key, "***")
        return printable(" ".join(text.split()))[:_SHOWN]


async def _read(response: httpx.Response, most: int) -> bytes:
    """Return the body as it comes, cut off after some bytes."""
    body = bytearray()
    async for chunk in response.aiter_raw():
        body += chunk
        if len(body) >= most:
            break
    return bytes(body[:most])


def _finished(work: Coroutine[Any, Any, T], deadline: Deadline) -> T:
    """Return the result of a coroutine, which ends with the deadline. Raises `TimeUp`.

    It runs in a thread of its own, as the name of a server is looked up in a call that cannot be
    ended.
    """
    found: Future[T] = Future()

    def run() -> None:
        try:
            found.set_result(asyncio.run(_until(deadline, work)))
        except BaseException as error:
            found.set_exception(error)

    Thread(target=run, daemon=True, name="chat").start()
    deadline.wait(lambda seconds: wait([found], seconds).done)
    return found.result()


async def _until(deadline: Deadline, work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    while not task.done():
        if deadline.is_over:
            task.cancel()
            raise TimeUp
        await asyncio.wait([task], timeout=min(_TICK, deadline.remaining))
    return task.result()
