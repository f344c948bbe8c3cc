"""Matches that people play in Chromium: on a phone by touch, and with hidden information."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.manager.browser import Page, browsing, needs_browser

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

pytestmark = [pytest.mark.long, needs_browser]

_PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}


class Touch(Page):
    """A person with a phone, who has no mouse and no keyboard."""

    def __init__(self, driver: WebDriver, url: str) -> None:
        super().__init__(driver, url)
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", _PHONE)
        driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def tap(self, selector: str) -> None:
        """Touch the middle of an element, which must be in view and not below another one."""
        element = self.find(selector)
        self.wait(element.is_displayed)
        script = """const touched = arguments[0];
            touched.scrollIntoView({block: "nearest"});
            const box = touched.getBoundingClientRect();
            const at = [box.x + box.width / 2, box.y + box.height / 2];
            const hit = document.elementFromPoint(...at);
            return [...at, touched.contains(hit) || hit.contains(touched)];"""
        x, y, is_on_top = self.driver.execute_script(script, element)
        assert is_on_top, selector
        point = {"x": x, "y": y}
        for kind, points in (("touchStart", [point]), ("touchEnd", [])):
            told = {"type": kind, "touchPoints": points}
            self.driver.execute_cdp_cmd("Input.dispatchTouchEvent", told)


def end_of(page: Page, move: Callable[[], None]) -> str:
    """Make moves until the match is over; return how it ended."""

    def can_move() -> bool:
        return bool(page.all(".spot.can")) or page.find("#ending").is_displayed()

    for _ in range(12):
        page.wait(can_move)
        if page.find("#ending").is_displayed():
            break
        before = page.find("#step").text
        move()
        page.wait(lambda b=before: page.find("#step").text != b)  # type: ignore[misc]
    return page.find("#ending-title").text


def test_a_whole_match_on_a_phone_by_touch_alone(driver: WebDriver, url: str) -> None:
    page = Touch(driver, url)
    page.open("/")
    page.tap("#games li[data-game=tictactoe] .name")
    page.wait_for("#play-now .primary:not([disabled])")
    assert "x and o" in page.find("[aria-labelledby=how-title]").text
    page.tap("#levels [value=medium]")
    page.driver.execute_script("document.querySelector('#play-now [name=side]').value = '0'")
    page.tap("#play-now .primary")
    page.wait_for(f"{page.spot('2 2')}.can")
    wide = "return document.documentElement.scrollWidth <= innerWidth"
    assert page.driver.execute_script(wide)
    page.tap(page.spot("2 2"))
    page.wait(lambda: page.find("#step").text == "2 / 2")
    page.wait_for(".spot.can")
    page.tap("#take-back")
    page.wait(lambda: page.find("#step").text == "0 / 0")
    page.wait_for(f"{page.spot('1 1')}.can")
    page.tap(page.spot("1 1"))
    page.wait(lambda: page.find("#step").text == "2 / 2")
    word = end_of(page, lambda: page.tap(".spot.can"))
    assert word in ("You won", "You lost", "A draw")
    page.wait(lambda: [text for text in page.texts("#review-status") if "lose" in text])
    page.tap("#analyse")
    page.wait(lambda: "/records/" in page.driver.current_url)
    page.wait(lambda: page.find("#review").is_displayed())
    page.tap("#on")
    page.wait(lambda: page.find("#step").text.startswith("1 /"))
    page.driver.back()
    page.wait_for("#again")
    page.tap("#again")
    page.wait(lambda: page.texts("#status") == ["Your turn as x."])
    page.wait_for(".spot.can")
    assert page.texts("#step") == ["0 / 0"]
    assert page.problems() == []
    assert page.hosts() <= {url.partition("//")[2]}


@pytest.fixture
def two(url: str) -> Iterator[tuple[Page, Page]]:
    """Two people, each with a browser."""
    with ExitStack() as stack:
        first, second = (Page(stack.enter_context(browsing()), url) for _ in range(2))
        yield first, second


def test_two_people_play_in_the_dark_to_the_end(two: tuple[Page, Page]) -> None:
    x, o = two
    x.begin_match("kriegtictactoe", "human", "human")
    x.wait_for("#seat-links input")
    o.driver.get(str(x.all("#seat-links input")[1].get_attribute("value")))
    o.wait(lambda: "You see what o may know" in o.find("#knowledge").text)

    def mark(page: Page, cell: str) -> None:
        page.wait_for(f"{page.spot(cell)}.can")
        page.click(page.spot(cell))

    mark(x, "2 2")
    # o sees neither the mark nor the move, but that there is one.
    o.wait(lambda: "9 states are possible" in o.find("#knowledge").text)
    assert len(o.all(".piece.maybe")) == 9
    assert "place" not in o.find("#history").text
    mark(o, "2 2")
    o.wait(lambda: "not_free" in o.find("#knowledge").text)
    o.wait(lambda: not o.all(".piece.maybe"))
    mark(o, "1 1")
    mark(x, "2 1")
    mark(o, "3 3")
    mark(x, "2 3")
    for page, word in ((x, "You won"), (o, "You lost")):
        page.wait(lambda p=page, w=word: p.find("#ending-title").text == w)  # type: ignore[misc]
        page.wait(lambda p=page: len(p.all("#history tr")) == 6)  # type: ignore[misc]
        page.wait(lambda p=page: "place 2,1" in p.find("#history").text)  # type: ignore[misc]
        assert page.problems() == []


@pytest.mark.parametrize(("game", "seats"), [("kriegtictactoe", 2), ("montyhall", 1)])
def test_a_person_plays_with_hidden_information_against_auto(
    page: Page, game: str, seats: int
) -> None:
    page.begin_match(game, *["human", "auto"][:seats], start_clock=2, play_clock=1)

    def move() -> None:
        page.all(".spot.can, #moves [data-move]")[0].click()

    for _ in range(20):
        page.wait(lambda: page.all(".spot.can, #moves [data-move]") or page.find("#ending").text)
        if page.find("#ending").is_displayed():
            break
        before = page.find("#step").text
        move()
        page.wait(lambda b=before: page.find("#step").text != b)  # type: ignore[misc]
    assert page.find("#ending").is_displayed()
    assert page.problems() == []


def test_a_pass_is_a_button_and_a_click_that_is_not_legal_says_why(page: Page) -> None:
    page.begin_match("breakthrough", "human", "human")
    page.wait_for(f"{page.spot('1 2')}.can")
    page.click(page.spot("4 4"))
    page.wait(lambda: page.texts("#hint") == ["No legal move begins at 4 4."])
    page.click(page.spot("1 2"))
    page.click(page.spot("8 6"))
    assert page.all(".spot.can")
    page.click("#give-up")
    page.click("#sure-give-up [value=yes]")
    page.wait(lambda: "white gave up" in page.status().lower())
    assert page.problems() == []


def test_what_a_pawn_becomes_is_chosen_beside_the_cell(page: Page) -> None:
    rules = """; Pawns
;
; A pawn that comes to the last row becomes something.
(role white) (role black)
(index 1) (index 2) (index 3) (index 4) (succ 1 2) (succ 2 3) (succ 3 4)
(init (cell 1 3 pawn)) (init (cell 2 1 rook)) (init (control white))
(<= (init (cell ?x ?y empty)) (index ?x) (index ?y) (not (starts ?x ?y)))
(starts 1 3) (starts 2 1) (man queen) (man knight)
(<= (legal white (move ?x 3 ?x 4 ?man)) (true (cell ?x 3 pawn)) (man ?man))
(<= (legal white (move 2 1 ?x 1 rook)) (true (cell 2 1 rook)) (true (cell ?x 1 empty)))
(legal black noop)
(<= (next (cell ?u ?v ?man)) (does white (move ?x ?y ?u ?v ?man)))
(<= (next (cell ?x ?y empty)) (does white (move ?x ?y ?u ?v ?man)))
(<= (next (cell ?a ?b ?w)) (true (cell ?a ?b ?w)) (does white (move ?x ?y ?u ?v ?man))
    (or (distinct ?a ?x) (distinct ?b ?y)) (or (distinct ?a ?u) (distinct ?b ?v)))
(<= terminal (not (true (control white))))
(goal white 100) (goal black 0)
"""
    page.open("/")
    script = """const done = arguments[1], told = new FormData();
        told.append("name", "pawns");
        told.append("rules", arguments[0]);
        fetch("/games", {method: "POST", body: told})
          .then((reply) => done(new URL(reply.url).pathname));"""
    address = page.driver.execute_async_script(script, rules)
    page.begin_match(address, "human", "legal")
    page.wait_for(f"{page.spot('1 3')}.can")
    page.click(page.spot("1 3"))
    page.click(page.spot("1 4"))
    page.wait(lambda: page.texts("#choice [data-move]") == ["\u265e knight", "\u265b queen"])
    page.click("#choice [data-move='(move 1 3 1 4 queen)']")
    page.wait(lambda: page.find("#ending-title").text == "You won")


def test_the_browser_that_began_a_match_ends_it_after_a_question(two: tuple[Page, Page]) -> None:
    host, guest = two
    host.begin_match("nim", "human", "human")
    host.wait_for("#seat-links input")
    guest.driver.get(str(host.all("#seat-links input")[1].get_attribute("value")))
    guest.wait(lambda: "is to move" in guest.status())
    guest.open("/")
    guest.wait_for("#matches li")
    assert guest.texts("#matches button") == []
    host.open("/")
    host.wait_for("#matches button")
    host.driver.execute_script("const now = Date.now; Date.now = () => now() + 300000;")
    host.wait(lambda: host.texts("#matches [data-began]") == ["5 min ago"])
    host.click("#matches button")
    assert "End the match of nim?" in host.find("#sure-end").text
    host.click("#sure-end [value=no]")
    host.click("#matches button")
    host.click("#sure-end [value=yes]")
    host.wait(lambda: not host.all("#matches li"))
    for page in two:
        assert page.problems() == []


def test_a_variation_leads_to_its_end_and_an_aborted_match_says_so(page: Page) -> None:
    page.begin_match("tictactoe", "human", "human")
    page.wait_for(f"{page.spot('1 1')}.can")
    page.click(page.spot("1 1"))
    page.wait(lambda: page.find("#step").text == "1 / 1")
    record = page.driver.current_url.partition("#")[0].rpartition("/")[2]
    line = quote(json.dumps([["noop", "(place 2 2)"], ["(place 3 3)", "noop"]]))
    page.open(f"/games/tictactoe/explore?record={record}&step=1#{line}")
    page.wait(lambda: page.status().startswith("Step 3:"))
    page.open(f"/matches/{record}")
    page.wait(lambda: page.find("#abort").is_displayed())
    page.click("#abort")
    page.click("#sure-abort [value=yes]")
    page.wait(lambda: "ended early" in page.status())
    page.open(f"/records/{record}")
    told = "The match was aborted. Every step agrees with the rules."
    page.wait(lambda: page.status() == told)
    assert page.problems() == []
