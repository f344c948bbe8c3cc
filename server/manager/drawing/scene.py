"""A state as the pages show it: the contents of the places, and a table of the other facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from ggp.kif import Term
from ggp.server.manager.drawing.axes import natural
from ggp.server.manager.drawing.forms import name_of, take_apart
from ggp.server.manager.drawing.layout import Border, Hand, Layout, Placing, Stack, card_id, spot_id
from ggp.server.manager.drawing.looks.cards import french
from ggp.server.manager.drawing.parts.borders import Point, ends_of
from ggp.server.manager.drawing.parts.joins import joined
from ggp.server.manager.drawing.parts.stacks import placed
from ggp.server.manager.drawing.pieces import Looks

__all__ = ["cards_of", "scene_of"]

#: A fact in a cell: its placing and its values.
_Item: TypeAlias = tuple[Placing, tuple[str, ...]]
#: The limit on the facts of one form in the table.
_MAX_ROWS = 200


def scene_of(facts: Iterable[Term], layout: Layout, looks: Looks) -> dict[str, Any]:
    """Return a state as JSON values.

    `cells` maps each spot to its items: `text` for screen readers, `label` and `tone` to be seen,
    `kind` as in `Placing`, `blank` if the item means that the cell is empty. `borders` are walls,
    lines and signs between cells: `style` as in `Border`, `from` and `to` the centres of the two
    cells, in the coordinates of the board's spots. `hands` has the cards of each owner, `table` the
    other facts by form.
    """
    placings = {placing.form: placing for placing in layout.placings}
    hands = {hand.form: hand for hand in layout.hands}
    borders = {border.form: border for border in layout.borders}
    drawn: list[dict[str, Any]] = []
    cells: defaultdict[str, list[_Item]] = defaultdict(list)
    cards: defaultdict[tuple[Hand, str], list[str]] = defaultdict(list)
    table: defaultdict[str, list[list[str]]] = defaultdict(list)
    stacked = {form for stack in layout.stacks for form in stack.forms}
    piled: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for fact in joined(facts, layout.joins):
        form, values = take_apart(fact)
        if form in stacked:
            piled[form].append(values)
            continue
        placing, hand = placings.get(form), hands.get(form)
        if placing is not None:
            board = layout.boards[placing.board]
            spots = board.at(placing.key_of(values))
            for key in spots:
                cells[spot_id(placing.board, board, key)].append((placing, values))
            if spots:
                continue
        border = borders.get(form)
        if border is not None and (ends := ends_of(border, values, layout.boards[border.board])):
            drawn.append(_drawn(border, values, ends, looks))
            continue
        if hand is not None:
            owner = "" if hand.owner is None else values[hand.owner]
            cards[hand, owner].append(values[hand.card])
            continue
        table[form].append(list(values))
    shown = {spot: _shown(items, looks) for spot, items in cells.items()}
    for stack in layout.stacks:
        board = layout.boards[stack.board]
        for key, thing in placed(stack, piled):
            shown[spot_id(stack.board, board, key)] = [_thing(stack, thing, looks)]
    return {
        "cells": shown,
        "borders": [each for each in drawn if not each["blank"]],
        "hands": [
            {
                "name": name_of(hand.form),
                "owner": owner,
                "table": hand.is_table,
                "cards": [_card(card, layout, looks) for card in sorted(held, key=natural)],
            }
            for (hand, owner), held in sorted(cards.items(), key=_hand_order(layout))
        ],
        "table": [
            {"name": name_of(form), "rows": rows[:_MAX_ROWS], "more": max(0, len(rows) - _MAX_ROWS)}
            for form, rows in sorted(table.items())
        ],
    }


def _thing(stack: Stack, thing: str, looks: Looks) -> dict[str, Any]:
    """Return a thing of a stack: an item of a cell that is clicked by its own name."""
    look = looks.of(stack.form, (thing,))
    return {
        "text": thing,
        "form": name_of(stack.form),
        "label": look.label,
        "tone": look.tone,
        "kind": "piece",
        "blank": False,
        "id": card_id(thing),
        "size": (stack.things.index(thing) + 1) / len(stack.things) if stack.is_sized else 0.6,
    }


def _drawn(
    border: Border, values: tuple[str, ...], ends: tuple[Point, Point], looks: Looks
) -> dict[str, Any]:
    """Return a border: from where to where, in widths of a cell, and how."""
    contents = border.contents_of(values)
    look = looks.of(border.form, contents)
    (x, y), (u, v) = ends
    return {
        "board": border.board,
        "from": [x, y],
        "to": [u, v],
        "style": "corner" if border.is_corner else border.style,
        "text": " ".join((name_of(border.form), *values)),
        "label": look.label if border.contents else "",
        "tone": look.tone if border.contents else "plain",
        "blank": (border.form, contents) in looks.blank,
    }


def _shown(items: Sequence[_Item], looks: Looks) -> list[dict[str, Any]]:
    """Return what a cell shows: of piles only the tops, and owners as the tones of their pieces."""
    tops: dict[str, tuple[int, _Item]] = {}
    for item in items:
        placing, values = item
        if placing.height is not None:
            tall = (placing.rank(values), item)
            tops[placing.form] = max(tops.get(placing.form, tall), tall, key=lambda each: each[0])
    owners = [
        looks.owning[placing.form, placing.contents_of(values)]
        for placing, values in items
        if (placing.form, placing.contents_of(values)) in looks.owning
    ]
    shown: list[dict[str, Any]] = []
    for placing, values in items:
        contents = placing.contents_of(values)
        what = placing.form, contents
        is_below = placing.height is not None and tops[placing.form][1][1] != values
        if is_below or (what in looks.owning and len(items) > len(owners)):
            continue
        look = looks.of(*what)
        told: dict[str, Any] = {
            "text": " ".join(contents) or name_of(placing.form),
            "form": name_of(placing.form),
            "label": look.label,
            "tone": owners[0] if owners and what not in looks.blank else look.tone,
            "kind": "tile" if look.shape == "tile" and placing.kind != "note" else placing.kind,
            "blank": what in looks.blank,
            **({"code": look.code} if look.code else {}),
        }
        if told not in shown:
            shown.append(told)
    return shown


def cards_of(facts: Iterable[Term], layout: Layout) -> set[str]:
    """Return the cards in hands and pools."""
    hands = {hand.form: hand for hand in layout.hands}
    taken_apart = map(take_apart, facts)
    things = {name for stack in layout.stacks for name in (*stack.things, *stack.bases)}
    return things | {values[hands[form].card] for form, values in taken_apart if form in hands}


def _hand_order(layout: Layout) -> Any:
    forms = [hand.form for hand in layout.hands]
    order = {role: number for number, role in enumerate(layout.roles)}

    def key(item: tuple[tuple[Hand, str], list[str]]) -> tuple[int, int, str]:
        hand, owner = item[0]
        return forms.index(hand.form), order.get(owner, -1), owner

    return key


def _card(card: str, layout: Layout, looks: Looks) -> dict[str, Any]:
    suit = layout.suits.get(card, "")
    suits = sorted(set(layout.suits.values()), key=natural)
    rank, glyph, tone = french(card, suit)
    return {
        "id": card_id(card),
        "text": card,
        "rank": rank,
        **({"code": looks.codes[card]} if card in looks.codes else {}),
        "suit": suit,
        "glyph": glyph,
        "tone": tone or (str(suits.index(suit) % 8 + 1) if suit else "plain"),
    }
