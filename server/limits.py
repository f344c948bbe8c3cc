"""The limits of the player server; each is an option of `ggp serve`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on what managers may ask of a server.

    `PlayerProcess` limits the memory of a match.
    """

    #: Matches at the same time; the server answers further STARTs with `busy`.
    matches: int = 64
    #: Bytes of a message; no known game comes near.
    message: int = 10_000_000
    #: Seconds from START after which the server aborts a match.
    match_seconds: float = 6 * 3600.0


DEFAULT_LIMITS = Limits()
