"""The language server: it keeps the texts of an editor, and answers its messages."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from importlib.metadata import version
from threading import Event
from typing import Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, lsp_method

from ggp.authoring.lsp.background.study import Helpers, Pauses, Study
from ggp.authoring.lsp.features.completion import complete
from ggp.authoring.lsp.features.formatting import stretch, tidied
from ggp.authoring.lsp.features.navigation import RenameRefused
from ggp.authoring.lsp.features.outline import workspace_symbols
from ggp.authoring.lsp.features.problems import diagnostics
from ggp.authoring.lsp.features.ranges import offsets_of
from ggp.authoring.lsp.requests import REQUESTS, Answer
from ggp.authoring.lsp.text.document import Document
from ggp.errors import SourceError

__all__ = ["GameLanguageServer"]

#: How a message of the protocol begins. What a browser sends for a page begins in other ways.
_HEADER = re.compile(rb"content-(length|type)[ \t]*:", re.IGNORECASE)

_log = logging.getLogger(__name__)


class _Protocol(LanguageServerProtocol):
    """The protocol, with texts that the server keeps itself: it cuts them into statements."""

    _server: GameLanguageServer

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(
        self, params: lsp.InitializeParams
    ) -> Generator[Any, Any, lsp.InitializeResult]:
        """Agree with the editor on what both can do."""
        if params.capabilities.general is not None:
            # Positions count UTF-16 units, which every editor knows.
            params.capabilities.general.position_encodings = None
        return (yield from super().lsp_initialize(params))

    @lsp_method(lsp.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: lsp.DidOpenTextDocumentParams) -> None:
        """Take a text from the editor."""
        self._server.open(params.text_document)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: lsp.DidChangeTextDocumentParams) -> None:
        """Change a text as the editor did."""
        self._server.change(params.text_document, params.content_changes)

    @lsp_method(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: lsp.DidCloseTextDocumentParams) -> None:
        """Forget a text."""
        self._server.forget(params.text_document.uri)


class GameLanguageServer(LanguageServer):
    """A language server for rulesheets in GDL, which serves one editor."""

    def __init__(self, *, pauses: Pauses | None = None) -> None:
        """Prepare to serve.

        Args:
            pauses: how long to wait after an edit before the text is looked at.
        """
        super().__init__("ggp", version("ggp"), protocol_cls=_Protocol)
        self._pauses = pauses or Pauses()
        self._helpers = Helpers()
        self._studies: dict[str, Study] = {}
        for method, request in REQUESTS.items():
            self.feature(method, request.options)(self._about_document(request.answer))
        self.feature(
            lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=["(", "?"])
        )(self._about_document(self._complete))

        @self.feature(lsp.WORKSPACE_SYMBOL)
        def symbols(params: lsp.WorkspaceSymbolParams) -> list[lsp.WorkspaceSymbol]:
            documents = (study.document for study in self._studies.values())
            return workspace_symbols(documents, params.query)

        @self.feature(lsp.TEXT_DOCUMENT_FORMATTING)
        async def lay_out(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
            return await self._lay_out(params.text_document.uri, None)

        @self.feature(lsp.TEXT_DOCUMENT_RANGE_FORMATTING)
        async def lay_out_range(
            params: lsp.DocumentRangeFormattingParams,
        ) -> list[lsp.TextEdit] | None:
            return await self._lay_out(params.text_document.uri, params.range)

    def serve_socket(self, host: str, port: int, *, announce: Callable[[int], None]) -> None:
        """Serve the first editor that connects and speaks, until it leaves. Raises `OSError`.

        A client that speaks another protocol is refused: any page in a browser can send a request
        of HTTP to a port of this machine, and what follows its headers might be a message.

        Args:
            host: the address to listen on.
            port: the port; 0 for any free one.
            announce: is called with the port as soon as an editor can connect.
        """
        asyncio.run(self._serve_socket(host, port, announce))

    def open(self, item: lsp.TextDocumentItem) -> None:
        """Take a text, and begin to study it."""
        self.forget(item.uri)
        self._studies[item.uri] = Study(
            Document(item.uri, item.text, item.version),
            self._helpers,
            publish=self._publish,
            pauses=self._pauses,
        )

    def change(
        self,
        identifier: lsp.VersionedTextDocumentIdentifier,
        changes: Sequence[lsp.TextDocumentContentChangeEvent],
    ) -> None:
        """Edit a text, and study it anew after a pause."""
        study = self._studies.get(identifier.uri)
        if study is None:
            return
        for change in changes:
            if isinstance(change, lsp.TextDocumentContentChangePartial):
                study.document.edit(*offsets_of(study.document, change.range), change.text)
            else:
                study.document.edit(0, len(study.document.text), change.text)
        study.document.version = identifier.version
        study.edited()

    def forget(self, uri: str) -> None:
        """Forget a text, and take its problems from the editor."""
        study = self._studies.pop(uri, None)
        if study is not None:
            study.close()
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def shutdown(self) -> None:
        """End everything that goes on."""
        for study in self._studies.values():
            study.close()
        self._helpers.close()
        super().shutdown()  # type: ignore[no-untyped-call]

    def _about_document(self, answer: Answer) -> Callable[[Any], Any]:
        """Return what answers a request about a document; None where it is not open."""

        def answered(params: Any) -> Any:
            study = self._studies.get(params.text_document.uri)
            try:
                return None if study is None else answer(study, params)
            except RenameRefused as error:
                raise JsonRpcException(str(error), lsp.LSPErrorCodes.RequestFailed) from None

        return answered

    def _complete(self, study: Study, params: lsp.CompletionParams) -> lsp.CompletionList:
        editor = self.client_capabilities.text_document
        of_items = editor and editor.completion and editor.completion.completion_item
        snippets = bool(of_items and of_items.snippet_support)
        return complete(study.document, study.knowledge, params.position, snippets=snippets)

    async def _lay_out(self, uri: str, where: lsp.Range | None) -> list[lsp.TextEdit] | None:
        """Lay a text out, or a part of it, in a thread: that may take longer than a keystroke."""
        study = self._studies.get(uri)
        if study is None:
            return None
        # The text may be edited meanwhile.
        document = Document(uri, study.document.text)
        start, end = stretch(document, where)
        try:
            edits = await asyncio.to_thread(tidied, document, start, end)
        except SourceError as error:
            message = f"{error.message}: balance the parentheses first"
            raise JsonRpcException(message, lsp.LSPErrorCodes.RequestFailed) from None
        if study.document.text != document.text:
            message = "the text has changed meanwhile"
            raise JsonRpcException(message, lsp.LSPErrorCodes.ContentModified)
        return edits

    def _publish(self, study: Study) -> None:
        document = study.document
        found = diagnostics(document, study.knowledge)
        self.text_document_publish_diagnostics(
            lsp.PublishDiagnosticsParams(document.uri, found, document.version)
        )

    async def _serve_socket(self, host: str, port: int, announce: Callable[[int], None]) -> None:
        waiting: set[asyncio.StreamWriter] = set()
        ended: asyncio.Future[object] = asyncio.get_running_loop().create_future()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            waiting.add(writer)
            try:
                first = await _first_line(reader)
                waiting.discard(writer)
                if not listening.is_serving():
                    return  # another editor was faster
                if not _HEADER.match(first):
                    _log.error("refused a client: it does not speak the Language Server Protocol")
                    return
                listening.close()
                for other in waiting:
                    other.close()
                ended.set_result(await self._serve_editor(_Resumed(first, reader), writer))
            except Exception as error:
                if not ended.done():
                    ended.set_exception(error)
            finally:
                writer.close()

        listening = await asyncio.start_server(serve, host, port)
        announce(listening.sockets[0].getsockname()[1])
        try:
            code = await ended
        finally:
            self.shutdown()
        if code:
            raise SystemExit(code)

    async def _serve_editor(self, reader: _Resumed, writer: asyncio.StreamWriter) -> object:
        """Answer an editor until it leaves; return the exit code that its last message asks for."""
        self.protocol.set_writer(writer)
        try:
            await run_async(Event(), reader, self.protocol, error_handler=self.report_server_error)
        except SystemExit as asked:
            return asked.code
        except (ConnectionError, EOFError):
            pass  # the editor has gone
        return 0


class _Resumed:
    """Reads on where a line was read already, and returns that line first."""

    def __init__(self, line: bytes, reader: asyncio.StreamReader) -> None:
        self._line, self._reader = line, reader

    async def readline(self) -> bytes:
        line, self._line = self._line, b""
        return line or await self._reader.readline()

    async def readexactly(self, count: int) -> bytes:
        return await self._reader.readexactly(count)


async def _first_line(reader: asyncio.StreamReader) -> bytes:
    """Return the line with which a client begins; empty if there is none."""
    with suppress(OSError, EOFError, asyncio.LimitOverrunError):
        return await reader.readuntil(b"\n")
    return b""
