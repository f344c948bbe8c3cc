"""Child processes that answer the questions of the server."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from ggp.authoring.lsp.background.helper import Helper, Preempted, Stopped

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


async def ask(helper: Helper, question: str, *, priority: float = 0) -> tuple[int, str]:
    """Return the process that answers, and its answer."""
    async with aclosing(helper.answers(question, priority=priority)) as answers:
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


async def test_of_those_that_wait_the_highest_comes_first(program: str) -> None:
    order: list[str] = []

    async def run(question: str, priority: float) -> None:
        order.append((await ask(kept, question, priority=priority))[1])

    with helper(program) as kept:
        tasks = []
        for number, question in enumerate(("first", "low", "given up", "high", "high too")):
            tasks.append(asyncio.ensure_future(run(question, min(number, 3))))
            await asyncio.sleep(0)
        tasks[2].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    assert order == ["first", "high", "high too", "low"]


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


async def test_a_higher_question_does_not_wait_for_a_long_one(program: str) -> None:
    with helper(program, keep=False) as fresh:
        long = asyncio.ensure_future(ask(fresh, "sleep", priority=1))
        await asyncio.sleep(0.05)
        low = asyncio.ensure_future(ask(fresh, "low", priority=1))
        high = asyncio.ensure_future(ask(fresh, "high", priority=2))
        with pytest.raises(Preempted):
            await long
        assert (await high)[1] == "high"
        assert (await low)[1] == "low"
