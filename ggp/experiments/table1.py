"""The leaf-value table of three tricks of Spades for three players.

Each player holds three spades and has made a bid. A player who takes at least as many tricks as
were bid scores

    10 x bid - overtricks + 3 x opponents who miss their bid

points; any other player scores the least. The table is enumerated from the rules of the game, which
do not list the ten ways to distribute three tricks.

(N. Sturtevant, "Leaf-value tables for pruning non-zero-sum games", IJCAI 2005: Table 1; Figure 8,
the bounds of two players with which a branch can be pruned; and the daggered rows of the table,
which are not possible any more when the second player has taken a trick. Figures 2, 5 and 7, which
show the same for a constant sum, are drawn beside it.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias, get_args

import click

from ggp.experiments.running.runner import (
    Measured,
    Report,
    Result,
    Table,
    Task,
    experiment_command,
    fingerprint,
)
from ggp.experiments.running.searching import leaf_values, opened, play
from ggp.gdl import Description
from ggp.kif import Symbol
from ggp.search import LeafValue, LeafValueTable
from ggp.search.leaf_values import Possible, RowFilter, region_svg

__all__ = [
    "command",
    "constant_sum_regions",
    "constant_sum_table",
    "measure",
    "points",
    "report",
    "rules",
    "tasks",
]

#: Tricks, points or bids, one for each player.
Three: TypeAlias = tuple[int, int, int]

ROLES = ("p1", "p2", "p3")
TRICKS = 3
#: Of all bids, only these, in any order, have ten different rows and a maxsum of 4.
BIDS: Three = (1, 1, 2)
PAPER = {"rows": 10, "maxsum": 4}

#: The first trick goes to the second player.
SECOND_TAKES_ONE = ("s3 noop noop", "noop s7 noop", "noop noop s2")

#: What the ranks add up to in Figures 4 to 7, and what the third player holds in Figure 6.
MAXSUM = 10
THIRD_HOLDS = 3

# A player who bids nothing can score less than nothing, which no goal can express.
_BIDS = range(1, TRICKS + 1)

_TITLE = "Three tricks of Spades for three players"

# Seconds to enumerate the leaf-value table.
_PATIENCE = 60.0


def points(bids: Three, tricks: Three) -> Three:
    """Return the points of each player for a hand, by the formula.

    >>> points((1, 1, 2), (2, 0, 1))
    (15, 0, 0)
    """
    missed = [taken < bid for taken, bid in zip(tricks, bids, strict=True)]

    def worth(player: int) -> int:
        over = tricks[player] - bids[player]
        return 0 if over < 0 else 10 * bids[player] - over + 3 * sum(missed)

    return worth(0), worth(1), worth(2)


def rules(bids: Three) -> str:
    """Return the rules of the game."""
    cards = range(1, TRICKS * len(ROLES) + 1)
    taken = range(TRICKS + 1)
    lines = [f"(role {role})" for role in ROLES]
    for i, role in enumerate(ROLES):
        left, right = ROLES[(i + 1) % 3], ROLES[(i + 2) % 3]
        lines += [f"(others {role} {left} {right})", f"(bid {role} {bids[i]})"]
        lines.append(f"(init (took {role} 0))")
    lines += [f"(init (hand {ROLES[card % 3]} s{card}))" for card in cards]
    lines += [f"(higher s{high} s{low})" for high in cards for low in cards if low < high]
    lines += [f"(succ {n} {n + 1})" for n in taken]
    lines += [f"(fewer {n} {m})" for n in taken for m in taken if n < m]
    lines += [
        f"(score {bid} {n} {missed} {10 * bid - (n - bid) + 3 * missed})"
        for bid in taken for n in taken if n >= bid for missed in range(len(ROLES))
    ]  # fmt: skip
    lines.append(
        """
        (init (control p1))
        (<= (legal ?p ?c) (true (control ?p)) (true (hand ?p ?c)))
        (<= (legal ?p noop) (role ?p) (not (true (control ?p))))

        ; Three cards make a trick, and the highest takes it and leads to the next.
        (<= (shown ?p ?c) (true (table ?p ?c)))
        (<= (shown ?p ?c) (does ?p ?c) (true (hand ?p ?c)))
        (<= third (true (table ?p ?c)) (true (table ?q ?d)) (distinct ?p ?q))
        (<= (beaten ?p) (shown ?p ?c) (shown ?q ?d) (higher ?d ?c))
        (<= (wins ?p) third (role ?p) (not (beaten ?p)))
        (<= (next (hand ?p ?c)) (true (hand ?p ?c)) (not (does ?p ?c)))
        (<= (next (table ?p ?c)) (shown ?p ?c) (not third))
        (<= (next (control ?p)) (wins ?p))
        (<= (next (control ?q)) (true (control ?p)) (others ?p ?q ?r) (not third))
        (<= (next (took ?p ?m)) (true (took ?p ?n)) (wins ?p) (succ ?n ?m))
        (<= (next (took ?p ?n)) (true (took ?p ?n)) (not (wins ?p)))

        (<= playing (true (hand ?p ?c)))
        (<= playing (true (table ?p ?c)))
        (<= terminal (not playing))

        (<= (missed ?p) (true (took ?p ?n)) (bid ?p ?b) (fewer ?n ?b))
        (<= (misses ?p 0) (others ?p ?q ?r) (not (missed ?q)) (not (missed ?r)))
        (<= (misses ?p 1) (others ?p ?q ?r) (missed ?q) (not (missed ?r)))
        (<= (misses ?p 1) (others ?p ?q ?r) (not (missed ?q)) (missed ?r))
        (<= (misses ?p 2) (others ?p ?q ?r) (missed ?q) (missed ?r))
        (<= (goal ?p 0) (missed ?p))
        (<= (goal ?p ?g) (true (took ?p ?n)) (bid ?p ?b) (misses ?p ?m) (score ?b ?n ?m ?g))
        """
    )
    return "\n".join(lines)


def tasks(*, bids: Three, every_bid: bool) -> Iterator[Task]:
    """Yield a task for the given bids and, with `every_bid`, one for each other way to bid."""
    every = product(_BIDS, repeat=3) if every_bid else ()
    for each in dict.fromkeys((bids, *every)):
        yield {"bids": " ".join(map(str, each)), "rules": fingerprint(rules(each))}


def measure(task: Task) -> Result:
    """Enumerate the table from the rules, and compute what Figure 8 and the daggers show."""
    bids = _three(str(task["bids"]))
    description = Description.from_text(rules(bids))
    table = leaf_values(description, time_limit=_PATIENCE)
    with opened(description) as graph:
        play(graph, *SECOND_TAKES_ONE)
        facts = graph.facts(graph.root)
    left = {name: Possible(table, row_filter=name)(facts) for name in get_args(RowFilter)}
    return {
        "rows": [
            {
                "tricks": _tricks(row.outcome),
                "points": row.goals,
                "ranks": row.ranks,
                **{name: bool(rows >> number & 1) for name, rows in left.items()},
            }
            for number, row in enumerate(table)
        ],
        "maxsum": table.maxsum,
        "region": _region(table),
        "picture": region_svg(table, 0, 1),
    }


def _three(text: str) -> Three:
    one, two, three = map(int, text.split())
    return one, two, three


def _tricks(outcome: str) -> Three | None:
    """Return the tricks of each player; None if a row stands for several distributions."""
    taken = dict(re.findall(r"\(took (p\d) (\d)\)", outcome))
    return _three(" ".join(taken[role] for role in ROLES)) if len(taken) == len(ROLES) else None


def _region(table: LeafValueTable) -> list[list[str]]:
    """Return, by y and x, which test prunes if the first two players have ranks x and y."""

    def pruned(x: int, y: int) -> str:
        if x + y >= table.maxsum:
            return "linear"
        return "" if table.above(0, x) & table.above(1, y) else "table"

    across, up = len(table.goals[0]) - 1, len(table.goals[1]) - 1
    return [[pruned(x, y) for x in range(across)] for y in range(up)]


def constant_sum_table(players: int) -> LeafValueTable:
    """Return the table of all ways to share out `MAXSUM` among players."""
    ranks = range(MAXSUM + 1)
    shares = (each for each in product(ranks, repeat=players) if sum(each) == MAXSUM)
    rows = tuple(LeafValue(str(each), each, each) for each in shares)
    return LeafValueTable(
        tuple(map(Symbol, ROLES[:players])), (tuple(ranks),) * players, found=rows
    )


def constant_sum_regions() -> dict[str, str]:
    """Return Figures 2, 5 and 7 as SVG, by the names of their files.

    They show which bounds prune where the ranks of each row add up to `MAXSUM`:

    - Figure 2, alpha-beta. The first of two players holds alpha, and the second `MAXSUM` - beta.
      That these bounds add up to `MAXSUM` or more is the same as beta - alpha <= 0.
    - Figure 5, shallow pruning. Two of three players hold something.
    - Figure 7, speculative pruning. All three do; the third holds what it does in Figure 6.

    In the paper the points lie close together, and the linear test misses nothing. Ranks are whole
    numbers: a row that gives each of k players more than it holds has a sum that is k more. Where
    the bounds add up to less than `MAXSUM` but to more than `MAXSUM` - k, only the table prunes.
    """
    two, three = constant_sum_table(2), constant_sum_table(3)
    return {
        "figure2.svg": region_svg(two, 0, 1),
        "figure5.svg": region_svg(three, 0, 1),
        "figure7.svg": region_svg(three, 0, 1, held={2: THIRD_HOLDS}),
    }


def report(measured: Sequence[Measured]) -> Report:
    """Lay out the table of the first bids, its region, and the size of the tables of other bids."""
    if not measured:
        return Report(_TITLE, ())
    found, bids = measured[0].result, str(measured[0].task["bids"])
    rows = found["rows"]
    paper = PAPER if _three(bids) == BIDS else {}
    values = tuple(
        (
            *(_written(row[name]) for name in ("tricks", "points")),
            _written(row["tricks"] and points(_three(bids), row["tricks"])),
            _written(row["ranks"]),
            row["exact"],
            row["upper"],
            row["literal"],
        )
        for row in sorted(rows, key=lambda row: row["tricks"] or [], reverse=True)
    )
    grid = found["region"]
    tables = [
        Table(
            f"the rows, by the rules of the game; bids {bids}",
            (
                *("tricks", "points", "by the formula", "ranks", "p2 took one"),
                *("by bounds of ranks", "by bounds of tricks"),
            ),
            values,
        ),
        Table(
            "size of the table",
            ("", "paper", "ours"),
            (
                ("rows", paper.get("rows"), len(rows)),
                ("maxsum", paper.get("maxsum"), found["maxsum"]),
            ),
        ),
        Table(
            "the test that prunes a branch where p1 and p2 have ranks x and y",
            ("y", *(f"x = {x}" for x in range(len(grid[0])))),
            tuple((y, *grid[y]) for y in reversed(range(len(grid)))),
        ),
    ]
    if len(measured) > 1:
        every = tuple(
            (str(done.task["bids"]), len(done.result["rows"]), done.result["maxsum"])
            for done in measured
        )
        tables.append(Table("other bids", ("bids", "rows", "maxsum"), every))
    return Report(
        _TITLE, tuple(tables), files={"region.svg": found["picture"], **constant_sum_regions()}
    )


def _written(numbers: Sequence[int] | None) -> str | None:
    return None if numbers is None else " ".join(map(str, numbers))


def _bids(_context: object, _parameter: object, bids: Three) -> Three:
    if any(bid not in _BIDS for bid in bids):
        raise click.BadParameter(f"a bid is from {_BIDS[0]} to {_BIDS[-1]}")
    return bids


command = experiment_command(
    "table1",
    help="The leaf-value table of three tricks of Spades. (Sturtevant 2005, Table 1 and Figure 8)",
    tasks=tasks,
    measure=measure,
    report=report,
    options=(
        click.option(
            "--bids",
            type=(int, int, int),
            default=BIDS,
            show_default=True,
            metavar="B B B",
            callback=_bids,
            help="What the three players bid.",
        ),
        click.option(
            "--every-bid", is_flag=True, help="Also show the size of the tables of all other bids."
        ),
    ),
)
