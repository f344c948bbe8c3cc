"""Leaf-value tables in play: open-hand games of Spades for three, to 300 points.

N. Sturtevant, "Leaf-Value Tables for Pruning Non-Zero-Sum Games", IJCAI 2005, Table 4: players who
prune by a leaf-value table play against players who prune by the linear test, in each of the six
ways to seat both kinds at the table. All players see all cards, and each search may expand a given
number of nodes.

Both kinds have the same table; the linear test, the previous method, uses the highest sum of its
ranks. A player searches to the end of the hand for what an evaluation of Table 2 says that it is
worth: smOT, by which the paper compares the two methods there, or another one. If that takes too
many nodes, it searches again with as many nodes, as deep as it can, and uses what the tricks so far
are worth as the estimate. No search uses what another one has found, so a player does the same in
the same state, and the state is searched once for all seatings.

The game is scored by the rules of Spades (section 3 of the paper): 10 x bid and a point for each
overtrick if the bid is made, else -10 x bid; and -100 points whenever a player has ten overtricks
together. The player who leads changes from hand to hand. The hands of a game are the same for all
seatings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count, product
from statistics import fmean
from typing import TYPE_CHECKING, Any

import click

from ggp.experiments.cards.deal import Deal, deal
from ggp.experiments.cards.rulesheet import evaluations, rulesheet
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
from ggp.reasoner import State
from ggp.search import Classifier, LeafValueTable, Limit, MaxNOptions

if TYPE_CHECKING:  # an extra
    from matplotlib.figure import Figure

__all__ = [
    "ARRANGEMENTS",
    "Score",
    "command",
    "measure",
    "play_hand",
    "plot",
    "report",
    "tasks",
]

#: What the players prune by, in the order of the seats: every combination of both kinds.
_KINDS: tuple[Classifier, Classifier] = ("lvt", "sum")
ARRANGEMENTS: list[tuple[Classifier, ...]] = [
    kinds for kinds in product(_KINDS, repeat=3) if len(set(kinds)) > 1
]
#: The paper's figures: how many of 100 games each kind wins, and its final points.
PAPER = {"lvt": (62.3, 263), "sum": (37.7, 226)}

#: The points at which a game is over; and how many overtricks cost how many points.
_GOAL, _BAGS, _PENALTY = 300, 10, 100
_HANDS = 1_000
#: Bytes of the transposition table: those of a node, and the most in all.
_NODE_BYTES, _MOST_BYTES = 96, 64 << 20

#: Leaf-value tables, by the bids, the number of cards and the evaluation.
_TABLES: dict[tuple[tuple[int, ...], int, str], LeafValueTable] = {}


@dataclass(slots=True)
class Score:
    """The points of a player, and the overtricks that have not been punished yet."""

    points: int = 0
    overtricks: int = 0

    def add(self, *, bid: int, taken: int) -> None:
        """Count a hand.

        >>> score = Score(overtricks=9)
        >>> score.add(bid=3, taken=5)
        >>> score
        Score(points=-68, overtricks=1)
        """
        if taken < bid:
            self.points -= 10 * bid
            return
        self.points += 10 * bid + (taken - bid)
        self.overtricks += taken - bid
        if self.overtricks >= _BAGS:
            self.overtricks -= _BAGS
            self.points -= _PENALTY


def play_hand(
    dealt: Deal, seatings: Iterable[Sequence[Classifier]], *, nodes: int, evaluation: str = "smot"
) -> Iterator[tuple[list[int], Counter[str]]]:
    """Play a hand once for each of some seatings, which say what each player prunes by.

    Args:
        dealt: the hand.
        seatings: for each seating what each player prunes by.
        nodes: how many nodes each search may expand.
        evaluation: what the end of the hand is worth to the players.

    Yields:
        The tricks that each player has taken; and for each kind the number of turns with a choice,
        and of those that were searched to the end of the hand.
    """
    description = Description.from_text(Source(rulesheet(dealt, evaluation=evaluation), "a hand"))
    table = _leaf_values(description, dealt, evaluation)
    chosen: dict[tuple[str, State], tuple[int, bool]] = {}
    with opened(description) as graph:
        first = graph.state(graph.root)
        for kinds in seatings:
            graph.set_root(graph.node(first))
            turns = _play(graph, kinds, partial(_choose, graph, table, nodes=nodes), chosen)
            # So the table of these bids is that of this hand, too.
            assert table.row_of(table.ranks(graph.expansion(graph.root).goals))
            facts = list(map(str, graph.facts(graph.root)))
            yield _tricks(facts, dealt.roles), turns


def _leaf_values(description: Description, dealt: Deal, evaluation: str) -> LeafValueTable:
    """Return the table of a hand; it depends on bids, number of cards and evaluation alone."""
    key = dealt.bids, dealt.tricks, evaluation
    if key not in _TABLES:
        _TABLES[key] = leaf_values(description)
    return _TABLES[key]


def _play(
    graph: GameGraph,
    kinds: Sequence[Classifier],
    choose: Callable[[Classifier], tuple[int, bool]],
    chosen: dict[tuple[str, State], tuple[int, bool]],
) -> Counter[str]:
    """Play from the root of a graph to the end of the game, and count the turns of each kind."""
    turns: Counter[str] = Counter()
    while not (expansion := graph.expansion(graph.root)).terminal:
        choices = list(map(len, expansion.legal))
        number = 0
        if max(choices) > 1:
            kind = kinds[choices.index(max(choices))]
            state = graph.state(graph.root)
            if (kind, state) not in chosen:
                chosen[kind, state] = choose(kind)
            number, is_exact = chosen[kind, state]
            turns[kind] += 1
            turns[f"{kind} to the end"] += is_exact
        graph.set_root(expansion.children[number])
    return turns


def _choose(
    graph: GameGraph, table: LeafValueTable, kind: Classifier, *, nodes: int
) -> tuple[int, bool]:
    """Search the root of a graph; return the number of the joint move, and whether it is exact."""
    searcher = engine_of(
        graph,
        "speculative",
        MaxNOptions(classifier=kind, leaf_values=table),
        table_bytes=min(_NODE_BYTES * nodes, _MOST_BYTES),
    )
    found = searcher.run(limit=Limit(nodes=nodes))
    is_exact = found.exact
    if not is_exact:
        *_, found = searcher.deepen(limit=Limit(nodes=nodes))
    assert found.joint_move is not None
    expansion = graph.expansion(graph.root)
    return expansion.joint_moves.index(found.joint_move), is_exact


def _tricks(facts: Sequence[str], roles: Sequence[str]) -> list[int]:
    words = (fact.strip("()").split() for fact in facts)
    taken = {word[1]: int(word[2]) for word in words if word[0] == "took"}
    return [taken[role] for role in roles]


def tasks(
    *, deals: int, seed: int, cards: int, nodes: Sequence[int], evaluation: str
) -> Iterator[Task]:
    """Yield a task for every game and number of nodes."""
    rules = rulesheet(deal("spades", cards=cards, seed=seed), evaluation=evaluation)
    for game in range(1, deals + 1):
        for some in nodes:
            yield {
                "game": game,
                "seed": seed,
                "cards": cards,
                "nodes": some,
                "evaluation": evaluation,
                "scored": "with overtricks",
                "searched": "each turn anew",
                "rules": fingerprint(rules),
            }


@dataclass(slots=True)
class _Game:
    """A game to 300, as far as it has been played."""

    #: What the players prune by.
    kinds: Sequence[Classifier]
    scores: list[Score] = field(default_factory=lambda: [Score() for _ in range(3)])
    hands: int = 0
    turns: Counter[str] = field(default_factory=Counter)

    @property
    def is_over(self) -> bool:
        return max(score.points for score in self.scores) >= _GOAL


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
        nodes, evaluation = integer(task, "nodes"), str(task["evaluation"])
        played = play_hand(dealt, seatings, nodes=nodes, evaluation=evaluation)
        for game, (tricks, turns) in zip(playing, played, strict=True):
            for player, bid, taken in zip(seats, dealt.bids, tricks, strict=True):
                game.scores[player].add(bid=bid, taken=taken)
            game.turns += turns
            game.hands += 1
    return {
        " ".join(game.kinds): {
            "scores": [score.points for score in game.scores],
            "hands": game.hands,
            "turns": game.turns,
        }
        for game in games
    }


def report(measured: Sequence[Measured]) -> Report:
    """Lay out wins and points of each kind beside the paper's."""
    by_nodes: dict[int, list[Measured]] = defaultdict(list)
    for done in measured:
        by_nodes[integer(done.task, "nodes")].append(done)
    rows = [_row(kind, some, by_nodes[some]) for some in sorted(by_nodes) for kind in PAPER]
    columns = (
        "nodes", "prunes by", "games", "paper wins %", "wins %", "standard error", "paper points",
        "points", "standard error of points", "turns to the end %",
    )  # fmt: skip
    hands = Summary.of(game["hands"] for done in measured for game in done.result.values())
    notes = (
        "A game with several winners counts for each of them in equal parts.",
        f"Hands per game: {hands.mean:.1f}." if hands.mean else "No game is over.",
    )
    return Report(
        "Open games of Spades to 300", (Table("Six arrangements", columns, tuple(rows)),), notes
    )


def _row(kind: str, nodes: int, measured: Sequence[Measured]) -> tuple[Any, ...]:
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
        nodes, kind, won.count, paper_wins, won.mean, won.standard_error, paper_points, scored.mean,
        scored.standard_error, 100 * ends / turns if turns else None,
    )  # fmt: skip


def plot(report: Report, figure: Figure) -> None:
    """Plot wins and points, ours and the paper's."""
    (table,) = report.tables
    pairs = zip(table.column("prunes by"), table.column("nodes"), strict=True)
    kinds = [f"{kind}, {nodes:,}" for kind, nodes in pairs]
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
        click.option("--evaluation", type=click.Choice(list(evaluations("spades"))),
                     default="smot", show_default=True,
                     help="What the end of a hand is worth to the players."),
        click.option("--nodes", type=click.IntRange(min=1), multiple=True, metavar="N",
                     default=(20_000,), show_default=True,
                     help="Nodes for each of two searches a turn; may be given several times."),
    ),
)  # fmt: skip
