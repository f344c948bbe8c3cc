"""Makes the memory of a tree search: a tree of limited size, and idle lanes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.codegen.assemble import Assembly
from ggp.compiler.runtime.pass_rows import PassRows
from ggp.compiler.runtime.playout import limit_steps
from ggp.engine.layout import new_record
from ggp.engine.mcts.layout import (
    LONGEST,
    TOTALS,
    LaneNumbers,
    Lanes,
    OwnNumbers,
    Tree,
    TreeNumbers,
)
from ggp.native.numba_support import aligned_words, aligned_zeros
from ggp.reasoner.compiled import CompiledReasoner
from ggp.recursion import MAX_PLIES
from ggp.search.mcts.options import TreeOptions
from ggp.search.settings import SearchSettings

__all__ = ["WORDS", "new_lanes", "new_tree", "seen_by_another"]

#: Words in a row of a pass, as in the playouts of the reasoner: both use the same cached code.
WORDS = 8

# Where several roles choose, bounds are combined for up to this many joint moves.
_MOST_COMBINED = 1 << 12

_EVERYTHING = np.uint64(2**64 - 1)


def new_tree(
    compiled: CompiledReasoner, settings: SearchSettings, size: int, options: TreeOptions
) -> Tree:
    """Return an empty tree that takes `size` bytes at most, as its first thread sees it."""
    ease, by_regret = options.ease, options.regret
    roles = len(settings.roles)
    state_words = compiled.kernel.state_words
    shared = sum(len(moves) > 1 for moves in compiled.circuit.moves) > 1
    node = _node_type(roles)
    # twice as many edges as nodes, and the hash table
    per_edge = 14 + 4 * roles * (ease > 0)
    per_node = node.itemsize + 8 * state_words + 2 * per_edge + 8 + (12 + 4 * by_regret) * shared
    nodes = max(1024, min(size // per_node, 2**31 - 1))
    edges, choices = 2 * nodes, nodes if shared else 1
    by_node = aligned_zeros(node, nodes)
    buckets = 1 << max(1, (nodes - 1).bit_length())
    table = settings.leaf_values
    ranges = np.array([[table.lowest(i), table.highest(i)] for i in range(roles)], np.float32)
    spans = ranges[:, 1] - ranges[:, 0]
    numbers = new_record(TreeNumbers)
    numbers.threads = 1
    numbers.ease, numbers.by_regret = ease, by_regret
    numbers.untried, numbers.threshold = options.untried, options.threshold
    numbers.minsum, numbers.maxsum = table.goal_sums
    combined = _MOST_COMBINED if shared else 1
    tree = Tree(
        numbers=numbers,
        totals=aligned_words(TOTALS).view(np.int64),
        buckets=np.full(buckets, -1, np.int32),
        states=np.zeros((nodes, state_words), np.uint64),
        **{name: by_node[name] for name in node.names or ()},
        child=np.zeros(edges, np.int32),
        counts=np.zeros(edges, np.int32),
        seen=np.zeros(edges, np.uint16),
        worth=np.zeros(edges, np.float32),
        edge_proofs=np.zeros((edges if ease else 1, roles), np.float32),
        aims=ranges[:, 1].copy(),
        option_counts=np.zeros(choices, np.int32),
        option_visits=np.zeros(choices, np.int32),
        option_means=np.zeros(choices, np.float32),
        option_regrets=np.zeros(choices if by_regret else 1, np.float32),
        ranges=ranges,
        scale=np.divide(1, spans, out=np.zeros_like(spans), where=spans > 0),
        own=new_record(OwnNumbers),
        low_bounds=np.zeros((combined, roles), np.float32),
        high_bounds=np.zeros((combined, roles), np.float32),
    )
    return seen_by_another(tree, options.seed)


def seen_by_another(tree: Tree, seed: int) -> Tree:
    """Return a tree as one more thread sees it, whose draws depend on a seed."""
    own = new_record(OwnNumbers)
    own.generator = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] | np.uint64(1)
    return tree._replace(
        own=own,
        low_bounds=np.zeros_like(tree.low_bounds),
        high_bounds=np.zeros_like(tree.high_bounds),
    )


def _node_type(roles: int) -> np.dtype[Any]:
    """Return the dtype of the arrays of `Tree` that have an entry for each node, side by side.

    So all that is known of a node, but its state, is in one line of the CPU's caches, or two.
    """
    of_roles = [
        (name, np.float32, (roles,))
        for name in ("means", "best", "values", "lower", "upper", "proofs")
    ]
    numbers = [
        (name, np.int32) for name in ("visits", "begun", "weight", "first", "degree", "option")
    ]
    marks = [("changes", np.uint16), ("mover", np.int8), ("flags", np.uint8), ("locks", np.uint8)]
    return np.dtype([*of_roles, *numbers, *marks], align=True)


def new_lanes(circuit: Circuit, passes: Assembly, *, seed: int) -> Lanes:
    """Return lanes that are idle."""
    rows, roles = PassRows.of(circuit), len(circuit.roles)
    numbers = new_record(LaneNumbers)
    numbers.run_code, numbers.words = passes.addresses["run"], WORDS
    matrix = passes.buffer.reshape(-1, WORDS)
    matrix[rows.counters] = 0
    matrix[rows.watched] = _EVERYTHING
    limit_steps(matrix, rows, MAX_PLIES)  # some games never end from some states
    matrix[rows.starts] = np.uint64(1 << 62)
    matrix[rows.generator.start : rows.generator.stop] = (
        np.random.SeedSequence(seed).generate_state(8 * WORDS, np.uint64).reshape(8, WORDS)
    )
    # each lane may play for a job of its own, and each word has one that is current
    jobs = 65 * WORDS + 1
    numbers.free = jobs
    return Lanes(
        numbers=numbers,
        buffer=passes.buffer,
        places=rows.places(WORDS),
        idle=np.full(WORDS, _EVERYTHING),
        job_of=np.zeros(64 * WORDS, np.int32),
        current=np.zeros(WORDS, np.int32),
        waiting=np.zeros(WORDS, np.int32),
        is_spread=np.zeros(WORDS, np.int32),
        left=np.zeros(jobs, np.int32),
        size=np.zeros(jobs, np.int32),
        length=np.zeros(jobs, np.int32),
        sums=np.zeros((jobs, roles)),
        nodes=np.zeros((jobs, LONGEST + 1), np.int32),
        edges=np.zeros((jobs, LONGEST), np.int32),
        free=np.arange(jobs, dtype=np.int32),
        done=np.zeros(jobs, np.int32),
    )
