from __future__ import annotations

import csv
import json
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

from ggp.tournament import SWISS, Plan, PlannedGame, standings, write_pages
from tests.match.games import MARK
from tests.tournament.plans import ONE, THREE, TWO, game, plan, played, result

EVIL = "<script>alert('&\"')</script>"


class Reader(HTMLParser):
    """What a browser would find: the tags, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_data(self, data: str) -> None:
        self.text.append(data.strip())


def written(folder: Path, cup: Plan, share: float = 1.0) -> str:
    _, results = played(cup)
    results = results[: round(share * len(results))]
    write_pages(folder, standings(cup, results), results)
    assert not list(folder.glob(".*"))
    return (folder / "index.html").read_text(encoding="utf-8")


def test_the_page_shows_how_it_stands(tmp_path: Path) -> None:
    page = Reader(written(tmp_path, plan(3, ONE, TWO)))
    assert page.tags.count("table") == 3
    assert page.tags.count("polyline") == 3
    # A bar for each player, and its colour in the table and in the legend.
    assert page.tags.count("rect") == 3 + 2 * 3
    assert "Finished: 9 matches." in page.text
    assert page.text.count("random #2") >= 4
    assert "script" not in page.tags


def test_the_page_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    page = written(tmp_path, plan(3))
    assert "http:" not in page
    assert "https:" not in page


def test_names_are_shown_as_text(tmp_path: Path) -> None:
    evil = game(MARK, EVIL)
    cup = plan([EVIL, "random"], evil, PlannedGame(EVIL + "2", "", MARK, 1), name=EVIL)
    settled, _ = played(cup)
    results = [replace(result(settled[0], None), match_id=EVIL, remark=EVIL)]
    write_pages(tmp_path, standings(cup, results), results)
    page = Reader((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert "script" not in page.tags
    assert page.text.count(EVIL) >= 5


def test_a_page_can_be_drawn_before_anything_was_played(tmp_path: Path) -> None:
    page = Reader(written(tmp_path, plan(4, TWO, system=SWISS, rounds=3), share=0))
    assert "0 of 4 matches played in the rounds that are settled." in page.text
    assert (tmp_path / "matches.csv").read_text().startswith("match,id,round,game,seat,")


def test_the_plot_and_the_bars_are_within_their_frames(tmp_path: Path) -> None:
    page = written(tmp_path, plan(5, TWO, THREE, rounds=4))
    for text in page.split("<svg")[1:]:
        svg = ElementTree.fromstring("<svg" + text.partition("</svg>")[0] + "</svg>")
        _, _, width, height = map(float, svg.attrib["viewBox"].split())
        for line in svg.iter("polyline"):
            corners = [tuple(map(float, xy.split(","))) for xy in line.attrib["points"].split()]
            assert len(corners) > 10
            assert all(0 <= x <= width and 0 <= y <= height for x, y in corners)
            assert [x for x, _ in corners] == sorted(x for x, _ in corners)
        for bar in svg.iter("rect"):
            assert 0 <= float(bar.attrib["width"]) <= width
    assert page.count("<polyline") == 5


def test_the_tables_for_programs_say_the_same(tmp_path: Path) -> None:
    cup = plan(3, ONE, TWO)
    _, results = played(cup)
    shown = standings(cup, results)
    write_pages(tmp_path, shown, results)
    assert json.loads((tmp_path / "standings.json").read_text()) == shown.to_dict()
    with (tmp_path / "standings.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["player"] for row in rows] == [player.player for player in shown.players]
    assert [float(row["points"]) for row in rows] == [player.points for player in shown.players]
    with (tmp_path / "matches.csv").open(newline="", encoding="utf-8") as file:
        seats = list(csv.DictReader(file))
    assert len(seats) == 3 * 1 + 6 * 2
    points = sum(float(row["goal"]) for row in seats) / 100
    assert points == sum(player.points for player in shown.players)
