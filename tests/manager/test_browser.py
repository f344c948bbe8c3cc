"""The pages in a browser: Chromium, headless, driven as a person would use it.

`make browser-test` installs what is needed. Without it these tests are skipped.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.keys import Keys

from ggp.match import MatchRecord
from ggp.server.manager.manager import Manager
from tests.manager import sheets
from tests.manager.browser import Page, needs_browser
from tests.manager.drawn import GAMES

pytestmark = [pytest.mark.long, needs_browser]


def test_a_whole_game_of_tic_tac_toe_is_played_by_clicking(page: Page, manager: Manager) -> None:
    page.begin_match("tictactoe", "human", "legal")
    # `legal` takes the first free cell: 1 1, then 1 2 in the middle of our diagonal's back.
    for cell in ("2 2", "3 1", "1 3"):
        page.wait_for(f"{page.spot(cell)}.can")
        page.click(page.spot(cell))
        page.wait_for(f"{page.spot(cell)}[data-content='x']")
    page.wait(lambda: "wins" in page.status())
    assert page.status() == "You won. X wins 100 : 0."
    page.wait(lambda: len(page.all(".spot.decisive")) == 3)
    (match,) = manager.matches
    record = MatchRecord.read(match.record)
    assert (record.goal_values, record.is_player_human) == ((100, 0), (True, False))
    assert [str(moves[0]) for moves in record.moves][::2] == [
        "(place 2 2)",
        "(place 3 1)",
        "(place 1 3)",
    ]
    assert page.problems() == []
    assert page.hosts() == {urlsplit(page.url).netloc}
    page.click("#first")
    page.wait(lambda: page.find("#step").text == "0 / 5")
    assert page.all(".piece") == []


def test_a_match_that_has_not_begun_says_how_long_its_players_prepare(page: Page) -> None:
    page.begin_match("breakthrough", "human", "auto:keep=false", start_clock=30)
    page.wait(lambda: page.status() == "The players prepare, for 30 s at most…")


def test_a_chart_without_a_state_has_no_step_below_the_first(page: Page) -> None:
    page.open("/")
    drawn = """
        const done = arguments[0], root = document.createElement("div");
        import("/static/chart.js").then(({ drawChart }) => {
            drawChart(root, { roles: ["x"], tones: [0], goals: [], estimates: [], step: 0 });
            done([...root.querySelectorAll("text")].map((each) => each.textContent));
        });
    """
    assert page.driver.execute_async_script(drawn)[-2:] == ["0", "0"]


def test_a_move_is_made_with_the_keyboard_alone(page: Page) -> None:
    page.begin_match("hexapawn", "human", "legal")
    page.wait_for(".spot.can")
    # The board is one stop of the tab key; the first spot is at the top on the left.
    first = page.find(".spot[tabindex='0']")
    first.send_keys(Keys.ARROW_DOWN, "")
    page.driver.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    here = page.driver.switch_to.active_element
    assert here.get_attribute("data-name") == "1 1"
    assert here.get_attribute("aria-label") == "1 1: white, can be chosen"
    here.send_keys(Keys.ENTER)
    assert here.get_attribute("aria-label") == "1 1: white, chosen"
    here.send_keys(Keys.ARROW_UP)
    page.driver.switch_to.active_element.send_keys(Keys.ENTER)
    page.wait(lambda: "1,1-1,2" in page.texts("#history")[0])
    assert page.find("#history .move").get_attribute("title") == "(move 1 1 1 2)"


def test_a_move_is_found_by_searching_the_list(page: Page) -> None:
    page.begin_match("tictactoe", "human", "legal")
    page.wait_for("#moves [data-move]")
    search = page.find("#moves [type=search]")
    search.send_keys("3 2")
    assert page.texts("#moves [data-move]") == ["place 3,2"]
    search.send_keys(Keys.ENTER)
    page.wait_for(f"{page.spot('3 2')}[data-content='x']")


def test_words_that_would_be_markup_are_shown_and_not_run(page: Page) -> None:
    page.open("/")
    page.click("details summary")
    page.find("[name=rules]").send_keys(sheets.SCRIPT)
    page.find("[name=name]").send_keys("<script>document.title='run'</script>")
    page.click("details button")
    page.find("#kind-0")
    address = urlsplit(page.driver.current_url).path
    page.find(".piece, .fact")
    assert "<img/src=x/onerror=document.title='run'>" in page.find("#seats").text
    page.click("#setup .primary")
    page.wait_for("#moves [data-move]")
    told = page.find("main").text
    assert "<svg/onload=document.title='run'>" in told
    page.open(f"{address}/explore")
    page.wait_for("#moves [data-move]")
    page.click("#random")
    page.wait(lambda: "over" in page.status() or page.all("#path li:nth-child(2)"))
    assert page.driver.title != "run"
    assert page.all("main script, main img, main b b, main u, main i, main svg[onload]") == []
    assert page.problems() == []


def test_the_explorer_goes_any_way_and_works_things_out(page: Page) -> None:
    page.open("/games/tictactoe/explore")
    for cell in ("1 1", "2 2"):
        page.wait_for(f"{page.spot(cell)}.can")
        page.click(page.spot(cell))
        page.wait_for(f"{page.spot(cell)} .piece")
    page.wait(lambda: len(page.all("#joint tbody tr")) == 7)
    assert page.find("[name=role]").get_attribute("value") == "0"  # x is to move
    page.choose("[name=kind]", "perft")
    seconds = page.find("[name=seconds]")
    seconds.clear()
    seconds.send_keys("60")
    page.click("#analysis .primary")
    page.wait(lambda: "Every reachable state" in page.texts("#analysis-result")[0])
    rows = [row.split() for row in page.texts("#analysis-result tbody tr")]
    assert rows[:2] == [["0", "1", "1", "0"], ["1", "7", "7", "0"]]
    # The address contains the path: it leads to the same state.
    address = page.driver.current_url.removeprefix(page.url)
    page.open("/")
    page.open(address)
    page.wait(lambda: len(page.all(".piece")) == 2)
    page.click("#path li:first-child button")
    page.wait(lambda: page.all(".piece") == [])
    assert page.problems() == []


def test_the_page_of_a_game_says_what_was_learned_and_learns_more(page: Page) -> None:
    page.open("/games/nim")
    page.wait(lambda: "Nothing has been learned" in page.find("#learned-status").text)
    page.click("#learn")
    page.wait(lambda: "Learning: " in page.find("#learned-status").text)
    assert not page.find("#learn").is_enabled()


def test_light_and_dark(page: Page) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        page.open("/games/nim")
        colours.add(page.find("body").value_of_css_property("background-color"))
    page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert len(colours) == 2


def test_a_games_own_stylesheet_dresses_its_board_only(page: Page, tmp_path: Path) -> None:
    rules, style = tmp_path / "dressed.kif", tmp_path / "dressed.css"
    rules.write_text((GAMES / "hexapawn.kif").read_text())
    style.write_text(
        '.piece[data-content="white"] { background: rgb(1, 2, 3) }'
        "body, h1 { color: rgb(9, 9, 9) } @import url(http://evil.example/);"
    )
    page.open("/")
    page.click("details summary")
    page.find("[name=rules_file]").send_keys(str(rules))
    page.find("[name=style_file]").send_keys(str(style))
    page.click("details button")
    piece = page.find('.piece[data-content="white"]')
    assert piece.value_of_css_property("background-color") == "rgba(1, 2, 3, 1)"
    assert page.find("h1").value_of_css_property("color") != "rgba(9, 9, 9, 1)"
    assert page.hosts() == {urlsplit(page.url).netloc}
