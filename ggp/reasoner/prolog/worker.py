"""The process in which SWI-Prolog lives: questions in on standard input, replies out.

A question is one line: a goal of `engine.pl`. A reply is a line with its length in bytes, then the
reply; the first one says that the game is loaded.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import BinaryIO, NoReturn


def main() -> NoReturn:
    """Answer questions until standard input ends.

    Arguments: the descriptor of the game's program, and the memory limit in bytes.
    """
    program, memory_limit = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    serve(program, memory_limit)


def serve(program: int, memory_limit: int, engine: Engine | None = None) -> NoReturn:
    """Answer questions until standard input ends, with an engine that may be there already."""
    replies = _take_stdout()
    questions: SimpleQueue[str] = SimpleQueue()
    Thread(target=_read, args=(questions,), daemon=True).start()
    engine = engine or Engine()
    engine.load(f"/dev/fd/{program}", memory_limit)
    os.close(program)
    question = "start"
    while True:
        reply = engine.answer(question).encode()
        replies.write(b"%d\n" % len(reply) + reply)
        replies.flush()
        question = questions.get()


class Engine:
    """SWI-Prolog with `engine.pl` loaded."""

    def __init__(self) -> None:
        from pyswip import Prolog

        self._prolog = Prolog()
        self._ask("set_prolog_flag(gc_thread, false)")  # a thread would not outlive a fork
        path = _quoted(str(Path(__file__).with_name("engine.pl")))
        self._ask(f"load_files({path}, [silent(true)])")

    def load(self, path: str, memory_limit: int) -> None:
        """Load a game's program, and use no more than so many bytes from now on."""
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


def _take_stdout() -> BinaryIO:
    """Keep standard output for replies; whatever else is printed goes to standard error."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return replies


def _read(questions: SimpleQueue[str]) -> None:
    """Queue the questions; when they end, our owner is gone, and so are we, even while busy."""
    with open(0, encoding="utf-8", closefd=False) as lines:
        for line in lines:
            questions.put(line.rstrip("\n"))
    os._exit(0)


if __name__ == "__main__":
    main()
