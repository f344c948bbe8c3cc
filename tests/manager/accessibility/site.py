"""A manager with something on each of its pages, and how each page is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

from ggp.gdl import Description
from ggp.match import LocalPlayer, MatchRecord, MatchSettings, Referee
from ggp.server.manager.manager import Manager
from ggp.server.manager.setup import Seat
from ggp.tournament import Store, fixtures
from tests.manager import sheets
from tests.manager.browser import Page
from tests.manager.drawn import GAMES
from tests.match.participants import Fixed
from tests.match.test_referee import play
from tests.tournament.plans import TWO, plan, stronger_wins

__all__ = ["PAGES", "furnished"]

_CUP = plan(["random", "legal", "maxn:depth=4,classifier=lvt"], TWO)


def _home(page: Page) -> None:
    page.open("/")
    page.find("#results td, #results-title")
    page.click("details summary")
    page.find("#results td")


def _removal(page: Page) -> None:
    page.open("/")
    page.click("button.remove")
    page.find("dialog[open]")


def _game(page: Page) -> None:
    page.open("/games/connectfour")
    page.find(".spot")
    page.find("#kind-0")


def _broken_game(page: Page) -> None:
    page.open("/")
    page.find("#games button.remove")
    links = page.all("#games li:last-child a")
    page.driver.get(str(links[0].get_attribute("href")))
    page.find("#findings li")


def _match(page: Page) -> None:
    page.begin_match("tictactoe", "human", "legal")
    page.find("#moves [data-move]")


def _ending(page: Page) -> None:
    page.begin_match("nim", "human", "legal")
    page.wait_for("#moves [data-move]")
    page.click("#moves li:last-child [data-move]")  # a blunder
    page.wait(lambda: page.find("#step").text == "2 / 2")
    page.wait_for("#moves [data-move]")
    page.click("#give-up")
    page.click("#sure-give-up [value=yes]")
    page.wait(lambda: page.find("#ending").is_displayed())
    page.wait(lambda: [text for text in page.texts("#review-status") if "lose" in text])


def _rules(page: Page) -> None:
    page.open("/games/nim/rulesheet")
    page.find("#rules .keyword")


def _hidden(page: Page) -> None:
    page.begin_match("kriegtictactoe", "human", "human")
    page.wait_for(f"{page.spot('2 2')}.can")
    page.click(page.spot("2 2"))
    page.wait_for(".piece.maybe")
    page.click(page.spot("2 2"))


def _replay(page: Page) -> None:
    page.open("/records/replayed")
    page.find("#thought-list td")
    page.click("#on")
    page.wait(lambda: page.find("#step").text.startswith("1 /"))


def _cards(page: Page) -> None:
    page.open("/games/spades300/explore")
    page.find(".card")
    page.click("#random")
    page.find("#path li:nth-child(2)")


def _explorer(page: Page) -> None:
    page.open("/games/tictactoe/explore")
    page.wait_for(".spot.can")
    page.click("#random")
    page.choose("[name=kind]", "perft")
    seconds = page.find("[name=seconds]")
    seconds.clear()
    seconds.send_keys("1")
    page.click("#analysis .primary")
    page.wait(lambda: page.texts("#analysis-status")[0] in ("Done.", "Time is up."))
    page.find("#analysis-result td")


def _editor(page: Page) -> None:
    page.open("/edit?copy=tictactoe")
    page.wait_for(".spot.can")
    page.click("#drawing-part summary")


def _mistake(page: Page) -> None:
    page.open("/")
    page.driver.execute_script("localStorage.clear()")  # where the last visit left its draft
    page.open("/edit?copy=connectfour")
    page.wait_for(".spot.can")
    page.find("#rules").send_keys("(<= (true (open ?x)) (column ?x))")
    page.wait_for("#play.stale")


def _tournament(page: Page) -> None:
    page.open("/tournaments/cup")
    page.find("#match-list td")
    page.find("#running-list td")


def _error(page: Page) -> None:
    page.open("/games/none")
    page.find("h1")


def _step(page: Page) -> None:
    page.open("/step")
    page.click("#search .primary")
    page.wait(lambda: "steps" in page.status())
    page.click("#next-cut")


PAGES: dict[str, Callable[[Page], None]] = {
    "home": _home,
    "removal": _removal,
    "game": _game,
    "broken game": _broken_game,
    "match": _match,
    "replay": _replay,
    "ending": _ending,
    "hidden": _hidden,
    "rules": _rules,
    "cards": _cards,
    "explorer": _explorer,
    "editor": _editor,
    "mistake": _mistake,
    "tournament": _tournament,
    "step": _step,
    "error": _error,
}


@contextmanager
def furnished(folder: Path) -> Iterator[Manager]:
    """Open a manager with a match that waits for a person, a record, games and a tournament."""
    cup = folder / "cup"
    with closing(Store.create(cup, _CUP)) as store:
        _, record = play(TWO.rules, Fixed("(pick 3)"), Fixed("(pick 1)"))
        for fixture in fixtures(_CUP, ())[:4]:
            store.add(stronger_wins(fixture), record)
    _played("tictactoe").write(folder / "kept" / "replayed.json")
    names = ("connectfour", "kriegtictactoe", "nim", "spades300", "tictactoe")
    bundled = [GAMES / f"{name}.kif" for name in names]
    manager = Manager.open(bundled=bundled, folder=folder / "kept", tournaments=[cup])
    try:
        manager.games.add("broken", sheets.ROW.replace("(role me)", ""))
        game = manager.games.find("tictactoe")
        assert game is not None
        seats = [Seat("human", "Ada"), Seat("player", "legal")]
        manager.matches.begin(game, seats, start_clock=600, play_clock=600, humans_take_time=True)
        with _in_play(cup, replace(record, match_id="in-play")):
            yield manager
    finally:
        manager.close()


@contextmanager
def _in_play(cup: Path, record: MatchRecord) -> Iterator[None]:
    """Tell again and again that the fifth match of the tournament is being played."""
    over = Event()

    def tell() -> None:
        with closing(Store.open(cup)) as store:
            fixture = fixtures(_CUP, ())[4]
            store.tell([(fixture, record)])
            while not over.wait(5):
                store.tell([(fixture, record)])

    teller = Thread(target=tell)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


def _played(game: str) -> MatchRecord:
    """Play a match in which one player says what it thinks."""
    description = Description.load(game)
    settings = MatchSettings("replayed", description, 30, 30)
    players = [LocalPlayer("alphabeta:depth=2"), LocalPlayer("legal")]
    url = (GAMES / f"{game}.kif").resolve().as_uri()
    with Referee(settings, players, game_url=url) as referee:
        for _ in referee.run():
            pass
    return referee.record
