"""Reference searches of a game graph for values and moves, each as its paper states it."""

from __future__ import annotations

from ggp.search.algorithms import (
    ALGORITHMS,
    Algorithm,
    SearchClass,
    algorithm_names,
    find_algorithm,
)
from ggp.search.alphabeta import AlphaBeta
from ggp.search.best_first import BestFirst, BestFirstOptions
from ggp.search.bounded import Bounded, BoundedOptions
from ggp.search.evaluation import Estimator, Evaluation, ValueNet
from ggp.search.information_sets import InformationSetSearch
from ggp.search.leaf_values import CLASSIFIERS, Classifier, LeafValue, LeafValueTable
from ggp.search.limit import NO_LIMIT, Limit
from ggp.search.maxn import MaxN, MaxNOptions
from ggp.search.mcts import TreeOptions, TreeSearch
from ggp.search.minimax import Minimax
from ggp.search.options import SearchOptions
from ggp.search.prunings import BranchAndBound, LastBranch, Shallow, Speculative
from ggp.search.puzzle import Planner, PlannerOptions
from ggp.search.result import SearchResult, ValueVector
from ggp.search.role_search import RoleOptions
from ggp.search.search import DEFAULT_TABLE_SIZE, Search
from ggp.search.searcher import RatesMoves, Searcher, WithoutHorizon

__all__ = [
    "ALGORITHMS",
    "CLASSIFIERS",
    "DEFAULT_TABLE_SIZE",
    "NO_LIMIT",
    "Algorithm",
    "AlphaBeta",
    "BestFirst",
    "BestFirstOptions",
    "Bounded",
    "BoundedOptions",
    "BranchAndBound",
    "Classifier",
    "Estimator",
    "Evaluation",
    "InformationSetSearch",
    "LastBranch",
    "LeafValue",
    "LeafValueTable",
    "Limit",
    "MaxN",
    "MaxNOptions",
    "Minimax",
    "Planner",
    "PlannerOptions",
    "RatesMoves",
    "RoleOptions",
    "Search",
    "SearchClass",
    "SearchOptions",
    "SearchResult",
    "Searcher",
    "Shallow",
    "Speculative",
    "TreeOptions",
    "TreeSearch",
    "ValueNet",
    "ValueVector",
    "WithoutHorizon",
    "algorithm_names",
    "find_algorithm",
]
