"""Plays some joint moves and tells the state: a program for `ggp.agents.calls`.

It reads JSON, ``{"name": …, "rules": …, "moves": [[…], …], "draw": …}``, and prints JSON. What
``draw`` holds is the drawing that the author declares, which may be empty; null draws nothing.
"""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import Sequence
from typing import Any

from ggp.errors import GgpError, KifError, SourceError
from ggp.gdl import Description
from ggp.kif import Source, Symbol, Term, parse, parse_term
from ggp.match import draw, joint_spelling
from ggp.prove.play.blame import held_goals
from ggp.reasoner import Reasoner, State, open_reasoner

__all__ = ["position"]

# Characters of a move that an error repeats.
_SHOWN = 60
# Legal moves that are named where one is not legal.
_LISTED = 20


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
            state = reasoner.next_state(state, _made(reasoner, joint, view.legal))
        except GgpError as error:
            raise GgpError(f"joint move {number}: {error.one_line()}") from None
    view, facts = reasoner.view(state), reasoner.facts(state)
    roles = [str(role) for role in reasoner.roles]
    told: dict[str, Any] = {
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
    if view.terminal and None in view.goals:
        told["wrong_goals"] = _goals(reasoner.description, facts)
    return state, told


def _made(
    reasoner: Reasoner, joint: list[str], legal: Sequence[Sequence[Term]]
) -> tuple[Term, ...]:
    """Read a joint move. Raises `GgpError`: a move is missing, or is not legal."""
    roles = [str(role) for role in reasoner.roles]
    if len(joint) != len(legal):
        example = json.dumps([str(moves[0]) if moves else "" for moves in legal])
        raise GgpError(
            f"{len(joint)} moves for {len(roles)} roles; write one of each of "
            f"{', '.join(roles)}, such as {example}"
        )
    read = [_term(role, move) for role, move in zip(roles, joint, strict=True)]
    made = joint_spelling(read, legal)
    for role, move, moves in zip(roles, made, legal, strict=True):
        if move not in moves:
            listed = ", ".join(map(str, moves[:_LISTED])) or "none"
            more = f" and {len(moves) - _LISTED} more" if len(moves) > _LISTED else ""
            raise GgpError(f"{role} may not do {move}; its legal moves are {listed}{more}")
    return made


def _term(role: str, move: str) -> Term:
    """Read the move of a role. Raises `GgpError` if it is no term."""
    try:
        return parse_term(move)
    except KifError as error:
        try:
            words = parse(move)
        except KifError:
            words = ()
        # A relation and its arguments, such as: move 2 1 2 2
        if len(words) > 1 and isinstance(words[0], Symbol):
            told = f"parentheses are missing: write ({' '.join(move.split())})"
        else:
            told = error.message + (f" ({error.hint})" if error.hint else "")
        raise GgpError(f"the move {move[:_SHOWN]!r} of {role} is no term: {told}") from None


def _goals(description: Description, facts: Sequence[Term]) -> dict[str, list[str]]:
    """Return all goals of the roles that have none or several."""
    held = {role: held_goals(description, role, facts) for role in description.roles}
    return {
        str(role): [str(goal) for goal in goals]
        for role, goals in held.items()
        if goals is not None and len(goals) != 1
    }


def _drawn(reasoner: Reasoner, state: State, declared: str) -> dict[str, Any]:
    """Return a state as a PNG in base 64, and what the picture does not show."""
    from PIL import Image

    from ggp.display import picture_of, pixels

    picture = picture_of(reasoner, declared=declared)
    facts, made = reasoner.facts(state), io.BytesIO()
    Image.fromarray(pixels(picture.svg(facts))).save(made, "PNG")
    return {"png": base64.b64encode(made.getvalue()).decode(), "below": picture.texts(facts)}


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    try:
        description = Description.from_text(Source(asked["rules"], asked["name"]))
        with open_reasoner(description) as opened:
            reached, answer = position(opened, asked["moves"])
            if asked["draw"] is not None:
                answer |= _drawn(opened, reached, asked["draw"])
    except SourceError as error:
        sys.exit(error.one_line())
    except GgpError as error:
        sys.exit(" ".join(str(error).split()))
    print(json.dumps(answer))
