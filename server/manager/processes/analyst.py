"""The process that analyses a state, proves a game, or learns it.

It receives one task, sends its findings so far, and ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from ggp.deadline import Deadline
from ggp.engine import Resources, engine_search
from ggp.errors import GgpError, SourceError
from ggp.gdl import Description, canonical
from ggp.graph import GameGraph
from ggp.kif import Source, Term, parse_term
from ggp.match import Spelling
from ggp.perft import Perft, perft
from ggp.prove import prove, read_condition
from ggp.reasoner import Reasoner, State, bounded, open_reasoner
from ggp.search import LeafValueTable, Limit, SearchResult, find_algorithm
from ggp.search.leaf_values import Possible
from ggp.server.manager.processes.lessons import learned_evaluation, lesson
from ggp.server.manager.processes.review import review
from ggp.server.manager.processes.stepper import steps_of
from ggp.workers.child import Owner

__all__ = ["find"]

_MAX_STATES = 300_000
_TABLE_BYTES = 128 << 20
#: Bytes that each process of a proof may use.
_PROOF_MEMORY = 2 << 30
#: The limit on the rows of a leaf-value table that are sent.
_MAX_ROWS = 500
#: The share of the time for the reference search, and for waiting for machine code.
_SHARE = 0.25

Task = Mapping[str, Any]


def main(owner: Owner) -> None:
    """Do one task."""
    task = owner.receive()

    def tell(found: dict[str, Any]) -> None:
        owner.send({"event": "progress", "found": found})

    try:
        for found in find(task, tell=tell):
            tell(found)
        owner.send({"event": "done"})
    except SourceError as error:
        owner.send({"event": "failed", "error": error.one_line()})
    except (GgpError, ValueError) as error:  # ValueError: the algorithm does not fit the role
        owner.send({"event": "failed", "error": str(error)})
    except MemoryError:
        owner.send({"event": "failed", "error": "this takes more memory than it may"})


def find(task: Task, *, tell: Callable[[dict[str, Any]], None]) -> Iterator[dict[str, Any]]:
    """Yield better and better findings as JSON values.

    Args:
        task: `kind` is perft, lvt, solve, step, prove, learn or review; `rules`; `seconds`; for
            step what `steps_of` takes. For prove: `each`, the seconds for a question, and `never`,
            conditions that are claimed to hold in no state. For perft, lvt and solve: `facts` of
            the state, None for the initial one. For solve: `algorithm` and `role`, a number. For
            learn: the `name` of the game, if any. For review: the joint `moves` of a match.
        tell: called with findings while a step is in progress.
    """
    if task["kind"] == "step":
        yield steps_of(task)  # of a tree, perhaps
        return
    description = Description.from_text(Source(task["rules"], "rules"))
    deadline = Deadline.after(task["seconds"])
    if task["kind"] == "lvt":
        yield _leaf_values(description, task, deadline)
        return
    if task["kind"] == "prove":
        yield from _proofs(description, task, deadline)
        return
    if task["kind"] == "review":
        yield from review(description, task["moves"], deadline)
        return
    if task["kind"] == "learn":
        yield lesson(description, deadline, tell, name=task.get("name"))
        return
    with (
        open_reasoner(description, deadline=deadline) as reasoner,
        bounded(reasoner, deadline=deadline),
    ):
        if task["kind"] == "perft":
            yield _perft(description, reasoner, task, deadline, tell)
        else:
            yield from _solve(reasoner, task, deadline, tell)


def _state(reasoner: Reasoner, task: Task) -> State:
    if task["facts"] is None:
        return reasoner.initial_state()
    return reasoner.state_of(_facts(reasoner.description, task))


def _facts(description: Description, task: Task) -> list[Term]:
    spelling = Spelling(description)
    return [spelling.of(canonical(parse_term(fact))) for fact in task["facts"]]


def _perft(
    description: Description,
    reasoner: Reasoner,
    task: Task,
    deadline: Deadline,
    tell: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    def layers(counts: Perft) -> dict[str, Any]:
        return {
            "layers": [
                {
                    "depth": layer.d,
                    "states": layer.states,
                    "paths": str(layer.paths),
                    "terminal": layer.terminal_states,
                }
                for layer in counts.layers
            ],
            "complete": counts.complete,
        }

    shown = 0

    def show(counts: Perft, _: int) -> None:
        nonlocal shown
        if len(counts.layers) > shown:
            shown = len(counts.layers)
            tell(layers(counts))

    counts = perft(
        description,
        reasoner,
        state=_state(reasoner, task),
        deadline=deadline,
        max_states=_MAX_STATES,
        progress=show,
    )
    return {**layers(counts), "stop": counts.stop}


def _leaf_values(description: Description, task: Task, deadline: Deadline) -> dict[str, Any]:
    """Return the rows of the leaf-value table; each tells whether it is still possible."""
    table = LeafValueTable.enumerate(description, time_limit=task["seconds"], deadline=deadline)
    possible = -1
    if task["facts"] is not None and table.is_enumerated:
        possible = Possible(table)(_facts(description, task))
    rows = [
        {
            "outcome": row.outcome,
            "goals": list(row.goals),
            "ranks": list(row.ranks),
            "possible": bool(possible >> number & 1),
        }
        for number, row in enumerate(islice(table, _MAX_ROWS))
    ]
    return {
        "rows": rows,
        "more": max(0, len(table) - _MAX_ROWS),
        "level": table.level,
        "constant_sum": table.constant_sum,
    }


def _proofs(description: Description, task: Task, deadline: Deadline) -> Iterator[dict[str, Any]]:
    """Yield the verdicts so far, each time that there is another one."""
    never = [read_condition(text, description) for text in task["never"]]
    found: list[dict[str, Any]] = []
    for verdict in prove(
        description,
        seconds=task["each"],
        never=never,
        deadline=deadline,
        memory_limit=_PROOF_MEMORY,
    ):
        found.append({**verdict.to_json(description), "summary": verdict.summary})
        yield {"verdicts": list(found)}


def _solve(
    reasoner: Reasoner, task: Task, deadline: Deadline, tell: Callable[[dict[str, Any]], None]
) -> Iterator[dict[str, Any]]:
    graph = GameGraph(reasoner, max_states=_MAX_STATES)
    graph.set_root(graph.node(_state(reasoner, task)))
    algorithm = find_algorithm(task["algorithm"])
    options = algorithm.options(role=task["role"])
    search, has_net = algorithm.search(graph, options), False
    if algorithm.engine:
        # The reference solves small games while the machine code is being compiled.
        for result in search.deepen(limit=Limit(deadline=deadline.part(_SHARE))):
            yield _result(result)
            if result.exact:
                return
        reasoner.warm_up(deadline.part(_SHARE))
        evaluation = learned_evaluation(reasoner, algorithm.name, search.leaf_values)
        resources = Resources(
            table_bytes=_TABLE_BYTES,
            threads=None,
            progress=lambda result: tell(_result(result, has_net=evaluation is not None)),
            deadline=deadline.part(_SHARE),
        )
        options = replace(options, evaluation=evaluation)
        engine = engine_search(graph, algorithm, options, resources)
        if engine is not None and engine.takes():
            search, has_net = engine, evaluation is not None
    for result in search.deepen(limit=Limit(deadline=deadline)):
        yield _result(result, has_net=has_net)


def _result(result: SearchResult, *, has_net: bool = False) -> dict[str, Any]:
    """Return a result as JSON; `has_net`: a network has estimated what is not proven."""
    return {**result.to_json(), "role": result.role, "value": result.value, "net": has_net}
