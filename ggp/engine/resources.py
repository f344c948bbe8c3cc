"""What the machine gives to a search of the engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ggp.deadline import Deadline
from ggp.search.result import SearchResult

__all__ = ["DEFAULT_TABLE_BYTES", "Resources"]

#: Bytes of the transposition table.
DEFAULT_TABLE_BYTES = 256 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Memory, threads and time of a search of the engine, and how it uses them.

    Raises:
        ValueError: there is no thread.
    """

    #: The memory that the transposition table takes at most, or the tree; 0 for no table.
    table_bytes: int = DEFAULT_TABLE_BYTES
    #: Whether the table takes all of it at once. A table that grows as it fills is faster in small
    #: searches; in large ones some nodes are expanded twice, those that it misses while it grows.
    whole_table: bool = False
    #: Whether to try promising moves first, see `RoleEngine`; max-n never does.
    ordered: bool = True
    #: A pass makes 64 * words children; 1, 4 or 8, None for what suits the game.
    words: int | None = None
    #: Whether a search for one role that is `ordered` and has a table looks for symmetries of the
    #: game first, for up to two seconds (`find_symmetries`), and takes what it knows of a state for
    #: its images, too.
    symmetric: bool = False
    #: How many threads of alpha-beta, or of tree search, search together; None for one on each core
    #: that is free when a search begins. The other searches have one.
    threads: int | None = 1
    #: Called now and then while a search runs, with the best so far.
    progress: Callable[[SearchResult], None] | None = None
    #: How long to wait until the functions that all games share are compiled, which happens once
    #: after an installation, in the background; None for as long as that takes.
    deadline: Deadline | None = None

    def __post_init__(self) -> None:
        if self.threads is not None and self.threads < 1:
            raise ValueError("threads must be at least 1")
