"""Drawn games for tests: the layout, and where the pieces are."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.kif import Scrambler, Term, parse_term
from ggp.reasoner import open_reasoner
from ggp.server.manager.drawing.clicks import Clicks
from ggp.server.manager.drawing.finder import find_layout
from ggp.server.manager.drawing.layout import Board, Layout
from ggp.server.manager.drawing.pieces import Looks, find_looks
from ggp.server.manager.drawing.play import Line, random_lines
from ggp.server.manager.drawing.scene import scene_of

GAMES = Path(__file__).parents[2] / "games"


@dataclass(frozen=True)
class Drawn:
    description: Description
    lines: tuple[Line, ...]
    layout: Layout
    looks: Looks
    clicks: Clicks

    @property
    def board(self) -> Board:
        """The only board."""
        (board,) = self.layout.boards
        return board

    def named(self, move: str) -> list[list[str]]:
        """The names of the spots to be clicked for a move, step by step."""
        spots = {
            f"{number}.{place}": spot.name
            for number, board in enumerate(self.layout.boards)
            for place, spot in enumerate(board.spots.values())
        }
        steps = self.clicks.named(parse_term(move))
        return [[spots[each] for each in step] for step in steps]

    def shown(self, facts: str) -> dict[str, list[str]]:
        """What is shown on the spots of the only board: labels by the names of spots."""
        read = [parse_term(fact) for fact in facts.splitlines() if fact.strip()]
        scene = scene_of(read, self.layout, self.looks)
        names = [spot.name for spot in self.board.spots.values()]
        return {
            names[int(spot.partition(".")[2])]: [item["label"] for item in items]
            for spot, items in scene["cells"].items()
        }


def draw(description: Description | str) -> Drawn:
    """Find how a game is drawn, as the manager does."""
    if isinstance(description, str):
        description = Description.from_text(description)
    with open_reasoner(description, kind="prolog") as reasoner:
        lines = random_lines(reasoner, deadline=Deadline.after(60), lines=4, max_steps=40)
    layout = find_layout(description, lines)
    return Drawn(description, lines, layout, find_looks(layout, lines), Clicks(layout, description))


@cache
def draw_bundled(name: str) -> Drawn:
    return draw(Description.load(GAMES / f"{name}.kif"))


def scrambled(description: Description, seed: int) -> tuple[Description, Scrambler]:
    """The game with scrambled words."""
    scrambler = Scrambler(description.terms, seed=seed)
    return Description.from_terms(map(scrambler.scramble, description.terms)), scrambler


def texts(terms: tuple[Term, ...]) -> list[str]:
    return list(map(str, terms))
