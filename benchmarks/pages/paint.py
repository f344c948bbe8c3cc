"""How soon the manager's pages show something useful: `python -m benchmarks.pages.paint`.

The program runs `ggp manager` in another process and opens its pages in Chromium, which it needs
with its driver and selenium (`make browser-test` installs them). The browser's own clock, its
Performance API, counts from the moment at which a page is asked for: until the first text is
painted (`first-contentful-paint`), and until the frame in which the board is there, or for pages
without one, the list that they are about. The first visit of a game comes before the manager has
ever seen it.

It fails if the median of the later visits, or a first visit, takes longer than it may.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.pages.visitor import Visitor, running_manager

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

__all__ = ["Browser", "chromium", "main"]

#: Seconds to wait for a page.
_PATIENCE = 60
#: What shows a state of a game.
_STATE = ".spot, .card, .facts"
#: Notes the moment after the frame in which an element of the page is painted.
_WATCH = """
const noted = new MutationObserver(note);
function note() {
  if (!document.querySelector(SELECTOR)) return;
  noted.disconnect();
  requestAnimationFrame(() => setTimeout(() => performance.mark("useful")));
}
noted.observe(document, { childList: true, subtree: true });
note();
"""
_READ = """
const [useful] = performance.getEntriesByName("useful");
const [first] = performance.getEntriesByName("first-contentful-paint");
return useful && first ? [first.startTime, useful.startTime] : null;
"""


@dataclass
class Paints:
    """The milliseconds of the visits of one page, the first visit first."""

    #: Until the first text or picture.
    first: list[float] = field(default_factory=list)
    #: Until what the page is about.
    useful: list[float] = field(default_factory=list)


class Browser:
    """Chromium, which opens pages and says when they were painted."""

    def __init__(self, driver: WebDriver, url: str) -> None:
        self._driver, self.url = driver, url
        self.paints: dict[str, Paints] = {}

    def visit(self, name: str, path: str, selector: str) -> None:
        """Open a page and note under a name when the element of the selector was painted."""
        from selenium.common.exceptions import TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        with self.watching(selector):
            self._driver.get(self.url + path)
            try:
                wait: WebDriverWait[Any] = WebDriverWait(self._driver, _PATIENCE)
                told: Any = wait.until(lambda _: self.painted())
            except TimeoutException:
                raise click.ClickException(f"{path} was not painted in {_PATIENCE} s") from None
        self._driver.get("about:blank")
        paints = self.paints.setdefault(name, Paints())
        paints.first.append(told[0])
        paints.useful.append(told[1])

    @contextmanager
    def watching(self, selector: str) -> Iterator[None]:
        """Let the pages that are opened note when an element of the selector is painted."""
        script = _WATCH.replace("SELECTOR", json.dumps(selector))
        command = "Page.addScriptToEvaluateOnNewDocument"
        added = self._driver.execute_cdp_cmd(command, {"source": script})
        try:
            yield
        finally:
            self._driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)

    def painted(self) -> tuple[float, float] | None:
        """Return the milliseconds until the first text and until the element; None before."""
        told: tuple[float, float] | None = self._driver.execute_script(_READ)
        return told


@click.command()
@click.option("--game", default="connectfour", show_default=True, help="A game for two roles.")
@click.option("--visits", type=click.IntRange(min=2), default=10, show_default=True)
@click.option("--most", type=click.FloatRange(min=0), default=500.0, show_default=True,
              help="Most milliseconds until the useful paint.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(game: str, visits: int, most: float, as_json: bool) -> None:
    """Measure when the manager's pages are painted."""
    with running_manager() as port, chromium() as driver:
        browser = Browser(driver, f"http://127.0.0.1:{port}")
        browser.visit("home", "/", "#games li")
        for _ in range(visits):
            browser.visit("game", f"/games/{game}", _STATE)
            browser.visit("explorer", f"/games/{game}/explore", _STATE)
        match = Visitor(port).begin_match(game, "legal")
        for _ in range(visits):
            browser.visit("home", "/", "#games li")
            browser.visit("match", f"/matches/{match}", _STATE)
    paints = browser.paints
    if as_json:
        click.echo(json.dumps({name: vars(each) for name, each in paints.items()}))
    else:
        Console(highlight=False).print(_table(paints))
    for name, each in paints.items():
        slowest = max(each.useful[0], median(each.useful[1:]))
        if slowest > most:
            raise click.ClickException(f"the page {name} took {slowest:.0f} ms")


@contextmanager
def chromium() -> Iterator[WebDriver]:
    """Run Chromium without a window."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not browser or not driver:
        raise click.ClickException("there is no Chromium with its driver; `make browser-test`")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for argument in ("--headless=new", "--no-sandbox", "--window-size=1400,900"):
        options.add_argument(argument)
    opened = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        yield opened
    finally:
        opened.quit()


def _table(paints: dict[str, Paints]) -> Table:
    table = Table("page", title="milliseconds", box=box.SIMPLE)
    columns = ("visits", "first visit: text", "useful", "later, median: text", "useful", "slowest")
    for column in columns:
        table.add_column(column, justify="right")
    for name, each in paints.items():
        later, useful = each.first[1:], each.useful[1:]
        times = (each.first[0], each.useful[0], median(later), median(useful), max(useful))
        table.add_row(name, str(len(each.first)), *(f"{time:.0f}" for time in times))
    return table


if __name__ == "__main__":
    main()
