"""The home page and a tournament in Chromium, used as a person uses them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.keys import Keys

from ggp.match import MatchRecord
from ggp.server.manager.manager import Manager
from ggp.tournament import Store, fixtures
from tests.manager import sheets
from tests.manager.browser import Page, needs_browser
from tests.manager.conftest import serving
from tests.manager.home.record_files import record_of
from tests.match.participants import Fixed
from tests.match.records.test_record import RECORD
from tests.match.test_referee import play
from tests.tournament.plans import TWO, plan, stronger_wins

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

pytestmark = [pytest.mark.long, needs_browser]

CUP = plan(["random", "legal"])


def grown(steps: int) -> MatchRecord:
    """The record of a match of the tournament after some steps."""
    _, whole = play(TWO.rules, Fixed("(pick 3)"), Fixed("(pick 1)"))
    return replace(
        whole, match_id="match.1", is_completed=False, goal_values=(),
        states=whole.states[: steps + 1], state_times=whole.state_times[: steps + 1],
        errors=whole.errors[: steps + 1], moves=whole.moves[:steps], search=whole.search[:steps],
    )  # fmt: skip


@pytest.fixture
def cup(tmp_path: Path) -> Path:
    """The folder of a tournament of which one match of two has been played."""
    with closing(Store.create(tmp_path / "cup", CUP)) as store:
        store.add(stronger_wins(fixtures(CUP, ())[0]), RECORD)
    return tmp_path / "cup"


@pytest.fixture
def page(driver: WebDriver, tmp_path: Path, cup: Path) -> Iterator[Page]:
    """A manager with three records, a game and the tournament."""
    manager = Manager.open(bundled=[], folder=tmp_path / "kept", tournaments=[cup])
    for steps, player in enumerate(("Ada", "Bob", "Eve"), start=1):
        facts = [f"( (step {number}) )" for number in range(steps + 1)]
        fields = {
            "states": facts,
            "stateTimes": [1_700_000_000_000 + steps] * (steps + 1),
            "startTime": 1_700_000_000_000 + 86_400_000 * steps,
            "moves": [["go"]] * steps,
            "search": [],
            "playerNamesFromHost": [player],
        }
        manager.records.add(record_of(**fields).getvalue())
    manager.games.add("pebbles", f"; Pebbles\n;\n; Take some.\n{sheets.ROW}")
    manager.games.add("seeds", sheets.ROW)
    try:
        with serving(manager) as url:
            yield Page(driver, url)
            driver.get("about:blank")
    finally:
        manager.close()


def test_results_are_sorted_searched_and_removed(page: Page) -> None:
    page.open("/")
    page.wait(lambda: page.texts("#result-count") == ["3 records"])
    assert page.texts("#results .who-played") == ["Eve", "Bob", "Ada"]  # the latest first
    page.click("#results th:nth-child(5) button")
    assert page.texts("#results .steps") == ["3", "2", "1"]
    page.click("#results th:nth-child(5) button")
    assert page.texts("#results .steps") == ["1", "2", "3"]
    assert page.find("th[aria-sort='ascending']").text == "steps ▲"
    page.find("#result-search").send_keys("BOB 2023")
    assert page.texts("#results .who-played") == ["Bob"]
    page.click("#results .remove")
    assert "the record of marks, 16 Nov 2023" in page.find("#removal").text
    page.click("#keep")
    page.click("#results .remove")
    page.click("#removal .danger")
    page.wait(lambda: page.texts("#result-count") == ["2 records"])
    assert page.texts("#results .who-played") == ["Eve", "Ada"]
    assert page.problems() == []


def test_a_replay_shows_what_the_players_thought(page: Page) -> None:
    page.open("/")
    with_thoughts = record_of(matchId="thoughtful").getvalue()
    brought = page.driver.execute_async_script(
        "const done = arguments[1], told = new FormData();"
        "told.append('record', new File([arguments[0]], 'r.json'));"
        "fetch('/records', {method: 'POST', body: told}).then((reply) => done(reply.url));",
        with_thoughts.decode(),
    )
    page.driver.get(brought)
    page.wait_for("#thought-list td")
    cells = page.texts("#thought-list tbody td")
    assert cells == ["1", "role 1", "50.0", "3", "8", "0.50 s", "mark 1"]
    assert page.texts("#history .number") == ["1", "2.5 s"]
    assert "expects 50.0, 3 ahead" in page.find("#players").text
    page.wait_for("#chart polyline.estimate")
    assert page.find("h1").text == "marks, 14 Nov 2023"
    page.click("#on")
    page.wait(lambda: page.texts("#thought-list tr[aria-current]") == [])
    assert page.problems() == []


def test_games_are_found_and_removed(page: Page) -> None:
    page.open("/")
    search = page.find("#game-search")
    search.send_keys("some TAKE")
    assert page.texts("#games li:not([hidden]) > a") == ["Pebbles"]
    assert page.texts("#game-count") == ["1 of 2 games"]
    page.click("#games li:not([hidden]) .remove")
    assert "Remove the game pebbles?" in page.find("#removal").text
    page.click("#removal .danger")
    page.wait(lambda: page.texts("#games li > a") == ["Seeds"])
    page.find("#game-search").send_keys("seed", Keys.ENTER)
    page.wait(lambda: "/games/seeds." in page.driver.current_url)


def test_a_tournament_is_followed_while_it_is_played(page: Page, cup: Path) -> None:
    page.open("/tournaments/cup")
    page.wait(lambda: page.texts("#match-count") == ["1 match"])
    assert "1 of 2 matches played." in page.find("#summary").text
    assert not page.find("#running").is_displayed()
    second = fixtures(CUP, ())[1]
    with closing(Store.open(cup)) as store:
        store.tell([(second, grown(0))])
    page.wait(lambda: page.texts("#running .who-played") == ["legal \u2013 random"])
    assert page.texts("#running .steps") == ["0"]
    with closing(Store.open(cup)) as store:
        store.tell([(second, grown(1))])
    page.wait(lambda: page.texts("#running .steps") == ["1"])
    page.click("#running a")
    page.wait(lambda: page.texts("#step") == ["1 / 1"])
    with closing(Store.open(cup)) as store:
        store.tell([(second, grown(2))])
    page.wait(lambda: page.texts("#step") == ["2 / 2"])
    assert page.texts("#told p")[-1].startswith("2. ")
    with closing(Store.open(cup)) as store:
        store.tell(())
    page.wait(lambda: "was interrupted" in page.status())
    page.open("/tournaments/cup")
    with closing(Store.open(cup)) as store:
        store.add(stronger_wins(fixtures(CUP, ())[1]), RECORD)
    page.wait(lambda: page.texts("#match-count") == ["2 matches"])
    assert "Finished: 2 matches." in page.find("#summary").text
    page.click("#match-list tr:nth-child(2) .who-played a")
    page.wait(lambda: "/records/match.0" in page.driver.current_url)
    assert page.problems() == []
