"""What the player server takes on at most; every number is an option of `ggp serve`."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["DEFAULT_LIMITS", "Limits"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds on what managers may ask of a server.

    The memory of a match is bounded where its processes are started: see `PlayerProcess`.
    """

    #: Matches at the same time; START beyond is answered by `busy`.
    matches: int = 64
    #: Bytes of a message; no game comes near.
    message: int = 10_000_000
    #: Seconds from START after which a match is given up, whatever it does.
    match_seconds: float = 6 * 3600.0


DEFAULT_LIMITS = Limits()
