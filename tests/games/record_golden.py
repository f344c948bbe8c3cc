"""Records golden playthroughs: ``python tests/games/record_golden.py [GAME...]``, or of all games.

It must replay forever: record it again only if the game's rules were changed on purpose.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ggp.authoring.playthrough import record
from ggp.gdl import Description
from ggp.reasoner import open_reasoner

GAMES = Path(__file__).parents[2] / "games"
GOLDEN = Path(__file__).with_name("golden")


def main(names: list[str]) -> None:
    """Write the files of the given games, or of all."""
    for name in names or sorted(path.stem for path in GAMES.glob("*.kif")):
        path = GOLDEN / f"{name}.json"
        with open_reasoner(Description.load(GAMES / f"{name}.kif")) as reasoner:
            path.write_text(record(reasoner, name).to_text(), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
