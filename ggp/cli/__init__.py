"""The command `ggp`. `ggp.cli.commands` finds its subcommands."""

from __future__ import annotations

import os
import signal
import sys
from contextlib import suppress
from io import TextIOWrapper

import click

from ggp.cli.commands import READER_GONE, Commands
from ggp.errors import GameError, GgpError, NoLegalMove, ReasonerUnavailable, SourceError
from ggp.printable import printable

__all__ = ["main"]


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ggp")
def cli() -> None:
    """General game playing: read games in GDL, reason about them, search them, play them."""
    # The command's module is imported by now. From here on, Ctrl-C closes what the command opened.
    signal.signal(signal.SIGINT, signal.default_int_handler)


def main() -> None:
    """Run the command line and exit, with the codes that `ggp.__main__.main` names."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a game's letters must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        code = _run()
        if sys.stdout is not None:  # as with >&-
            sys.stdout.flush()
    except BrokenPipeError:
        code = READER_GONE
        _discard_output()
    except OSError as error:
        # All other files are named where they are written.
        code = _fail(f"{error.filename or 'standard output'}: {error.strerror or error}", code=2)
        _discard_output()
    sys.exit(code)


def _run() -> int:
    """Run the command line and return its exit code."""
    try:
        # When it does not run standalone, click returns the code of an `Exit` instead of exiting.
        return cli.main(prog_name="ggp", standalone_mode=False) or 0
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else 0
    except click.exceptions.NoArgsIsHelpError as help_:
        help_.show()
        return 2
    except (click.Abort, KeyboardInterrupt):
        message, code = "interrupted", 130
    except click.ClickException as error:
        message, code = error.format_message(), 2
    except SourceError as error:
        message, code = error.one_line(), 2
    except NoLegalMove as error:
        message, code = f"{error}; `ggp prove` shows a play that leads to such a state", 1
    except GameError as error:
        message, code = f"{error}; `ggp check` tells what is wrong with the rules", 1
    except GgpError as error:
        message, code = str(error), 2 if isinstance(error, ReasonerUnavailable) else 1
    return _fail(message, code=code)


def _fail(message: str, *, code: int) -> int:
    """Say in one line what is wrong, and return the exit code."""
    with suppress(OSError):
        click.echo(f"ggp: {printable(' '.join(message.splitlines()))}", err=True)
    return code


def _discard_output() -> None:
    """Keep the interpreter from writing again, as it ends, what could not be written."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
