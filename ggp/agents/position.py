"""Plays some joint moves and tells the state: a program for `ggp.agents.calls`.

It reads JSON, ``{"rules": …, "moves": [[…], …], "draw": …}``, and prints JSON.
"""

from __future__ import annotations

import base64
import io
import json
import sys
from typing import Any

from ggp.errors import GgpError, SourceError
from ggp.gdl import Description
from ggp.kif import Source, parse_term
from ggp.match import draw, joint_spelling
from ggp.reasoner import Reasoner, State, open_reasoner

__all__ = ["position"]


def position(reasoner: Reasoner, moves: list[list[str]]) -> tuple[State, dict[str, Any]]:
    """Return the state after joint moves from the initial one, and what the rules say of it.

    Raises:
        GgpError: a move is not legal, or the game is over before the last one.
    """
    state = reasoner.initial_state()
    for number, joint in enumerate(moves, 1):
        view = reasoner.view(state)
        if view.terminal:
            raise GgpError(f"the game is over after {number - 1} joint moves")
        try:
            made = joint_spelling([parse_term(move) for move in joint], view.legal)
            reasoner.check_legal(state, made)
        except GgpError as error:
            raise GgpError(f"joint move {number}: {error}") from None
        state = reasoner.next_state(state, made)
    view, facts = reasoner.view(state), reasoner.facts(state)
    roles = [str(role) for role in reasoner.roles]
    told = {
        "steps": len(moves),
        "terminal": view.terminal,
        "goals": dict(zip(roles, view.goals, strict=True)),
        "legal": {
            role: [str(move) for move in legal]
            for role, legal in zip(roles, view.legal, strict=True)
        },
        "facts": [str(fact) for fact in facts],
        "board": draw(facts, reasoner.description.domains.facts),
    }
    return state, told


def _png(reasoner: Reasoner, state: State) -> str:
    from PIL import Image

    from ggp.display import picture_of, pixels

    made = io.BytesIO()
    Image.fromarray(pixels(picture_of(reasoner).svg(reasoner.facts(state)))).save(made, "PNG")
    return base64.b64encode(made.getvalue()).decode()


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    try:
        description = Description.from_text(Source(asked["rules"], "rules"))
        with open_reasoner(description) as opened:
            reached, answer = position(opened, asked["moves"])
            if asked["draw"]:
                answer["png"] = _png(opened, reached)
    except SourceError as error:
        sys.exit(error.one_line())
    except GgpError as error:
        sys.exit(" ".join(str(error).split()))
    print(json.dumps(answer))
