from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from ggp.authoring.lsp.features.completion import complete
from ggp.authoring.lsp.knowledge import Knowledge
from ggp.authoring.lsp.text.document import Document
from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def offers(editor: Editor) -> dict[str, str]:
    """Return what is offered at the cursor, in its order, with the text that it writes."""
    params = lsp.CompletionParams(**editor.here())
    found = await editor.client.text_document_completion_async(params)
    assert isinstance(found, lsp.CompletionList)
    items = sorted(found.items, key=lambda item: item.sort_text or "")
    return {item.label: _written(editor, item) for item in items}


def _written(editor: Editor, item: lsp.CompletionItem) -> str:
    """Return what an item writes; it replaces the word before the cursor."""
    assert isinstance(item.text_edit, lsp.TextEdit)
    replaced = editor.words(item.text_edit.range)
    assert editor.text[: editor.cursor].endswith(replaced)
    assert "(" not in replaced
    return item.text_edit.new_text


async def at(client: Client, words: str, instead_of: str = "(successor ?l ?m)") -> dict[str, str]:
    """Return what is offered at the cursor in words that are typed into the game."""
    editor = Editor(client, GAME)
    editor.edit(instead_of, words)
    return await offers(editor)


async def test_after_a_parenthesis(client: Client) -> None:
    found = await at(client, "(|)")
    assert found["true"] == "true ${1:fact}"
    assert found["successor"] == "successor ${1:arg1} ${2:arg2}"
    assert {"does", "not", "or", "distinct", "role", "legal", "goal"} <= set(found)
    assert not {"init", "next", "terminal", "<=", "stones", "?l", "left"} & set(found)


async def test_at_the_top(client: Client) -> None:
    found = await at(client, "(|)", instead_of="(base (stones 3))")
    assert {"<=", "role", "init", "base", "input", "successor"} <= set(found)
    assert not {"true", "does", "not", "next"} & set(found)
    found = await at(client, "(<= (|)", instead_of="(base (stones 3))")
    assert {"next", "legal", "goal", "successor"} <= set(found)
    assert not {"true", "does", "not", "<=", "role"} & set(found)
    found = await at(client, "in|", instead_of="(base (stones 3))")
    assert list(found)[:2] == ["init", "input"]
    assert found["init"] == "(init ${1:fact})"


async def test_while_the_parentheses_are_unbalanced(client: Client) -> None:
    found = await at(client, "(true (|")
    assert list(found)[:2] == ["control", "stones"]
    editor = Editor(client, GAME + "\n(<= (goal ?player 50)\n    |")
    assert {"true", "not", "successor", "terminal"} <= set(await offers(editor))
    editor = Editor(client, "(|")
    assert {"<=", "role", "init"} <= set(await offers(editor))


async def test_facts_moves_and_roles(client: Client) -> None:
    found = await at(client, "(true |)")
    assert list(found) == ["?l", "?m", "?n", "?r", "control", "stones"]
    assert found["stones"] == "(stones ${1:arg1})"
    found = await at(client, "(does ?r |)")
    assert set(found) == {"?l", "?m", "?n", "?r", "noop", "take"}
    found = await at(client, "(does |)")
    assert set(found) == {"?l", "?m", "?n", "?r", "left", "right"}
    found = await at(client, "(does ?r (|))")
    assert found == {"take": "take ${1:arg1}"}


async def test_variables_of_the_rule(client: Client) -> None:
    assert list(await at(client, "(successor ?l ?|)")) == ["?l", "?m", "?n", "?r"]
    assert list(await at(client, "(successor ?l ?ne|w)")) == []
    assert list(await at(client, "(successor ?l ?n|ew)")) == ["?n"]


async def test_constants_by_their_place(client: Client) -> None:
    editor = Editor(client, GAME)
    await editor.shown_at_last("(successor ?l |?m)", "Values")
    editor.edit("(successor ?l ?m)", "(successor ?l |)")
    assert list(await offers(editor))[:7] == ["?l", "?m", "?n", "?r", "1", "2", "3"]


async def test_nothing_in_a_comment(client: Client) -> None:
    assert await at(client, "; (in|", instead_of="(base (stones 3))") == {}


async def test_the_word_that_is_written_is_not_offered(client: Client) -> None:
    assert list(await at(client, "(succ|)")) == ["successor"]


async def test_a_long_list_is_cut(client: Client) -> None:
    facts = "\n".join(f"(p constant{number})" for number in range(1000))
    editor = Editor(client, f"{facts}\n(p |)")
    params = lsp.CompletionParams(**editor.here())
    found = await client.text_document_completion_async(params)
    assert isinstance(found, lsp.CompletionList)
    assert found.is_incomplete
    assert len(found.items) == 200
    editor.edit("(p )", "(p constant99|)")
    found = await client.text_document_completion_async(lsp.CompletionParams(**editor.here()))
    assert isinstance(found, lsp.CompletionList)
    assert not found.is_incomplete
    assert len(found.items) == 11


async def test_without_snippets() -> None:
    document = Document("file:///game.kif", "(<= (p ?x) (t")
    found = complete(document, Knowledge(), lsp.Position(0, 13), snippets=False)
    (true,) = [item for item in found.items if item.label == "true"]
    assert isinstance(true.text_edit, lsp.TextEdit)
    assert (true.text_edit.new_text, true.insert_text_format) == (
        "true",
        lsp.InsertTextFormat.PlainText,
    )
