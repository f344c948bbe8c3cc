"""What leaf-value tables save in open-hand Spades for three: the nodes of the first move.

N. Sturtevant, "Leaf-Value Tables for Pruning Non-Zero-Sum Games", IJCAI 2005, Table 2: nine cards
for each of three players, searched to the end of the hand, with a transposition table. The columns
are the whole tree; the pruning known before, speculative pruning by the sum alone (bounds prune if
they add up to maxsum), where the sum of the scores is not constant (NCS: the players want smOT) and
where it is (MT: tricks); and speculative pruning by leaf-value tables, for five things that players
may want.

The paper leaves some details open. Here, the bids are made by the high cards, and add up to 6.8 of
9 tricks on average; `--bidding` selects another rule. Spades may not be led until one has been
played. Of equivalent cards only one may be played, and the deal determines which cards are
equivalent.
"""

from __future__ import annotations

from dataclasses import replace

from ggp.experiments.cards.columns import SMALL_TABLE, Column, Comparison

__all__ = ["COMPARISON", "command"]

_LITERAL = Column(name="", row_filter="literal", table_bytes=SMALL_TABLE)
_MOMB = Column(name="MoMB", evaluation="momb", row_filter="literal", paper=400_000, factor=6.6)
_TABLES = (
    _MOMB,
    replace(_LITERAL, name="mOT", evaluation="mot", paper=37_200, factor=71),
    replace(_LITERAL, name="smOT", evaluation="smot", paper=8_600, factor=308),
    replace(_LITERAL, name="WL", evaluation="wl", paper=788, factor=3362),
    replace(_LITERAL, name="OH", evaluation="oh", paper=40_700, factor=65),
)

COMPARISON = Comparison(
    title="Nodes for the first move, three players",
    players=3,
    cards=9,
    columns=(
        Column(name="Full", algorithm="maxn", classifier="none", paper=2_700_000),
        Column(name="NCS", evaluation="smot", classifier="sum", paper=1_900_000, factor=1.36),
        Column(name="MT", evaluation="mt", classifier="sum", paper=1_100_000, factor=2.37),
        *_TABLES,
        Column(name="MT table", evaluation="mt", row_filter="literal"),
        *(
            replace(
                column, name=f"{column.name} upper", row_filter="upper", paper=None, factor=None
            )
            for column in _TABLES
        ),
        Column(name="MT exact", evaluation="mt"),
        Column(name="MoMB exact", evaluation="momb"),
        Column(name="mOT exact", evaluation="mot", table_bytes=SMALL_TABLE),
        Column(name="smOT exact", evaluation="smot", table_bytes=SMALL_TABLE),
        Column(name="OH exact", evaluation="oh", table_bytes=SMALL_TABLE),
        Column(name="MT discrete", evaluation="mt", classifier="linear", discrete=True),
        Column(name="mOT linear", evaluation="mot", table_bytes=SMALL_TABLE, classifier="linear"),
        Column(name="formula", evaluation="formula", row_filter="upper"),
        Column(name="formula exact", evaluation="formula"),
        Column(name="MT upper", evaluation="mt", row_filter="upper", by_default=False),
    ),
    notes=(
        "The columns named as in the paper have Figure 9's filter, upper bounds of tricks. Upper "
        "has upper bounds of ranks, and exact the tightest filter.",
        "NCS, MT: the sum of the bounds against the maxsum of the table, as in the paper. Linear: "
        "a role that holds its highest rank prunes, too. Discrete: that on whole numbers.",
        "Factor: the mean of the first column divided by that of this one, as in the paper.",
    ),
)

command = COMPARISON.command(
    "table2",
    help="Nodes with leaf-value tables, Spades for three. (Sturtevant 2005, Table 2)",
)
