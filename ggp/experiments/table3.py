"""What leaf-value tables save in open-hand Spades for two: the nodes of the first move.

N. Sturtevant, "Leaf-Value Tables for Pruning Non-Zero-Sum Games", IJCAI 2005, Table 3: thirteen
cards for each of two players, searched to the end of the hand. The columns are the whole tree; the
pruning of non-zero-sum games known before, NCS as in Table 2; alpha-beta, where players want as
many tricks as they can get, which is zero-sum; and leaf-value tables. All searches use a
transposition table, as in Table 2.
"""

from __future__ import annotations

from ggp.experiments.cards.columns import Column, Comparison

__all__ = ["COMPARISON", "command"]

COMPARISON = Comparison(
    title="Nodes for the first move, two players",
    players=2,
    cards=13,
    columns=(
        Column(name="Full", algorithm="maxn", classifier="none", paper=481_000),
        Column(name="NCS", evaluation="smot", classifier="sum", paper=225_000, factor=2.14),
        Column(
            name="alpha-beta", evaluation="mt", algorithm="alphabeta", paper=14_000, factor=34.4
        ),
        Column(name="LVT mOT", row_filter="literal", paper=22_000, factor=21.9),
        Column(name="LVT smOT", evaluation="smot", row_filter="literal", paper=22_000, factor=21.9),
        Column(name="mOT upper", row_filter="upper"),
        Column(name="smOT upper", evaluation="smot", row_filter="upper"),
        Column(name="NCS mOT", classifier="sum", paper=225_000, factor=2.14),
        Column(name="LVT formula", evaluation="formula", row_filter="literal"),
        Column(name="mOT exact", evaluation="mot"),
        Column(name="formula exact", evaluation="formula"),
        Column(name="MT linear", evaluation="mt", classifier="linear"),
        Column(name="mOT linear", evaluation="mot", classifier="linear"),
        Column(
            name="alpha-beta linear",
            evaluation="mt",
            algorithm="alphabeta",
            classifier="linear",
            by_default=False,
        ),
    ),
    notes=(
        "The LVT columns have Figure 9's filter, upper bounds of tricks. Upper has upper bounds of "
        "ranks, and exact the tightest filter.",
        "The paper does not name the evaluation of its two columns that are not zero-sum: NCS and "
        "LVT smOT want the same, and so do NCS mOT and LVT mOT.",
        "Factor: the mean of the first column divided by that of this one, as in the paper.",
        "Alpha-beta keeps the order of the cards, as max-n must; linear, it has no more than the "
        "highest goal from the table.",
    ),
)

command = COMPARISON.command(
    "table3",
    help="Nodes with leaf-value tables, Spades for two. (Sturtevant 2005, Table 3)",
)
