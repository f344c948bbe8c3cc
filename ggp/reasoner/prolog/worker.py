"""The process in which SWI-Prolog lives: the game's program is its standard input.

A question is a goal of `engine.pl`, a reply is a text. The first question is "start", which says
that the program is there, and its reply that the game is loaded.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:  # loading the package takes long
    from ggp.workers.child import Owner

__all__ = ["Engine", "main"]


def main(owner: Owner, memory_limit: int, engine: Engine | None = None) -> NoReturn:
    """Answer questions within `memory_limit` bytes, with an engine that may be there already."""
    engine = engine or Engine()
    question = owner.receive()
    engine.load("/dev/fd/0", memory_limit)
    with open(os.devnull, "rb") as nothing:  # noqa: PTH123 - the program takes room while it is open
        os.dup2(nothing.fileno(), 0)
    while True:
        owner.send(engine.answer(question))
        question = owner.receive()


class Engine:
    """SWI-Prolog with `engine.pl` loaded."""

    def __init__(self) -> None:
        from pyswip import Prolog

        self._prolog = Prolog()
        self._ask("set_prolog_flag(gc_thread, false)")  # a thread would not outlive a fork
        path = _quoted(str(Path(__file__).with_name("engine.pl")))
        self._ask(f"load_files({path}, [silent(true)])")

    def load(self, path: str, memory_limit: int) -> None:
        """Load a game's program, and take at most `memory_limit` bytes from now on."""
        self._ask(f"set_prolog_flag(stack_limit, {memory_limit // 2})")
        self._ask(f"set_prolog_flag(table_space, {memory_limit // 4})")
        self._ask(
            f"open({_quoted(path)}, read, S), load_files(game, [silent(true), stream(S)]), close(S)"
        )

    def answer(self, question: str) -> str:
        """Return the engine's reply to a question."""
        reply = self._ask(f"engine:answer(engine:{question}, Reply)")["Reply"]
        return reply.decode() if isinstance(reply, bytes) else str(reply)

    def _ask(self, goal: str) -> dict[str, object]:
        found: list[dict[str, object]] = list(self._prolog.query(goal, maxresult=1))
        return found[0]


def _quoted(path: str) -> str:
    escaped = path.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
