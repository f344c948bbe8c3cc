"""A task from the inside: its function is called, and may tell how far it is."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from ggp.errors import GgpError

__all__ = ["Failed", "call", "search_path", "take_search_path", "tell"]


@dataclass(frozen=True, slots=True)
class Failed:
    """What takes the place of a result where there is none."""

    message: str


class _Teller:
    """Passes on the latest of the values that are told, from time to time."""

    def __init__(self, send: Callable[[Any], object], every: float) -> None:
        self._send, self._every = send, every
        self._latest: Any = None
        self._over = Event()
        self._thread: Thread | None = None

    def tell(self, value: Any) -> None:
        self._latest = value
        if self._thread is None:
            self._thread = Thread(target=self._pass_on, daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _pass_on(self) -> None:
        sent = None
        while not self._over.wait(self._every):
            if (value := self._latest) is not sent:
                self._send(value)
                sent = value


_tellers: list[_Teller] = []


def tell(value: object) -> None:
    """Tell how far the current task is; outside a task, nothing happens.

    The latest value counts, which must not change later. Another thread passes it on.
    """
    if _tellers:
        _tellers[-1].tell(value)


def call(
    function: Callable[[Any], Any], task: Any, *, send: Callable[[Any], object], every: float
) -> Any:
    """Return what a function makes of a task, or `Failed`.

    Args:
        function: what to call.
        task: its argument.
        send: passes on what the function tells.
        every: seconds between two of these.
    """
    with _telling(send, every):
        try:
            return function(task)
        except GgpError as error:
            return Failed(error.one_line())
        except KeyboardInterrupt:
            return Failed("interrupted")
        except Exception as error:  # in another process, nothing else would say what went wrong
            traceback.print_exc()
            return Failed(f"unexpected {type(error).__name__}: {error}")


@contextmanager
def _telling(send: Callable[[Any], object], every: float) -> Iterator[None]:
    teller = _Teller(send, every)
    _tellers.append(teller)
    try:
        yield
    finally:
        _tellers.remove(teller)
        teller.close()


def search_path() -> list[str]:
    """Return where this process looks for modules, independent of the current folder."""
    return [str(Path(folder).absolute()) for folder in sys.path]


def take_search_path(path: Sequence[str]) -> None:
    """Look for modules first where another process does."""
    sys.path[:] = [*path, *(folder for folder in sys.path if folder not in path)]
