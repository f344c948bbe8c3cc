"""`ggp lsp`: the language server for editors."""

from __future__ import annotations

import logging
import os
import sys
from typing import BinaryIO

import click

from ggp.cli.common import explain_listening
from ggp.printable import printable

__all__ = ["command"]


@click.command("lsp")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="Listen on this port instead of standard input; 0 for any free one.",
)
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="Address to listen on, with --port.",
)
def command(port: int | None, host: str) -> None:
    """Understand rulesheets for an editor, which starts this command itself.

    The command speaks the Language Server Protocol on standard input and output, or on a socket
    with --port, for the first editor that connects. docs/editors.md tells how to set up VS Code,
    Neovim, Emacs, Helix and others.
    """
    from ggp.authoring.lsp.server import GameLanguageServer

    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    handler.addFilter(_is_unexpected)
    logging.basicConfig(level=logging.ERROR, handlers=[handler])
    server = GameLanguageServer()
    if port is None:
        server.start_io(stdout=_messages_only())
        return
    try:
        server.serve_socket(host, port, announce=lambda taken: _announce(host, taken))
    except OSError as error:
        raise click.ClickException(explain_listening(error, host, port)) from None


def _messages_only() -> BinaryIO:
    """Return standard output for the messages; everything else goes to standard error."""
    sys.stdout.flush()
    messages = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return messages


def _announce(host: str, port: int) -> None:
    click.echo(f"listening on {host}:{port}", err=True)


class _OneLine(logging.Formatter):
    """Writes each message in one line, without a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        error = record.exc_info[1] if record.exc_info else None
        what = f": {type(error).__name__}: {error}" if error else ""
        first = record.getMessage().partition("\n")[0]  # a traceback may follow
        return printable(" ".join(f"ggp lsp: {first}{what}".split()))


def _is_unexpected(record: logging.LogRecord) -> bool:
    """Tell what went wrong from what was refused, such as a rename: the editor shows that."""
    from pygls.exceptions import JsonRpcException

    error = record.exc_info[1] if record.exc_info else None
    return not isinstance(error, JsonRpcException)
