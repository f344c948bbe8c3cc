"""A state as the pages show it: the contents of the places, and a table of the other facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from ggp.kif import Term
from ggp.server.manager.drawing.axes import natural
from ggp.server.manager.drawing.forms import name_of, take_apart
from ggp.server.manager.drawing.layout import Hand, Layout, card_id, spot_id
from ggp.server.manager.drawing.pieces import Looks

__all__ = ["cards_of", "scene_of"]

#: The limit on the facts of one form in the table.
_MAX_ROWS = 200


def scene_of(facts: Iterable[Term], layout: Layout, looks: Looks) -> dict[str, Any]:
    """Return a state as JSON values.

    `cells` maps each spot to its items: `text` for screen readers, `label` and `tone` to be seen,
    `kind` as in `Placing`, `blank` if the item means that the cell is empty. `hands` has the cards
    of each owner, `table` the other facts by form.
    """
    placings = {placing.form: placing for placing in layout.placings}
    hands = {hand.form: hand for hand in layout.hands}
    cells: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    cards: defaultdict[tuple[Hand, str], list[str]] = defaultdict(list)
    table: defaultdict[str, list[list[str]]] = defaultdict(list)
    for fact in facts:
        form, values = take_apart(fact)
        placing, hand = placings.get(form), hands.get(form)
        if placing is not None:
            board = layout.boards[placing.board]
            key = tuple(values[column] for column in placing.key)
            if key in board.spots:
                contents = tuple(values[column] for column in placing.contents)
                look = looks.of(form, contents)
                item = {
                    "text": " ".join(contents) or name_of(form),
                    "form": name_of(form),
                    "label": look.label,
                    "tone": look.tone,
                    "kind": placing.kind,
                    "blank": (form, contents) in looks.blank,
                }
                cells[spot_id(placing.board, board, key)].append(item)
                continue
        if hand is not None:
            owner = "" if hand.owner is None else values[hand.owner]
            cards[hand, owner].append(values[hand.card])
            continue
        table[form].append(list(values))
    return {
        "cells": cells,
        "hands": [
            {
                "name": name_of(hand.form),
                "owner": owner,
                "cards": [_card(card, layout) for card in sorted(held, key=natural)],
            }
            for (hand, owner), held in sorted(cards.items(), key=_hand_order(layout))
        ],
        "table": [
            {"name": name_of(form), "rows": rows[:_MAX_ROWS], "more": max(0, len(rows) - _MAX_ROWS)}
            for form, rows in sorted(table.items())
        ],
    }


def cards_of(facts: Iterable[Term], layout: Layout) -> set[str]:
    """Return the cards in hands and pools."""
    hands = {hand.form: hand for hand in layout.hands}
    taken_apart = map(take_apart, facts)
    return {values[hands[form].card] for form, values in taken_apart if form in hands}


def _hand_order(layout: Layout) -> Any:
    forms = [hand.form for hand in layout.hands]
    order = {role: number for number, role in enumerate(layout.roles)}

    def key(item: tuple[tuple[Hand, str], list[str]]) -> tuple[int, int, str]:
        hand, owner = item[0]
        return forms.index(hand.form), order.get(owner, -1), owner

    return key


def _card(card: str, layout: Layout) -> dict[str, Any]:
    suit = layout.suits.get(card, "")
    suits = sorted(set(layout.suits.values()), key=natural)
    return {
        "id": card_id(card),
        "text": card,
        "suit": suit,
        "tone": str(suits.index(suit) + 1) if suit else "plain",
    }
