"""`ggp experiment deal`: the rulesheet of a card game, with the cards of a deal."""

from __future__ import annotations

from pathlib import Path

import click

from ggp.cli.common import json_option, print_json
from ggp.experiments.cards.bidding import bidding_option, with_bids
from ggp.experiments.cards.deal import GAMES, Game, deal
from ggp.experiments.cards.options import breaking_option, rank_equivalent_option
from ggp.experiments.cards.rulesheet import RankEquivalent, evaluations, rulesheet
from ggp.files import replace_file

__all__ = ["command"]


@click.command("deal")
@click.option("--game", type=click.Choice(GAMES), default="spades", show_default=True)
@click.option("--players", type=int, default=3, show_default=True, metavar="N")
@click.option(
    "--cards", type=int, default=9, show_default=True, metavar="N", help="Cards for each player."
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Seed of the series of deals.",
)
@click.option(
    "--number",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="Number of the deal in the series.",
)
@click.option(
    "--bids", metavar='"N N N"', help="One for each player; by default, those of --bidding."
)
@bidding_option
@click.option(
    "--evaluation",
    metavar="NAME",
    help=f"What the players want: {', '.join(evaluations('spades'))}; "
    f"in Hearts {', '.join(evaluations('hearts'))}.",
)
@breaking_option
@rank_equivalent_option("left")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the rulesheet to FILE.",
)
@json_option
def command(
    game: Game,
    players: int,
    cards: int,
    seed: int,
    number: int,
    bids: str | None,
    bidding: str,
    evaluation: str | None,
    breaking: bool,
    rank_equivalent: RankEquivalent,
    output: Path | None,
    as_json: bool,
) -> None:
    """Deal the cards of an open-hand game, and print its rules with these cards.

    To change what the players want, put another name into the last line of the rulesheet. The
    experiments use the same deals: those of table2 are `--seed 1 --number 1`, then 2, and so on.
    """
    try:
        dealt = deal(
            game,
            players=players,
            cards=cards,
            seed=seed,
            number=number,
            bids=_numbers(bids),
        )
        if bids is None and dealt.bids:
            dealt = with_bids(dealt, bidding=bidding)
        text = rulesheet(
            dealt, evaluation=evaluation, breaking=breaking, rank_equivalent=rank_equivalent
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if output is not None:
        try:
            replace_file(output, text)
        except OSError as error:
            raise click.ClickException(f"{output}: {error.strerror}") from None
    if as_json:
        hands = {
            role: list(map(str, hand)) for role, hand in zip(dealt.roles, dealt.hands, strict=True)
        }
        print_json({"game": game, "hands": hands, "bids": list(dealt.bids), "rules": text})
    elif output is None:
        click.echo(text, nl=False)


def _numbers(bids: str | None) -> tuple[int, ...] | None:
    if bids is None:
        return None
    try:
        return tuple(map(int, bids.split()))
    except ValueError:
        raise click.UsageError("--bids: whole numbers, one for each player") from None
