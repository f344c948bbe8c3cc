"""The process in which SWI-Prolog lives: questions in on standard input, replies out.

A question is one line: a goal of `engine.pl`. Before the first one comes a line with the path of
the game's program. A reply is a line with its length in bytes, then the reply; the first one says
that the game is loaded.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO


def main() -> None:
    """Answer questions until standard input ends. Argument: the memory limit in bytes."""
    memory_limit = int(sys.argv[1])
    replies = _take_stdout()
    questions: SimpleQueue[str] = SimpleQueue()
    Thread(target=_read, args=(questions,), daemon=True).start()
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))

    engine = _Engine(questions.get(), memory_limit)
    question = "start"
    while True:
        reply = engine.answer(question).encode()
        replies.write(b"%d\n" % len(reply) + reply)
        replies.flush()
        question = questions.get()


class _Engine:
    """SWI-Prolog with the engine and the game's program loaded."""

    def __init__(self, program: str, memory_limit: int) -> None:
        from pyswip import Prolog

        self._prolog = Prolog()
        self._ask(f"set_prolog_flag(stack_limit, {memory_limit // 2})")
        self._ask(f"set_prolog_flag(table_space, {memory_limit // 4})")
        for path in (str(Path(__file__).with_name("engine.pl")), program):
            escaped = path.replace("\\", "\\\\").replace("'", "\\'")
            self._ask(f"load_files('{escaped}', [silent(true)])")

    def answer(self, question: str) -> str:
        reply = self._ask(f"engine:answer(engine:{question}, Reply)")["Reply"]
        return reply.decode() if isinstance(reply, bytes) else str(reply)

    def _ask(self, goal: str) -> dict[str, object]:
        found: list[dict[str, object]] = list(self._prolog.query(goal, maxresult=1))
        return found[0]


def _take_stdout() -> BinaryIO:
    """Keep standard output for replies; whatever else is printed goes to standard error."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


def _read(questions: SimpleQueue[str]) -> None:
    """Queue the questions; when they end, our owner is gone, and so are we, even while busy."""
    for line in sys.stdin:
        questions.put(line.rstrip("\n"))
    os._exit(0)


if __name__ == "__main__":
    main()
