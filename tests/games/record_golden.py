"""Records golden playthroughs: ``python tests/games/record_golden.py [GAME...]``, or of all games.

A golden playthrough is one random playout, cut off after 40 steps, with everything that the rules
say of each of its states. It must replay forever: record it again only if the game's rules were
changed on purpose.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ggp.gdl import Description
from ggp.kif import Term
from ggp.reasoner import open_reasoner

GAMES = Path(__file__).parents[2] / "games"
GOLDEN = Path(__file__).with_name("golden")
MAX_STEPS = 40


def record(name: str) -> dict[str, Any]:
    """Return a playthrough: the game's roles, and what each state of the playout is like."""
    generator = random.Random(name)
    steps: list[dict[str, Any]] = []
    with open_reasoner(Description.load(GAMES / f"{name}.kif")) as reasoner:
        state = reasoner.initial_state()
        while True:
            view = reasoner.view(state)
            step: dict[str, Any] = {
                "facts": text(reasoner.facts(state)),
                "terminal": view.terminal,
                "goals": view.goals,
                "legal": [text(moves) for moves in view.legal],
            }
            steps.append(step)
            if view.terminal or len(steps) > MAX_STEPS:
                return {"game": name, "roles": text(reasoner.roles), "steps": steps}
            joint_move = tuple(map(generator.choice, view.legal))
            step["joint_move"] = text(joint_move)
            state = reasoner.next_state(state, joint_move)


def text(terms: Iterable[Term]) -> str:
    """Print terms in their order, a blank between them."""
    return " ".join(map(str, terms))


def dump(playthrough: dict[str, Any]) -> str:
    """Return the playthrough as JSON, one step a line."""
    head = {key: value for key, value in playthrough.items() if key != "steps"}
    lines = ",\n".join(json.dumps(step, separators=(",", ":")) for step in playthrough["steps"])
    return json.dumps(head)[:-1] + ', "steps": [\n' + lines + "\n]}\n"


def main(names: list[str]) -> None:
    """Write the files of the given games, or of all."""
    for name in names or sorted(path.stem for path in GAMES.glob("*.kif")):
        path = GOLDEN / f"{name}.json"
        path.write_text(dump(record(name)), encoding="utf-8")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
