"""How deep a search looks into Hearts and Spades with half a million nodes.

Three players hold 17 cards each, open on the table. The search looks one card ahead, then two, and
so on, until it has used up its nodes; the depth is that of the last search that was completed. The
hand is played to its end, by the moves of speculative pruning with the table, and every player with
a choice searches. A search that sees the end of the hand is as deep as there are cards left. The
states where a search stops need an estimate of the goals:

- Hearts: the points so far, the fewer the better.
- Spades: the tricks so far. The tricks to come do not count yet, so the goals add up to less than
  at the end, and no bound lets max-n prune.
- Spades, by lead: twice a player's tricks minus those of the others. The sum is always the same.

`shallow` is the previous method: the slides say that it prunes nothing in Hearts. `paranoid` is
alpha-beta, in which all other players play against the first.

(N. Sturtevant, "Last-branch and speculative pruning algorithms for max^n", IJCAI 2003, and
Sturtevant and Korf, "On pruning techniques for multi-player games", AAAI 2000: card games searched
with as many nodes.)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import click

from ggp.experiments.cards.deal import Game, deal
from ggp.experiments.cards.rulesheet import rulesheet
from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    fingerprint,
    integer,
    number_option,
)
from ggp.experiments.running.searching import deepen, leaf_values, opened
from ggp.experiments.running.statistics import Summary
from ggp.gdl import Description
from ggp.search import Classifier, SearchOptions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["SLIDES", "command", "measure", "plot", "report", "rules", "tasks"]

#: The game, and the rulesheet's name for what the players want.
GAMES: dict[str, tuple[Game, str]] = {
    "hearts": ("hearts", "few"),
    "spades": ("spades", "mt"),
    "spades, by lead": ("spades", "lead"),
}
#: Algorithm and classifier.
SEARCHES: dict[str, tuple[str, Classifier]] = {
    "maxn": ("maxn", "none"),
    "shallow": ("shallow", "linear"),
    "speculative": ("speculative", "linear"),
    "speculative, table": ("speculative", "lvt"),
    "paranoid": ("alphabeta", "lvt"),
}

#: The search whose moves are played.
_PLAYED = "speculative, table"
#: The slides' figures: the best previous method, and speculative max-n.
SLIDES = {"hearts": (20.9, 22.1), "spades": (21.7, 24.3)}

#: The goal of each player before the first trick: with 17 tricks, all goals are from 17 to 68.
_EVEN = 34
_LEAD = """
;; Goals: how far one is ahead of the others
(<= (worth lead ?p ?goal)
    (follows ?p ?q)
    (follows ?q ?r)
    (true (took ?p ?a))
    (true (took ?q ?b))
    (true (took ?r ?c))
    (lead ?a ?b ?c ?goal))
"""

#: The bytes of the transposition table.
_TABLE_BYTES = 256 << 20


def rules(game: str, *, cards: int, seed: int, number: int) -> str:
    """Return the rules of a game with the cards of a deal."""
    kind, wish = GAMES[game]
    dealt = deal(kind, players=3, cards=cards, seed=seed, number=number)
    if wish != "lead":
        return rulesheet(dealt, evaluation=wish)
    counts = range(cards + 1)
    leads = [
        f"(lead {own} {one} {other} {_EVEN + 2 * own - one - other})"
        for own in counts
        for one in counts
        for other in counts
        if own + one + other <= cards
    ]
    # The last line of the rulesheet names what the players want.
    text, _, last = rulesheet(dealt, evaluation="mt").rpartition("(worth mt ")
    return "\n".join((f"{text}(worth lead {last}", *leads, _LEAD))


def tasks(
    *, deals: int, seed: int, cards: int, nodes: int, transpositions: bool, first: bool
) -> Iterator[Task]:
    """Yield one task for each deal and game."""
    for number in range(1, deals + 1):
        for game in GAMES:
            yield {
                "game": game,
                "deal": number,
                "seed": seed,
                "cards": cards,
                "nodes": nodes,
                "transpositions": transpositions,
                "first": first,
                "rules": fingerprint(rules(game, cards=cards, seed=seed, number=number)),
            }


def measure(task: Task) -> Result:
    """Search each turn of a hand with each algorithm until it has used up its nodes."""
    text = rules(
        str(task["game"]),
        cards=integer(task, "cards"),
        seed=integer(task, "seed"),
        number=integer(task, "deal"),
    )
    description = Description.from_text(text)
    table = leaf_values(description)
    depths: dict[str, list[int]] = {name: [] for name in SEARCHES}
    with opened(description) as graph:
        while not (expansion := graph.expansion(graph.root)).terminal:
            choices, number = [len(moves) for moves in expansion.legal], 0
            if max(choices) > 1:
                for name, (algorithm, classifier) in SEARCHES.items():
                    *_, last = deepen(
                        graph,
                        algorithm,
                        SearchOptions(
                            role=choices.index(max(choices)),
                            classifier=classifier,
                            leaf_values=table,
                        ),
                        nodes=integer(task, "nodes"),
                        table_bytes=_TABLE_BYTES if task["transpositions"] else 0,
                    )
                    depths[name].append(last.depth)
                    if name == _PLAYED:
                        assert last.joint_move is not None
                        number = expansion.joint_moves.index(last.joint_move)
                if task["first"]:
                    break
            graph.set_root(expansion.children[number])
    return {"depths": depths, "rows": len(table), "maxsum": table.maxsum}


def report(measured: Sequence[Measured]) -> Report:
    """Lay out the average depth of the turns and of the first turn, game by game."""
    rows, errors, slides = [], [], []
    firsts: list[tuple[str | float, ...]] = []
    for game in dict.fromkeys(str(done.task["game"]) for done in measured):
        hands = [done.result["depths"] for done in measured if done.task["game"] == game]
        depths = [Summary.of(fmean(hand[name]) for hand in hands) for name in SEARCHES]
        rows.append((game, len(hands), *(summary.mean for summary in depths)))
        errors.append((game, *(summary.standard_error for summary in depths)))
        firsts.append((game, *(fmean(hand[name][0] for hand in hands) for name in SEARCHES)))
        best, speculative = SLIDES.get(game, (None, None))
        slides.append((game, best, speculative))
    return Report(
        "Depth reached, in cards",
        (
            Table("mean", ("game", "deals", *SEARCHES), tuple(rows)),
            Table("standard error", ("game", *SEARCHES), tuple(errors)),
            Table("first turn", ("game", *SEARCHES), tuple(firsts)),
            Table("slides", ("game", "best previous", "speculative"), tuple(slides)),
        ),
    )


def plot(report: Report, figure: Figure) -> None:
    """Plot the depths as bars."""
    axes = figure.subplots()
    means, errors, *_ = report.tables
    games = [str(game) for game in means.column("game")]
    width = 1 / (len(SEARCHES) + 1)
    for number, name in enumerate(SEARCHES):
        places = [place + number * width for place in range(len(games))]
        axes.bar(places, means.numbers(name), width, yerr=errors.numbers(name), label=name)
    axes.set_xticks([place + width * (len(SEARCHES) - 1) / 2 for place in range(len(games))], games)
    axes.set(ylabel="depth, in cards")
    axes.legend()


command = experiment_command(
    "depth",
    help="Average depth reached in Hearts and Spades with 500,000 nodes. (Sturtevant 2003)",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    deals=10,
    options=(
        number_option("--cards", default=17, most=17, text="Cards for each player."),
        number_option("--nodes", default=500_000, text="States that a search may expand."),
        click.option("--transpositions", is_flag=True, help="Use a transposition table of 256 MB."),
        click.option("--first", is_flag=True, help="Search the first turn only."),
    ),
)
