"""Steps through the search of a small game."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.gdl import RANDOM
from ggp.graph import GameGraph
from ggp.reasoner import Reasoner
from ggp.search.alphabeta import AlphaBeta
from ggp.search.bounded import Bounded
from ggp.search.classifiers import decisive
from ggp.search.leaf_values import Classifier, LeafValueTable, RowFilter
from ggp.search.limit import Limit
from ggp.search.maxn import MaxN
from ggp.search.mcts import TreeSearch
from ggp.search.minimax import Minimax
from ggp.search.prunings import BranchAndBound, LastBranch, Shallow, Speculative
from ggp.search.result import SearchResult
from ggp.search.search import Search
from ggp.search.tree.reasons import Reasons
from ggp.search.tree.recorder import Recorder
from ggp.search.tree.steps import Step, Steps
from ggp.search.tree.visits import ObservedTreeSearch

__all__ = ["DEFAULT_VISITS", "STEPPED", "Stepped", "stepped"]

_SEARCHES: tuple[type[Search[Any]], ...] = (
    Minimax, Bounded, AlphaBeta, MaxN, Shallow, BranchAndBound, LastBranch, Speculative,
)  # fmt: skip
_BY_NAME = {kind.algorithm: kind for kind in _SEARCHES}
#: The names of the searches that can be stepped through.
STEPPED = (*_BY_NAME, TreeSearch.algorithm)
#: The visits of a tree search, if no other number is asked for.
DEFAULT_VISITS = 30


@dataclass(frozen=True, slots=True)
class Stepped:
    """A search with all its steps."""

    result: SearchResult
    steps: list[Step]
    recorder: Recorder
    reasons: Reasons


def stepped(
    reasoner: Reasoner,
    algorithm: str | None = None,
    *,
    role: int | None = None,
    classifier: Classifier = "lvt",
    row_filter: RowFilter | None = None,
    leaf_values: LeafValueTable,
    depth: int | None = None,
    visits: int | None = None,
    deadline: Deadline | None = None,
) -> Stepped:
    """Search a game from its first state, without a transposition table, and write down each step.

    Args:
        reasoner: the game.
        algorithm: one of `STEPPED`; None for alpha-beta with two roles or one, else speculative.
        role: the number of the role to search for; None for the first that is not `random`.
        classifier: what decides that nothing better can follow.
        row_filter: max-n: how closely to ask which rows are possible below a state; None for
            exact.
        leaf_values: what the classifier knows.
        depth: how many joint moves to look ahead.
        visits: how many visits a tree search makes, unless it has proven the value before.
        deadline: ends the search.

    Raises:
        ValueError: the search takes no filter, depth or visits, or does not compare what several
            roles hold, as the hull does.
        GgpError: the search visits more nodes than a drawing may have, or is ended.
    """
    roles = reasoner.roles
    choosers = [number for number, name in enumerate(roles) if str(name) != RANDOM]
    if role is None:
        role = choosers[0] if choosers else 0
    if algorithm is None:
        algorithm = Speculative.algorithm if len(choosers) > 2 else AlphaBeta.algorithm
    is_tree = algorithm == TreeSearch.algorithm
    of_all = not is_tree and issubclass(_BY_NAME[algorithm], MaxN)
    if not of_all and (classifier == "hull" or row_filter is not None):
        raise ValueError(f"{algorithm} takes no filter and no hull: they are for rules of max-n")
    if is_tree and depth is not None:
        raise ValueError(f"{algorithm} has no depth, but visits")
    if not is_tree and visits is not None:
        raise ValueError(f"visits are for {TreeSearch.algorithm}")
    has_chance = len(choosers) < len(roles)
    at_leaves = depth is None and not has_chance and classifier != "hull"
    decides = decisive(leaf_values, classifier, at_leaves=at_leaves) if of_all else classifier
    recorder = Recorder(roles, role)
    reasons = Reasons(roles, leaf_values, decides, role)
    chosen: dict[str, Any] = {"role": role, "classifier": classifier, "leaf_values": leaf_values}
    if is_tree:
        tree = ObservedTreeSearch(GameGraph(reasoner), recorder, **chosen)
        result = tree.run(
            limit=Limit(nodes=visits or DEFAULT_VISITS, deadline=deadline or Deadline())
        )
        tree.finish()
        return Stepped(result, tree.steps, recorder, reasons)
    steps = Steps(recorder, reasons, of_all=of_all)
    options = {} if row_filter is None else {"row_filter": row_filter}
    search = _BY_NAME[algorithm](
        GameGraph(reasoner), table_size=0, observer=steps, **chosen, **options
    )
    result = search.run(limit=Limit(depth=depth, deadline=deadline or Deadline()))
    if not result.completed:
        raise GgpError("the search was ended before it was done")
    return Stepped(result, steps.steps, recorder, reasons)
