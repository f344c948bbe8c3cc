"""What the planner's reference and its engine share: what they are asked, and what they find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ggp.graph import GameGraph
from ggp.kif import Symbol
from ggp.reasoner import JointMove, State
from ggp.search.evaluation import Estimator
from ggp.search.leaf_values import Classifier, LeafValueTable
from ggp.search.result import Costs, SearchResult
from ggp.search.settings import SearchSettings
from ggp.search.tree.observer import Observer

__all__ = ["ALGORITHM", "Plan", "check_puzzle", "plan_result", "settings_of_puzzle"]

#: The name of the algorithm.
ALGORITHM = "planner"


@dataclass(frozen=True, slots=True)
class Plan:
    """A line of play from a state to the end of the game."""

    #: What the role gets there.
    goal: int
    joint_moves: tuple[JointMove, ...]
    #: The states that it passes through, from the first to the last one.
    states: tuple[State, ...]

    def after(self, state: State) -> Plan | None:
        """Return the rest of the plan from a state that it passes through; None for others."""
        if state not in self.states:
            return None
        place = self.states.index(state)
        return Plan(self.goal, self.joint_moves[place:], self.states[place:])


def check_puzzle(roles: Sequence[Symbol]) -> None:
    """Raise `ValueError` unless there is one role: `random` would be a second one."""
    if len(roles) != 1:
        names = ", ".join(map(str, roles))
        raise ValueError(f"{ALGORITHM} solves games of one role; the roles are {names}")


def settings_of_puzzle(
    graph: GameGraph,
    *,
    role: int | None = None,
    classifier: Classifier = "lvt",
    leaf_values: LeafValueTable | None = None,
    evaluation: Estimator | None = None,
    observer: Observer | None = None,
) -> SearchSettings:
    """Return the settings of a planner of a graph.

    Args:
        graph: the game.
        role: the number of the role, which is 0.
        classifier: what tells the highest goal; the search ends where it is reached.
        leaf_values: what the classifier knows; None for the table of level 1.
        evaluation: not used, as a planner estimates nothing.
        observer: must be None, as a planner has no tree of which it could be told.

    Raises:
        ValueError: the game has several roles, or there is an observer.
    """
    check_puzzle(graph.roles)
    if observer is not None:
        raise ValueError(f"{ALGORITHM} searches no tree that could be drawn")
    return SearchSettings.of(
        graph,
        algorithm=ALGORITHM,
        role=role,
        classifier=classifier,
        leaf_values=leaf_values,
        evaluation=evaluation,
    )


def plan_result(
    settings: SearchSettings,
    plan: Plan | None,
    *,
    exact: bool,
    depth: int,
    horizon: int | None,
    engine: str,
    first: JointMove | None,
    costs: Costs,
    simulations: int | None = None,
) -> SearchResult:
    """Return the result of a planner.

    Args:
        settings: what it was asked for.
        plan: the best plan so far; None if there is none.
        exact: whether no plan is better. Without any plan, the role gets 0 then: every play goes on
            for ever, or into a state in which the role cannot move.
        depth: the length of the longest line that was looked at.
        horizon: the limit of a completed search with a depth limit.
        engine: what searched.
        first: the joint move to make where there is no plan.
        costs: what it cost.
        simulations: how many playouts it took.
    """
    value = plan.goal if plan is not None else 0 if exact else None
    moves = () if plan is None else plan.joint_moves
    return SearchResult(
        algorithm=settings.algorithm,
        classifier=settings.classifier,
        roles=settings.roles,
        role=settings.role,
        value=value,
        goals=(value,),
        joint_move=moves[0] if moves else first,
        variation=moves,
        exact=exact,
        depth=depth,
        horizon=horizon,
        engine=engine,
        simulations=simulations,
        **costs,
    )
