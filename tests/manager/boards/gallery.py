"""Takes a picture of every board: ``python -m tests.manager.boards.gallery FOLDER [FILE.kif ...]``.

Each picture shows a game initially and after ten random moves, drawn as the pages draw it. Without
files the bundled games are taken. `index.html` in the folder shows them all. It needs what
`make browser-test` installs.
"""

from __future__ import annotations

import base64
import html
import json
import random
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.server.manager.games import ListedGame
from ggp.server.manager.processes.guide import Guide
from ggp.server.manager.processes.questions import Layout, Scene
from tests.manager.browser import Page, browsing
from tests.manager.drawn import GAMES

STATIC = Path(__file__).parents[3] / "server" / "manager" / "static"
MOVES, SEED = 10, 1
#: How long a board may get better before its picture is taken.
SECONDS = 15.0
WIDTH = 900
#: Pieces do not move to their places.
STILL = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
PAGE = """<!doctype html><meta charset="utf-8"><title></title>
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="site.css"><link rel="stylesheet" href="board.css">
<style>body { padding: 1rem; }
main { display: grid; gap: 2rem; padding: 0; }
@media (min-width: 40rem) { main { grid-template-columns: 1fr 1fr; } }
.scene { min-width: 0; }</style>
<main><div class="scene"></div><div class="scene"></div></main>
<script type="module">
import { Scene } from "./board.js";
const { layout, scenes } = await (await fetch("game.json")).json();
document.querySelectorAll(".scene").forEach((root, number) =>
  new Scene(root, layout, "gallery").show(scenes[number], number ? scenes[0] : null));
document.title = "ready";
</script>
"""


def study(path: Path) -> dict[str, Any]:
    """Return the layout of a game, and how it looks initially and after some random moves."""
    game = ListedGame(path.stem, path.stem, path)
    guide = Guide(game.text, drawing=game.drawing)
    generator = random.Random(SEED)
    try:
        guide.answer(Layout())
        deadline = Deadline.after(SECONDS)
        while not guide.is_settled and not deadline.is_over:
            guide.learn()
        layout = guide.answer(Layout())
        here = first = guide.answer(Scene())
        for _ in range(MOVES):
            if not here["legal"] or not all(here["legal"]):
                break
            moves = [generator.choice(legal)["move"] for legal in here["legal"]]
            here = guide.answer(Scene(here["facts"], moves))
    finally:
        guide.reopen()
    return {"layout": layout, "scenes": [first["scene"], here["scene"]]}


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve the files of a folder, and yield its URL."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def end_headers(self) -> None:
            # Two games within a second have files of the same date: a browser takes the first.
            self.send_header("Cache-Control", "no-store")
            super().end_headers()

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=folder)) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def take(page: Page, told: dict[str, Any], served: Path, path: Path) -> None:
    """Write a picture of a game."""
    (served / "game.json").write_text(json.dumps(told), encoding="utf-8")
    page.open("/gallery.html")
    page.wait(lambda: page.driver.title == "ready")
    height = page.driver.execute_script("return document.body.scrollHeight")
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": 1}
    shot = {"captureBeyondViewport": True, "clip": clip}
    data = page.driver.execute_cdp_cmd("Page.captureScreenshot", shot)["data"]
    path.write_bytes(base64.b64decode(data))


def write_index(folder: Path, taken: Sequence[tuple[str, str]]) -> None:
    """Write the page that shows all pictures; a game without one has the reason."""
    parts = [
        f"<figure><figcaption>{html.escape(name)} {html.escape(why)}</figcaption>"
        + ("" if why else f'<img loading="lazy" alt="" src="{html.escape(name)}.png">')
        + "</figure>"
        for name, why in taken
    ]
    style = "<style>body { columns: 3; font-family: sans-serif; } img { width: 100%; }</style>"
    text = f'<!doctype html><meta charset="utf-8"><title>Boards</title>{style}{"".join(parts)}'
    (folder / "index.html").write_text(text, encoding="utf-8")


def prepare(folder: Path) -> None:
    """Put the page of the pictures into a folder that is served."""
    for file in ("site.css", "board.css", "board.js", "page.js"):
        (folder / file).symlink_to(STATIC / file)
    (folder / "gallery.html").write_text(PAGE, encoding="utf-8")


def main() -> None:
    """Take them all."""
    folder = Path(sys.argv[1])
    paths = [Path(name) for name in sys.argv[2:]] or sorted(GAMES.glob("*.kif"))
    folder.mkdir(parents=True, exist_ok=True)
    taken = []
    with TemporaryDirectory() as name:
        served = Path(name)
        prepare(served)
        with serving(served) as url, browsing(width=WIDTH, height=WIDTH) as driver:
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", STILL)
            for path in paths:
                why = ""
                try:
                    take(Page(driver, url), study(path), served, folder / f"{path.stem}.png")
                except (GgpError, OSError) as error:
                    why = str(error)
                print(f"{path.stem} {why}".strip(), flush=True)
                taken.append((path.stem, why))
    write_index(folder, taken)


if __name__ == "__main__":
    main()
