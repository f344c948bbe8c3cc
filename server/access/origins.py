"""Which web pages may send requests to a server on this machine.

A browser sends what a page of any site asks it to send, and can reach servers that the site cannot.
Two checks, the same for the player server and the match manager, refuse these requests:

- A request that changes something must not come from a page of another site. Browsers name the
  site in `Origin`, or say in `Sec-Fetch-Site` that it is another one.
- The `Host` must name this machine. A site can let its own name point to this machine (DNS
  rebinding), and the browser then takes the pages of the server for pages of the site.

Programs such as game managers send neither `Origin` nor `Sec-Fetch-Site`, and some send no `Host`.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from werkzeug.datastructures import Headers

__all__ = ["ANY", "LOOPBACK", "Origins", "parse_host", "parse_origin"]

#: In place of a host or an origin: any of them.
ANY = "*"
#: The names of this machine in its own network of one.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})

_HOST = re.compile(r"(?P<name>\[[0-9a-f:.%]+\]|[a-z0-9._-]+)(:[0-9]*)?", re.I)
_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]+)?", re.I)
#: What the `User-Agent` of every browser begins with, for reasons of history.
_BROWSER = "mozilla/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origins:
    """The names that a server answers to, and the sites whose pages may change something.

    An IP address is always answered to, since no site can have one for its name.
    """

    #: Names in lower case, or `ANY`.
    hosts: frozenset[str]
    #: Origins in lower case such as ``https://ggp.org``, ``null`` for pages without one, or `ANY`.
    origins: frozenset[str] = frozenset()

    @classmethod
    def open(
        cls, *, host: str, allowed_hosts: Iterable[str] = (), allowed_origins: Iterable[str] = ()
    ) -> Self:
        """Return those of a server.

        Args:
            host: the name or address at which the server listens.
            allowed_hosts: further names of the server, or `ANY`.
            allowed_origins: other sites whose pages may send requests, or `ANY`.

        Raises:
            ValueError: one of them is no host, or no origin.
        """
        names = LOOPBACK | {host.lower()}
        if host not in LOOPBACK:
            names |= _names_of_this_machine()
        return cls(
            hosts=names | {parse_host(name) for name in allowed_hosts},
            origins=frozenset(map(parse_origin, allowed_origins)),
        )

    def refusal(self, headers: Headers, *, changes: bool, scheme: str = "http") -> str:
        """Return why a request is refused, for people; "" if it is not.

        Args:
            headers: of the request.
            changes: whether the request may change something. What only reads is answered to the
                pages of all sites, because browsers keep the answer from them.
            scheme: the scheme of the request, ``http`` or ``https``.
        """
        host = headers.get("Host")
        if host is not None and not self.answers_to(host):
            return f"the server does not answer to the name {host[:100]!a} (--allow-host)"
        if not changes or ANY in self.origins:
            return ""
        return self._site_refusal(headers, own=host and f"{scheme}://{host}".lower())

    def _site_refusal(self, headers: Headers, *, own: str | None) -> str:
        origin, site = headers.get("Origin"), headers.get("Sec-Fetch-Site")
        if origin is not None:
            if origin.lower() == own or origin.lower() in self.origins:
                return ""
            return f"the request comes from a page of {origin[:100]!a} (--allow-origin)"
        if site is None and headers.get("User-Agent", "").lower().startswith(_BROWSER):
            return "the request comes from a browser that does not say from which page"
        if site not in (None, "same-origin", "none"):
            return "the request comes from a page of another site (--allow-origin)"
        return ""

    def answers_to(self, host: str) -> bool:
        """Return whether a ``Host``, with or without a port, names this server."""
        found = _HOST.fullmatch(host)
        if found is None:
            return ANY in self.hosts
        name = found["name"].strip("[]").rstrip(".").lower()
        return ANY in self.hosts or name in self.hosts or _is_address(name)

    def allows(self, origin: str) -> bool:
        """Return whether the pages of another site may send requests, and read the answers."""
        return ANY in self.origins or origin.lower() in self.origins


def parse_host(text: str) -> str:
    """Return the name of a host in lower case. Raises `ValueError`."""
    found = _HOST.fullmatch(text)
    if text == ANY:
        return ANY
    if found is None or found[2]:
        raise ValueError(f"{text!r} is no name of a host, such as games.example.org")
    return found["name"].strip("[]").rstrip(".").lower()


def parse_origin(text: str) -> str:
    """Return an origin in lower case. Raises `ValueError`."""
    if text not in (ANY, "null") and not _ORIGIN.fullmatch(text):
        raise ValueError(f"{text!r} is no origin, such as https://games.example.org")
    return text.lower()


def _names_of_this_machine() -> frozenset[str]:
    """Return the names by which the machines of its network may know this one."""
    name = socket.gethostname().lower()
    label = name.partition(".")[0]
    return frozenset({name, label, f"{label}.local"} - {""})


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
