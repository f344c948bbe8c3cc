"""Pages in Chromium whose answers come late, and in another order than that of the questions."""

from __future__ import annotations

from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Protocol

import pytest

from tests.manager.browser import BROWSER, DRIVER, Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selenium.webdriver.chrome.webdriver import WebDriver

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(
        not (BROWSER and DRIVER), reason="no Chromium with its driver; `make browser-test`"
    ),
]

_SLOW = """
    const after = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    const ask = window.fetch;
    let asked = 0;
    window.late = 0;
    window.fetch = async (url, options) => {
      const answer = await ask(url, options);
      if (new RegExp(LATE).test(url)) {
        asked += 1;
        await after(SECONDS / asked);
        window.late += 1;
      }
      return answer;
    };
    window.EventSource = class extends EventSource {
      set onmessage(take) {
        super.onmessage = async (message) => {
          const { event, turn } = JSON.parse(message.data);
          if (event === "turn" && turn > 0) await after(0.2);
          take(message);
        };
      }
    };"""


class Slow(Protocol):
    def __call__(self, late: str, *, seconds: float = 1.0) -> AbstractContextManager[None]: ...


@pytest.fixture
def slow(driver: WebDriver) -> Slow:
    """Delay answers from addresses that match a pattern, and by 0.2 s, whose turn it is.

    The first answer is delayed by that number of seconds, the second by half of it, and so on.
    """

    @contextmanager
    def slowed(late: str, *, seconds: float = 1.0) -> Iterator[None]:
        script = {"source": f"const LATE = {late!r}, SECONDS = {seconds};{_SLOW}"}
        added = driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script)
        yield
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)

    return slowed


def late(page: Page) -> int:
    return page.driver.execute_script("return window.late")  # type: ignore[no-any-return]


def test_the_board_of_a_hidden_game_is_that_of_the_role_to_move(page: Page, slow: Slow) -> None:
    """Here, what x sees of the new state comes after what o sees of it."""
    with slow("drawings/1[?].*role=0"):
        page.begin_match("kriegtictactoe", "human", "human")
        page.wait_for(f"{page.spot('2 2')}.can")
        page.click(page.spot("2 2"))
        page.wait(lambda: late(page))
    page.wait(lambda: "You see what o may know" in page.find("#knowledge").text)
    page.wait_for(".spot.can")
    assert len(page.all(".piece.maybe")) == 9
    assert page.problems() == []


def test_a_move_is_sent_before_the_page_knows_where_to_click(page: Page, slow: Slow) -> None:
    with slow("/scenes/0", seconds=1000):
        page.begin_match("tictactoe", "human", "human")
        page.click("#moves [data-move]")
        page.wait(lambda: page.find("#step").text == "1 / 1")
    assert late(page) == 0
    page.wait_for(".spot.can")
    assert page.problems() == []


def test_an_analysis_of_a_state_that_the_explorer_has_left_is_not_shown(
    page: Page, slow: Slow
) -> None:
    with slow("/analyses$"):
        page.open("/games/tictactoe/explore")
        page.wait_for(".spot.can")
        page.choose("[name=kind]", "lvt")
        page.click("#analysis .primary")
        page.click(page.spot("2 2"))
        page.wait(lambda: late(page))
        page.wait(lambda: page.find("#status").text.startswith("Step 1"))
    assert page.texts("#analysis-status") == [""]
    assert page.texts("#analysis-result") == [""]
    assert not page.find("#stop").is_enabled()
    page.click("#analysis .primary")
    page.wait(lambda: page.texts("#analysis-status") == ["Done."])
    assert page.problems() == []


def test_the_page_of_steps_shows_the_search_that_was_asked_for_last(page: Page, slow: Slow) -> None:
    search = """const form = document.querySelector("#search");
        form.elements.algorithm.value = arguments[0];
        form.requestSubmit();"""
    with slow("/api/steps$"):
        page.open("/step")
        for algorithm in ("shallow", "maxn"):
            page.driver.execute_script(search, algorithm)
        page.wait(lambda: late(page) == 2)
        page.wait(lambda: page.texts("#status")[0].endswith("steps."))
    assert page.find("#shown-title").text.startswith("maxn")
    assert page.problems() == []
