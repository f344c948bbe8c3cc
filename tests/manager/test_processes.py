"""Child processes of the manager can hang, grow or die, and the manager continues."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn, cast
from unittest.mock import Mock

import pytest

from ggp.errors import ReasonerTimeout
from ggp.gdl.bundled import bundled_games
from ggp.graph import GameGraph
from ggp.learning import Store
from ggp.match import ForkServer
from ggp.search import (
    ALGORITHMS,
    Limit,
    Minimax,
    SearchClass,
    SearchOptions,
    SearchResult,
    find_algorithm,
)
from ggp.server.manager.manager import Manager
from ggp.server.manager.places import Overloaded, Places
from ggp.server.manager.processes import effort, guide
from ggp.server.manager.processes.analyses import Analyses
from ggp.server.manager.processes.analyst import find
from ggp.server.manager.processes.effort import Effort
from ggp.server.manager.processes.guides import GuideError, Guides
from ggp.server.manager.processes.questions import (
    Asked,
    Check,
    Draw,
    Layout,
    Learned,
    Question,
    Scene,
    Style,
    Subject,
)
from ggp.server.manager.setup import Seat
from tests.learning.test_store import made
from tests.manager import sheets
from tests.manager.drawn import GAMES
from tests.processes import all_gone, command_line, descendants, happens

REFEREE = "ggp.server.manager.processes.match_worker"
NIM = (GAMES / "nim.kif").read_text()


@pytest.fixture
def guides(fork_server: ForkServer) -> Iterator[Guides]:
    opened = Guides(patience=60, places=Places(subjects=len(HOSTILE) + 1), start=fork_server.fork)
    try:
        yield opened
    finally:
        opened.close()


def ask(guides: Guides, name: str, text: str, question: Question) -> dict[str, Any]:
    return guides.ask(name, lambda: Subject(text), question)


def test_what_was_learned_is_not_cached(
    guides: Guides, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GGP_KNOWLEDGE_DIR", str(tmp_path))
    description, known = made("nim")
    rules = description.source.text
    assert ask(guides, "nim", rules, Learned())["learned"] is None
    Store(tmp_path).keep(description, known)
    assert cast("dict[str, int]", ask(guides, "nim", rules, Learned())["learned"])["plies"] == 7


HOSTILE = {
    "endless": (sheets.ENDLESS, "after 10 s|too long"),
    "bomb": (sheets.BOMB, "MB|memory|too long|10 s"),
    "deep": ("(" * 100_000, "parenthes"),
    "open": ("(role", "parenthes"),
    "empty": ("", "no role"),
}


@pytest.mark.long
def test_hostile_games_are_answered_by_a_line_each_while_others_go_on(guides: Guides) -> None:
    def complaint(name: str) -> str:
        with pytest.raises(GuideError) as caught:
            ask(guides, name, HOSTILE[name][0], Scene())
        return str(caught.value)

    with ThreadPoolExecutor(len(HOSTILE)) as pool:
        answers = pool.map(complaint, HOSTILE)
        assert ask(guides, "nim", NIM, Scene())["joint_moves"] == 3
        for answer, (_, reason) in zip(answers, HOSTILE.values(), strict=True):
            assert re.search(reason, answer), answer
            assert "\n" not in answer


@pytest.mark.long
def test_a_guide_that_takes_too_long_is_ended_with_all_its_processes() -> None:
    before, started = descendants(os.getpid()), set[int]()
    guides = Guides(patience=4)
    watch = threading.Timer(3, lambda: started.update(descendants(os.getpid()) - before))
    watch.start()
    try:
        with pytest.raises(GuideError, match="too long"):
            ask(guides, "endless", sheets.ENDLESS, Scene())
        watch.join()
        assert started
        assert all_gone(started, within=10)
    finally:
        guides.close()


@pytest.mark.long
def test_a_state_is_drawn_though_its_moves_take_for_ever(guides: Guides) -> None:
    hexapawn = (GAMES / "hexapawn.kif").read_text()
    endless = "(q z) (<= (q (s ?x)) (q ?x)) (<= (legal white slow) (q ?fact) (true ?fact))"
    layout: Any = ask(guides, "slow", hexapawn + endless, Layout())
    assert [len(board["spots"]) for board in layout["boards"]] == [9]
    drawn: Any = ask(guides, "slow", hexapawn + endless, Draw())
    assert sum(map(bool, drawn["scene"]["cells"].values())) == 6
    with pytest.raises(GuideError, match="after 10 s"):
        ask(guides, "slow", hexapawn + endless, Scene())


def running_guides() -> set[int]:
    return {
        pid for pid in descendants(os.getpid()) if "manager.processes.guide" in command_line(pid)
    }


def running_matches() -> set[int]:
    return {pid for pid in descendants(os.getpid()) if REFEREE in command_line(pid)}


@pytest.mark.long
def test_a_guide_that_is_killed_is_replaced(guides: Guides) -> None:
    before = running_guides()
    ask(guides, "nim", NIM, Check())
    (pid,) = running_guides() - before
    os.kill(pid, signal.SIGKILL)
    assert all_gone([pid], within=10)
    assert ask(guides, "nim", NIM, Layout())["roles"] == ["first", "second"]


@pytest.mark.parametrize(("worked", "is_starved"), [(0.0, True), (9.0, False)])
def test_a_guide_says_whether_an_answer_failed_because_the_machine_is_busy(
    monkeypatch: pytest.MonkeyPatch, worked: float, is_starved: bool
) -> None:
    def answer(*_: object) -> NoReturn:
        raise ReasonerTimeout("Prolog was stopped")

    clock, processor = iter([0.0, 10.0]), iter([0.0, worked])
    monkeypatch.setattr(guide.Guide, "answer", answer)
    monkeypatch.setattr(guide.Guide, "is_settled", True)
    monkeypatch.setattr(Effort, "_processor_seconds", lambda _: next(processor))
    monkeypatch.setattr(effort, "time", Mock(monotonic=lambda: next(clock)))
    owner = Mock(has_sent=True)
    owner.receive.side_effect = [Subject(text=NIM), Asked(1, Layout()), EOFError]
    with pytest.raises(EOFError):
        guide.main(owner)
    (told,) = owner.send.call_args.args
    assert (told["error"], told["starved"]) == ("Prolog was stopped", is_starved)


def test_what_a_busy_machine_did_not_answer_is_asked_again(
    guides: Guides, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = {"error": "Prolog was stopped", "starved": True}
    monkeypatch.setattr(guides, "_ask", lambda *_: failed)
    with pytest.raises(Overloaded, match="busy"):
        ask(guides, "nim", NIM, Layout())
    monkeypatch.setattr(guides, "_ask", lambda *_: {**failed, "starved": False})
    with pytest.raises(GuideError, match="stopped"):
        ask(guides, "nim", NIM, Layout())


def test_all_processes_of_a_match_are_forked(fork_server: ForkServer, tmp_path: Path) -> None:
    game = next(game for game in bundled_games() if game.stem == "tictactoe")
    manager = Manager.open(bundled=[game], folder=tmp_path, start=fork_server.fork)
    before = descendants(fork_server.pid)
    seats = (Seat("human"), Seat("player", "legal"))
    try:
        listed = manager.games.find("tictactoe")
        assert listed is not None
        match = manager.matches.begin(
            listed, seats, start_clock=5, play_clock=5, humans_take_time=True, start=None
        )
        assert happens(lambda: match.is_decided or bool(match.legal(0, 0)), within=30)
        ours = descendants(fork_server.pid) - before
        # the referee, its fork server, the player, and the reasoners of both
        assert len(ours) >= 4
        assert {command_line(pid) for pid in ours} == {command_line(fork_server.pid)}
    finally:
        manager.close()
    assert all_gone(ours, within=10)


@pytest.mark.long
def test_no_more_guides_are_kept_than_there_is_room_for() -> None:
    guides = Guides(patience=60, room=2)
    before = running_guides()
    try:
        for number in range(3):
            ask(guides, f"nim {number}", NIM, Check())
        assert happens(lambda: len(running_guides() - before) <= 2, within=30)
    finally:
        guides.close()


class Talkative:
    """Stands in for the process of a guide: its answer has as many letters as it is asked for."""

    asked: ClassVar[list[int]] = []

    def __init__(self, *_: object, on_message: Callable[[dict[str, Any]], None], **__: object):
        self.is_running = True
        self._on_message = on_message

    def send(self, message: object) -> None:
        if isinstance(message, Asked):
            assert isinstance(message.question, Style)
            length = int(message.question.written)
            self.asked.append(length)
            self._on_message({"id": message.number, "ok": {"text": "x" * length}})

    def close(self) -> None:
        pass

    join = close


def test_answers_of_guides_are_cached_within_a_memory_limit(
    guides: Guides, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.server.manager.processes.guides.Child", Talkative)
    million = 1_000_000
    for length in (3 * million, 3 * million, *range(million, million + 20)):
        ask(guides, "game", "", Style(str(length)))
    # Too long to be kept; kept; forgotten for the sake of later ones.
    assert Talkative.asked[:2] == [3 * million] * 2
    Talkative.asked.clear()
    ask(guides, "game", "", Style(str(million + 19)))
    assert Talkative.asked == []
    ask(guides, "game", "", Style(str(million)))
    assert Talkative.asked == [million]
    # Any number of short ones is kept.
    for _ in range(2):
        for length in range(1000):
            ask(guides, "other game", "", Style(str(length)))
    assert len(Talkative.asked) == 1001


def test_closing_leaves_no_process() -> None:
    before = descendants(os.getpid())
    guides = Guides()
    ask(guides, "nim", NIM, Scene())
    started = descendants(os.getpid()) - before
    assert len(started) > 1
    guides.close()
    assert all_gone(started, within=10)


ANALYSES: dict[str, Callable[[Any], bool]] = {
    "perft": lambda found: [layer["states"] for layer in found["layers"][:3]] == [1, 3, 5],
    "lvt": lambda found: [row["goals"] for row in found["rows"]] == [[0, 100], [100, 0]],
    "solve": lambda found: found["exact"] and found["value"] in (0, 100),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ANALYSES)
def test_an_analysis_finds_what_the_commands_find(kind: str) -> None:
    found = analyse(kind, NIM, seconds=40)
    assert found[-1]["event"] == "done"
    assert ANALYSES[kind](found[-2]["found"])


def test_the_analyst_takes_any_searcher(monkeypatch: pytest.MonkeyPatch) -> None:
    class Lucky:
        """A searcher of another package."""

        algorithm = "lucky"

        def __init__(self, graph: GameGraph, options: SearchOptions, *, table_size: int) -> None:
            self._search = Minimax(graph, options, table_size=table_size)

        def deepen(self, limit: Limit) -> Iterator[SearchResult]:
            yield replace(self._search.run(), algorithm=self.algorithm)

    monkeypatch.setitem(ALGORITHMS, "lucky", find_algorithm(cast("SearchClass", Lucky)))
    task = {"kind": "solve", "algorithm": "lucky", "role": 0, "seconds": 60, "facts": None}
    (found,) = find({**task, "rules": NIM}, tell=lambda _: None)
    assert (found["algorithm"], found["exact"], found["value"]) == ("lucky", True, 100)


@pytest.mark.long
def test_rows_of_the_table_drop_out_below_a_state() -> None:
    text = (GAMES / "harvest.kif").read_text()
    facts = ["(barn east 5)", "(barn west 1)", "(control east)", "(field 0)", "(turn 6)"]
    found = analyse("lvt", text, seconds=40, facts=facts)
    rows = found[-2]["found"]["rows"]
    assert 0 < sum(row["possible"] for row in rows) < len(rows)


@pytest.mark.long
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
