"""Texts that are no rulesheets, too large, or made to take for ever."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from lsprotocol import types as lsp

from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXTS = {
    "empty": "",
    "blank": " \n\r\n\t\f ",
    "no-end": "(" * 20_000,
    "no-beginning": ")" * 20_000,
    "deep": "(p " * 5_000 + "x" + ")" * 5_000,
    "odd": "(role \x00) \ud800 ?? (?) (()) ((a) b) (<=) (<= ?x) (not) (or (<= a) ;",
    "line-ends": "(role a)\r(role b)\r\n(role \u2028 \x85 c)\n\n(init (p \x0b q))",
    "every-keyword": "(init next true (does legal) role (goal terminal) (or not) distinct)",
    "endless": "(role a) (init (p 1)) (<= (legal a (f ?x)) (q ?x)) (q z) (<= (q (s ?x)) (q ?x))"
    "(<= terminal (true (p 2))) (goal a 0)",
}


async def ask_everything(editor: Editor) -> None:
    """Send every kind of request; each must be answered without an error."""
    client, document = editor.client, editor.document
    position = editor.position(len(editor.text) // 2)
    at: dict[str, Any] = {"text_document": document, "position": position}
    whole = lsp.Range(lsp.Position(0, 0), lsp.Position(10**6, 10**6))
    context = lsp.ReferenceContext(include_declaration=True)
    await asyncio.gather(
        client.text_document_hover_async(lsp.HoverParams(**at)),
        client.text_document_completion_async(lsp.CompletionParams(**at)),
        client.text_document_definition_async(lsp.DefinitionParams(**at)),
        client.text_document_references_async(lsp.ReferenceParams(context=context, **at)),
        client.text_document_document_highlight_async(lsp.DocumentHighlightParams(**at)),
        client.text_document_folding_range_async(lsp.FoldingRangeParams(document)),
        client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document)),
        client.text_document_selection_range_async(lsp.SelectionRangeParams(document, [position])),
        client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document)),
        client.text_document_code_action_async(
            lsp.CodeActionParams(document, whole, lsp.CodeActionContext([]))
        ),
    )


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", TEXTS)
async def test_every_request_is_answered(client: Client, name: str) -> None:
    editor = Editor(client, TEXTS[name])
    await ask_everything(editor)
    await editor.diagnostics()
    await ask_everything(editor)
    editor.replace(GAME)
    assert await editor.diagnostics() == []
    assert "a role" in await editor.shown("(role |left)")
    assert client.messages == []


async def test_a_text_that_is_too_long_is_not_understood(client: Client) -> None:
    editor = Editor(client, GAME * 1000)
    (found,) = await editor.diagnostics()
    assert "longer than 1,000,000 characters" in found.message
    await ask_everything(editor)
    editor.replace(GAME)
    assert await editor.diagnostics() == []


@pytest.mark.long
async def test_requests_are_answered_during_a_long_check(client: Client) -> None:
    slow = "\n".join(
        f"(<= (p{n} ?a ?b ?c ?d) (p{n + 1} ?a ?b ?c ?d) (p{n + 1} ?d ?c ?b ?a))" for n in range(300)
    )
    editor = Editor(client, GAME + slow)
    await ask_everything(editor)
    editor.edit("; Take one", "; Take 1")
    await ask_everything(editor)
    assert {str(each.code) for each in await editor.diagnostics()}


async def test_wrong_positions_and_unknown_files(client: Client) -> None:
    editor = Editor(client, GAME)
    far = lsp.Position(10**9, 10**9)
    assert await client.text_document_hover_async(lsp.HoverParams(editor.document, far)) is None
    unknown = lsp.TextDocumentIdentifier("file:///nowhere.kif")
    assert await client.text_document_hover_async(lsp.HoverParams(unknown, far)) is None
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version=7, uri=unknown.uri),
            [lsp.TextDocumentContentChangeWholeDocument(text="x")],
        )
    )
    backwards = lsp.Range(far, lsp.Position(0, 0))
    part = lsp.TextDocumentContentChangePartial(range=backwards, text="(role a)")
    client.text_document_did_change(
        lsp.DidChangeTextDocumentParams(
            lsp.VersionedTextDocumentIdentifier(version=2, uri=editor.uri), [part]
        )
    )
    found = await client.text_document_document_symbol_async(
        lsp.DocumentSymbolParams(editor.document)
    )
    assert [getattr(each, "name", "") for each in found or []] == ["(role a)"]
