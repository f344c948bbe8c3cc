"""Child processes that answer the questions of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from pathlib import Path

import pytest

from ggp.authoring.lsp.background.helper import Helper, Stopped

pytestmark = pytest.mark.asyncio

PROGRAM = """
import os, time

def main(owner):
    while True:
        question = owner.receive()
        if question == "die":
            os._exit(3)
        if question == "sleep":
            time.sleep(600)
        owner.send((os.getpid(), question))
        owner.send(None)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "echo.py"
    path.write_text(PROGRAM)
    return str(path)


def helper(program: str, *, seconds: float = 60, keep: bool = True) -> Helper:
    return Helper(program, seconds=seconds, memory_limit=1 << 30, keep=keep)


async def ask(helper: Helper, question: str) -> tuple[int, str]:
    """Return the process that answers, and its answer."""
    async with aclosing(helper.answers(question)) as answers:
        (answer,) = [each async for each in answers]
    assert isinstance(answer, tuple)
    return answer


async def test_one_process_answers_all_questions_or_each_has_its_own(program: str) -> None:
    with helper(program) as kept:
        first, second = await ask(kept, "a"), await ask(kept, "b")
    assert (first[1], second[1]) == ("a", "b")
    assert first[0] == second[0]
    with helper(program, keep=False) as fresh:
        assert (await ask(fresh, "a"))[0] != (await ask(fresh, "a"))[0]


@pytest.mark.parametrize(("question", "seconds"), [("die", 60.0), ("sleep", 0.5)])
async def test_after_a_process_that_ended_comes_another(
    program: str, question: str, seconds: float
) -> None:
    with helper(program, seconds=seconds) as kept:
        with pytest.raises(Stopped):
            await ask(kept, question)
        kept._seconds = 60.0
        assert (await ask(kept, "a"))[1] == "a"


async def test_of_those_that_wait_the_newest_comes_first(program: str) -> None:
    order: list[str] = []

    def asking(question: str) -> Callable[[], Awaitable[None]]:
        async def run() -> None:
            order.append((await ask(kept, question))[1])

        return run

    with helper(program) as kept:
        tasks = []
        for question in ("first", "old", "given up", "new"):
            tasks.append(asyncio.ensure_future(asking(question)()))
            await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert order == ["first", "new", "old"]


async def test_a_question_that_is_given_up_does_not_answer_the_next(program: str) -> None:
    with helper(program) as kept:
        await ask(kept, "a")
        given_up = asyncio.ensure_future(ask(kept, "old"))
        await asyncio.sleep(0)
        given_up.cancel()
        assert (await ask(kept, "new"))[1] == "new"
    with helper(program, keep=False) as fresh:
        given_up = asyncio.ensure_future(ask(fresh, "sleep"))
        await asyncio.sleep(0.05)
        given_up.cancel()
        assert (await ask(fresh, "new"))[1] == "new"
