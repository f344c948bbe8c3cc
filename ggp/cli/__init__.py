"""The command `ggp`. Each subcommand is the module of its name in this folder."""

from __future__ import annotations

import sys
from importlib import import_module

import click

from ggp.errors import GgpError, ReasonerUnavailable, SourceError

__all__ = ["main"]

#: Subcommands in the order in which `ggp --help` shows them. Each module is imported only when
#: its command runs, so that a quick command starts quickly.
COMMANDS = ("check", "show", "perft", "playouts", "lvt", "solve", "match", "serve", "doctor")


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
    try:
        cli.main(standalone_mode=False)
    except click.exceptions.Exit as finished:
        sys.exit(finished.exit_code)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        # The reader of our output has gone, as in `ggp ... | head`: nobody is left to tell.
        sys.stderr.close()
        sys.exit(0)
    except SourceError as error:
        _fail(error.one_line(), code=2)
    except ReasonerUnavailable as error:
        _fail(str(error), code=2)
    except GgpError as error:
        _fail(str(error), code=1)


def _fail(message: str, *, code: int) -> None:
    click.echo(f"ggp: {message}", err=True)
    sys.exit(code)
