"""Planning: games of one role, which are puzzles, are solved and not played."""

from __future__ import annotations

from ggp.search.puzzle.plan import Plan, PlannerOptions, check_puzzle, plan_result
from ggp.search.puzzle.planner import Planner

__all__ = ["Plan", "Planner", "PlannerOptions", "check_puzzle", "plan_result"]
