"""Small games of hidden information, and what a role perceives in them."""

from __future__ import annotations

from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, parse_term
from ggp.match.histories.histories import Histories
from ggp.match.histories.turn import Turn

__all__ = ["CARDS", "WIDE", "histories", "turn"]

#: Six cards are dealt to two players, one a turn; each sees its own. Then one is played each turn.
CARDS = """
(role me) (role you) (role random)
(card 1) (card 2) (card 3) (card 4) (card 5) (card 6)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
(to 0 me) (to 1 you) (to 2 me) (to 3 you) (to 4 me) (to 5 you)
(turn 6 you) (turn 7 me) (turn 8 you) (turn 9 me)
(init (step 0))
(<= (legal random (deal ?c)) (true (step ?n)) (to ?n ?p) (card ?c) (not (true (dealt ?c))))
(<= (legal random wait) (not dealing))
(<= dealing (true (step ?n)) (to ?n ?p))
(<= (legal ?p wait) (role ?p) (distinct ?p random) (not (may_play ?p)))
(<= (may_play ?p) (true (step ?n)) (turn ?n ?p))
(<= (legal ?p (play ?c)) (may_play ?p) (true (hand ?p ?c)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (dealt ?c)) (true (dealt ?c)))
(<= (next (dealt ?c)) (does random (deal ?c)))
(<= (next (hand ?p ?c)) (true (step ?n)) (to ?n ?p) (does random (deal ?c)))
(<= (next (hand ?p ?c)) (true (hand ?p ?c)) (not (does ?p (play ?c))))
(<= (sees ?p (got ?c)) (true (step ?n)) (to ?n ?p) (does random (deal ?c)))
(<= (sees ?p (played ?q ?c)) (role ?p) (does ?q (play ?c)))
(<= terminal (true (step 10)))
(<= (goal ?p 50) (role ?p))
"""

#: Random makes one of 1,600 moves; `me` sees the sum where it is at once, the rest a turn later.
WIDE = f"""
(role me) (role random) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
{" ".join(f"(number {n})" for n in range(40))} (big 39) (big 38) (big 37)
(<= (legal random (deal ?a ?b)) (true (step 0)) (number ?a) (number ?b))
(<= (legal random wait) (not (true (step 0))))
(<= (legal me wait) (not (true (step 2)))) (<= (legal me (bet ?a)) (true (step 2)) (true (has ?a)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (has ?a)) (does random (deal ?a ?b))) (<= (next (has ?a)) (true (has ?a)))
(<= (sees me (first ?a)) (true (has ?a)))
(<= loud (does random (deal ?a ?b)) (big ?a)) (<= (sees me quiet) (true (step 0)) (not loud))
(<= terminal (true (step 3))) (<= (goal ?p 50) (role ?p))
"""


def histories(rules: str, role: str = "me") -> Histories:
    """The histories of a match, as a role knows it."""
    player = Symbol(role)
    return Histories(PerceivedGame.of(Description.from_text(rules), [player]), player)


def turn(move: str, *percepts: str, some: tuple[str, ...] = ()) -> Turn:
    """A turn as `me` sees it, perhaps with some of the moves of `random`."""
    drawn = {Symbol("random"): tuple(map(parse_term, some))} if some else {}
    return Turn(parse_term(move), tuple(map(parse_term, percepts)), some=drawn)
