"""The command `ggp lsp`: standard input and output, sockets, wrong use."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress

import pytest

from tests.authoring.lsp.editor import COMMAND, Editor, initialize, new_client
from tests.authoring.lsp.game import GAME
from tests.cli.command import ggp, start
from tests.processes import all_gone, descendants


def message(**content: object) -> bytes:
    body = json.dumps({"jsonrpc": "2.0", **content}).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


INITIALIZE = message(
    id=1, method="initialize", params={"capabilities": {}, "processId": None, "rootUri": None}
)


@pytest.mark.long
def test_it_ends_with_its_editor() -> None:
    finished = ggp(
        "lsp", stdin=INITIALIZE + message(id=2, method="shutdown") + message(method="exit")
    )
    assert (finished.code, finished.err) == (0, "")
    assert '"hoverProvider": true' in finished.out
    assert ggp("lsp").err == ""


@pytest.mark.long
def test_messages_that_make_no_sense_do_not_end_it() -> None:
    nonsense = b"Content-Length: 7\r\n\r\n{not so" + message(id=7, method="no/such/method")
    finished = ggp("lsp", stdin=nonsense + INITIALIZE)
    assert finished.code == 0
    assert '"capabilities"' in finished.out
    assert "Traceback" not in finished.err


@pytest.mark.long
def test_wrong_use_is_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        finished = ggp("lsp", "--port", str(port))
    assert finished.code == 2
    assert finished.err == (
        f"ggp: port {port} is taken; choose another with --port, or --port 0 for any free one\n"
    )
    assert ggp("lsp", "--port", "-3").code == 2


@pytest.mark.asyncio
async def test_a_socket_serves_an_editor_until_it_leaves() -> None:
    with start("lsp", "--port", "0") as process:
        try:
            assert process.stderr is not None
            host, port = process.stderr.readline().decode().split()[-1].split(":")
            client = new_client()
            await client.start_tcp(host, int(port))
            await initialize(client)
            editor = Editor(client, GAME)
            assert await editor.diagnostics() == []
            assert "a role" in await editor.shown("(role |left)")
            await client.shutdown_session()
            await client.stop()  # type: ignore[no-untyped-call]
            await asyncio.to_thread(process.wait, 60)
        finally:
            process.kill()
    assert process.returncode == 0


@pytest.mark.asyncio
async def test_a_request_of_a_web_page_is_no_message() -> None:
    with start("lsp", "--port", "0") as process:
        try:
            assert process.stderr is not None
            host, port = process.stderr.readline().decode().split()[-1].split(":")
            begins = (
                b"POST / HTTP/1.1\r\nOrigin: http://evil.example\r\nContent-Length: 9\r\n\r\n",
                b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n",
                b"\x16\x03\x01\x00\n",
                b"\r\n",
                b"x" * 200_000,
            )
            for begin in begins:
                with socket.create_connection((host, int(port))) as page, suppress(OSError):
                    page.sendall(begin + INITIALIZE)
                    page.shutdown(socket.SHUT_WR)
                    assert page.recv(1) == b""
            # Neither these nor one that says nothing keep an editor out.
            with socket.create_connection((host, int(port))), \
                    socket.create_connection((host, int(port))) as editor:  # fmt: skip
                editor.sendall(INITIALIZE + message(method="exit"))
                assert b"hoverProvider" in await asyncio.to_thread(editor.recv, 1 << 16)
                await asyncio.to_thread(process.wait, 60)
            said = process.stderr.read().decode()
        finally:
            process.kill()
    assert said.count("does not speak the Language Server Protocol") == len(begins)
    assert "Unhandled" not in said


@pytest.mark.long
@pytest.mark.asyncio
async def test_no_process_is_left_behind() -> None:
    client = new_client()
    await client.start_io(*COMMAND)
    await initialize(client)
    editor = Editor(client, GAME)
    await editor.shown_at_last("(role |left)", "Initial state")
    server = client._server
    assert server is not None
    children = set(descendants(server.pid))
    assert children
    server.kill()
    assert await asyncio.to_thread(all_gone, children, within=60)
    await client.stop()  # type: ignore[no-untyped-call]
