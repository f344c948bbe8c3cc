"""The running guides, one for each game in use, and a cache of their answers."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from threading import Condition, Lock
from typing import Any

from ggp.server.manager.places import Overloaded, Places
from ggp.server.manager.processes.children import Child, Message
from ggp.server.manager.processes.questions import (
    Asked,
    Draft,
    Learned,
    Question,
    Subject,
    Values,
)
from ggp.workers.worker import Start, spawn

__all__ = ["GuideError", "Guides"]

_MODULE = "ggp.server.manager.processes.guide"
#: Bytes of address space of a guide, without its reasoner.
_MEMORY = 2 << 30
#: The limit on guides, unless told otherwise; of those without a question, the least recently used
#: one is ended first.
_MAX_GUIDES = 6
#: Seconds that an answer may take.
_PATIENCE = 20.0
#: What may be answered in another way the next time, and is not cached.
_CHANGING = (Learned, Values)
#: Bytes of all cached answers, and of one of them, as JSON; the objects take more memory.
_MAX_KEPT_BYTES, _MAX_ANSWER_BYTES = 16 << 20, 2 << 20


class GuideError(Exception):
    """The guide cannot answer; the text tells the user why."""


@dataclass
class _Guide:
    """The process of a guide, with its answers that were not taken yet."""

    child: Child | None = None
    #: Whether the process knows its game.
    is_told: bool = False
    changed: Condition = field(default_factory=Condition)
    answers: dict[int, Message] = field(default_factory=dict)
    has_ended: bool = False
    #: Held by the thread that asks.
    turn: Lock = field(default_factory=Lock)

    def end(self) -> None:
        """End the process, and wake up the thread that waits for an answer."""
        with self.changed:
            self.has_ended = True
            self.changed.notify_all()
        if self.child is not None:
            self.child.close()


@dataclass(frozen=True, slots=True)
class _Kept:
    """An answer that is cached."""

    answer: dict[str, Any]
    #: Bytes.
    size: int
    #: The guide with which it is forgotten; None if every guide of the game gives this answer.
    guide: _Guide | None


class Guides:
    """Asks the guides of games, which start when they are needed. For any thread."""

    def __init__(
        self,
        *,
        places: Places | None = None,
        patience: float = _PATIENCE,
        room: int = _MAX_GUIDES,
        start: Start = spawn,
    ) -> None:
        """Start without any guide.

        Args:
            places: for the threads that wait for a guide; None for its own.
            patience: seconds that an answer may take; then the guide is ended.
            room: the limit on guides.
            start: starts the processes of guides.
        """
        self._places = places or Places()
        self._patience = patience
        self._room = room
        self._lock = Lock()
        self._guides: OrderedDict[str, _Guide] = OrderedDict()
        #: The cached answers by game and question.
        self._answers: OrderedDict[str, _Kept] = OrderedDict()
        self._kept_bytes = 0
        self._numbers = count()
        self._is_closed = False
        self._start_process = start

    def ask(
        self,
        name: str,
        subject: Callable[[], Subject],
        question: Question,
        *,
        draft: Draft | None = None,
    ) -> dict[str, Any]:
        """Return the answer of the guide of a game.

        Args:
            name: the name of the game; games with different rules have different names.
            subject: returns what a new guide is told first.
            question: the question.
            draft: the rules as they are now, if they are being edited.

        Raises:
            GuideError: the guide cannot answer, takes too long, or ends.
            Overloaded: too much is asked at once.
        """
        asked = f"{name} {Asked.key(question, draft)}"
        # a question may contain whole rulesheets
        key = "" if isinstance(question, _CHANGING) else hashlib.sha256(asked.encode()).hexdigest()
        if (known := self._known(name, key)) is not None:
            return known
        with self._places.take(name):
            for _ in range(2):
                if (answer := self._ask_one(name, subject, question, draft, key)) is not None:
                    return answer
        raise GuideError("the reasoner of this game keeps ending; try again")

    def drop(self, name: str) -> None:
        """End the guide of a game, if it has one; a request that waits for it fails."""
        with self._lock:
            guide = self._guides.pop(name, None)
        if guide is not None:
            guide.end()

    def close(self) -> None:
        """End all guides."""
        with self._lock:
            self._is_closed = True
            guides = list(self._guides.values())
            self._guides.clear()
        children = [guide.child for guide in guides if guide.child is not None]
        for child in children:
            child.close()
        for child in children:
            child.join()

    def _turn_at(self, name: str) -> _Guide:
        """Return the guide of a game; the caller must release its `turn`."""
        while True:
            guide = self._guide(name)
            if not guide.turn.acquire(timeout=self._patience):
                raise Overloaded("the reasoner is busy with this game; try again in a moment")
            is_running = guide.child is None or guide.child.is_running
            if is_running and not guide.has_ended:
                return guide
            guide.turn.release()
            self._forget(name, guide)

    def _guide(self, name: str) -> _Guide:
        with self._lock:
            if self._is_closed:
                raise GuideError("the manager is closing")
            guide, dropped = self._guides.get(name), []
            if guide is None:
                dropped = self._dropped()
                guide = self._guides[name] = _Guide()
            self._guides.move_to_end(name)
        for each in dropped:
            each.end()
        return guide

    def _dropped(self) -> list[_Guide]:
        """Make room for another guide, and return those to be ended. Raises `Overloaded`."""
        dropped = []
        while len(self._guides) >= self._room:
            idle = (name for name, guide in self._guides.items() if not guide.turn.locked())
            if (name := next(idle, None)) is None:
                raise Overloaded("all reasoners are busy; try again in a moment")
            dropped.append(self._guides.pop(name))
        return dropped

    def _ask_one(
        self,
        name: str,
        subject: Callable[[], Subject],
        question: Question,
        draft: Draft | None,
        key: str,
    ) -> dict[str, Any] | None:
        """Return the answer; None if a guide that has answered before ended meanwhile."""
        guide = self._turn_at(name)
        try:
            if (known := self._known(name, key)) is not None:
                return known  # another page asked the same just now
            answer = self._ask(guide, subject, question, draft)
            if answer is None:
                return None
            if answer.get("starved"):
                raise Overloaded("the machine is busy; the rules are tried again in a moment")
            if "error" in answer:
                raise GuideError(answer["error"])
            found: dict[str, Any] = answer["ok"]
            if not answer.get("changes"):
                self._keep(key, found, None if answer.get("lasts") else guide)
            return found
        finally:
            guide.turn.release()

    def _ask(
        self,
        guide: _Guide,
        subject: Callable[[], Subject],
        question: Question,
        draft: Draft | None,
    ) -> Message | None:
        number, is_fresh = next(self._numbers), not guide.is_told
        if guide.child is None:
            guide.child = self._start(guide)
        if is_fresh:
            guide.is_told = True
            guide.child.send(subject())
        guide.child.send(Asked(number, question, draft))
        with guide.changed:
            guide.changed.wait_for(
                lambda: number in guide.answers or guide.has_ended, self._patience
            )
            if number in guide.answers:
                return guide.answers.pop(number)
            if guide.has_ended and not is_fresh:
                return None
            reason = (
                "the rules brought the reasoner down: they may need more memory than there is"
                if guide.has_ended
                else f"the rules take too long to work out: over {self._patience:g} seconds"
            )
        guide.end()
        raise GuideError(reason)

    def _start(self, guide: _Guide) -> Child:
        def take(message: Message) -> None:
            with guide.changed:
                guide.answers[message["id"]] = message
                guide.changed.notify_all()

        def end(_: int) -> None:
            with guide.changed:
                guide.has_ended = True
                guide.changed.notify_all()

        try:
            return Child(
                _MODULE, memory=_MEMORY, on_message=take, on_end=end, start=self._start_process
            )
        except OSError as error:
            raise GuideError(f"no process could be started: {error.strerror}") from None

    def _forget(self, name: str, guide: _Guide) -> None:
        with self._lock:
            if self._guides.get(name) is guide:
                del self._guides[name]

    def _known(self, name: str, key: str) -> dict[str, Any] | None:
        with self._lock:
            if (known := self._answers.get(key)) is None:
                return None
            if known.guide is not None and known.guide is not self._guides.get(name):
                return None
            self._answers.move_to_end(key)
            return known.answer

    def _keep(self, key: str, answer: dict[str, Any], guide: _Guide | None) -> None:
        if not key:
            return
        size = len(key) + len(json.dumps(answer))
        if size > _MAX_ANSWER_BYTES:
            return
        with self._lock:
            if (replaced := self._answers.pop(key, None)) is not None:
                self._kept_bytes -= replaced.size
            self._answers[key] = _Kept(answer, size, guide)
            self._kept_bytes += size
            while self._kept_bytes > _MAX_KEPT_BYTES:
                self._kept_bytes -= self._answers.popitem(last=False)[1].size
