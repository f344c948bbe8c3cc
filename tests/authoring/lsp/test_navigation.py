from __future__ import annotations

from collections.abc import Sequence

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def defined(editor: Editor, words: str) -> list[str]:
    """Return the lines that a go to definition leads to."""
    params = lsp.DefinitionParams(**editor.here(words))
    found = await editor.client.text_document_definition_async(params)
    assert not isinstance(found, lsp.Location)
    return lines(editor, found or [])


async def used(editor: Editor, words: str, *, declared: bool = True) -> list[str]:
    """Return the lines that refer to a name."""
    context = lsp.ReferenceContext(include_declaration=declared)
    params = lsp.ReferenceParams(context=context, **editor.here(words))
    return lines(editor, await editor.client.text_document_references_async(params) or [])


def lines(editor: Editor, found: Sequence[lsp.Location | lsp.LocationLink]) -> list[str]:
    """Return the lines of some places."""
    places = [each.range for each in found if isinstance(each, lsp.Location)]
    return [editor.text.split("\n")[place.start.line].strip() for place in places]


async def renamed(editor: Editor, words: str, new: str) -> str:
    """Return the text after a rename."""
    params = lsp.RenameParams(new_name=new, **editor.here(words))
    edit = await editor.client.text_document_rename_async(params)
    assert edit is not None
    assert edit.changes is not None
    return editor.applied(list(edit.changes[editor.uri]))


async def test_definitions(client: Client) -> None:
    editor = Editor(client, GAME)
    facts = ["(successor 0 1)", "(successor 1 2)", "(successor 2 3)"]
    assert await defined(editor, "(success|or ?l ?m)") == facts
    assert await defined(editor, "(true (|stones 0))") == [
        "(init (stones 3))",
        "(<= (next (stones ?n))",
        "(<= (next (stones ?n))",
        "(base (stones 3))",
        "(<= (base (stones ?n))",
    ]
    assert await defined(editor, "(not (true (control| ?other)))") == [
        "(init (control left))",
        "(<= (next (control left))",
        "(<= (next (control right))",
        "(<= (base (control ?r))",
    ]
    assert "(<= (legal ?r (take 2))" in await defined(editor, "(<= (input ?r (|take 1))")
    assert await defined(editor, "(true (control right|))") == ["(role right)"]
    assert await defined(editor, "(successor ?|l ?m)") == ["(successor ?l ?m)"]
    assert await defined(editor, "(input ?r |noop)") == [
        "(<= (legal ?other noop)",
        "(<= (input ?r noop)",
    ]
    assert await defined(editor, "|terminal") == []


async def test_references(client: Client) -> None:
    editor = Editor(client, GAME)
    assert await used(editor, "(|successor ?l ?m)", declared=False) == [
        "(successor ?n ?m))",
        "(successor ?l ?m)",
        "(successor ?n ?l))",
        "(successor ?n ?m))",
    ]
    assert len(await used(editor, "(|successor ?l ?m)")) == 7
    assert await used(editor, "(legal ?|other") == [
        "(<= (legal ?other noop)",
        "(role ?other)",
        "(not (true (control ?other))))",
    ]
    assert await used(editor, "(goal ?r |100)") == ["(<= (goal ?r 100)"]
    assert await used(editor, "(role |left)") == [
        "(role left)",
        "(init (control left))",
        "(<= (next (control left))",
        "(true (control left)))",
    ]


async def test_a_relation_is_another_name_than_a_function(client: Client) -> None:
    editor = Editor(client, "(p a) (<= (q ?x) (p ?x)) (init (p a)) (<= (q ?x) (true (p ?x)))")
    params = lsp.DocumentHighlightParams(**editor.here("(init (p| a))"))
    found = await client.text_document_document_highlight_async(params) or []
    assert [each.range.start.character for each in found] == [32, 56]
    write, read = lsp.DocumentHighlightKind.Write, lsp.DocumentHighlightKind.Read
    assert [each.kind for each in found] == [write, read]


async def test_renames_keep_to_what_the_name_means(client: Client) -> None:
    editor = Editor(client, GAME)
    assert await renamed(editor, "(|successor 0 1)", "next-number") == GAME.replace(
        "successor", "next-number"
    )
    rule = "(<= (legal ?other noop)\n    (role ?other)\n    (not (true (control ?other))))"
    assert await renamed(editor, "(legal ?|other", "?who") == GAME.replace(
        rule, rule.replace("?other", "?who")
    )
    assert await renamed(editor, "(legal ?|other", "who") == GAME.replace("?other", "?who")
    assert await renamed(editor, "(init (|stones 3))", "heap") == GAME.replace("(stones", "(heap")
    assert await renamed(editor, "(role |left)", "white") == GAME.replace("left", "white")
    assert await renamed(editor, "(role |left)", "left") == GAME


@pytest.mark.parametrize(
    ("words", "new", "says"),
    [
        ("(|init (stones 3))", "start", "keyword"),
        ("|terminal", "over", "keyword"),
        ("(init (stones |3))", "three", "number"),
        ("(init (|stones 3))", "", "no name"),
        ("(init (|stones 3))", "two words", "no name"),
        ("(init (|stones 3))", "a;b", "no name"),
        ("(init (|stones 3))", "a)", "no name"),
        ("(init (|stones 3))", "?x", "variable"),
        ("(init (|stones 3))", "Next", "keyword"),
        ("(init (|stones 3))", "control", "already"),
        ("(legal ?|other", "?", "no name"),
        ("(successor ?|l ?m)", "?m", "already"),
        ("; Take |one", "two", "no name here"),
    ],
)
async def test_a_rename_that_would_break_the_rules_is_refused(
    client: Client, words: str, new: str, says: str
) -> None:
    editor = Editor(client, GAME)
    with pytest.raises(JsonRpcException, match=says):
        await renamed(editor, words, new)


async def test_the_editor_asks_first_whether_a_rename_is_possible(client: Client) -> None:
    editor = Editor(client, GAME)
    params = lsp.PrepareRenameParams(**editor.here("(init (sto|nes 3))"))
    found = await client.text_document_prepare_rename_async(params)
    assert isinstance(found, lsp.PrepareRenamePlaceholder)
    assert (editor.words(found.range), found.placeholder) == ("stones", "stones")
    with pytest.raises(JsonRpcException, match="keyword"):
        await client.text_document_prepare_rename_async(
            lsp.PrepareRenameParams(**editor.here("(|init (stones 3))"))
        )


async def test_positions_count_utf_16_units(client: Client) -> None:
    editor = Editor(
        client, "(init (p 🎲𝄞 b)) ; 🎲🎲 (comment)\n(role 🎲𝄞) ; 🎲\n(<= (q b) (true (p 🎲𝄞 b)))"
    )
    assert await used(editor, "(role |🎲𝄞)") == [
        "(init (p 🎲𝄞 b)) ; 🎲🎲 (comment)",
        "(role 🎲𝄞) ; 🎲",
        "(<= (q b) (true (p 🎲𝄞 b)))",
    ]
    params = lsp.DefinitionParams(**editor.here("(role 🎲𝄞|)"))
    found = await client.text_document_definition_async(params)
    assert isinstance(found, Sequence)
    assert [editor.words(each.range) for each in found if isinstance(each, lsp.Location)] == ["🎲𝄞"]
    editor.edit("🎲🎲 (comment)", "🎲")
    editor.edit("(role 🎲𝄞)", "(role 🎲🎲)")
    assert await renamed(editor, "(true (p |🎲𝄞 b))", "c") == editor.text.replace("🎲𝄞", "c")
