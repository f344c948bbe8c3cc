"""Leaf-value tables at play: open games of Spades for three, to 300 points.

N. Sturtevant, "Leaf-Value Tables for Pruning Non-Zero-Sum Games", IJCAI 2005, Table 4: players who
prune by a leaf-value table against players who prune by the linear test, in each of the six ways to
seat both kinds at the table. All see all cards, and may expand so many nodes a turn.

A player searches to the end of the hand; if that takes too many nodes, it searches as many tricks
deep as it can with as many again, and takes what has been made so far for what will be. There both
kinds are the same: a leaf-value table knows nothing of estimates.

A hand is worth 10 x bid - overtricks + 3 x opponents who miss their bid, and nothing if the own bid
is missed. Who leads changes from hand to hand. The hands of a game are the same however the players
are seated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

from experiments.cards.deal import Deal, deal
from experiments.cards.rulesheet import rulesheet
from experiments.frame import (
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
from experiments.searching import opened
from experiments.statistics import Summary
from ggp.engine import engine_search
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.kif import Source
from ggp.search import LeafValueTable

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

#: What the players prune by, in the order of the seats: all but three of a kind.
ARRANGEMENTS = [kinds for kinds in product(("lvt", "linear"), repeat=3) if len(set(kinds)) > 1]
#: Of the paper: how many of 100 games a kind wins, and its points at the end.
PAPER = {"lvt": (62.3, 263), "linear": (37.7, 226)}

_GOAL = 300
_HANDS = 1_000
_TABLE_BYTES = 16 << 20
_PATIENCE = 120.0


def points(bids: Sequence[int], tricks: Sequence[int]) -> tuple[int, ...]:
    """Return what a hand is worth to each player.

    >>> points((3, 2, 2), (5, 3, 1))
    (31, 22, 0)
    """
    missed = [taken < bid for taken, bid in zip(tricks, bids, strict=True)]
    return tuple(
        0 if missed[player] else 10 * bid - (taken - bid) + 3 * sum(missed)
        for player, (taken, bid) in enumerate(zip(tricks, bids, strict=True))
    )


def play_hand(dealt: Deal, kinds: Sequence[str], *, nodes: int) -> tuple[list[int], Counter[str]]:
    """Play a hand with players who prune by these kinds.

    Returns:
        How many tricks each has taken; and for each kind the turns with a choice, and those that
        were searched to the end of the hand.
    """
    description = Description.from_text(Source(rulesheet(dealt, evaluation="formula"), "a hand"))
    turns: Counter[str] = Counter()
    with opened(description) as graph:
        searches = {
            "lvt": _search(
                graph, "lvt", LeafValueTable.enumerate(description, time_limit=_PATIENCE)
            ),
            "linear": _search(graph, "linear", LeafValueTable.of(description)),
        }
        while not (expansion := graph.expansion(graph.root)).terminal:
            choices = list(map(len, expansion.legal))
            number = 0
            if max(choices) > 1:
                player = choices.index(max(choices))
                kind = kinds[player]
                found = searches[kind].run(nodes=nodes)
                turns[kind] += 1
                turns[f"{kind} to the end"] += found.exact
                if not found.exact:
                    *_, found = searches[kind].deepen(nodes=nodes)
                joint_moves = list(expansion.joint_moves)
                number = joint_moves.index(found.joint_move)
            graph.set_root(expansion.children[number])
        facts = graph.facts(graph.root)
    return _tricks(list(map(str, facts)), dealt.roles), turns


def _search(graph: GameGraph, kind: str, table: LeafValueTable) -> Any:
    found = engine_search(
        graph,
        "speculative",
        table_bytes=_TABLE_BYTES,
        whole_table=True,
        classifier=kind,
        leaf_values=table,
    )
    if found is None:
        raise GgpError("the engine cannot search this game")
    return found


def _tricks(facts: Sequence[str], roles: Sequence[str]) -> list[int]:
    words = (fact.strip("()").split() for fact in facts)
    taken = {word[1]: int(word[2]) for word in words if word[0] == "took"}
    return [taken[role] for role in roles]


def tasks(*, deals: int, seed: int, cards: int, nodes: int) -> Iterator[Task]:
    """Yield a task for every game and arrangement."""
    rules = rulesheet(deal("spades", cards=cards, seed=seed), evaluation="formula")
    for game in range(1, deals + 1):
        for kinds in ARRANGEMENTS:
            yield {
                "game": game,
                "players": " ".join(kinds),
                "seed": seed,
                "cards": cards,
                "nodes": nodes,
                "rules": fingerprint(rules),
            }


def measure(task: Task) -> Result:
    """Play a game to 300."""
    kinds = str(task["players"]).split()
    scores, turns, hands = [0, 0, 0], Counter[str](), 0
    while max(scores) < _GOAL:
        number = _HANDS * integer(task, "game") + hands
        dealt = deal(
            "spades", cards=integer(task, "cards"), seed=integer(task, "seed"), number=number
        )
        # The player at seat i of this hand; who leads changes.
        seats = [(seat + hands) % len(kinds) for seat in range(len(kinds))]
        tricks, played = play_hand(
            dealt, [kinds[player] for player in seats], nodes=integer(task, "nodes")
        )
        for player, won in zip(seats, points(dealt.bids, tricks), strict=True):
            scores[player] += won
        turns += played
        hands += 1
    return {"scores": scores, "hands": hands, "turns": dict(turns)}


def report(measured: Sequence[Measured]) -> Report:
    """Lay out wins and points of each kind beside the paper's."""
    rows = [_row(kind, measured) for kind in PAPER] if measured else []
    columns = (
        "prunes by", "games", "paper wins %", "wins %", "standard error", "paper points", "points",
        "standard error of points", "turns to the end %",
    )  # fmt: skip
    hands = Summary.of([done.result["hands"] for done in measured])
    notes = (
        "A game with several winners counts for each of them in equal parts.",
        f"Hands a game: {hands.mean:.1f}." if hands.mean else "No game is over.",
    )
    return Report(
        "Open games of Spades to 300", (Table("Six arrangements", columns, tuple(rows)),), notes
    )


def _row(kind: str, measured: Sequence[Measured]) -> tuple[Any, ...]:
    wins, scores, turns, ends = [], [], 0, 0
    for done in measured:
        kinds = str(done.task["players"]).split()
        final = done.result["scores"]
        winners = [kinds[i] for i, score in enumerate(final) if score == max(final)]
        wins.append(100 * winners.count(kind) / len(winners))
        scores += [score for score, other in zip(final, kinds, strict=True) if other == kind]
        turns += done.result["turns"].get(kind, 0)
        ends += done.result["turns"].get(f"{kind} to the end", 0)
    won, scored = Summary.of(wins), Summary.of(scores)
    paper_wins, paper_points = PAPER[kind]
    return (
        kind, won.count, paper_wins, won.mean, won.standard_error, paper_points, scored.mean,
        scored.standard_error, 100 * ends / turns if turns else None,
    )  # fmt: skip


def plot(report: Report, figure: Figure) -> None:
    """Draw wins and points, ours and the paper's."""
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
    help="Open games of Spades: leaf-value table against linear test. (Sturtevant 2005, Table 4)",
    tasks=tasks,
    measure=measure,
    report=report,
    plot=plot,
    deals=20,
    options=(
        number_option("--cards", default=9, most=17, text="Cards for each player."),
        number_option("--nodes", default=20_000, text="Nodes that may be expanded, twice a turn."),
    ),
)
