"""Boards in Chromium: their pictures, their corners, and phones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("selenium")

from tests.manager.boards import gallery
from tests.manager.browser import BROWSER, DRIVER, Page, browsing
from tests.manager.drawn import GAMES

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="needs Chromium and chromedriver"),
]
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
