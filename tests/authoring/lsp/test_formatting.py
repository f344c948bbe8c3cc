from __future__ import annotations

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from ggp.authoring.format import format_rules
from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = pytest.mark.asyncio(loop_scope="session")

OPTIONS = lsp.FormattingOptions(tab_size=4, insert_spaces=True)
UGLY = GAME.replace("\n    ", " ").replace("(role right)", "  ( role   right )  ; 🎲")


async def laid_out(editor: Editor, words: str = "") -> str:
    """Return the text after it is laid out, or the lines of some words."""
    if words:
        where = lsp.Range(editor.at(f"|{words}"), editor.at(f"{words}|"))
        edits = await editor.client.text_document_range_formatting_async(
            lsp.DocumentRangeFormattingParams(editor.document, where, OPTIONS)
        )
    else:
        edits = await editor.client.text_document_formatting_async(
            lsp.DocumentFormattingParams(editor.document, OPTIONS)
        )
    return editor.applied(list(edits or []))


async def test_a_text_is_laid_out(client: Client) -> None:
    expected = format_rules(UGLY)
    assert await laid_out(Editor(client, UGLY)) == expected
    assert await laid_out(Editor(client, expected)) == expected
    # Only what changes is sent.
    editor = Editor(client, expected)
    editor.edit("(role left)", "(role  left)")
    edits = await client.text_document_formatting_async(
        lsp.DocumentFormattingParams(editor.document, OPTIONS)
    )
    assert [(editor.words(each.range), each.new_text) for each in edits or []] == [(" ", "")]


async def test_a_part_is_laid_out(client: Client) -> None:
    editor = Editor(client, UGLY)
    assert await laid_out(editor, "terminal (true") == UGLY.replace(
        "(<= terminal (true (stones 0)))", "(<= terminal\n    (true (stones 0)))"
    )
    assert await laid_out(editor, "right )  ; 🎲") == UGLY.replace(
        "  ( role   right )  ;", "(role right) ;"
    )


async def test_an_unbalanced_text_cannot_be_laid_out(client: Client) -> None:
    editor = Editor(client, UGLY + "(p")
    with pytest.raises(JsonRpcException, match="balance the parentheses"):
        await laid_out(editor)
    assert await laid_out(editor, "terminal (true") != editor.text
