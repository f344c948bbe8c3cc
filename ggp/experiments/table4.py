"""Leaf-value tables in play: open-hand games of Spades for three, to 300 points.

N. Sturtevant, "Leaf-Value Tables for Pruning Non-Zero-Sum Games", IJCAI 2005, Table 4: players who
prune by a leaf-value table play against players who prune by the linear test, in each of the six
ways to seat both kinds at the table. All players see all cards, and each search may expand a given
number of nodes.

A player searches to the end of the hand. If that takes too many nodes, it searches again with as
many nodes, as deep as it can, and uses the score so far as the estimate. Then both kinds play the
same, because a leaf-value table does not apply to estimates.

A hand scores 10 x bid - overtricks + 3 x opponents who miss their bid, and nothing if the player
misses the bid. The player who leads changes from hand to hand. The hands of a game are the same for
all seatings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, product
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ggp.experiments.cards.deal import Deal, deal
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
from ggp.experiments.running.searching import engine_of, leaf_values, opened
from ggp.experiments.running.statistics import Summary
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Source
from ggp.search import LeafValueTable, Searcher

if TYPE_CHECKING:  # an extra
    from matplotlib.figure import Figure

__all__ = [
    "ARRANGEMENTS",
    "command",
    "measure",
    "play_hand",
    "plot",
    "points",
    "report",
    "tasks",
]

#: What the players prune by, in the order of the seats: every combination of both kinds.
ARRANGEMENTS = [kinds for kinds in product(("lvt", "linear"), repeat=3) if len(set(kinds)) > 1]
#: The paper's figures: how many of 100 games each kind wins, and its final points.
PAPER = {"lvt": (62.3, 263), "linear": (37.7, 226)}

_GOAL = 300
_HANDS = 1_000
_TABLE_BYTES = 16 << 20


def points(bids: Sequence[int], tricks: Sequence[int]) -> tuple[int, ...]:
    """Return the points of each player for a hand.

    >>> points((3, 2, 2), (5, 3, 1))
    (31, 22, 0)
    """
    missed = [taken < bid for taken, bid in zip(tricks, bids, strict=True)]
    return tuple(
        0 if missed[player] else 10 * bid - (taken - bid) + 3 * sum(missed)
        for player, (taken, bid) in enumerate(zip(tricks, bids, strict=True))
    )


def play_hand(
    dealt: Deal, seatings: Iterable[Sequence[str]], *, nodes: int
) -> Iterator[tuple[list[int], Counter[str]]]:
    """Play a hand once for each of some seatings, which say what each player prunes by.

    Yields:
        The tricks that each player has taken; and for each kind the number of turns with a choice,
        and of those that were searched to the end of the hand.
    """
    description = Description.from_text(Source(rulesheet(dealt, evaluation="formula"), "a hand"))
    with opened(description) as graph:
        tables = {
            "lvt": leaf_values(description),
            "linear": LeafValueTable.of(description),
        }
        first = graph.state(graph.root)
        for kinds in seatings:
            graph.set_root(graph.node(first))
            # The two kinds do not share a transposition table.
            searches = {
                kind: engine_of(
                    graph,
                    "speculative",
                    table_bytes=_TABLE_BYTES,
                    classifier=kind,
                    leaf_values=tables[kind],
                )
                for kind in set(kinds)
            }
            turns = _play(graph, [searches[kind] for kind in kinds], nodes=nodes)
            facts = list(map(str, graph.facts(graph.root)))
            yield _tricks(facts, dealt.roles), turns


def _play(graph: GameGraph, players: Sequence[Searcher], *, nodes: int) -> Counter[str]:
    """Play from the root of a graph to the end of the game, and count the turns."""
    turns: Counter[str] = Counter()
    while not (expansion := graph.expansion(graph.root)).terminal:
        choices = list(map(len, expansion.legal))
        number = 0
        if max(choices) > 1:
            player = players[choices.index(max(choices))]
            found = player.run(nodes=nodes)
            turns[found.classifier] += 1
            turns[f"{found.classifier} to the end"] += found.exact
            if not found.exact:
                *_, found = player.deepen(nodes=nodes)
            assert found.joint_move is not None
            number = list(expansion.joint_moves).index(found.joint_move)
        graph.set_root(expansion.children[number])
    return turns


def _tricks(facts: Sequence[str], roles: Sequence[str]) -> list[int]:
    words = (fact.strip("()").split() for fact in facts)
    taken = {word[1]: int(word[2]) for word in words if word[0] == "took"}
    return [taken[role] for role in roles]


def tasks(*, deals: int, seed: int, cards: int, nodes: int) -> Iterator[Task]:
    """Yield a task for every game."""
    rules = rulesheet(deal("spades", cards=cards, seed=seed), evaluation="formula")
    for game in range(1, deals + 1):
        yield {
            "game": game,
            "seed": seed,
            "cards": cards,
            "nodes": nodes,
            "rules": fingerprint(rules),
        }


@dataclass(slots=True)
class _Game:
    """A game to 300, as far as it has been played."""

    #: What the players prune by.
    kinds: Sequence[str]
    scores: list[int] = field(default_factory=lambda: [0, 0, 0])
    hands: int = 0
    turns: Counter[str] = field(default_factory=Counter)

    @property
    def is_over(self) -> bool:
        return max(self.scores) >= _GOAL


def measure(task: Task) -> Result:
    """Play a game to 300 in all arrangements."""
    games = [_Game(kinds) for kinds in ARRANGEMENTS]
    for hand in count():
        playing = [game for game in games if not game.is_over]
        if not playing:
            break
        number = _HANDS * integer(task, "game") + hand
        dealt = deal(
            "spades", cards=integer(task, "cards"), seed=integer(task, "seed"), number=number
        )
        # The player in each seat of this hand: the lead changes from hand to hand.
        seats = [(context + hand) % len(dealt.roles) for context in range(len(dealt.roles))]
        seatings = [[game.kinds[player] for player in seats] for game in playing]
        played = play_hand(dealt, seatings, nodes=integer(task, "nodes"))
        for game, (tricks, turns) in zip(playing, played, strict=True):
            for player, won in zip(seats, points(dealt.bids, tricks), strict=True):
                game.scores[player] += won
            game.turns += turns
            game.hands += 1
    return {
        " ".join(game.kinds): {"scores": game.scores, "hands": game.hands, "turns": game.turns}
        for game in games
    }


def report(measured: Sequence[Measured]) -> Report:
    """Lay out wins and points of each kind beside the paper's."""
    rows = [_row(kind, measured) for kind in PAPER] if measured else []
    columns = (
        "prunes by", "games", "paper wins %", "wins %", "standard error", "paper points", "points",
        "standard error of points", "turns to the end %",
    )  # fmt: skip
    hands = Summary.of(game["hands"] for done in measured for game in done.result.values())
    notes = (
        "A game with several winners counts for each of them in equal parts.",
        f"Hands per game: {hands.mean:.1f}." if hands.mean else "No game is over.",
    )
    return Report(
        "Open games of Spades to 300", (Table("Six arrangements", columns, tuple(rows)),), notes
    )


def _row(kind: str, measured: Sequence[Measured]) -> tuple[Any, ...]:
    # The hands are the same in all six arrangements, so the standard error is that of their means.
    wins, scores, turns, ends = [], [], 0, 0
    for done in measured:
        shares, points_of_kind = [], []
        for arrangement, game in done.result.items():
            kinds, final = arrangement.split(), game["scores"]
            winners = [kinds[i] for i, score in enumerate(final) if score == max(final)]
            shares.append(100 * winners.count(kind) / len(winners))
            pairs = zip(final, kinds, strict=True)
            points_of_kind += [score for score, other in pairs if other == kind]
            turns += game["turns"].get(kind, 0)
            ends += game["turns"].get(f"{kind} to the end", 0)
        wins.append(fmean(shares))
        scores.append(fmean(points_of_kind))
    won, scored = Summary.of(wins), Summary.of(scores)
    paper_wins, paper_points = PAPER[kind]
    return (
        kind, won.count, paper_wins, won.mean, won.standard_error, paper_points, scored.mean,
        scored.standard_error, 100 * ends / turns if turns else None,
    )  # fmt: skip


def plot(report: Report, figure: Figure) -> None:
    """Plot wins and points, ours and the paper's."""
    (table,) = report.tables
    kinds = list(map(str, table.column("prunes by")))
    left, right = figure.subplots(1, 2)
    for axes, name in ((left, "wins %"), (right, "points")):
        places = range(len(kinds))
        error = "standard error" + (" of points" if name == "points" else "")
        axes.bar(places, table.numbers(name), yerr=table.numbers(error), label="ours")
        axes.plot(places, table.numbers(f"paper {name}"), "x", color="red", label="paper")
        axes.set_xticks(places, kinds)
        axes.set(ylabel=name)
        axes.legend()


command = experiment_command(
    "table4",
    help="Games of Spades: leaf-value table against linear test. (Sturtevant 2005, Table 4)",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    deals=20,
    options=(
        number_option("--cards", default=9, most=17, text="Cards for each player."),
        number_option("--nodes", default=20_000, text="Nodes for each of two searches a turn."),
    ),
)
