"""Reference searches of a game graph for values and moves, each as its paper states it."""

from __future__ import annotations

from ggp.search.alphabeta import AlphaBeta
from ggp.search.best_first import BestFirst
from ggp.search.bounded import Bounded
from ggp.search.evaluation import Estimator, Evaluation, ValueNet
from ggp.search.leaf_values import CLASSIFIERS, Classifier, LeafValue, LeafValueTable
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.maxn import MaxN
from ggp.search.mcts import TreeSearch, TreeSettings
from ggp.search.minimax import Minimax
from ggp.search.prunings import BranchAndBound, LastBranch, Shallow, Speculative
from ggp.search.puzzle import Planner
from ggp.search.result import SearchResult, ValueVector
from ggp.search.search import DEFAULT_TABLE_SIZE, Search
from ggp.search.searcher import RatesMoves, SearchAlgorithm, Searcher

__all__ = [
    "ALGORITHMS",
    "CLASSIFIERS",
    "DEFAULT_TABLE_SIZE",
    "NO_LIMIT",
    "AlphaBeta",
    "BestFirst",
    "Bounded",
    "BranchAndBound",
    "Classifier",
    "Estimator",
    "Evaluation",
    "LastBranch",
    "LeafValue",
    "LeafValueTable",
    "Limit",
    "MaxN",
    "Minimax",
    "Planner",
    "RatesMoves",
    "Search",
    "SearchAlgorithm",
    "SearchResult",
    "Searcher",
    "Shallow",
    "Speculative",
    "TreeSearch",
    "TreeSettings",
    "ValueNet",
    "ValueVector",
]

#: The searches by the name of their algorithm. One more entry makes a search known to `ggp solve`,
#: the manager and the experiments.
ALGORITHMS: dict[str, SearchAlgorithm] = {
    Minimax.algorithm: Minimax,
    Bounded.algorithm: Bounded,
    AlphaBeta.algorithm: AlphaBeta,
    BestFirst.algorithm: BestFirst,
    MaxN.algorithm: MaxN,
    Shallow.algorithm: Shallow,
    BranchAndBound.algorithm: BranchAndBound,
    LastBranch.algorithm: LastBranch,
    Speculative.algorithm: Speculative,
    TreeSearch.algorithm: TreeSearch,
    Planner.algorithm: Planner,
}
