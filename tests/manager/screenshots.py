"""Takes pictures for the manager's tour: ``python -m tests.manager.screenshots FOLDER [NAME ...]``.

It plays a few matches with a manager of its own in Chromium, and needs what `make browser-test`
installs. A picture is a WebP file of some kilobytes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image

from ggp.server.manager.manager import Manager
from tests.manager.browser import Page, browsing
from tests.manager.conftest import serving
from tests.manager.drawn import GAMES
from tests.processes import happens

__all__ = ["PICTURES"]

#: The size of the window of a picture, and of that of a phone.
WIDTH, HEIGHT = 1100, 800
PHONE = {"width": 390, "height": 780, "deviceScaleFactor": 1, "mobile": True}
#: Of the WebP files, from 0 to 100.
QUALITY = 60
#: Seconds that the pages may take: a machine that does other work is no reason for no picture.
PATIENCE = 600
#: The games of the home page, whose pictures take a moment each.
NAMES = (
    "breakthrough", "chomp", "connectfour", "eightpuzzle", "foxandhounds", "hearts3", "hexapawn",
    "kriegtictactoe", "lightsout", "montyhall", "nim", "othello6x6", "tictactoe", "tron",
)  # fmt: skip


def take_home(page: Page) -> None:
    """The games with their pictures, and a match in play."""
    page.begin_match("hexapawn", "human", "legal")
    page.wait_for(".spot.can")
    page.open("/")
    assert happens(lambda: len(page.all("#games img")) == len(NAMES), within=PATIENCE)
    page.wait_for("#matches li")
    page.wait(lambda: all_loaded(page))


def take_game(page: Page) -> None:
    """How to play, the levels, and the board."""
    page.open("/games/othello6x6")
    page.wait_for("#play-now .primary:not([disabled])")
    page.wait(lambda: "They move in turn" in page.find("#how-rules").text)
    page.wait_for(".spot")


def take_match(page: Page) -> None:
    """A match against a level: it is the person's turn."""
    play_now(page, "connectfour", "medium")
    for column in ("4", "4", "3", "5"):
        choose(page, lambda c=column: click_column(page, c))  # type: ignore[misc]
    page.wait_for(".spot.can")


def take_hidden(page: Page) -> None:
    """What a role may know in a game that hides the opponent's moves."""
    page.begin_match("kriegtictactoe", "human", "human")
    for place in ("2 2", "1 1", "3 3"):
        page.wait_for(f"{page.spot(place)}.can")
        choose(page, lambda p=place: page.click(page.spot(p)))  # type: ignore[misc]
    page.wait_for(".piece.maybe")


def take_review(page: Page) -> None:
    """A match with its review: the values, and a mistake with the better line."""
    while not page.all("#review-list .to-step"):  # else the person played without a mistake
        play_now(page, "tictactoe", "strong")
        while not page.find("#ending").is_displayed():
            choose(page, page.all(".spot.can")[-1].click)
        page.wait(lambda: [text for text in page.texts("#review-status") if "lose" in text])
    page.click("#analyse")
    page.wait(lambda: "/records/" in page.driver.current_url)
    page.click("#review-list .to-step")


def take_explorer(page: Page) -> None:
    """A game walked through by hand, with a search."""
    page.open("/games/breakthrough/explore")
    for _ in range(4):
        page.wait_for("#random:not([disabled])")
        before = page.driver.current_url
        page.click("#random")
        page.wait(lambda b=before: page.driver.current_url != b)  # type: ignore[misc]
    page.wait_for(".spot.can")
    page.click("#analysis .primary")
    page.wait_for("#analysis-result .variation button")


def take_editor(page: Page) -> None:
    """The editor with the proofs of a game."""
    page.open("/edit?copy=tictactoe")
    page.wait_for(".spot.can")
    page.click("#prove")
    page.wait(lambda: page.texts("#proof-status")[0].startswith("Done"))


def take_phone(page: Page) -> None:
    """A match on a phone."""
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    play_now(page, "breakthrough", "easy")
    page.wait_for(".spot.can")
    page.click(".spot.can")
    page.wait_for(".spot.chosen")


#: What takes a picture, by the name of its file.
PICTURES: dict[str, Callable[[Page], None]] = {
    "home": take_home,
    "game": take_game,
    "match": take_match,
    "hidden": take_hidden,
    "review": take_review,
    "explorer": take_explorer,
    "editor": take_editor,
    "phone": take_phone,
}


def play_now(page: Page, game: str, level: str) -> None:
    """Begin a match as the first role against a level."""
    page.open(f"/games/{game}")
    page.wait_for("#play-now .primary:not([disabled])")
    page.click(f"#levels [value={level}]")
    page.choose("#play-now [name=side]", "0")
    page.click("#play-now .primary")
    page.wait_for(".spot.can")


def choose(page: Page, move: Callable[[], None]) -> None:
    """Make a move, and wait until it is the person's turn again or the match is over."""
    before = page.find("#step").text
    move()
    page.wait(lambda: page.find("#step").text != before)
    page.wait(lambda: page.all(".spot.can") or page.find("#ending").is_displayed())


def click_column(page: Page, column: str) -> None:
    """Click the first place of a column that can be clicked."""
    page.click(f'.spot.can[data-name^="{column} "]')


def all_loaded(page: Page) -> bool:
    """Return whether the pictures that the window shows are there; the others may come later."""
    is_shown = "(image) => image.offsetParent && image.getBoundingClientRect().top < innerHeight"
    script = f"return [...document.images].filter({is_shown}).every((image) => image.complete)"
    return bool(page.driver.execute_script(script))


@contextmanager
def opened() -> Iterator[Manager]:
    """Open a manager with the games of the home page."""
    with TemporaryDirectory() as folder:
        paths = [GAMES / f"{name}.kif" for name in NAMES]
        manager = Manager.open(bundled=paths, folder=Path(folder))
        try:
            yield manager
        finally:
            manager.close()


def main() -> None:
    """Take them all, or those that are named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    with opened() as manager, serving(manager) as url:
        for name in sys.argv[2:] or PICTURES:
            with browsing(width=WIDTH, height=HEIGHT) as driver:
                driver.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
                page = Page(driver, url)
                page.patience = PATIENCE
                PICTURES[name](page)
                driver.execute_script("scrollTo(0, 0)")
                time.sleep(1)  # until what moves has come to rest
                shown = Image.open(BytesIO(driver.get_screenshot_as_png())).convert("RGB")
            path = folder / f"{name}.webp"
            shown.save(path, quality=QUALITY, method=6)
            print(f"{path}: {path.stat().st_size / 1000:.0f} kB", flush=True)


if __name__ == "__main__":
    main()
