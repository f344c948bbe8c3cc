"""The plan of a self-play: what is played, by whom, and how often."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Self

__all__ = ["Plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What determines the data of a self-play, as far as clocks do not."""

    #: The name of the game, and its rules.
    game: str
    rules: str
    #: The player of all roles.
    player: str
    #: How many matches, and how many of them are written at a time.
    matches: int
    part: int
    #: Seconds to prepare, and for each move.
    start_clock: float
    play_clock: float
    #: How many joint moves are made at random first; they are not part of the data.
    opening: int
    #: The share of moves, from 0 to 1, that are made at random instead of by the player.
    noise: float
    #: Joint moves after which a match ends, with the goals as they stand; None for no limit.
    max_steps: int | None
    seed: int

    @property
    def parts(self) -> int:
        """How many files there will be."""
        return -(-self.matches // self.part)

    def numbers(self, part: int) -> range:
        """Return the numbers of the matches of a part."""
        return range(part * self.part, min(self.matches, (part + 1) * self.part))

    def to_json(self) -> str:
        """Return the plan as text."""
        return json.dumps(asdict(self), indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a plan. Raises `ValueError` if it is none."""
        try:
            return cls(**json.loads(text))
        except TypeError as error:
            raise ValueError(f"not a plan of this version: {error}") from None
