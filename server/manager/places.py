"""How much heavy work the threads do at once, so that the pages always have a thread.

Heavy is what waits for a guide, or computes for more than an instant. A request that finds no place
is refused at once, and the scripts of the pages ask again: a thread must not wait for a place.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

__all__ = ["MAX_HEAVY", "Full", "Overloaded", "Places", "visitor"]

#: Threads that do heavy work.
MAX_HEAVY = 24
#: How many of them one visitor may have, and how many may wait for the same subject.
_MAX_OF_VISITOR, _MAX_OF_SUBJECT = 12, 8
#: Subjects that one visitor may keep busy at once, which leaves guides for others.
_MAX_SUBJECTS = 4

#: The address of the browser whose request this thread answers; empty for the manager itself.
visitor: ContextVar[str] = ContextVar("visitor", default="")


class Overloaded(Exception):
    """There is too much to do, which passes in a moment. The text is for people."""


class Full(Overloaded):
    """There is room only when something has ended that may go on for long, such as a match."""


class Places:
    """The places for heavy work. Any thread may call the methods."""

    def __init__(
        self,
        *,
        total: int = MAX_HEAVY,
        of_visitor: int = _MAX_OF_VISITOR,
        of_subject: int = _MAX_OF_SUBJECT,
        subjects: int = _MAX_SUBJECTS,
    ) -> None:
        """Set the limits.

        Args:
            total: places.
            of_visitor: places that one visitor may have.
            of_subject: places for one subject.
            subjects: subjects for which one visitor may have places.
        """
        self._total, self._of_visitor = total, of_visitor
        self._of_subject, self._subjects = of_subject, subjects
        self._lock = Lock()
        #: The visitors and subjects of the places that are taken.
        self._taken: list[tuple[str, str]] = []

    @contextmanager
    def take(self, subject: str) -> Iterator[None]:
        """Have a place for a while.

        Args:
            subject: what the work is about, such as a game: what can be done only once at a time.

        Raises:
            Overloaded: there is none.
        """
        place = visitor.get(), subject
        with self._lock:
            self._check(*place)
            self._taken.append(place)
        try:
            yield
        finally:
            with self._lock:
                self._taken.remove(place)

    def _check(self, who: str, subject: str) -> None:
        if len(self._taken) >= self._total:
            raise Overloaded("the manager has too much to work out; try again in a moment")
        if sum(about == subject for _, about in self._taken) >= self._of_subject:
            raise Overloaded("too many questions about this game at once; try again in a moment")
        own = [about for each, about in self._taken if each == who]
        if len(own) >= self._of_visitor or len({*own, subject}) > self._subjects:
            raise Overloaded("you ask for too much at once; try again in a moment")
