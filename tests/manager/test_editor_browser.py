"""The editor in Chromium, headless, used as an author would. `make browser-test` installs it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver.common.keys import Keys

from ggp.gdl import Description
from ggp.server.manager.manager import Manager
from tests.manager import sheets
from tests.manager.browser import Page, needs_browser
from tests.manager.drawn import GAMES

pytestmark = [pytest.mark.long, needs_browser]

#: Three lamps to be lit, with two mistakes: `?m` stands in a `not` only, and a goal is 1000.
LAMPS = """; Three lamps
(role me)
(succ 1 2)
(succ 2 3)
(init (lamp 1 off))
(init (lamp 2 off))
(init (lamp 3 off))
(<= (legal me (light ?n))
(true (lamp ?n off)))
(<= (next (lamp ?n on))
(does me (light ?n)))
(<= (next (lamp ?n on))
(true (lamp ?n on)))
(<= (next (lamp ?n off))
(true (lamp ?n off))
(not (does me (light ?m))))
(<= dark
(true (lamp ?n off)))
(<= terminal
(not dark))
(goal me 1000)"""


def text(page: Page) -> str:
    return str(page.find("#rules").get_property("value"))


def empty(page: Page) -> None:
    """Open the editor and remove the game that it begins with."""
    page.open("/edit")
    page.wait(lambda: "role" in text(page))
    page.find("#rules").send_keys(Keys.CONTROL + "a")
    page.find("#rules").send_keys(Keys.DELETE)
    page.wait(lambda: text(page) == "")


def caret(page: Page, before: str) -> None:
    """Put the caret before a piece of the text."""
    script = (
        "const area = document.querySelector('#rules'); area.focus();"
        "area.setSelectionRange(...Array(2).fill(area.value.indexOf(arguments[0])))"
    )
    page.driver.execute_script(script, before)


def findings(page: Page) -> str:
    return page.texts("#check-status")[0]


def state(page: Page) -> str:
    return page.texts("#state")[0]


def light(page: Page, lamp: str) -> None:
    """Click a lamp, and wait until it is on."""
    page.wait_for(f"{page.spot(lamp)}.can")
    page.click(page.spot(lamp))
    page.wait_for(f"{page.spot(lamp)} [data-content='on']")


def test_a_game_is_written_from_nothing_corrected_played_and_saved(
    page: Page, manager: Manager, tmp_path: Path
) -> None:
    empty(page)
    # Without rules there is no board, or that of the rules before, in grey.
    page.wait(lambda: not [on for on in page.all("#play:not(.stale)") if on.is_displayed()])
    page.find("#name").clear()
    page.find("#name").send_keys("lamps")
    page.find("#rules").send_keys(LAMPS)
    # Enter has indented the conditions.
    assert "\n(<= (next (lamp ?n off))\n    (true (lamp ?n off))\n" in text(page)
    # Both mistakes are in the list, and marked at their places.
    page.wait(lambda: page.texts(".marked.error") == ["?m", "1000"])
    assert findings(page).startswith("2 errors")
    told = page.texts("#findings .error")
    assert "16:26 error: `?m` stands in a `not`" in told[0]
    assert "from 0 to 100" in told[1]
    assert len(page.all(".code-line.has-error")) == 2
    # A click leads to the first; F8 to the next. What is typed replaces what is wrong.
    page.click("#findings .error button")
    assert "positive condition" in page.texts("#here")[0]
    page.driver.switch_to.active_element.send_keys("?n")
    page.wait(lambda: findings(page).startswith("1 error,"))
    page.driver.switch_to.active_element.send_keys(Keys.F8)
    while "from 0 to 100" not in page.texts("#here")[0]:  # warnings are visited, too
        page.driver.switch_to.active_element.send_keys(Keys.F8)
    page.driver.switch_to.active_element.send_keys("100")
    page.wait(lambda: "error" not in findings(page))
    assert "warning" in findings(page)  # there is no base and no input
    # The board of the game appears, and the game is played to the end.
    for lamp in "312":
        light(page, lamp)
    page.wait(lambda: state(page) == "The game is over after 3 steps.")
    assert page.find("#terminal").is_displayed()
    assert page.texts("#players .goal") == ["100"]
    assert page.texts("#facts li") == ["(lamp 1 on)", "(lamp 2 on)", "(lamp 3 on)"]
    assert page.texts("#path li") == ["start", "(light 3)", "(light 1)", "(light 2)"]
    # Its file is downloaded, and is a game.
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    page.click("#download")
    file = tmp_path / "lamps.kif"
    page.wait(lambda: file.exists() and file.read_text() == text(page))
    assert list(map(str, Description.load(file).roles)) == ["me"]
    # It becomes a game of the manager, which offers it to players.
    page.click("#save")
    page.wait_for("#saved a")
    (saved,) = [game for game in manager.games if game.name == "lamps"]
    assert saved.text == text(page)
    page.click("#saved a")
    page.wait_for("#kind-0")
    assert page.problems() == []
    assert page.hosts() == {urlsplit(page.url).netloc}


def test_a_line_of_moves_outlives_edits_as_far_as_it_is_legal(page: Page) -> None:
    page.open("/edit?copy=nim")
    page.click('[data-move="(take 2)"]')
    page.wait(lambda: state(page) == "Step 1 of 1.")
    page.click('[data-move="(take 3)"]')
    page.wait(lambda: state(page) == "Step 2 of 2.")
    # Back and forth, and to any step.
    page.click("#path li:first-child button")
    page.wait(lambda: state(page) == "Step 0 of 2.")
    page.click("#on")
    page.wait(lambda: state(page) == "Step 1 of 2.")
    page.click("#last")
    page.wait(lambda: state(page) == "Step 2 of 2.")
    caret(page, "6))\n\n;; Moves")
    area = page.find("#rules")
    area.send_keys(Keys.DELETE, "4")
    page.wait(lambda: "at step 2, second may not do (take 3)" in page.texts("#board-note")[0])
    assert state(page) == "Step 1 of 1."
    assert page.texts("#path s") == ["noop, (take 3)"]
    # While the rules are broken, the last good board stays, greyed.
    area.send_keys(")")
    page.wait_for("#play.stale")
    assert "last good board" in page.texts("#board-note")[0]
    assert page.driver.execute_script("return document.querySelector('#play').inert")
    # The browser undoes both edits; the line is legal again.
    area.send_keys(Keys.CONTROL + "z")
    page.wait(lambda: not page.all("#play.stale"))
    for _ in range(3):
        area.send_keys(Keys.CONTROL + "z")
    page.wait(lambda: "(init (pile 6))" in text(page) and not page.texts("#board-note")[0])
    page.click("#last")
    page.wait(lambda: state(page) == "Step 2 of 2.")
    # Draft and line survive a reload.
    area.send_keys("; mine")
    page.driver.refresh()
    page.wait(lambda: state(page) == "Step 2 of 2.")
    assert "; mine" in text(page)
    page.click("#revert")
    page.wait(lambda: "; mine" not in text(page) and state(page) == "Step 0 of 0.")
    assert page.problems() == []


def test_a_refutation_is_played_on_the_board(page: Page) -> None:
    page.open("/edit?copy=nim")
    page.wait_for("#moves [data-move]")
    never = page.find("[name=never]")
    never.send_keys("(true (pile")
    never.send_keys(Keys.ENTER)
    page.wait_for("#proof-status.problem")
    assert "never closed" in page.texts("#proof-status")[0]
    never.clear()
    never.send_keys("(and (true (pile 5)) (true (control second)))")
    page.click("#prove")
    page.wait(lambda: page.texts("#proof-status")[0].startswith("Done: "))
    assert "1 fault" in page.texts("#proof-status")[0]
    assert any("every play comes to an end" in row for row in page.texts("#verdicts .proved"))
    assert "show 1 step" in page.texts("#verdicts .fault")[0]
    page.click("#verdicts .fault .show-line")
    page.wait(lambda: page.texts("#path li") == ["start", "(take 1)"])
    page.wait(lambda: "(pile 5)" in page.texts("#facts li"))
    # After an edit the verdicts are about other rules; a proof that is running ends.
    page.find("#rules").send_keys(" ")
    assert page.texts("#proof-status") == ["The rules have changed since."]
    page.wait_for("#verdicts.old")
    page.click("#prove")
    page.wait(lambda: page.texts("#proof-status") != ["The rules have changed since."])
    page.find("#rules").send_keys(" ")
    assert page.texts("#proof-status") == ["Stopped: the rules have changed."]
    assert not page.find("#stop").is_enabled()
    assert page.problems() == []


def test_what_is_at_fault_is_a_click_away(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "faulty.kif"
    nim = (GAMES / "nim.kif").read_text()
    head = "(<= (goal ?player 0)\n    "
    loses = f"{head}(opponent ?player ?other)"
    assert loses in nim
    file.write_text(nim.replace(loses, f"{head}(role ?player)\n    (role ?other)"))
    page.open("/edit")
    page.wait(lambda: "role" in text(page))
    page.find("#file").send_keys(str(file))
    page.wait(lambda: text(page) == file.read_text() and findings(page) == "No findings.")
    page.click("#prove")
    page.wait(lambda: page.texts("#proof-status")[0].startswith("Done: "))
    told = sorted(page.texts("#verdicts .fault th"))  # they come in any order
    assert len(told) == 2
    assert "first has 2 goals: 0 and 100" in told[0]
    assert "second has 2 goals: 0 and 100" in told[1]
    page.click("#verdicts .fault .show-line")
    page.wait_for("#terminal:not([hidden])")
    link = page.find("#verdicts .fault .places button")
    number = int(link.text.removeprefix("line "))
    link.click()
    area = page.driver.switch_to.active_element
    assert area.get_attribute("id") == "rules"
    chosen = page.driver.execute_script("return arguments[0].selectionStart", area)
    assert text(page)[:chosen].count("\n") + 1 == number
    assert text(page)[chosen:].startswith("(<= (goal")
    assert page.problems() == []


def test_rules_are_laid_out_and_that_can_be_undone(page: Page) -> None:
    empty(page)
    page.find("#rules").send_keys("(role   me ) ; alone")
    page.click("#format")
    page.wait(lambda: text(page) == "(role me) ; alone\n")
    assert page.texts("#saved") == ["Formatted. Undo"]
    page.click("#saved button")
    page.wait(lambda: text(page) == "(role   me ) ; alone")
    assert page.problems() == []
    page.find("#rules").send_keys(Keys.HOME)
    page.find("#rules").send_keys("(")
    page.click("#format")
    page.wait(lambda: "never closed" in page.texts("#saved")[0])


def test_the_keyboard_alone_is_enough(page: Page) -> None:
    empty(page)
    area = page.find("#rules")
    area.send_keys("(<= (p ?x)\n(or (q ?x)\n(r ?x)))\n")
    assert text(page) == "(<= (p ?x)\n    (or (q ?x)\n        (r ?x)))\n"
    # The parenthesis beside the caret and its partner are marked, and no others.
    area.send_keys(Keys.ARROW_LEFT)
    page.wait(lambda: page.texts(".pair") == ["(", ")"])
    area.send_keys(Keys.ARROW_LEFT, " ", Keys.ARROW_LEFT)
    page.wait(lambda: page.texts(".pair") == ["(", ")"])
    area.send_keys(Keys.DELETE)
    area.send_keys(Keys.CONTROL + "a")
    area.send_keys(Keys.TAB)
    assert text(page).startswith("    (<= (p ?x)\n        (or")
    area.send_keys(Keys.SHIFT + Keys.TAB)
    assert text(page).startswith("(<= (p ?x)\n    (or")
    area.send_keys(Keys.CONTROL + "/")
    assert text(page).startswith("; (<= (p ?x)\n    ; (or")
    assert len(page.all(".code-line .comment")) == 3
    area.send_keys(Keys.CONTROL + "/")
    assert text(page).startswith("(<= (p ?x)\n    (or")
    # Escape, then Tab, leaves the editor.
    area.send_keys(Keys.ESCAPE, Keys.TAB)
    assert page.driver.switch_to.active_element.get_attribute("id") != "rules"
    assert page.problems() == []


def test_a_file_is_opened_and_words_that_would_be_markup_stay_words(
    page: Page, tmp_path: Path
) -> None:
    file = tmp_path / "wörds.kif"
    file.write_bytes(sheets.SCRIPT.replace("\n", "\r\n").encode())
    page.open("/edit")
    page.wait(lambda: "role" in text(page))
    before = text(page)
    page.find("#file").send_keys(str(file))
    page.wait(lambda: text(page) == sheets.SCRIPT)
    assert page.find("#name").get_property("value") == "wörds"
    page.wait(lambda: "<svg/onload=document.title='run'>" in "".join(page.texts("#moves")))
    assert page.driver.title != "run"
    assert page.all("main script, main img, main b, main u, main i, main svg[onload]") == []
    page.find("#rules").send_keys(Keys.CONTROL + "z")
    page.wait(lambda: text(page) == before)
    assert page.problems() == []


def test_a_text_that_is_too_long_is_refused(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "long.kif"
    file.write_text(";" * 500_001)
    page.open("/edit")
    page.wait(lambda: "role" in text(page))
    page.find("#file").send_keys(str(file))
    page.wait(lambda: "500,000 characters" in page.texts("#saved")[0])
    assert "role" in text(page)


def test_a_phone_needs_no_sideways_scroll(page: Page) -> None:
    screen = {"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        page.open("/edit?copy=tictactoe")
        page.wait_for(f"{page.spot('1 1')}.can")
        script = "return document.documentElement.scrollWidth"
        assert page.driver.execute_script(script) <= 360
    finally:
        page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_a_drawing_changes_the_board_and_is_saved_with_the_game(
    page: Page, manager: Manager, tmp_path: Path
) -> None:
    page.open("/edit?copy=tictactoe")
    page.wait_for(f"{page.spot('2 2')}.can")
    page.click("#drawing-part summary")
    area = page.find("#drawing")
    area.send_keys('{"pieces": {"x": {"label": "XX", "colour": "mauve"}}}')
    page.wait(lambda: "mauve is not known" in page.texts("#drawing-status")[0])
    page.click(page.spot("2 2"))  # the board stays in use
    page.wait(lambda: page.texts(f"{page.spot('2 2')} .piece") == ["x"])
    file = tmp_path / "mine.json"
    file.write_text('{"pieces": {"x": {"label": "XX", "colour": "pink"}}}')
    page.find("#file").send_keys(str(file))
    page.wait(lambda: page.texts(f"{page.spot('2 2')} .piece") == ["XX"])
    assert page.texts("#drawing-status") == [""]
    page.driver.refresh()  # the draft has kept it
    page.wait(lambda: page.texts(f"{page.spot('2 2')} .piece") == ["XX"])
    page.click("#save")
    page.wait_for("#saved a")
    game = manager.games.find(page.find("#saved a").text)
    assert game is not None
    assert game.drawing == file.read_text()
    assert page.problems() == []
