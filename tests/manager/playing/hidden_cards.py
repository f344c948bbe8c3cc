"""The bundled card games with hands that are dealt by chance, and that only their owners see."""

from __future__ import annotations

import re

from tests.manager.drawn import GAMES

__all__ = ["hidden"]

#: Chance deals the hand of one player after the other; the last one gets what is left.
_DEALING = """
(role random)
(goal random 0)
(init (dealing {first}))
(<= (init (deck ?card)) (card ?card ?suit))
(<= (base (deck ?card)) (card ?card ?suit))
(<= (base (dealing ?player)) (dealt ?player ?card))
(<= (base (hand ?player ?card)) (dealt ?player ?any) (card ?card ?suit))
(<= (base (winning ?player ?card)) (dealt ?player ?any) (card ?card ?suit))
(<= (input ?player (play ?card)) (dealt ?player ?any) (card ?card ?suit))
(<= (input random (deal ?a ?b ?c ?d)) (four ?a ?b ?c ?d))
(<= (four ?a ?b ?c ?d) (before ?a ?b) (before ?b ?c) (before ?c ?d))
(<= (legal random (deal ?a ?b ?c ?d))
    (true (dealing ?player)) (four ?a ?b ?c ?d)
    (true (deck ?a)) (true (deck ?b)) (true (deck ?c)) (true (deck ?d)))
(<= dealing (true (dealing ?player)))
(<= (legal random noop) (not dealing))
(<= (gets ?player ?card) (true (dealing ?player)) (given ?card))
(<= (given ?a) (does random (deal ?a ?b ?c ?d)))
(<= (given ?b) (does random (deal ?a ?b ?c ?d)))
(<= (given ?c) (does random (deal ?a ?b ?c ?d)))
(<= (given ?d) (does random (deal ?a ?b ?c ?d)))
(<= (next (hand ?player ?card)) (gets ?player ?card))
(<= (next (deck ?card)) (true (deck ?card)) (not (given ?card)))
(<= (next (dealing ?other))
    (true (dealing ?player)) (follows ?player ?other) (distinct ?other {first}))
(<= (next (control {first})) (true (dealing {last})))
(<= (next (laid ?k)) (true (laid ?k)) dealing)
(<= (sees ?player (got ?card)) (gets ?player ?card))
(<= (sees ?player (played ?who ?card)) (dealt ?player ?any) (does ?who (play ?card)))
"""


def hidden(name: str) -> str:
    """Return the rules of a bundled game of three players with four cards each."""
    rules = re.sub(r";[^\n]*", "", (GAMES / f"{name}.kif").read_text())
    players = re.findall(r"\(role (\w+)\)", rules)
    cards = re.findall(r"\(card (\w+) \w+\)", rules)
    # Who has which card is no part of the rules any more, nor is what only the hands together tell.
    for gone in (
        r"\(<= \(init \(hand[^)]*\)\)\s*\(dealt[^)]*\)\)",
        r"\(init \(control \w+\)\)",
        r"\s*\(not \(equal \?player \?card\)\)",
        r"\(<= \(input \?player \(play \?card\)\)\s*\(dealt[^)]*\)\)",
        r"\(<= \(base \((?:hand|winning) [^)]*\)\)\s*\(dealt[^)]*\)\)",
    ):
        rules, count = re.subn(gone, "", rules)
        assert count, gone
    rules = rules.replace("(role ?", "(seat ?")  # chance is a role, and no player
    rules += "".join(f"(seat {player})" for player in players)
    rules = rules.replace(
        "(<= (next (laid ?m))", "(<= (next (laid ?m))\n    (not dealing)"
    ).replace("(<= terminal", "(<= terminal\n    (not dealing)")
    order = "\n".join(
        f"(before {card} {later})" for at, card in enumerate(cards) for later in cards[at + 1 :]
    )
    return f"{rules}{_DEALING.format(first=players[0], last=players[-1])}{order}\n"
