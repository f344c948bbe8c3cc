from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_statements_that_define_the_same_are_one_group(client: Client) -> None:
    editor = Editor(client, GAME)
    params = lsp.DocumentSymbolParams(editor.document)
    found = await client.text_document_document_symbol_async(params) or []
    symbols = [each for each in found if isinstance(each, lsp.DocumentSymbol)]
    assert [(each.name, each.detail) for each in symbols][:6] == [
        ("role", "2 facts"),
        ("(init (stones 3))", None),
        ("(init (control left))", None),
        ("successor", "3 facts"),
        ("legal take", "2 rules"),
        ("(legal ?other noop)", None),
    ]
    (take,) = [each for each in symbols if each.name == "legal take"]
    assert [each.name for each in take.children or []] == [
        "(legal ?r (take 1))",
        "(legal ?r (take 2))",
    ]
    for symbol in symbols:
        for each in (symbol, *(symbol.children or [])):
            outer, inner = each.range, each.selection_range
            assert editor.words(inner) in editor.words(outer)
            assert editor.words(outer) in editor.words(symbol.range)


async def test_symbols_of_all_open_files(client: Client) -> None:
    Editor(client, "(<= (very-special ?x) (p ?x))\n(very-special 2)")
    found = await client.workspace_symbol_async(lsp.WorkspaceSymbolParams("VSpec"))
    assert [each.name for each in found or []] == ["very-special"]


async def test_folding(client: Client) -> None:
    text = "; a\n; b\n(<= p\n  (or q\n    r))\n; c\n(q 1)\n(<= (open\n  s"
    editor = Editor(client, text)
    params = lsp.FoldingRangeParams(editor.document)
    found = await client.text_document_folding_range_async(params) or []
    assert {(each.start_line, each.end_line, each.kind) for each in found} == {
        (0, 1, lsp.FoldingRangeKind.Comment),
        (2, 4, None),
        (3, 4, None),
        (7, 8, None),
    }


async def test_a_selection_grows(client: Client) -> None:
    editor = Editor(client, GAME)
    position = editor.at("(not (true (sto|nes 1)))")
    params = lsp.SelectionRangeParams(editor.document, [position])
    (found,) = await client.text_document_selection_range_async(params) or []
    words = []
    each: lsp.SelectionRange | None = found
    while each is not None:
        words.append(editor.words(each.range))
        each = each.parent
    assert words[:4] == ["stones", "(stones 1)", "(true (stones 1))", "(not (true (stones 1)))"]
    assert words[4].startswith("(<= (legal ?r (take 2))")
    assert words[5] == GAME
    assert len(words) == 6


def decoded(editor: Editor, data: list[int]) -> list[tuple[str, int, int]]:
    """Return the words of semantic tokens, each with its type and modifiers."""
    found = []
    line = column = 0
    for at in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[at : at + 5]
        line, column = line + down, (column if not down else 0) + right
        where = lsp.Range(lsp.Position(line, column), lsp.Position(line, column + length))
        found.append((editor.words(where), kind, modifiers))
    return found


async def test_semantic_tokens(client: Client) -> None:
    editor = Editor(client, "; 🎲 dice\n(<= (p ?x) ; why\n  (true (q 🎲 ?x)) (r 1))\n(s a")
    params = lsp.SemanticTokensParams(editor.document)
    found = await client.text_document_semantic_tokens_full_async(params)
    assert found is not None
    names = ["keyword", "function", "type", "enumMember", "variable", "number", "comment"]
    assert [(w, names[k], m) for w, k, m in decoded(editor, list(found.data))] == [
        ("; 🎲 dice", "comment", 0),
        ("<=", "keyword", 0),
        ("p", "function", 1),
        ("?x", "variable", 0),
        ("; why", "comment", 0),
        ("true", "keyword", 0),
        ("q", "type", 0),
        ("🎲", "enumMember", 0),
        ("?x", "variable", 0),
        ("r", "function", 0),
        ("1", "number", 0),
        ("s", "function", 1),
        ("a", "enumMember", 0),
    ]


async def test_semantic_tokens_change_as_the_text_does(client: Client) -> None:
    editor = Editor(client, GAME)
    first = await client.text_document_semantic_tokens_full_async(
        lsp.SemanticTokensParams(editor.document)
    )
    assert first is not None
    data, number = list(first.data), first.result_id
    for old, new in (
        ("(role left)", "(role left) (role middle)"),
        ("; Take one", "; 🎲 Take\n; one"),
        ("(<= terminal", "(<= terminal (p q)"),
        ("(<= terminal (p q)", "(<= terminal (p q)"),
    ):
        editor.edit(old, new)
        assert number is not None
        delta = await client.text_document_semantic_tokens_full_delta_async(
            lsp.SemanticTokensDeltaParams(editor.document, number)
        )
        assert isinstance(delta, lsp.SemanticTokensDelta)
        for edit in delta.edits:
            data[edit.start : edit.start + edit.delete_count] = edit.data or []
        fresh = await client.text_document_semantic_tokens_full_async(
            lsp.SemanticTokensParams(editor.document)
        )
        assert fresh is not None
        assert data == list(fresh.data)
        number = fresh.result_id
    where = lsp.Range(editor.at("|(<= terminal"), editor.at("(stones 0)))|"))
    part = await client.text_document_semantic_tokens_range_async(
        lsp.SemanticTokensRangeParams(editor.document, where)
    )
    assert part is not None
    words = [word for word, _, _ in decoded(editor, list(part.data))]
    assert words == ["<=", "terminal", "p", "q", "true", "stones", "0"]
