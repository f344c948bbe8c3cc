"""Pages in Chromium that get answers late, and not in the order in which they asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import pytest

from tests.manager.browser import Page, needs_browser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selenium.webdriver.chrome.webdriver import WebDriver

pytestmark = [pytest.mark.long, needs_browser]

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
    def __call__(self, late: str, *, seconds: float = 1.0) -> None: ...


@pytest.fixture
def slow(driver: WebDriver) -> Iterator[Slow]:
    """Delay the answers from addresses that match a pattern, on the pages that are opened after.

    The first answer comes that number of seconds late, the second half of it, and so on. Each turn
    is announced 0.2 s late.
    """
    added = []

    def slowed(late: str, *, seconds: float = 1.0) -> None:
        script = {"source": f"const LATE = {late!r}, SECONDS = {seconds};{_SLOW}"}
        added.append(driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", script))

    yield slowed
    for script in added:
        driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def late(page: Page) -> int:
    return page.driver.execute_script("return window.late")  # type: ignore[no-any-return]


def test_the_board_of_a_hidden_game_is_that_of_the_role_to_move(page: Page, slow: Slow) -> None:
    """The page gets what x sees of the new state after what o sees of it."""
    slow("drawings/1[?].*role=0")
    page.begin_match("kriegtictactoe", "human", "human")
    page.wait_for(f"{page.spot('2 2')}.can")
    page.click(page.spot("2 2"))
    page.wait(lambda: late(page))
    page.wait(lambda: "You see what o may know" in page.find("#knowledge").text)
    page.wait_for(".spot.can")
    assert len(page.all(".piece.maybe")) == 9
    assert page.problems() == []


def test_a_move_is_sent_before_the_page_knows_where_to_click(page: Page, slow: Slow) -> None:
    slow("/scenes/0", seconds=1000)
    page.begin_match("tictactoe", "human", "human")
    page.click("#moves [data-move]")
    page.wait(lambda: page.find("#step").text == "1 / 1")
    assert late(page) == 0
    page.wait_for(".spot.can")
    assert page.problems() == []


def test_an_analysis_of_a_state_that_the_explorer_has_left_is_not_shown(
    page: Page, slow: Slow
) -> None:
    slow("/analyses$")
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
    slow("/api/steps$")
    page.open("/step")
    for algorithm in ("shallow", "maxn"):
        page.driver.execute_script(search, algorithm)
    page.wait(lambda: late(page) == 2)
    page.wait(lambda: page.texts("#status")[0].endswith("steps."))
    assert page.find("#shown-title").text.startswith("maxn")
    assert page.problems() == []
