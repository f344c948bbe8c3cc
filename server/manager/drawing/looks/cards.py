"""French playing cards: suits and ranks by the symbols of cards."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

__all__ = ["french", "groups_of"]

_SUITS = {
    **dict.fromkeys(("c", "club", "clubs"), ("\u2663", "black")),
    **dict.fromkeys(("d", "diamond", "diamonds"), ("\u2666", "red")),
    **dict.fromkeys(("h", "heart", "hearts"), ("\u2665", "red")),
    **dict.fromkeys(("s", "spade", "spades"), ("\u2660", "black")),
}
_MANY = 8
_RANKS = {1: "A", 11: "J", 12: "Q", 13: "K", 14: "A"}
_CARD = re.compile(r"([a-z]+?)[_-]?([0-9]{1,2}|[akqjt])", re.IGNORECASE)
#: A card whose rank comes first.
_TURNED = re.compile(r"([2-9]|10|[akqjt])[_-]?([cdhs])", re.IGNORECASE)


def french(card: str, suit: str) -> tuple[str, str, str]:
    """Return the rank of a card, the glyph of its suit, and the glyph's tone.

    Args:
        card: the symbol of the card.
        suit: the group to which the rules count it; empty if they have no groups.

    >>> french("c08", "c") == ("8", "\u2663", "black")
    True
    >>> french("h12", "") == ("Q", "\u2665", "red")
    True
    >>> french("10s", "") == ("10", "\u2660", "black")
    True
    >>> french("k3", "k")
    ('k3', '', '')
    """
    match = _CARD.fullmatch(card)
    if match is None and (turned := _TURNED.fullmatch(card)):
        match = _CARD.fullmatch(turned[2] + turned[1])
    name = suit.lower() if suit.lower() in _SUITS else match[1].lower() if match else ""
    if match is None or name not in _SUITS or (suit and suit.lower() not in _SUITS):
        return card, "", ""
    number = match[2]
    rank = _RANKS.get(int(number), str(int(number))) if number.isdecimal() else number.upper()
    return ("10" if rank == "T" else rank), *_SUITS[name]


def groups_of(
    cards: Collection[str], tables: Sequence[Sequence[tuple[str, ...]]]
) -> dict[str, str]:
    """Return the group of each card, such as its suit, by a relation that groups all cards."""
    for table in tables:
        if len(table[0]) == 2:
            groups = {row[0]: row[1] for row in table}
            kinds = len(set(groups.values()))
            if groups.keys() >= set(cards) and len(table) == len(groups) and 1 < kinds <= _MANY:
                return {card: groups[card] for card in cards}
    return {}
