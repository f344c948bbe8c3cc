"""How soon the states of heavy games are shown: `python -m benchmarks.pages.heavy FILE...`.

The program uploads each rulesheet to a manager in another process and opens its explorer in
Chromium, which it needs with its driver and selenium (`make browser-test` installs them). The
browser's clock counts from the moment at which the page is asked for until the frame with the board
and until the legal moves are listed; then, for some random moves, from the click until the board of
the next state, and until its legal moves. A click comes as soon as there are moves, while the table
of joint moves is still being worked out. The processor time is that of all the manager's processes.

It fails if a board takes longer than it may.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks.pages.paint import Browser, chromium
from benchmarks.pages.visitor import Visitor, cpu_seconds, running_manager

if TYPE_CHECKING:
    from selenium.webdriver.chrome.webdriver import WebDriver

__all__ = ["main"]

#: Seconds to wait for the moves of a state.
_PATIENCE = 60
_STATE = ".spot, .card, .facts"
#: Until the moves of the first state are listed, or something is wrong; null before.
_MOVES = """
const status = document.querySelector("#status");
return /^(Step|The game)/.test(status.textContent) || status.matches(".problem")
  ? performance.now() : null;
"""
#: Makes a random move, and tells the milliseconds until its board and until its moves.
_STEP = """
const done = arguments[0], status = document.querySelector("#status"), began = performance.now();
let board = null;
const scene = new MutationObserver(() => { board ??= performance.now() - began; });
scene.observe(document.querySelector("#scene"), { childList: true, subtree: true });
document.querySelector("#random").click();
const timer = setInterval(() => {
  if (board === null && !status.matches(".problem")) return;
  if (!/^(Step|The game)/.test(status.textContent) && !status.matches(".problem")) return;
  clearInterval(timer);
  scene.disconnect();
  done([board, performance.now() - began]);
}, 5);
"""


@dataclass
class Times:
    """Milliseconds of a game: the first board and its moves, then those of each step."""

    board: float
    moves: float
    step_boards: list[float] = field(default_factory=list)
    step_moves: list[float] = field(default_factory=list)
    #: Seconds of processor time: until the first moves, and for a step on average.
    cpu: float = 0.0
    step_cpu: float = 0.0

    @property
    def slowest(self) -> float:
        """The most milliseconds until a board."""
        return max([self.board, *self.step_boards])


@click.command()
@click.argument("rules", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--steps", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--most", type=click.FloatRange(min=0), default=2000.0, show_default=True,
              help="Most milliseconds until a board.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(rules: tuple[Path, ...], steps: int, most: float, as_json: bool) -> None:
    """Measure when the explorer shows the states of games."""
    found: dict[str, Times] = {}
    for path in rules:
        with running_manager() as port, chromium() as driver:
            found[path.stem] = _measured(driver, port, path, steps)
    if as_json:
        click.echo(json.dumps({name: vars(each) for name, each in found.items()}))
    else:
        Console(highlight=False).print(_table(found))
    for name, times in found.items():
        if times.slowest > most:
            raise click.ClickException(f"a board of {name} took {times.slowest:.0f} ms")


def _measured(driver: WebDriver, port: int, path: Path, steps: int) -> Times:
    from selenium.webdriver.support.ui import WebDriverWait

    place = Visitor(port).upload(path)
    browser = Browser(driver, f"http://127.0.0.1:{port}")
    wait: WebDriverWait[Any] = WebDriverWait(driver, _PATIENCE, poll_frequency=0.05)
    driver.set_script_timeout(_PATIENCE)
    browser.visit("home", "/", "#games li")
    before = cpu_seconds()
    with browser.watching(_STATE):
        driver.get(f"{browser.url}{place}/explore")
        painted: Any = wait.until(lambda _: browser.painted())
        times = Times(painted[1], wait.until(lambda d: d.execute_script(_MOVES)))
    times.cpu = cpu_seconds() - before
    before = cpu_seconds()
    for _ in range(steps):
        if driver.execute_script("return document.querySelector('#random').disabled"):
            break
        shown, listed = driver.execute_async_script(_STEP)
        times.step_boards.append(shown)
        times.step_moves.append(listed)
    times.step_cpu = (cpu_seconds() - before) / max(1, len(times.step_boards))
    return times


def _table(found: dict[str, Times]) -> Table:
    table = Table("game", title="milliseconds; CPU in seconds", box=box.SIMPLE)
    for column in (
        *("first board", "moves", "CPU"),
        *("step, slowest: board", "moves", "CPU of a step"),
    ):
        table.add_column(column, justify="right")
    for name, times in found.items():
        table.add_row(
            name,
            f"{times.board:.0f}",
            f"{times.moves:.0f}",
            f"{times.cpu:.1f}",
            f"{max(times.step_boards, default=0):.0f}",
            f"{max(times.step_moves, default=0):.0f}",
            f"{times.step_cpu:.1f}",
        )
    return table


if __name__ == "__main__":
    main()
