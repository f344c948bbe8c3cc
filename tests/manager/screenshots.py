"""Takes screenshots of the manager's pages: ``python -m tests.manager.screenshots FOLDER``.

For a grid, a hex, a card game and a puzzle: a live match, a person's turn, a replay, the explorer;
then the editor, the home page and a tournament, also on a phone. All in light and in dark. It needs
what `make browser-test` installs.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from threading import Thread

from ggp.server.manager.manager import Manager
from ggp.server.manager.web.app import make_app
from ggp.server.manager.web.site import Site
from tests.manager import sheets
from tests.manager.accessibility.site import PAGES, furnished
from tests.manager.browser import Page, browsing
from tests.manager.conftest import serving
from tests.manager.drawn import GAMES

#: Seconds of a match before its picture is taken.
LIVE = 15


def main() -> None:
    """Take them all."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as kept:
        manager = Manager.open(bundled=sorted(GAMES.glob("*.kif")), folder=Path(kept))
        hex_game = manager.games.add("hexagons", sheets.HEX).id
        with Site(make_app(manager), host="127.0.0.1", port=0) as site:
            thread = Thread(target=site.run)
            thread.start()
            try:
                with browsing(height=1150) as driver:
                    for game in ("breakthrough", hex_game, "hearts3", "eightpuzzle"):
                        take(Page(driver, site.url), manager, game, folder)
                    take_editor(Page(driver, site.url), folder)
            finally:
                manager.close()
                site.stop()
                thread.join()
    with (
        tempfile.TemporaryDirectory() as kept,
        furnished(Path(kept)) as manager,
        serving(manager) as url,
        browsing(height=1150) as driver,
    ):
        for name in ("home", "tournament"):
            take_both(Page(driver, url), name, folder)


def give_up(page: Page) -> None:
    """End a match that may be over already."""
    if page.find("#abort").is_displayed():
        page.click("#abort")
        page.click("#sure-abort .danger")


def shoot(page: Page, path: Path) -> None:
    """Take a picture in dark and one in light."""
    for scheme in ("dark", "light"):
        features = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        page.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", features)
        page.driver.save_screenshot(f"{path}-{scheme}.png")


def take_editor(page: Page, folder: Path) -> None:
    """Take the pictures of the editor: a game with its proofs, then with a mistake in it."""
    page.open("/edit?copy=tictactoe")
    page.wait_for(".spot.can")
    for _ in range(3):
        page.click("#random")
        time.sleep(1)
    page.click("#prove")
    page.wait(lambda: page.texts("#proof-status")[0].startswith("Done"))
    shoot(page, folder / "editor")
    page.find("#rules").send_keys("(<= (true (open ?x))\n(column ?x))")
    page.wait_for("#play.stale")
    shoot(page, folder / "editor-mistake")
    screen = {"width": 360, "height": 2400, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    shoot(page, folder / "editor-phone")
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def take_both(page: Page, name: str, folder: Path) -> None:
    """Take the pictures of a page on a screen and on a phone."""
    PAGES[name](page)
    shoot(page, folder / name)
    screen = {"width": 360, "height": 2400, "deviceScaleFactor": 1, "mobile": True}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    shoot(page, folder / f"{name}-phone")
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def take(page: Page, manager: Manager, game: str, folder: Path) -> None:
    """Take the pictures of one game."""
    name = game.partition(".")[0]
    found = manager.games.find(game)
    assert found is not None
    roles = len(manager.ask(found, do="layout")["roles"])

    def save(what: str) -> None:
        shoot(page, folder / f"{name}-{what}")

    clocks = {"start_clock": 5, "play_clock": 3}
    page.begin_match(game, *["maxn"] * roles, **clocks)
    time.sleep(LIVE)
    save("live")
    give_up(page)
    page.wait(lambda: not page.find("#abort").is_displayed())
    record = page.driver.current_url.rpartition("/")[2]
    page.open(f"/records/{record}")
    page.wait(lambda: "Loading" not in page.status())
    for _ in range(3):
        page.click("#on")
    time.sleep(1)
    save("replay")
    page.begin_match(game, "human", *["random"] * (roles - 1), **clocks)
    page.wait_for("#moves [data-move]")
    save("turn")
    give_up(page)
    page.open(f"/games/{game}/explore")
    page.wait_for("#moves button")
    for _ in range(4):
        page.driver.execute_script("document.querySelector('#random').click()")
        time.sleep(1)
    page.click("#analysis .primary")
    page.wait(lambda: page.texts("#analysis-status") not in ([""], ["Working\u2026"]))
    save("explorer")


if __name__ == "__main__":
    main()
