"""What was good and bad in a match: each state searched, and each move compared with the best one.

It goes from the end to the beginning, so that what a search has found of later states helps with
earlier ones. A network that was learned and is trusted estimates what is not proven.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.errors import GameError
from ggp.gdl import RANDOM, Description, canonical
from ggp.graph import GameGraph
from ggp.kif import parse_term
from ggp.match import joint_spelling
from ggp.reasoner import JointMove, Reasoner, State, bounded, open_reasoner
from ggp.search import Limit, Searcher, SearchResult, TreeOptions, TreeSearch
from ggp.server.manager.processes.lessons import learned_evaluation

__all__ = ["review"]

_MAX_STATES, _TABLE_BYTES = 300_000, 64 << 20
#: The share of the time in which the machine code must be there, and seconds for one search.
_COMPILING, _MOST = 0.2, 4.0
#: Goals that a move loses at least to be a mistake, and to be a blunder; and the joint moves of a
#: better line.
_MISTAKE, _BLUNDER, _LINE = 15.0, 40.0, 8


def review(
    description: Description, moves: Sequence[Sequence[str]], deadline: Deadline
) -> Iterator[dict[str, Any]]:
    """Yield what has been found so far: ``steps``, and whether it is ``complete``.

    An entry is about the move of a role that had a choice: its `step` (joint moves before it),
    `role`, the goal that the best move gets (`value`) and the one that was made (`after`), whether
    both are `proven`, the `mark` ("?" for a mistake, "??" for a blunder, or empty) and the better
    `line` of joint moves.

    Args:
        description: the game.
        moves: the joint moves of the match.
        deadline: when to end.

    Raises:
        GgpError: the game hides something, or a move is not legal.
    """
    if description.has_imperfect_information:
        raise GameError("a game that hides information is not reviewed: no role knew the states")
    with (
        open_reasoner(description, deadline=deadline) as reasoner,
        bounded(reasoner, deadline=deadline),
    ):
        states, made = _replayed(reasoner, moves)
        reasoner.warm_up(deadline.part(_COMPILING))
        searches = _Searches(reasoner, deadline)
        steps: list[dict[str, Any]] = []
        for step in range(len(made) - 1, -1, -1):
            view = reasoner.view(states[step])
            part = deadline.part(1 / (step + 1))
            for role, legal in enumerate(view.legal):
                if len(legal) > 1 and reasoner.roles[role].text.lower() != RANDOM:
                    entry = searches.compare(role, states[step : step + 2], made[step][role], part)
                    steps.insert(0, {"step": step, "role": role, **entry})
            yield {"steps": steps, "complete": step == 0}


def _replayed(
    reasoner: Reasoner, moves: Sequence[Sequence[str]]
) -> tuple[list[State], list[JointMove]]:
    states, made = [reasoner.initial_state()], []
    for told in moves:
        joint_move = tuple(canonical(parse_term(move)) for move in told)
        spelled = joint_spelling(joint_move, reasoner.view(states[-1]).legal)
        reasoner.check_legal(states[-1], spelled)
        states.append(reasoner.next_state(states[-1], spelled))
        made.append(spelled)
    return states, made


class _Searches:
    """A search for each role, which keep what they have found."""

    def __init__(self, reasoner: Reasoner, deadline: Deadline) -> None:
        self._reasoner, self._deadline = reasoner, deadline
        self._graph = GameGraph(reasoner, max_states=_MAX_STATES)
        self._known: dict[int, Searcher] = {}

    def compare(
        self, role: int, states: Sequence[State], move: object, deadline: Deadline
    ) -> Mapping[str, Any]:
        """Return what is to be said of a move, which led from the first state to the second."""
        before = self._search(role, states[0], deadline.part(0.5))
        value, after, proven = before.value or 0.0, 0.0, before.exact
        view = self._reasoner.view(states[1])
        if view.terminal:
            after = float(view.goals[role] or 0)
        else:
            found = self._search(role, states[1], deadline)
            after, proven = found.value or 0.0, proven and found.exact
        # What was played is one of the moves, and the best one is no worse.
        is_best = before.move == move or after >= value
        value = max(value, after)
        loss = 0.0 if is_best else value - after
        return {
            "value": round(value, 1),
            "after": round(after, 1),
            "proven": proven,
            "mark": "??" if loss >= _BLUNDER else "?" if loss >= _MISTAKE else "",
            "line": [list(map(str, moves)) for moves in before.variation[:_LINE]]
            if loss >= _MISTAKE
            else [],
        }

    def _search(self, role: int, state: State, deadline: Deadline) -> SearchResult:
        searcher = self._known.get(role) or self._open(role)
        self._known[role] = searcher
        return searcher.run(self._graph.node(state), Limit(deadline=deadline.within(_MOST)))

    def _open(self, role: int) -> Searcher:
        options = TreeOptions(role=role)
        reference = TreeSearch(self._graph, options)
        evaluation = learned_evaluation(self._reasoner, TreeSearch.algorithm, reference.leaf_values)
        resources = Resources(table_bytes=_TABLE_BYTES, deadline=self._deadline.part(_COMPILING))
        options = replace(options, evaluation=evaluation)
        engine = engine_search(self._graph, TreeSearch, options, resources)
        return engine if engine is not None and engine.takes() else reference
