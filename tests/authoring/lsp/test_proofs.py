from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.authoring.lsp.editor import Client, Editor
from tests.authoring.lsp.game import GAME

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.long]


def codes(found: list[lsp.Diagnostic]) -> list[str]:
    return [str(each.code) for each in found]


async def test_what_is_proved_is_shown(client: Client) -> None:
    editor = Editor(client, GAME)
    assert "- proved: every play comes to an end" in await editor.shown_at_last(
        "(<= |terminal", "every play"
    )
    text = await editor.shown_at_last("(<= (|goal ?r 100)", "right has exactly one goal")
    assert "- proved: left has exactly one goal" in text
    assert "- proved: left has a legal move" in await editor.shown_at_last(
        "(role |left)", "left has a legal move"
    )
    assert await editor.diagnostics() == []


async def test_what_is_refuted_is_a_problem(client: Client) -> None:
    faulty = GAME.replace("(stones 1))))", "(stones 0))))").replace(
        "(successor ?l ?m)", "(successor ?l ?m)\n    (distinct ?n 0)"
    )
    editor = Editor(client, faulty)
    found = await editor.diagnostics(lambda found: any("refuted" in c for c in codes(found)))
    (problem,) = [each for each in found if str(each.code).startswith("refuted-")][:1]
    assert problem.severity == lsp.DiagnosticSeverity.Warning
    assert "Play: " in problem.message
    editor.edit("; Take one", "; Take 1")
    assert not any("refuted" in code for code in codes(await editor.diagnostics()))
