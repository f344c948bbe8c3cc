"""The command `ggp`. Each subcommand is the module of its name in this folder."""

from __future__ import annotations

import sys
from importlib import import_module
from io import TextIOWrapper

import click

from ggp.errors import GgpError, ReasonerUnavailable, SourceError

__all__ = ["main"]

#: Subcommands in the order in which `ggp --help` shows them. Each module is imported only when
#: its command runs, so that a quick command starts quickly.
COMMANDS = (
    "check", "show", "perft", "playouts", "lvt", "solve", "match", "replay", "tournament", "serve",
    "manager", "experiment", "doctor",
)  # fmt: skip


class _Commands(click.Group):
    """A group that imports a subcommand when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"ggp.cli.{cmd_name}").command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="ggp")
def cli() -> None:
    """General game playing: read games in GDL, reason about them, search them, play them."""


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 the answer is no, 2 wrong use."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a game's letters must not end the program.
            stream.reconfigure(errors="backslashreplace")
    try:
        # When it does not run standalone, click returns the code of an `Exit` instead of exiting.
        sys.exit(cli.main(prog_name="ggp", standalone_mode=False))
    except click.exceptions.NoArgsIsHelpError as help_:
        help_.show()
        sys.exit(2)
    except click.ClickException as error:
        _fail(error.format_message(), code=2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except SourceError as error:
        _fail(error.one_line(), code=2)
    except ReasonerUnavailable as error:
        _fail(str(error), code=2)
    except GgpError as error:
        _fail(str(error), code=1)


def _fail(message: str, *, code: int) -> None:
    click.echo(f"ggp: {' '.join(message.splitlines())}", err=True)
    sys.exit(code)
