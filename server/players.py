"""Opens a player for each match, by fork servers that start while the server already listens."""

from __future__ import annotations

import logging
from functools import partial
from threading import Lock, Thread

from ggp.closing import Closing
from ggp.deadline import Deadline
from ggp.match import ForkServer
from ggp.server.fallback import WithFallback, spare_fallbacks
from ggp.workers.spares import Spares

__all__ = ["SPARES", "Players"]

#: For how many matches to come the fallback player's process is started ahead.
SPARES = 8

_log = logging.getLogger(__name__)


class Players(Closing):
    """The players of one server. Any thread may call the methods."""

    def __init__(
        self,
        spec: str,
        *,
        reasoner: str = "auto",
        memory_limit: int | None = None,
        spares: int = SPARES,
    ) -> None:
        """Prepare to open players; nothing starts before `warm_up`.

        Args:
            spec: the player's name and options, as `make_player` takes them.
            reasoner: the kind of reasoner, as `open_reasoner` takes it.
            memory_limit: bytes for each process of a match; None for the defaults.
            spares: for how many matches to come the fallback player's process is started ahead. If
                more matches start at once, the processes of the others are forked as they come.
        """
        self._open = partial(WithFallback.open, spec, reasoner=reasoner, memory_limit=memory_limit)
        self._start_ahead = partial(
            spare_fallbacks, count=spares, reasoner=reasoner, memory_limit=memory_limit
        )
        self._needs_kernels = reasoner != "prolog"
        self._lock = Lock()
        #: The fork server of the fallback players, then that of the players.
        self._fork_servers: list[ForkServer] = []
        self._spares: Spares | None = None
        self._is_closed = False

    def warm_up(self) -> None:
        """Start the fork servers and compile the functions that all games share, in the background.

        Each fork server takes a second of processor time to start; until then the processes of a
        match are started anew. From then on there are spare processes. The functions are compiled
        once after an installation, which takes minutes; until then the players use the Prolog
        reasoner.
        """
        Thread(target=self._warm_up, daemon=True, name="warm-up").start()

    def open(self) -> WithFallback:
        """Start the processes for one match."""
        fallbacks, fork_server, *_ = (*self._fork_servers, None, None)
        return self._open(fork_server=fork_server, fallbacks=fallbacks, spares=self._spares)

    def close(self) -> None:
        """End the spare processes, the fork servers, and all processes that these have forked."""
        with self._lock:
            self._is_closed = True
            for fork_server in self._fork_servers:
                fork_server.close()
            if self._spares is not None:
                self._spares.close()

    def _warm_up(self) -> None:
        for _ in range(2):
            try:
                fork_server = ForkServer(prepare="ggp.match.worker")
            except OSError as error:
                _log.warning("no fork server: %s; each match starts processes anew", error)
                break
            with self._lock:
                if not self._is_closed:
                    self._fork_servers.append(fork_server)
                    self._spares = self._spares or self._start_ahead(fork_server)
                    continue
            fork_server.close()
            return
        if self._needs_kernels:
            from ggp.engine import warm_up

            if not warm_up(Deadline(0.0), one_by_one=True):
                _log.info("compiling the functions that all games share, once an installation")
                warm_up(Deadline(), one_by_one=True)
                _log.info("the functions that all games share are compiled")
