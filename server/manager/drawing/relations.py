"""The static relations of a game as tables, and the orders of words that they define."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations

from ggp.gdl import Description, Relation
from ggp.gdl.check.analysis.statics import Statics
from ggp.kif import Symbol, Term
from ggp.server.manager.drawing.axes import natural

__all__ = ["Relations", "chains_of"]

#: A relation with more rows is no order or neighbourhood that can be drawn.
_MAX_ROWS = 20_000
#: The limit on the words that a relation of all pairs orders.
_MAX_WORDS = 100


class Relations:
    """The static relations of a description, as tables of words; empty without rules."""

    def __init__(self, description: Description | None) -> None:
        """Take the rules; each table is computed when it is requested, if that is cheap."""
        self._description = description
        self._statics = (
            None
            if description is None
            else Statics(
                description.by_relation,
                description.dependencies,
                excluded=[  # not stratified: cannot be computed bottom-up
                    relation
                    for component in description.dependencies.components
                    for relation in component
                    if any(
                        negated and used in component
                        for used, negated in description.dependencies.edges[relation].items()
                    )
                ],
            )
        )

    def rows(self, relation: Relation) -> list[tuple[Term, ...]]:
        """Return the rows of a relation; empty if it depends on the state or is unknown."""
        if self._statics is None:
            return []
        table = self._statics.table(relation)
        return [] if table is None else list(table.rows)

    @cached_property
    def tables(self) -> tuple[tuple[tuple[str, ...], ...], ...]:
        """The tables with two to six columns that hold only words."""
        if self._description is None:
            return ()
        found = []
        for relation in sorted(self._description.static):
            if 2 <= relation.arity <= 6 and relation.name not in ("init", "next", "input", "goal"):
                rows = self.rows(relation)
                words = [row for row in rows if all(isinstance(term, Symbol) for term in row)]
                if words and len(words) == len(rows) <= _MAX_ROWS:
                    found.append(tuple(tuple(map(str, row)) for row in words))
        return tuple(found)

    @cached_property
    def chains(self) -> tuple[tuple[str, ...], ...]:
        """The orders of words that relations with two columns define, each ascending."""
        return tuple(
            chain for table in self.tables if len(table[0]) == 2 for chain in chains_of(table)
        )


def chains_of(table: Sequence[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Yield the orders of a relation, which holds each word's successor or all ordered pairs.

    >>> list(chains_of([("b", "c"), ("a", "b")]))
    [('a', 'b', 'c')]
    >>> list(chains_of([("b", "a"), ("a", "b")]))
    [('a', 'b')]
    >>> list(chains_of([("a", "b"), ("b", "c"), ("a", "c")]))
    [('a', 'b', 'c')]
    """
    after: defaultdict[str, set[str]] = defaultdict(set)
    before: defaultdict[str, set[str]] = defaultdict(set)
    for first, second in table:
        after[first].add(second)
        before[second].add(first)
    words = {*after, *before}
    if all(len(after[word]) <= 1 and len(before[word]) <= 1 for word in words):
        left = set(words)
        # If every word has a predecessor, the words form a cycle, which may begin anywhere.
        for word in sorted(words, key=lambda word: (bool(before[word]), natural(word))):
            chain: list[str] = []
            following: str | None = word
            while following in left:
                left.remove(following)
                chain.append(following)
                following = next(iter(after[following]), None)
            if len(chain) > 1:
                yield tuple(chain)
        return
    order = sorted(words, key=lambda word: len(before[word]))
    if len(words) < _MAX_WORDS and all(
        b in after[a] and a not in after[b] for a, b in combinations(order, 2)
    ):
        yield tuple(order)
