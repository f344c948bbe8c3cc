"""The subcommands of `ggp`: the list of them, and how one is found.

`ggp --help` lists them without importing any of them, which would take a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

import click
from click.shell_completion import CompletionItem

from ggp.requirements import advice, explained

__all__ = ["COMMANDS", "READER_GONE", "Commands", "Subcommand"]

#: What a shell reports for a program that was ended by a closed pipe (SIGPIPE).
READER_GONE = 141


@dataclass(frozen=True, slots=True)
class Subcommand:
    """A subcommand: where its code is, and what it needs."""

    #: The module, within `ggp.cli`.
    module: str
    #: What it does, as `ggp --help` says it.
    summary: str
    #: The extra without which it does nothing; "" if every installation has what it needs.
    extra: str = ""
    #: A package that this extra brings, by the name with which it is imported.
    package: str = ""

    @property
    def is_available(self) -> bool:
        """Whether its extra is installed."""
        return not self.package or find_spec(self.package) is not None


#: In the order in which `ggp --help` shows them.
COMMANDS = {
    "games": Subcommand("rules.games", "List the games that come with the program."),
    "check": Subcommand("rules.check", "Find what is wrong with rulesheets."),
    "format": Subcommand("rules.format", "Give rulesheets one layout."),
    "new": Subcommand("rules.new", "Write a small complete game to begin from."),
    "test": Subcommand("rules.test", "Test games against the records beside them."),
    "show": Subcommand("rules.show", "Show what a game is: roles, sizes, structure."),
    "draw": Subcommand("rules.draw", "Draw a state of a game."),
    "prove": Subcommand("rules.prove", "Prove what holds in every state, or refute it."),
    "lsp": Subcommand("rules.lsp", "Serve an editor that shows rulesheets.", "lsp", "pygls"),
    "mcp": Subcommand("rules.mcp", "Serve an agent that writes and plays games.", "mcp", "mcp"),
    "perft": Subcommand("perft", "Count states and paths, depth by depth."),
    "playouts": Subcommand("playouts", "Play a game at random many times."),
    "lvt": Subcommand("lvt", "Show the goals that a game can end with."),
    "solve": Subcommand("solve", "Search for a state's value and the best move."),
    "step": Subcommand("step", "Go through a search node by node."),
    "match": Subcommand("match", "Play one match, and show it move by move."),
    "replay": Subcommand("replay", "Check records of matches against the rules."),
    "tournament": Subcommand(
        "tournament", "Play many matches between many players.", "tournament", "openskill"
    ),
    "selfplay": Subcommand(
        "learning.selfplay", "Let a player play itself, and write data.", "selfplay", "pyarrow"
    ),
    "learn": Subcommand("learning.learn", "Learn to estimate the states of a game."),
    "knowledge": Subcommand("learning.knowledge", "Show or move what has been learned."),
    "serve": Subcommand("serve", "Serve a player to game managers.", "server", "flask"),
    "manager": Subcommand("manager", "Serve pages: games, matches, records.", "manager", "flask"),
    "experiment": Subcommand("experiment", "Reproduce a published table."),
    "doctor": Subcommand("doctor", "Report what is installed and what is missing."),
}


class Commands(click.Group):
    """The group of the subcommands; it imports one when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return their names."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a subcommand; None if there is none of the name."""
        called = COMMANDS.get(cmd_name)
        if called is None:
            return None
        if not called.is_available:
            return _without_extra(cmd_name, called)
        command: click.Command = import_module(f"ggp.cli.{called.module}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; where there is none of the name, say which one was meant."""
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        close = get_close_matches(name, COMMANDS, n=1)
        meant = f"did you mean {close[0]!r}?" if close else "`ggp --help` lists them"
        raise click.UsageError(f"No such command {name!r}; {meant}", ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands with what they do, or with what to install."""
        rows = [(name, _summary(each)) for name, each in COMMANDS.items()]
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Let the shell complete the names of the subcommands, and the options."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        return [
            CompletionItem(name, help=each.summary)
            for name, each in COMMANDS.items()
            if name.startswith(incomplete)
        ]

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; what ends it from outside becomes an exit code."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.Abort from None
        except BrokenPipeError:
            raise click.exceptions.Exit(READER_GONE) from None
        except ModuleNotFoundError as error:
            called = COMMANDS.get(ctx.invoked_subcommand or "")
            problem = advice(error, extra=called.extra if called else "")
            if problem is None:
                raise
            raise click.UsageError(problem) from None


def _summary(command: Subcommand) -> str:
    if command.is_available:
        return command.summary
    return f"{command.summary} Needs: pip install 'ggp[{command.extra}]'"


def _without_extra(name: str, called: Subcommand) -> click.Command:
    """Return a command in place of one whose extra is missing; it says what to install."""
    problem = str(explained(ModuleNotFoundError(name=called.package), extra=called.extra))

    def fail(_arguments: tuple[str, ...]) -> None:
        raise click.UsageError(problem)

    return click.Command(
        name,
        callback=fail,
        params=[click.Argument(["_arguments"], nargs=-1, type=click.UNPROCESSED)],
        help=f"Not available: {problem}.",
        add_help_option=False,
        context_settings={"ignore_unknown_options": True},
    )
