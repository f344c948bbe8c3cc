"""`ggp experiment`: reproduce published tables."""

from __future__ import annotations

from importlib.metadata import entry_points

import click

__all__ = ["command"]

_GROUP = "ggp.experiments"


class _Experiments(click.Group):
    """The experiments that installed packages declare, each imported when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(entry_points(group=_GROUP).names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        for found in entry_points(group=_GROUP, name=cmd_name):
            command: click.Command = found.load()
            return command
        return None


@click.command(
    "experiment",
    cls=_Experiments,
    subcommand_metavar="[NAME] [OPTIONS]",
    invoke_without_command=True,
)
@click.pass_context
def command(context: click.Context) -> None:
    """Reproduce a published table, and print the paper's figures beside ours.

    Without NAME, list them. Measurements are stored, so that a run that was stopped continues where
    it was. The results go to the folder results/NAME, or to the folder that --output names.
    """
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
