"""The command `ggp`. Each subcommand is the module of its name in this folder."""

from __future__ import annotations

import sys
from importlib import import_module
from io import TextIOWrapper

import click

from ggp.errors import GgpError, ReasonerUnavailable, SourceError
from ggp.requirements import advice

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
        try:
            command: click.Command = import_module(f"ggp.cli.{cmd_name}").command
        except ModuleNotFoundError as error:
            return _unavailable(cmd_name, error)
        return command


def _unavailable(name: str, error: ModuleNotFoundError) -> click.Command:
    """Return a command that stands in `ggp --help`, and says what to install when it is called."""
    problem = advice(error)
    if problem is None:
        raise error

    def fail(_arguments: tuple[str, ...]) -> None:
        raise error

    return click.Command(
        name,
        callback=fail,
        params=[click.Argument(["_arguments"], nargs=-1, type=click.UNPROCESSED)],
        help=f"Not available: {problem}.",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
    )


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
    except ModuleNotFoundError as error:
        problem = advice(error)
        if problem is None:
            raise
        _fail(problem, code=2)


def _fail(message: str, *, code: int) -> None:
    click.echo(f"ggp: {' '.join(message.splitlines())}", err=True)
    sys.exit(code)
