from __future__ import annotations

import pytest

from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_relation(client: Client) -> None:
    editor = Editor(client, GAME)
    text = await editor.shown_at_last("(|successor ?l ?m)", "Values")
    assert "`successor`: a relation with 2 arguments" in text
    assert "1. `0`, `1`, `2`\n2. `1`, `2`, `3`" in text
    assert "Defined by 3 facts (lines 6 to 8)" in text
    assert "Used by `next stones`, `base stones`" in text


async def test_facts_and_moves(client: Client) -> None:
    editor = Editor(client, GAME)
    text = await editor.shown_at_last("(init (|stones 3))", "Values")
    assert "`stones`: a fact with 1 argument" in text
    assert "1. `0`, `1`, `2`, `3`" in text
    assert "Defined by 2 facts, 3 rules: `init stones`, `next stones`, `base stones`" in text
    assert "Used by `legal take`, `next stones`, `terminal`" in text
    text = await editor.shown("(input ?r (|take 2))")
    assert "`take`: a move with 1 argument" in text
    assert "`noop`: a move" in await editor.shown("(legal ?other |noop)")


async def test_keywords_and_variables(client: Client) -> None:
    editor = Editor(client, GAME)
    assert "The game is over" in await editor.shown("(<= |terminal")
    assert "(next fact)" in await editor.shown("(<= (|next (control left))")
    assert "3 times in this statement" in await editor.shown("(legal ?|other")
    assert await editor.shown("; Take| one") == ""


async def test_a_role_with_its_legal_moves(client: Client) -> None:
    editor = Editor(client, GAME)
    text = await editor.shown_at_last("(role |left)", "Initial state")
    assert "2 legal moves: `(take 1)`, `(take 2)`" in text
    assert "1 legal move: `noop`" in await editor.shown("(role |right)")
    assert "1 legal move of `right`: `noop`" in await editor.shown("(|role left)")
    editor.edit("(init (control left))", "(init (control right))")
    assert "Initial state" not in await editor.shown("(role |left)")
    assert "1 legal move: `noop`" in await editor.shown_at_last("(role |left)", "Initial state")


async def test_an_undefined_relation_and_odd_letters(client: Client) -> None:
    editor = Editor(client, "(<= (p ?x) (q` ?x))")
    assert "Not defined" in await editor.shown("(|q` ?x)")
    assert "`` q` ``" in await editor.shown("(|q` ?x)")
