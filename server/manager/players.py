"""The players that visitors of the pages can choose, and what they can set of them.

A visitor may set numbers, truth values and words of a list, and no other text: a text can name a
file, an address or a variable of the environment. Players that need such texts are offered under
names that the operator gives them, together with these options.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Any, Self

from ggp.errors import PlayerError
from ggp.match import Address, keyword_options, make_player, option_parameters, takes_any_text
from ggp.server.access.origins import ANY, parse_host
from ggp.server.manager.playing.level import LEVELS
from ggp.server.manager.setup import Seat

__all__ = ["Hosts", "OfferedPlayer", "Players"]

_GROUP = "ggp.players"
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,40}")
#: What the pages call other kinds of seats.
_TAKEN = ("human", "url", "player")


@dataclass(frozen=True, slots=True)
class OfferedPlayer:
    """A player that can be chosen."""

    name: str
    #: The player with the options that are set already, as `make_player` takes it.
    spec: str
    #: The first line of its docstring.
    summary: str
    #: The options that a visitor can set, with their defaults.
    defaults: Mapping[str, str]
    _player: type = field(repr=False)

    @classmethod
    def of(cls, name: str, spec: str, player: type) -> Self | None:
        """Offer a player under a name; None if it needs a text that the spec does not have."""
        given = set(_option_names(spec.partition(":")[2]))
        left = {n: p for n, p in option_parameters(player).items() if n not in given}
        if any(takes_any_text(p) and p.default is p.empty for p in left.values()):
            return None
        defaults = {n: _shown(p.default) for n, p in left.items() if not takes_any_text(p)}
        summary = (inspect.getdoc(player) or "").partition("\n")[0]
        return cls(name, spec, summary, defaults, player)

    @property
    def options(self) -> tuple[str, ...]:
        """The options as a page shows them, such as ``depth=none``."""
        return tuple(f"{name}={default}" for name, default in self.defaults.items())

    def with_options(self, text: str) -> str:
        """Return the player with the options of a visitor, as `make_player` takes it.

        Raises:
            PlayerError: there is no such option, a visitor may not set it, or the value is wrong.
        """
        for option in _option_names(text):
            if option not in self.defaults:
                listed = ", ".join(self.defaults) or "none"
                raise PlayerError(f"{self.name} has no option {option!r} here; there are: {listed}")
        keyword_options(self._player, ",".join(filter(None, [self.spec.partition(":")[2], text])))
        return self.spec + (f"{',' if ':' in self.spec else ':'}{text}" if text else "")


@dataclass(frozen=True, slots=True)
class Hosts:
    """The hosts at which visitors may name players: the manager sends requests there."""

    #: Names in lower case or networks, each with a port or None for any; None for any host.
    _allowed: tuple[tuple[str | IPv4Network | IPv6Network, int | None], ...] | None = None

    @classmethod
    def parse(cls, texts: Iterable[str]) -> Self:
        """Read hosts such as ``localhost``, ``10.0.0.0/8`` or ``[::1]:9147``, or ``*`` for any.

        Raises:
            ValueError: one of them is none of these.
        """
        listed = list(texts)
        return cls(None if ANY in listed else tuple(map(_parse_host, listed)))

    @property
    def is_empty(self) -> bool:
        """Whether no host is allowed."""
        return self._allowed == ()

    def check(self, address: Address) -> None:
        """Raise `PlayerError` if visitors may not name a player at an address."""
        if self._allowed is None or any(_admits(*each, address) for each in self._allowed):
            return
        raise PlayerError(
            f"{address}: this manager asks no players at that host; "
            "its operator can allow it (--allow-player-host)"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Players:
    """What visitors can choose for a seat."""

    choices: tuple[OfferedPlayer, ...]
    hosts: Hosts = Hosts()

    @classmethod
    def open(cls, named: Mapping[str, str] | None = None, *, hosts: Hosts | None = None) -> Self:
        """Return the installed players and those that the operator names.

        An installed player is left out if it cannot be loaded or needs a text.

        Args:
            named: players with their options, as `make_player` takes them, by the names under which
                they are offered.
            hosts: where visitors may name players; None for anywhere.

        Raises:
            PlayerError: a name is none, or a player cannot be made or needs a further text.
        """
        found = {choice.name: choice for choice in _installed()}
        levels = {level.name: level.spec for level in LEVELS}
        for name in named or {}:
            if not _NAME.fullmatch(name) or name in _TAKEN:
                raise PlayerError(f"{name!r} is no name for a player, such as small-model")
            if name in levels:
                raise PlayerError(f"{name!r} is the name of a level; give the player another one")
        for name, spec in {**levels, **(named or {})}.items():
            choice = OfferedPlayer.of(name, spec, type(make_player(spec)))
            assert choice is not None  # it can be made without further options
            found[name] = choice
        return cls(choices=tuple(found[name] for name in sorted(found)), hosts=hosts or Hosts())

    def seat(self, kind: str, told: str) -> Seat:
        """Return the seat that a visitor chooses.

        Args:
            kind: ``human``, ``url``, or the name of a choice.
            told: the person's name, the player's URL, or its options.

        Raises:
            PlayerError: there is no such player, or a visitor may not choose it.
        """
        if kind == "human":
            return Seat(kind, " ".join(told.split()) or "human")
        if kind == "url":
            return Seat(kind, str(self._address(told)))
        seat = Seat("player", f"{kind}:{told}" if told else kind)
        spec = self._spec(seat)
        try:
            make_player(spec)  # which finds values that are out of range
        except PlayerError as error:
            raise PlayerError(str(error).removeprefix(f"{spec}: ")) from None
        return seat

    def task(self, seat: Seat) -> dict[str, Any]:
        """Return what the process of a match is told of a seat, see `match_worker`.

        The seat may come from a file of an earlier manager, which had other players.
        """
        try:
            match seat.kind:
                case "url":
                    spec = str(self._address(seat.spec))
                case "player":
                    spec = self._spec(seat)
                case _:
                    spec = seat.spec
        except PlayerError as error:
            return {"kind": "refused", "spec": str(error), "name": seat.spec}
        return {"kind": seat.kind, "spec": spec, "name": seat.spec}

    def _address(self, text: str) -> Address:
        address = Address.parse(text)
        if address is None:
            raise PlayerError(f"{text}: a player is at http://host:port")
        self.hosts.check(address)
        return address

    def _spec(self, seat: Seat) -> str:
        name, _, options = seat.spec.partition(":")
        for choice in self.choices:
            if choice.name == name:
                return choice.with_options(options)
        raise PlayerError(f"no player {name!r}")


def _installed() -> Iterator[OfferedPlayer]:
    for point in entry_points(group=_GROUP):
        # A player of another package may fail in any way.
        with suppress(Exception):
            if choice := OfferedPlayer.of(point.name, point.name, point.load()):
                yield choice


def _option_names(text: str) -> Iterator[str]:
    for item in filter(None, map(str.strip, text.split(","))):
        yield item.partition("=")[0].strip()


def _shown(default: object) -> str:
    return "" if default is inspect.Parameter.empty else str("none" if default is None else default)


def _parse_host(text: str) -> tuple[str | IPv4Network | IPv6Network, int | None]:
    with suppress(ValueError):
        return ip_network(text.strip("[]"), strict=False), None
    host, colon, port = text.rpartition(":")
    if not colon:
        host, port = text, "0"
    with suppress(ValueError):
        number = int(port) or None
        with suppress(ValueError):
            return ip_network(host.strip("[]"), strict=False), number
        return parse_host(host), number
    raise ValueError(f"{text!r} is no host, such as localhost:9147 or 10.0.0.0/8")


def _admits(host: str | IPv4Network | IPv6Network, port: int | None, address: Address) -> bool:
    if port not in (None, address.port):
        return False
    if isinstance(host, str):
        return address.host.rstrip(".") == host
    with suppress(ValueError):
        return ip_address(address.host) in host
    return False
