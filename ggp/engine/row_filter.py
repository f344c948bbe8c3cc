"""Which rows of the leaf-value table are possible below a state, in compiled code.

This is the filter of `ggp.search.leaf_values.monotone`, for all searches of the engine. A set of
rows is an array of words, one bit for each row.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.engine.block import bit, fact_row
from ggp.engine.layout import Game
from ggp.native.numba_support import (
    Words,
    inlined,
    lowest_bit,
    nopython,
    signed,
    words_of,
)
from ggp.search.leaf_values import LeafValueTable, Possible, bitset

__all__ = [
    "Links",
    "assign",
    "bits_of",
    "find_rows",
    "firsts",
    "insert",
    "new_links",
    "recall",
]


class Links(NamedTuple):
    """The links of a leaf-value table from facts to rows, and what was asked of late."""

    #: int64[groups + 1] and int64[any]: the facts of each group, -1 for one that never holds.
    first_fact: NDArray[np.int64]
    group_facts: NDArray[np.int64]
    #: For each link where its groups begin, and its terminal assignments.
    first_group: NDArray[np.int64]
    first_assignment: NDArray[np.int64]
    #: For each group of a link its number, and where in `masks` those of its value 0 begin.
    link_groups: NDArray[np.int64]
    first_mask: NDArray[np.int64]
    #: For each value, as bits, the terminal assignments that may still follow; and their rows.
    masks: Words
    assignment_rows: NDArray[np.int64]
    #: The set of all rows.
    everything: Words
    #: uint64[any power of 2, 2]: the keys of what was asked last; the search keeps the answers.
    keys: Words
    #: Working memory: for values of groups, terminal assignments, and sets of rows.
    values: NDArray[np.int64]
    assignments: Words
    some_assignments: Words
    bits: Words
    some_bits: Words


def new_links(
    table: LeafValueTable, possible: Possible | None, circuit: Circuit, *, rows: int, memo: int
) -> Links:
    """Return the links of a table.

    Args:
        table: what the search knows of the leaves.
        possible: has the groups of facts; None if the search does not ask.
        circuit: the game.
        rows: how many rows there are to make sets of.
        memo: how many answers the search keeps: a power of 2.
    """
    links, groups = (table.links, possible.groups) if possible else ((), ())
    numbers = {fact: number for number, fact in enumerate(circuit.facts)}
    facts = [numbers.get(fact, -1) for group in groups for fact in group.facts]
    first_mask: list[int] = []
    masks: list[Words] = [np.zeros(0, np.uint64)]
    most_words, row_words = 0, rows // 64 + 1
    for link in links:
        words = -(-len(link.assignments) // 64)
        most_words = max(most_words, words)
        for place, group in enumerate(link.groups):
            first_mask.append(sum(map(len, masks)))
            masks += (
                bits_of(
                    bitset(bool(later >> values[place] & 1) for values, _ in link.assignments),
                    words,
                )
                for later in group.later
            )
    return Links(
        first_fact=firsts(len(group.facts) for group in groups),
        group_facts=np.array(facts, np.int64),
        first_group=firsts(len(link.groups) for link in links),
        first_assignment=firsts(len(link.assignments) for link in links),
        link_groups=np.array(
            [groups.index(group) for link in links for group in link.groups], np.int64
        ),
        first_mask=np.array(first_mask, np.int64),
        masks=np.concatenate(masks),
        assignment_rows=np.array([row for link in links for _, row in link.assignments], np.int64),
        everything=bits_of((1 << rows) - 1, row_words),
        keys=np.full((memo, 2), ~np.uint64(0)),
        values=np.zeros(len(groups), np.int64),
        assignments=np.zeros(most_words, np.uint64),
        some_assignments=np.zeros(most_words, np.uint64),
        bits=np.zeros(row_words, np.uint64),
        some_bits=np.zeros(row_words, np.uint64),
    )


def bits_of(rows: int, words: int) -> Words:
    """Return a set of rows as words."""
    return words_of(rows.to_bytes(8 * words, "little"))


def firsts(counts: Iterable[int]) -> NDArray[np.int64]:
    """Return where each of some parts begins, and where the last one ends."""
    return np.array([0, *accumulate(counts)], np.int64)


@inlined
def assign(target: NDArray[Any], source: NDArray[Any]) -> None:
    """Copy an array that does not overlap with the target: slices would be copied twice."""
    for i in range(len(target)):
        target[i] = source[i]


@inlined
def insert(bits: Words, number: int) -> None:
    """Add a row to a set."""
    bits[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@nopython
def recall(game: Game, links: Links, arena: Words, block: int, lane: np.uint64) -> tuple[int, bool]:
    """Note the values of the groups in a lane.

    Returns where the answer for them is kept, and whether it is there already; if not, the search
    must find it.
    """
    first, second = np.uint64(0), np.uint64(0)
    facts, words = fact_row(game, block, 0), game.numbers.words
    for group in range(len(links.first_fact) - 1):
        begin, end = links.first_fact[group], links.first_fact[group + 1]
        links.values[group] = end - begin
        for place in range(begin, end):
            fact = links.group_facts[place]
            if fact >= 0 and bit(arena, facts + fact * words, lane):
                links.values[group] = place - begin
                first ^= game.random[0, fact]
                second ^= game.random[1, fact]
    slot = signed(first & np.uint64(len(links.keys) - 1))
    is_known = links.keys[slot, 0] == first and links.keys[slot, 1] == second
    links.keys[slot, 0], links.keys[slot, 1] = first, second
    return slot, is_known


@nopython
def find_rows(links: Links, is_literal: int) -> None:
    """Find, in `bits`, the rows that `values` of the groups leave possible."""
    bits = links.bits
    assign(bits, links.everything)
    for link in range(len(links.first_group) - 1):
        begin = links.first_assignment[link]
        count = links.first_assignment[link + 1] - begin
        words = (count + 63) // 64
        assignments = links.assignments[:words]
        assignments[:] = ~np.uint64(0)
        for place in range(links.first_group[link], links.first_group[link + 1]):
            mask = links.first_mask[place] + links.values[links.link_groups[place]] * words
            for word in range(words):
                assignments[word] &= links.masks[mask + word]
        if is_literal:
            _widen_link(links, link, assignments, count)
        links.some_bits[:] = np.uint64(0)
        for word in range(words):
            left = assignments[word]
            while left:
                assignment = 64 * word + lowest_bit(left)
                left &= left - np.uint64(1)
                insert(links.some_bits, links.assignment_rows[begin + assignment])
        for word in range(len(bits)):
            bits[word] &= links.some_bits[word]


@nopython
def _widen_link(links: Links, link: int, assignments: Words, count: int) -> None:
    """Add the assignments of a link in which no group is further than in all those given."""
    words = len(assignments)
    left = links.some_assignments[:words]
    assign(left, assignments)
    _all_bits(assignments, count)
    for place in range(links.first_group[link], links.first_group[link + 1]):
        group = links.link_groups[place]
        values = links.first_fact[group + 1] - links.first_fact[group] + 1
        for value in range(values):
            mask, some = links.first_mask[place] + value * words, np.uint64(0)
            for word in range(words):
                some |= left[word] & links.masks[mask + word]
            if not some:
                for word in range(words):
                    assignments[word] &= ~links.masks[mask + word]


@inlined
def _all_bits(bits: Words, count: int) -> None:
    """Set the first `count` bits, and clear the others."""
    bits[:] = np.uint64(0)
    for word in range(count >> 6):
        bits[word] = ~np.uint64(0)
    if count & 63:
        bits[count >> 6] = (np.uint64(1) << np.uint64(count & 63)) - np.uint64(1)
