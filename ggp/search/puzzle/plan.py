"""What the planner's reference and its engine share: what they are asked, and what they find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ggp.kif import Symbol
from ggp.reasoner import JointMove, State
from ggp.search.options import SearchOptions
from ggp.search.result import Costs, SearchResult
from ggp.search.settings import SearchSettings

__all__ = ["ALGORITHM", "Plan", "PlannerOptions", "check_puzzle", "plan_result"]

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


@dataclass(frozen=True, kw_only=True)
class PlannerOptions(SearchOptions):
    """The options of a planner: the classifier tells the highest goal, at which it ends.

    Raises:
        ValueError: there is an evaluation, as a planner estimates nothing.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.evaluation is not None:
            raise ValueError(f"{ALGORITHM} estimates nothing, and takes no evaluation")

    def check(self, roles: Sequence[Symbol]) -> None:
        """Raise `ValueError` if there are several roles."""
        check_puzzle(roles)


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
