"""What works for the manager can hang, grow or die, and the manager goes on."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ggp.server.manager.processes.analyses import Analyses
from ggp.server.manager.processes.guides import GuideError, Guides
from tests.manager import sheets
from tests.manager.drawn import GAMES
from tests.processes import all_gone, command_line, descendants

NIM = (GAMES / "nim.kif").read_text()


@pytest.fixture
def guides() -> Iterator[Guides]:
    opened = Guides(patience=60)
    try:
        yield opened
    finally:
        opened.close()


def ask(guides: Guides, name: str, text: str, **request: object) -> dict[str, object]:
    return guides.ask(name, lambda: {"text": text}, dict(request))


def wait_for(happens: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (sheets.ENDLESS, "after 10 s|too long"),
        (sheets.BOMB, "MB|memory|too long|10 s"),
        ("(" * 100_000, "parenthes"),
        ("(role", "parenthes"),
        ("", "no role"),
    ],
)
def test_a_hostile_game_is_answered_by_a_line_while_others_go_on(
    guides: Guides, text: str, reason: str
) -> None:
    answers: list[str] = []

    def ask_hostile() -> None:
        with pytest.raises(GuideError) as caught:
            ask(guides, "hostile", text, do="layout")
        answers.append(str(caught.value))

    thread = threading.Thread(target=ask_hostile)
    thread.start()
    assert ask(guides, "nim", NIM, do="scene", facts=None)["joint_moves"] == 3
    thread.join()
    assert re.search(reason, answers[0]), answers
    assert "\n" not in answers[0]


def test_a_guide_that_takes_too_long_is_ended_with_all_its_processes() -> None:
    before, started = descendants(os.getpid()), set[int]()
    guides = Guides(patience=4)
    watch = threading.Timer(3, lambda: started.update(descendants(os.getpid()) - before))
    watch.start()
    try:
        with pytest.raises(GuideError, match="too long"):
            ask(guides, "endless", sheets.ENDLESS, do="layout")
        watch.join()
        assert started
        assert all_gone(started, within=10)
    finally:
        guides.close()


def running_guides() -> set[int]:
    return {
        pid
        for pid in descendants(os.getpid())
        if "ggp.server.manager.processes.guide" in command_line(pid)
    }


def test_a_guide_that_is_killed_is_replaced(guides: Guides) -> None:
    ask(guides, "nim", NIM, do="check")
    (pid,) = running_guides()
    os.kill(pid, signal.SIGKILL)
    assert all_gone([pid], within=10)
    assert ask(guides, "nim", NIM, do="layout")["roles"] == ["first", "second"]


def test_no_more_guides_are_kept_than_there_is_room_for(guides: Guides) -> None:
    for number in range(8):
        ask(guides, f"nim {number}", NIM, do="check")
    wait_for(lambda: len(running_guides()) <= 6)


def test_closing_leaves_no_process() -> None:
    before = descendants(os.getpid())
    guides = Guides()
    ask(guides, "nim", NIM, do="scene", facts=None)
    started = descendants(os.getpid()) - before
    assert len(started) > 1
    guides.close()
    assert all_gone(started, within=10)


ANALYSES: dict[str, Callable[[Any], bool]] = {
    "perft": lambda found: [layer["states"] for layer in found["layers"][:3]] == [1, 3, 5],
    "lvt": lambda found: [row["goals"] for row in found["rows"]] == [[0, 100], [100, 0]],
    "solve": lambda found: found["exact"] and found["value"] in (0, 100),
}


@pytest.mark.parametrize("kind", ANALYSES)
def test_an_analysis_finds_what_the_commands_find(kind: str) -> None:
    found = analyse(kind, NIM, seconds=40)
    assert found[-1]["event"] == "done"
    assert ANALYSES[kind](found[-2]["found"])


def test_rows_of_the_table_drop_out_below_a_state() -> None:
    text = (GAMES / "harvest.kif").read_text()
    facts = ["(barn east 5)", "(barn west 1)", "(control east)", "(field 0)", "(turn 6)"]
    found = analyse("lvt", text, seconds=40, facts=facts)
    rows = found[-2]["found"]["rows"]
    assert 0 < sum(row["possible"] for row in rows) < len(rows)


def test_an_analysis_of_a_hostile_game_fails_by_a_line_or_ends_in_time() -> None:
    began = time.monotonic()
    found = analyse("solve", sheets.ENDLESS, seconds=2)
    assert found[-1]["event"] in ("done", "failed")
    assert time.monotonic() - began < 2 + 5 + 20  # the last for a busy machine


def analyse(kind: str, text: str, *, seconds: float, **task: object) -> list[dict[str, Any]]:
    analyses = Analyses()
    try:
        analysis = analyses.begin(
            {
                "kind": kind,
                "rules": text,
                "facts": None,
                "seconds": seconds,
                "algorithm": "alphabeta",
                "role": 0,
                **task,
            }
        )
        known, found, is_over = 0, [], False
        while not is_over:
            news, known, is_over = analysis.news(known, timeout=90)
            found += news
        return found
    finally:
        analyses.close()
