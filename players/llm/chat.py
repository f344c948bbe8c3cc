"""Asks a chat-completions server, as many programs that serve language models offer one."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from ggp.deadline import Deadline
from ggp.errors import PlayerError

__all__ = ["Chat", "ChatError", "Message"]

#: `role` ("system", "user" or "assistant") and `content`.
Message: TypeAlias = Mapping[str, str]

_ENDPOINT = "/chat/completions"
# The longest answer that is read, in bytes, and the longest part of an error that is shown.
_MOST, _SHOWN = 4_000_000, 200
# A server is never given less time, in seconds.
_LEAST = 0.05


class ChatError(PlayerError):
    """The server did not answer, or not with a completion; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A model on a server."""

    #: The address of its interface, with or without ``/chat/completions``.
    url: str
    #: The name of the model; not sent if it is empty.
    model: str = ""
    #: A secret that is sent as a bearer token; none if it is empty.
    key: str = ""
    temperature: float = 0.0
    #: How long an answer may become.
    max_tokens: int = 1000

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise PlayerError(f"url is an address such as http://127.0.0.1:8080/v1, not {self.url}")

    def answer(self, messages: Sequence[Message], deadline: Deadline) -> str:
        """Return what the model says next.

        Raises:
            ChatError: the server cannot be reached, is late, or answers with an error.
        """
        fields: dict[str, Any] = {
            "messages": list(messages),
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
        }
        if self.model:
            fields["model"] = self.model
        request = urllib.request.Request(
            self.url if self.url.endswith(_ENDPOINT) else self.url.rstrip("/") + _ENDPOINT,
            data=json.dumps(fields).encode(),
            headers={"Content-Type": "application/json", "Accept": "application/json"},
        )
        if self.key:
            request.add_header("Authorization", f"Bearer {self.key}")
        seconds = max(_LEAST, min(deadline.remaining, 1e6))
        try:
            with urllib.request.urlopen(request, timeout=seconds) as response:
                return _content(response.read(_MOST))
        except urllib.error.HTTPError as error:
            said = error.read(_SHOWN).decode(errors="replace").strip()
            raise ChatError(f"the server answers {error.code} {error.reason}: {said}") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "reason", error)
            raise ChatError(f"no answer from {self.url}: {reason}") from None


def _content(body: bytes) -> str:
    """Return the text of the first choice. Raises `ChatError`."""
    try:
        content = json.loads(body)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        start = body[:_SHOWN].decode(errors="replace")
        raise ChatError(f"the server's answer is no chat completion: {start}") from None
    return str(content or "")
