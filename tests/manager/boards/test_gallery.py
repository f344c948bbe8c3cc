"""Boards in Chromium: their pictures, their corners, and phones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from tests.manager.boards import gallery
from tests.manager.browser import Page, browsing, needs_browser
from tests.manager.drawn import GAMES

pytestmark = [pytest.mark.long, needs_browser]
PHONE = {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    gallery.prepare(folder)
    return folder


@pytest.fixture(scope="module")
def page(served: Path) -> Iterator[Page]:
    with gallery.serving(served) as url, browsing(width=900, height=900) as driver:
        yield Page(driver, url)


@pytest.mark.parametrize("name", ["dotsandboxes", "hearts3", "connectfour"])
def test_a_picture_is_taken_and_a_phone_needs_no_scrolling_sideways(
    name: str, page: Page, served: Path, tmp_path: Path
) -> None:
    gallery.take(page, gallery.study(GAMES / f"{name}.kif"), served, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    assert page.all(".spot, .card")
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
    wide = page.driver.execute_script("return document.documentElement.scrollWidth")
    page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert wide <= PHONE["width"]
    assert page.problems() == []


def test_the_corner_on_the_lower_left_is_dark(page: Page, served: Path, tmp_path: Path) -> None:
    gallery.take(page, gallery.study(GAMES / "breakthrough.kif"), served, tmp_path / "a.png")
    dark = page.driver.execute_script(
        "return [...document.querySelectorAll('.scene:first-child .spot.odd')]"
        ".map((spot) => spot.dataset.name)"
    )
    assert {"1 1", "8 8", "2 2"} <= set(dark)
    assert len(dark) == 32


def test_the_index_names_the_games_and_what_failed(tmp_path: Path) -> None:
    gallery.write_index(tmp_path, [("chess", ""), ("bad", "line 1: <oops>")])
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'src="chess.png"' in text
    assert "&lt;oops&gt;" in text


HANOI = """
(role solver) (peg a) (peg b) (disc d1) (disc d2) (disc d3)
(bigger d2 d1) (bigger d3 d1) (bigger d3 d2)
(init (on d1 d2)) (init (on d2 d3)) (init (on d3 a)) (init (free d1)) (init (free b))
(<= (fits ?x ?y) (bigger ?y ?x))
(<= (fits ?x ?y) (disc ?x) (peg ?y))
(<= (legal solver (put ?x ?y)) (true (free ?x)) (true (free ?y)) (true (on ?x ?z)) (fits ?x ?y))
(<= (next (on ?x ?y)) (does solver (put ?x ?y)))
(<= (next (on ?x ?z)) (true (on ?x ?z)) (does solver (put ?w ?y)) (distinct ?x ?w))
(<= (next (free ?z)) (does solver (put ?x ?y)) (true (on ?x ?z)))
(<= (next (free ?z)) (true (free ?z)) (does solver (put ?x ?y)) (distinct ?z ?y))
(<= terminal (true (on d3 b)))
(goal solver 100)
"""


def test_a_disc_and_the_peg_that_it_is_put_on_are_clicked(
    page: Page, served: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "hanoi.kif"
    rules.write_text(HANOI)
    told = gallery.study(rules)
    gallery.take(page, told, served, tmp_path / "picture.png")
    clicked = page.driver.execute_async_script(
        """const done = arguments[arguments.length - 1];
        const { layout, scenes } = await (await fetch("game.json")).json();
        const { Scene } = await import("./board.js");
        const root = document.querySelector(".scene");
        const scene = new Scene(root, layout, "test");
        scene.show(scenes[0]);
        scene.offer([{ move: "(put d1 b)", clicks: [["card d1"], ["card b"]] }], done);
        root.querySelector('[data-content="d1"]').closest(".spot").click();
        root.querySelector('[data-name^="b "]').click();"""
    )
    assert clicked == "(put d1 b)"
