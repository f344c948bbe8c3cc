"""Whole games against a computer player, each played in one way only, with all that is read out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from ggp.gdl import Description
from ggp.match import MatchRecord
from ggp.reasoner import open_reasoner
from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from tests.manager.browser import Page, needs_browser
from tests.manager.drawn import GAMES

if TYPE_CHECKING:
    from selenium.webdriver.remote.webelement import WebElement

pytestmark = [pytest.mark.long, needs_browser]

#: Keeps what is read out, also what leaves the page again.
LISTEN = """const root = document.querySelector("#told");
window.heard = [...root.children].map((line) => line.textContent);
new MutationObserver((changes) => {
  for (const line of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
    window.heard.push(line.textContent);
  }
}).observe(root, { childList: true });"""


def drag(page: Page, cells: list[str]) -> None:
    start, end = (page.find(page.spot(cell)) for cell in cells)
    page.wait_for(f"{page.spot(cells[0])}.can")
    ActionChains(page.driver).drag_and_drop(start, end).perform()


def click(page: Page, cells: list[str]) -> None:
    for cell in cells:
        page.wait_for(f"{page.spot(cell)}.can")
        page.click(page.spot(cell))


def press(page: Page, cells: list[str]) -> None:
    """Walk to the cells by the arrows, and choose each by Enter."""
    for cell in cells:
        page.wait_for(f"{page.spot(cell)}.can")
        here = focused(page)
        while (at := str(here.get_attribute("data-name"))) != cell:
            (column, row), (x, y) = map(int, at.split()), map(int, cell.split())
            key = (
                (Keys.ARROW_RIGHT if x > column else Keys.ARROW_LEFT)
                if x != column
                else (Keys.ARROW_UP if y > row else Keys.ARROW_DOWN)
            )
            here.send_keys(key)
            here = focused(page)
            assert here.get_attribute("data-name") != at
        here.send_keys(Keys.ENTER)


def focused(page: Page) -> WebElement:
    """Return the cell that has the focus; the Tab key leads to the board."""
    for _ in range(40):
        here = page.driver.switch_to.active_element
        if here.get_attribute("data-spot"):
            return here
        ActionChains(page.driver).send_keys(Keys.TAB).perform()
    raise AssertionError("the Tab key does not lead to the board")


def read_out(game: str, record: MatchRecord) -> Iterator[str]:
    """Yield what is read out in a match in which a person has the first role."""
    roles: list[str] = []
    with open_reasoner(Description.load(GAMES / f"{game}.kif"), kind="prolog") as reasoner:
        roles = list(map(str, reasoner.roles))
        state = reasoner.initial_state()
        for step, joint_move in enumerate(record.moves, 1):
            choices = list(map(len, reasoner.view(state).legal))
            if choices[0] > 1:
                yield f"Your turn as {roles[0]}."
            if choices[1] > 1:
                yield f"{roles[1].capitalize()} thinks\u2026"
            made = [(r, str(m)) for r, m in zip(roles, joint_move, strict=True) if str(m) != "noop"]
            yield f"{step}. " + "; ".join(f"{role}: {written(move)}" for role, move in made) + "."
            state = reasoner.next_state(state, joint_move)
    first, second = record.goal_values
    if first == second:
        yield f"A draw, {first} : {second}."
    else:
        word = "You won" if first > second else "You lost"
        yield f"{word}. {roles[first < second].capitalize()} wins {first} : {second}."


def written(move: str) -> str:
    name, *numbers = re.findall(r"[a-z0-9]+", move)
    places = [",".join(numbers[at : at + 2]) for at in range(0, len(numbers), 2)]
    return "-".join(places) if len(places) > 1 else f"{name} {places[0]}"


def clicked(move: str) -> list[str]:
    """Return the cells that a move names; for a column its lowest cell."""
    numbers = re.findall(r"[0-9]+", move)
    if len(numbers) == 1:
        return [f"{numbers[0]} 1"]
    return [" ".join(numbers[at : at + 2]) for at in range(0, len(numbers), 2)]


@pytest.mark.parametrize(
    ("game", "opponent", "play"),
    [
        ("hexapawn", "random:seed=5", drag),
        ("connectfour", "random:seed=2", click),
        ("tictactoe", "alphabeta", press),
    ],
    ids=["drag", "click", "keyboard"],
)
def test_a_whole_game_is_played_in_one_way_and_every_move_is_read_out(
    page: Page, manager: Manager, game: str, opponent: str, play: Callable[[Page, list[str]], None]
) -> None:
    page.begin_match(game, "human", opponent, start_clock=60, play_clock=60)
    page.driver.execute_script(LISTEN)
    (match,) = manager.matches

    def heard() -> list[str]:
        return page.driver.execute_script("return window.heard")  # type: ignore[no-any-return]

    while not has_ended(match):
        page.wait(lambda: offered(match) or has_ended(match))
        if has_ended(match):
            break
        turn, legal = offered(match)[0]
        play(page, clicked(legal[turn % len(legal)]))
        # What the person has played is read out, and then the answer or the end.
        page.wait(lambda turn=turn: any(f"{turn + 1}. " in line for line in heard()))  # type: ignore[misc]
        page.wait(lambda turn=turn: turn_of(match) > turn)  # type: ignore[misc]
    record = MatchRecord.read(match.record)
    expected = list(read_out(game, record))
    page.wait(lambda: len(heard()) >= len(expected))
    assert heard() == expected
    assert record.is_completed
    assert not any(error for errors in record.errors for error in errors)
    assert page.status() == expected[-1]
    assert len(page.texts("#history .move")) == len(record.moves)
    assert page.problems() == []


def has_ended(match: Match) -> bool:
    return match.is_over


def turn_of(match: Match) -> int:
    return len(match.states) - 1


def offered(match: Match) -> list[tuple[int, list[str]]]:
    """Return the turn in which the person is to move with the legal moves, or nothing."""
    turn = turn_of(match)
    legal = match.legal(0, turn)
    return [] if legal is None else [(turn, legal)]
