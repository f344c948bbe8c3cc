"""The page of a match and the explorer in Chromium, as people use them."""

from __future__ import annotations

import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.manager.browser import Page, needs_browser

pytestmark = [pytest.mark.long, needs_browser]


@contextmanager
def running_manager(folder: Path, *, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run `ggp manager`; yield its process and its address."""
    command = [sys.executable, "-m", "ggp", "manager"]
    arguments = ["--port", str(port), "--folder", str(folder)]
    with subprocess.Popen([*command, *arguments], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().split()[1]
        finally:
            process.send_signal(signal.SIGTERM)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a manager that the tests of this module share."""
    with running_manager(tmp_path_factory.mktemp("match_page")) as (_, address):
        yield address


def told(page: Page) -> list[str]:
    return page.texts("#told p")


def run(page: Page, script: str, *arguments: Any) -> Any:
    """Run the body of an asynchronous function in the page."""
    whole = f"""const [done] = [...arguments].slice(-1);
    (async () => {{ {script} }})().then(done, (error) => done(String(error)));"""
    return page.driver.execute_async_script(whole, *arguments)


#: Adds up how far the page shifts by itself.
WATCH_SHIFTS = """window.shifts = 0; new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifts += entry.value;
}).observe({ type: "layout-shift" });"""


def test_the_page_says_who_thinks_what_was_played_and_whose_turn_it_is(page: Page) -> None:
    page.begin_match("breakthrough", "human", "mcts", start_clock=2, play_clock=1.5)
    page.wait(lambda: page.status() == "Your turn as white.")
    page.wait(lambda: page.driver.title.startswith("● Your turn as white"))
    page.wait_for(f"{page.spot('1 2')}.can")
    page.driver.execute_script(WATCH_SHIFTS)
    page.click(page.spot("1 2"))
    page.click(page.spot("1 3"))
    page.wait(lambda: page.status() == "White: 1,2-1,3. Black thinks…")
    page.wait(lambda: page.driver.title.startswith("Black thinks…"))
    page.wait_for(".player[data-role=black] .clock.running")
    page.wait(lambda: page.status().endswith("Your turn as white."))
    first, second, third, fourth, fifth = told(page)
    assert (first, second, third) == ("Your turn as white.", "1. white: 1,2-1,3.", "Black thinks…")
    assert fourth.startswith("2. black: ")
    assert fifth == "Your turn as white."
    assert page.find("#told").get_attribute("aria-live") == "polite"
    assert page.texts("#history .move") == ["1,2-1,3", fourth.removeprefix("2. black: ")[:-1]]
    # The page stays where it is while a match is played; 0.1 is what Chromium calls good.
    assert page.driver.execute_script("return window.shifts") < 0.02
    # Giving up asks first.
    page.click("#abort")
    page.click("#sure-abort [value=no]")
    page.wait(lambda: not page.find("#sure-abort").is_displayed())
    assert page.status().endswith("Your turn as white.")
    page.click("#abort")
    page.click("#sure-abort [value=yes]")
    page.wait(lambda: page.status() == "The match ended early: its host ended it.")
    assert page.problems() == []


def test_a_match_survives_that_the_manager_is_killed(page: Page, tmp_path: Path) -> None:
    with running_manager(tmp_path) as (process, address):
        page.url = address
        page.begin_match("hexapawn", "human", "human")
        page.wait_for("#moves [data-move]")
        white = page.driver.current_window_handle
        page.click("#seats summary")
        link = str(page.all(".seat-link input")[1].get_attribute("value"))
        page.driver.switch_to.new_window("tab")
        black = page.driver.current_window_handle
        page.driver.get(link)
        page.wait(lambda: page.status() == "White is to move.")
        # White sits below on one page and black on the other; the address shows no secret.
        assert "key" not in page.driver.current_url
        assert page.find(page.spot("1 1")).location["y"] < page.find(page.spot("1 3")).location["y"]
        page.driver.switch_to.window(white)
        assert page.find(page.spot("1 1")).location["y"] > page.find(page.spot("1 3")).location["y"]
        page.click(page.spot("1 1"))
        page.click(page.spot("1 2"))
        page.wait(lambda: page.status() == "White: 1,1-1,2. Black is to move.")
        process.kill()
        page.wait(lambda: page.status().startswith("The manager does not answer"))
        assert page.find("#lost a").is_displayed()
    with running_manager(tmp_path, port=int(address.rpartition(":")[2])):
        page.wait(lambda: page.status() == "White: 1,1-1,2. Black is to move.")
        page.driver.switch_to.window(black)
        page.wait(lambda: page.status() == "White: 1,1-1,2. Your turn as black.")
        page.wait_for(f"{page.spot('2 3')}.can")
        page.click(page.spot("2 3"))
        page.click(page.spot("1 2"))
        page.wait(lambda: page.texts("#gone-pieces") == ["w"])
        page.wait(lambda: page.status() == "Black: 2,3-1,2. White is to move.")
        page.driver.close()
        page.driver.switch_to.window(white)
        page.wait(lambda: page.status() == "Black: 2,3-1,2. Your turn as white.")
    assert page.problems() == []


def test_a_person_whose_time_runs_out_is_told_what_was_played(page: Page, tmp_path: Path) -> None:
    page.open("/games/tictactoe")
    page.find("#kind-0")
    page.click("[name=humans_take_time]")
    for name, seconds in (("play_clock", "0.5"), ("start_clock", "1")):
        field = page.find(f"[name={name}]")
        field.clear()
        field.send_keys(seconds)
    page.choose("#kind-1", "legal")
    page.click("#setup .primary")
    page.wait(lambda: page.texts("#late") and page.find("#late").is_displayed())
    page.wait(lambda: "wins" in page.status() or "draw" in page.status())
    note = page.find("#late").text
    assert note.startswith("Your time as x ran out, and a random move was made for you: place ")
    # The match as a page of its own needs no server.
    ended = page.status()
    record = page.driver.current_url.rpartition("/")[2].partition("#")[0]
    kept = tmp_path / "replay.html"
    with urllib.request.urlopen(f"{page.url}/records/{record}/replay.html") as reply:
        kept.write_bytes(reply.read())
    page.driver.get(kept.as_uri())
    assert ended.endswith(page.status())  # that page knows no seat
    assert page.all(".scene .piece") == []
    page.click("#last")
    assert len(page.all(".scene .piece")) == len(page.all("#history tr")) > 4
    assert page.problems() == []


def test_moves_are_written_as_people_write_them(page: Page) -> None:
    page.open("/games/tictactoe")
    written = run(
        page,
        """const { Notation, isIdle } = await import("/static/watch/notation.js");
        const spots = (names) => ({ boards: [{ spots: names.map((name) => ({ name })) }] });
        const letters = new Notation(spots(["b 1", "c 3", "a 10"]));
        const digits = new Notation(spots(["1 2", "3 4"]));
        return [
          letters.label("(move b 1 c 3)"), letters.label("(move wp b 1 a 10)"),
          letters.label("(jump b 1 c 3 a 10)"), letters.label("(put b 1)"), letters.label("noop"),
          letters.label("(bid 12)"), digits.label("(move 1 2 3 4)"), digits.label("(move 1 2 9 9)"),
          digits.label("(move (at 1 2) (at 3 4))"),
          isIdle(["noop", "(put b 1)"], null, 0), isIdle(["noop", "noop"], null, 0),
          isIdle(["wait", "go"], [1, 4], 0), isIdle(["wait", "go"], [1, 4], 1),
        ];""",
    )
    assert written == [
        *("b1-c3", "wp b1-a10", "jump b1-c3-a10", "put b1", "noop"),
        *("bid 12", "1,2-3,4", "move 1,2 9 9", "at 1,2 at 3,4"),
        *(True, False, True, False),
    ]


def test_ends_are_told_in_words(page: Page) -> None:
    page.open("/games/tictactoe")
    told = run(
        page,
        """const { fault, result, clock } = await import("/static/watch/words.js");
        return [
          result(["x", "o"], [100, 0]), result(["x", "o"], [50, 50]), result(["me"], [25]),
          result(["a", "b", "c"], [49, 100, 49]), result(["a", "b", "c"], [50, 50, 0]),
          result(["random", "me"], [0, 100]), fault("x", "TO", "b1"), fault("x", "EX no"),
          clock(7.44, true), clock(67), clock(3725),
        ];""",
    )
    assert told == [
        *("x wins 100 : 0", "A draw, 50 : 50", "me gets 25 of 100"),
        *("b wins a 49, b 100, c 49", "a and b share the first place, a 50, b 50, c 0"),
        "me gets 100 of 100",
        "x ran out of time; a random move was made instead: b1",
        "x made an error in its own code: no",
        *("7.4", "1:07", "1:02:05"),
    ]


def test_a_long_list_of_moves_says_that_it_is_cut(page: Page) -> None:
    page.open("/games/tictactoe")
    shown = run(
        page,
        """const { MoveList } = await import("/static/moves.js");
        const root = document.createElement("div");
        const list = new MoveList(root, () => {}, { label: (move) => move });
        list.show(Array.from({ length: 600 }, (_, at) => ({ move: `m${at}` })));
        const before = [root.querySelectorAll("li").length, root.querySelector("p").textContent];
        root.querySelector("p button").click();
        return [...before, root.querySelectorAll("li").length, root.querySelector("p").hidden];""",
    )
    assert shown == [400, "400 of 600 moves are shown. Show all", 600, True]


def test_a_piece_is_dragged(page: Page) -> None:
    page.begin_match("hexapawn", "human", "legal")
    page.wait_for(f"{page.spot('1 1')}.can")
    chain = ActionChains(page.driver)
    chain.drag_and_drop(page.find(page.spot("1 1")), page.find(page.spot("1 2"))).perform()
    page.wait(lambda: page.texts("#history .move")[:1] == ["1,1-1,2"])
    assert page.all(".ghost") == []


def test_the_explorer_keeps_a_tree_and_a_match_begins_anywhere_in_it(page: Page) -> None:
    page.open("/games/tictactoe/explore")
    for cell in ("1 1", "2 2"):
        page.wait_for(f"{page.spot(cell)}.can")
        page.click(page.spot(cell))
        page.wait_for(f"{page.spot(cell)} .piece")
    assert page.find("[name=role]").get_attribute("value") == "0"
    page.find("body").send_keys(Keys.ARROW_LEFT)
    page.wait_for(f"{page.spot('3 3')}.can")
    assert page.find("[name=role]").get_attribute("value") == "1"
    page.click(page.spot("3 3"))
    page.wait_for(f"{page.spot('3 3')} .piece")
    assert page.texts("#path button") == ["start", "1. place 1,1", "2. place 2,2", "2. place 3,3"]
    page.find("body").send_keys(Keys.ARROW_UP)
    page.wait_for(f"{page.spot('2 2')} .piece")
    page.driver.refresh()  # the tree is still there
    page.wait_for(f"{page.spot('2 2')} .piece")
    page.click("#play-on")
    page.wait(lambda: page.texts("#scene-status") == ["The match begins here: after 2 steps."])
    page.choose("#kind-1", "legal")
    page.click("#setup .primary")
    page.wait(lambda: page.status() == "O: place 2,2. Your turn as x.")
    # A link to a step opens there, and leads back to the explorer.
    page.click("#back")
    page.wait(lambda: page.driver.current_url.endswith("#step=1"))
    page.driver.refresh()
    page.wait(lambda: page.texts("#step") == ["1 / 2"] and len(page.all(".scene .piece")) == 1)
    page.click("[data-here$=explore]")
    page.wait(lambda: page.texts("#path button") == ["start", "1. place 1,1", "2. place 2,2"])
    assert page.problems() == []


@pytest.mark.parametrize("path", ["/games/connectfour", "/games/connectfour/explore"])
def test_nothing_is_wider_than_a_phone(page: Page, path: str) -> None:
    screen = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        page.open(path)
        page.wait_for(".spot")
        if path.endswith("four"):
            page.choose("#kind-1", "legal")
            page.click("#setup .primary")
            page.wait_for("#moves [data-move]")
        wide = page.driver.execute_script("return document.documentElement.scrollWidth")
        assert wide == 360
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
