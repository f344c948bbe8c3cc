"""An editor that talks to `ggp lsp` over real messages, for tests."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from itertools import count
from typing import Any

from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pytest_lsp import ClientServerConfig, LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

__all__ = ["COMMAND", "CONFIG", "Client", "Editor", "initialize", "new_client"]

COMMAND = [sys.executable, "-m", "ggp", "lsp"]

_numbers = count(1)


class Client(LanguageClient):
    """The editor's end of the connection."""

    def __init__(self) -> None:
        """Prepare to connect."""
        super().__init__(converter_factory=default_converter)
        #: For each file, the problems that the server has published last.
        self.published: dict[str, lsp.PublishDiagnosticsParams] = {}
        #: The files that are open.
        self.opened: list[lsp.TextDocumentIdentifier] = []

    def close_files(self) -> None:
        """Close all files, so that the server does no more work on them."""
        while self.opened:
            self.text_document_did_close(lsp.DidCloseTextDocumentParams(self.opened.pop()))


def _publish(client: Client, params: lsp.PublishDiagnosticsParams) -> None:
    client.published[params.uri] = params


def new_client() -> Client:
    """Return an editor that is not connected yet."""
    client = Client()
    publish = {lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _publish}
    register_lsp_features(client, DEFAULT_CLIENT_FEATURES | publish)
    return client


CONFIG = ClientServerConfig(server_command=COMMAND, client_factory=new_client)


async def initialize(client: Client, *, snippets: bool = True) -> lsp.InitializeResult:
    """Begin a session as VS Code would."""
    item = lsp.ClientCompletionItemOptions(snippet_support=snippets)
    completion = lsp.CompletionClientCapabilities(completion_item=item)
    return await client.initialize_session(
        lsp.InitializeParams(
            capabilities=lsp.ClientCapabilities(
                general=lsp.GeneralClientCapabilities(position_encodings=["utf-8", "utf-16"]),
                text_document=lsp.TextDocumentClientCapabilities(
                    completion=completion,
                    rename=lsp.RenameClientCapabilities(prepare_support=True),
                ),
            ),
            root_uri=None,
        )
    )


class Editor:
    """One file that is open in the editor. `|` in a text is where the cursor stands."""

    def __init__(self, client: Client, text: str) -> None:
        """Open a file; the cursor's mark is taken out of the text."""
        self.client = client
        self.uri = f"file:///game{next(_numbers)}.kif"
        self.version = 1
        self.text, self.cursor = self._without_cursor(text)
        item = lsp.TextDocumentItem(self.uri, "gdl", self.version, self.text)
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        client.opened.append(self.document)

    @property
    def document(self) -> lsp.TextDocumentIdentifier:
        """How requests name the file."""
        return lsp.TextDocumentIdentifier(self.uri)

    def position(self, offset: int) -> lsp.Position:
        """Return the position of a character: editors count UTF-16 units."""
        line_start = self.text.rfind("\n", 0, offset) + 1
        units = len(self.text[line_start:offset].encode("utf-16-le", "surrogatepass")) // 2
        return lsp.Position(self.text.count("\n", 0, offset), units)

    def offset(self, position: lsp.Position) -> int:
        """Return the offset of a position."""
        lines = self.text.split("\n")
        before = sum(len(line) + 1 for line in lines[: position.line])
        units = lines[position.line].encode("utf-16-le", "surrogatepass")[: 2 * position.character]
        return before + len(units.decode("utf-16-le", "surrogatepass"))

    def at(self, words: str) -> lsp.Position:
        """Return the position of the cursor's mark in words of the text."""
        before, _, after = words.partition("|")
        assert self.text.count(before + after) == 1, words
        return self.position(self.text.index(before + after) + len(before))

    def here(self, words: str = "") -> dict[str, Any]:
        """Return what requests about a place take; of the cursor, if no words are given."""
        position = self.at(words) if words else self.position(self.cursor)
        return {"text_document": self.document, "position": position}

    def words(self, where: lsp.Range) -> str:
        """Return the text in a range."""
        return self.text[self.offset(where.start) : self.offset(where.end)]

    def edit(self, old: str, new: str) -> None:
        """Replace words that stand once in the text, as someone who types does."""
        assert self.text.count(old) == 1, old
        start = self.text.index(old)
        where = lsp.Range(self.position(start), self.position(start + len(old)))
        after, cursor = self._without_cursor(new)
        self.text = self.text[:start] + after + self.text[start + len(old) :]
        self.cursor = start + cursor
        self._changed(lsp.TextDocumentContentChangePartial(range=where, text=after))

    def replace(self, text: str) -> None:
        """Replace all of the text."""
        self.text, self.cursor = self._without_cursor(text)
        self._changed(lsp.TextDocumentContentChangeWholeDocument(text=self.text))

    def applied(self, edits: list[lsp.TextEdit]) -> str:
        """Return the text after edits."""
        text = self.text
        for edit in sorted(edits, key=lambda e: -self.offset(e.range.start)):
            start, end = self.offset(edit.range.start), self.offset(edit.range.end)
            text = text[:start] + edit.new_text + text[end:]
        return text

    async def diagnostics(
        self, until: Callable[[list[lsp.Diagnostic]], bool] = lambda _found: True
    ) -> list[lsp.Diagnostic]:
        """Wait for the problems of the present text, if need be until they meet a condition."""
        found: list[lsp.Diagnostic] = []
        for _ in range(3000):
            published = self.client.published.get(self.uri)
            if published is not None and published.version == self.version:
                found = list(published.diagnostics)
                if until(found):
                    return found
            await asyncio.sleep(0.02)
        raise AssertionError(f"the problems do not come: {found}")

    async def shown(self, words: str) -> str:
        """Return what is shown of the word at the mark; nothing if there is none."""
        params = lsp.HoverParams(**self.here(words))
        found = await self.client.text_document_hover_async(params)
        if found is None:
            return ""
        assert isinstance(found.contents, lsp.MarkupContent)
        return found.contents.value

    async def shown_at_last(self, words: str, expected: str) -> str:
        """Return what is shown as soon as it holds a text that comes from the background."""
        text = ""
        for _ in range(3000):
            if expected in (text := await self.shown(words)):
                return text
            await asyncio.sleep(0.02)
        raise AssertionError(f"{expected} is not shown: {text}")

    def _changed(self, change: lsp.TextDocumentContentChangeEvent) -> None:
        self.version += 1
        document = lsp.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        params = lsp.DidChangeTextDocumentParams(document, [change])
        self.client.text_document_did_change(params)

    @staticmethod
    def _without_cursor(text: str) -> tuple[str, int]:
        before, mark, after = text.partition("|")
        return before + after, len(before) if mark else 0
