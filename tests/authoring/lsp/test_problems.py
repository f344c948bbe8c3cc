from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from ggp.gdl.check import check
from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def problems(editor: Editor) -> list[tuple[str, str]]:
    """Return the code of each problem, and the text that it marks."""
    found = await editor.diagnostics()
    return [(str(each.code), editor.words(each.range)) for each in found]


async def actions(
    editor: Editor, words: str, only: list[str] | None = None
) -> list[lsp.CodeAction]:
    """Return the fixes that are offered where the mark is."""
    await editor.diagnostics()
    place = editor.at(words)
    params = lsp.CodeActionParams(
        editor.document, lsp.Range(place, place), lsp.CodeActionContext([], only=only)
    )
    found = await editor.client.text_document_code_action_async(params) or []
    return [each for each in found if isinstance(each, lsp.CodeAction)]


def fixed(editor: Editor, action: lsp.CodeAction) -> str:
    """Return the text after a fix."""
    assert action.edit is not None
    assert action.edit.changes is not None
    return editor.applied(list(action.edit.changes[editor.uri]))


async def test_problems_come_and_go_as_the_text_changes(client: Client) -> None:
    editor = Editor(client, GAME)
    assert await problems(editor) == []
    editor.edit("(successor ?l ?m)", "(succesor ?l ?m)")
    assert await problems(editor) == [("undefined-relation", "(succesor ?l ?m)")]
    (found,) = await editor.diagnostics()
    assert found.severity == lsp.DiagnosticSeverity.Warning
    assert found.source == "ggp"
    editor.edit("(succesor ?l ?m)", "(successor ?l ?m)")
    assert await problems(editor) == []


async def test_the_problems_are_those_of_the_checker(client: Client) -> None:
    text = "(role 🎲) ; 🎲\n(init (p ?x))\n(<= (legal 🎲 a)\n  (true (p 1))\n  (foo ?y))\n"
    editor = Editor(client, text)
    expected = {(f.code, f.span.line - 1) for f in check(text)}
    found = {(str(f.code), f.range.start.line) for f in await editor.diagnostics()}
    assert found == expected
    assert ("undefined-relation", "(foo ?y)") in await problems(editor)


async def test_a_broken_statement_hides_nothing_of_the_others(client: Client) -> None:
    editor = Editor(client, GAME.replace("(successor ?l ?m)", "(succesor ?l ?m)"))
    assert await problems(editor) == [("undefined-relation", "(succesor ?l ?m)")]
    editor.edit("(<= terminal\n    (true (stones 0)))", "(<= terminal\n    (true (stones 0)")
    assert await problems(editor) == [
        ("undefined-relation", "(succesor ?l ?m)"),
        ("syntax", "("),
    ]
    editor.edit("(role right)\n", "(role right))\n")
    assert [code for code, _ in await problems(editor)] == [
        "syntax",
        "undefined-relation",
        "syntax",
    ]


async def test_syntax_errors_are_fixed(client: Client) -> None:
    broken = GAME.replace("(true (stones 0)))", "(true (stones 0) ; never")
    editor = Editor(client, broken)
    (action,) = await actions(editor, "(<= terminal\n    |(true (stones 0)")
    assert action.title == "Add `))`"
    assert fixed(editor, action) == broken.replace("(stones 0)", "(stones 0)))")
    editor = Editor(client, GAME.replace("(role left)", "(role left))"))
    (action,) = await actions(editor, "(role left)|)")
    assert fixed(editor, action) == GAME


async def test_fixes_of_the_checker(client: Client) -> None:
    editor = Editor(client, GAME.replace("(true (stones 0))", "(tru (stones 0))"))
    (action,) = await actions(editor, "(|tru (stones 0))")
    assert action.title == "Replace `tru` by `true`"
    assert action.kind == lsp.CodeActionKind.QuickFix
    assert fixed(editor, action) == GAME
    assert await actions(editor, "(role |left)") == []
    editor.edit("; Take", ";; Take")
    params = lsp.CodeActionParams(
        editor.document,
        lsp.Range(editor.at("(|tru (stones 0))"), editor.at("(|tru (stones 0))")),
        lsp.CodeActionContext([]),
    )
    # The text has changed since it was checked: offsets of fixes would be wrong.
    assert await client.text_document_code_action_async(params) == ()


async def test_all_fixes_at_once(client: Client) -> None:
    text = GAME.replace("(true (stones 0))", "(tru (stones 0))")
    editor = Editor(client, text.replace("(role left)", "(role left))"))
    kind = lsp.CodeActionKind.SourceFixAll
    (action,) = await actions(editor, "; |Take", only=[kind])
    assert (action.kind, fixed(editor, action)) == (kind, GAME)


async def test_a_closed_file_has_no_problems(client: Client) -> None:
    editor = Editor(client, "(role x")
    assert await editor.diagnostics()
    client.close_files()
    params = lsp.HoverParams(**editor.here("(|role x"))
    assert await client.text_document_hover_async(params) is None
    assert client.published[editor.uri].diagnostics == ()
