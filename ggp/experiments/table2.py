"""What leaf-value tables save in open-hand Spades for three: the nodes of the first move.

N. Sturtevant, "Leaf-Value Tables for Pruning Non-Zero-Sum Games", IJCAI 2005, Table 2: nine cards
for each of three players, searched to the end of the hand. The columns are the whole tree; the
pruning known before, where the sum of the scores is not constant (NCS); and leaf-value tables, for
six things that players may want.

The paper leaves some details open. Here, all searches use a transposition table, because the trees
are hundreds of times larger without one. The bids are made by the high cards, and add up to 6.8 of
9 tricks on average. Spades may not be led until one has been played. Of equivalent cards only one
may be played, and the deal determines which cards are equivalent. NCS, as in the paper, is
speculative pruning by the sum alone, in the game smOT: bounds prune if they add up to maxsum.
"""

from __future__ import annotations

from dataclasses import replace

from ggp.experiments.cards.columns import SMALL_TABLE, Column, Comparison

__all__ = ["COMPARISON", "command"]

_TABLES = (
    Column(name="MT", evaluation="mt", row_filter="upper", paper=1_100_000),
    Column(name="MoMB", evaluation="momb", row_filter="upper", paper=400_000),
    Column(name="mOT", evaluation="mot", table_bytes=SMALL_TABLE, row_filter="upper", paper=37_200),
    Column(
        name="smOT", evaluation="smot", table_bytes=SMALL_TABLE, row_filter="upper", paper=8_600
    ),
    Column(name="WL", evaluation="wl", table_bytes=SMALL_TABLE, row_filter="upper", paper=788),
    Column(name="OH", evaluation="oh", table_bytes=SMALL_TABLE, row_filter="upper", paper=40_700),
)

COMPARISON = Comparison(
    title="Nodes for the first move, three players",
    players=3,
    cards=9,
    columns=(
        Column(name="Full", algorithm="maxn", classifier="none", paper=2_700_000),
        Column(name="NCS", evaluation="smot", classifier="sum", paper=1_900_000),
        *_TABLES,
        Column(name="MT linear", evaluation="mt", classifier="linear"),
        Column(name="MT exact", evaluation="mt"),
        Column(name="MoMB exact", evaluation="momb"),
        Column(name="mOT exact", evaluation="mot", table_bytes=SMALL_TABLE),
        Column(name="smOT exact", evaluation="smot", table_bytes=SMALL_TABLE),
        Column(name="OH exact", evaluation="oh", table_bytes=SMALL_TABLE),
        Column(name="MT discrete", evaluation="mt", classifier="linear", discrete=True),
        Column(name="mOT linear", evaluation="mot", table_bytes=SMALL_TABLE, classifier="linear"),
        Column(name="formula", evaluation="formula", row_filter="upper"),
        Column(name="formula exact", evaluation="formula"),
        *(
            replace(
                column,
                name=f"{column.name} literal",
                row_filter="literal",
                paper=None,
                by_default=False,
            )
            for column in _TABLES
        ),
    ),
    notes=(
        "Literal is Figure 9's filter, upper bounds of tricks. The columns named as in the paper "
        "have upper bounds of ranks. Exact is the tightest filter.",
        "NCS: the sum of the bounds against the maxsum of the table. Linear: a role that holds its "
        "highest rank prunes, too. Discrete: the linear test on whole numbers.",
    ),
)

command = COMPARISON.command(
    "table2",
    help="Nodes with leaf-value tables, Spades for three. (Sturtevant 2005, Table 2)",
)
