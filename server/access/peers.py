"""Which machines may send messages to the player server, and which of them are one manager.

The match protocol knows no names and no passwords: the address of a message is all that tells one
manager from another.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from typing import Self, TypeAlias

__all__ = ["HERE", "Peers"]

#: The name of all managers on this machine.
HERE = "this machine"

_Address: TypeAlias = IPv4Address | IPv6Address
_Network: TypeAlias = IPv4Network | IPv6Network

#: The bits of an IPv6 address that name a network; a machine chooses the others as it likes.
_IPV6_PREFIX = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """The networks that the operator has named."""

    #: Those that may send messages, each of which is one manager; if there are none, any address
    #: may.
    managers: tuple[_Network, ...] = ()
    #: Those that may read the status and the metrics, besides this machine.
    readers: tuple[_Network, ...] = ()

    @classmethod
    def open(cls, *, managers: Iterable[str] = (), readers: Iterable[str] = ()) -> Self:
        """Return those of a server.

        Args:
            managers: addresses and networks, such as 192.0.2.7 or 192.0.2.0/24.
            readers: the same.

        Raises:
            ValueError: one of them is neither.
        """
        return cls(managers=tuple(map(_network, managers)), readers=tuple(map(_network, readers)))

    def peer(self, address: str, *, local: str = "") -> str | None:
        """Return the manager at an address by a name of its own; None if it may send no messages.

        Args:
            address: where the message comes from.
            local: the address of this machine to which it was sent.
        """
        if _is_here(address, local):
            return HERE
        parsed = _parsed(address)
        if self.managers:
            return next((str(net) for net in self.managers if _is_in(parsed, net)), None)
        if isinstance(parsed, IPv6Address):
            return str(IPv6Network((int(parsed), _IPV6_PREFIX), strict=False))
        return address if parsed is None else str(parsed)

    def may_read(self, address: str, *, local: str = "") -> bool:
        """Return whether the status and the metrics are shown to an address.

        The arguments are those of `peer`.
        """
        parsed = _parsed(address)
        return _is_here(address, local) or any(_is_in(parsed, net) for net in self.readers)


def _is_here(address: str, local: str) -> bool:
    parsed = _parsed(address)
    return parsed is not None and (parsed.is_loopback or parsed == _parsed(local))


def _is_in(address: _Address | None, network: _Network) -> bool:
    return address is not None and address in network


def _parsed(text: str) -> _Address | None:
    """Return an address without its zone, and an IPv4 address within IPv6 as what it is."""
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def _network(text: str) -> _Network:
    try:
        return ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(
            f"{text!r} is no address or network, such as 192.0.2.7 or 192.0.2.0/24"
        ) from None
