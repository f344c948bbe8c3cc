"""The relations that are the same in every state, worked out as far as that is cheap.

Bottom-up, component by component, semi-naive (Ullman, Principles of Database and Knowledge-Base
Systems, 1988). What takes too many steps, or does not end, stays unknown.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ggp.gdl.check.analysis.matching import Bindings, Exhausted, Steps, ground, match
from ggp.gdl.dependency import DependencyGraph
from ggp.gdl.rules import Literal, Relation, Rule, arguments_of
from ggp.kif import Compound, Symbol, Term, variables

__all__ = ["Statics", "Table"]

_MAX_STEPS = 100_000  # of one game: an editor checks after each change
_MAX_STEPS_OF_COMPONENT = 30_000
_MAX_SIZE = 100  # of a term, in symbols
_DISTINCT = Relation("distinct", 2)


Row: TypeAlias = tuple[Term, ...]


class Table:
    """The rows of one relation, with an index for each choice of columns that is asked for."""

    def __init__(self, rows: Iterable[Row] = ()) -> None:
        self.rows: dict[Row, None] = dict.fromkeys(rows)
        self._indices: dict[tuple[int, ...], defaultdict[Row, list[Row]]] = {}

    def add(self, row: Row) -> bool:
        """Add a row, and return whether it is new."""
        if row in self.rows:
            return False
        self.rows[row] = None
        for columns, index in self._indices.items():
            index[tuple(row[c] for c in columns)].append(row)
        return True

    def lacks(self, row: Row) -> bool:
        """Return whether a row is missing."""
        return row not in self.rows

    def matching(self, columns: tuple[int, ...], key: Row) -> Sequence[Row]:
        """Return the rows that have the given terms in the given columns."""
        if columns not in self._indices:
            index = self._indices[columns] = defaultdict(list)
            for row in self.rows:
                index[tuple(row[c] for c in columns)].append(row)
        return self._indices[columns].get(key, ())


#: The arguments of a positive literal, and the rows of its relation.
_Source: TypeAlias = tuple[Row, Table]
#: The arguments of a `distinct` or of a negated literal, and whether it holds for their values.
_Test: TypeAlias = tuple[Row, Callable[[Row], bool]]


class Statics:
    """Tables of the static relations, each worked out when it is first asked for."""

    def __init__(
        self,
        rules: Mapping[Relation, Sequence[Rule]],
        graph: DependencyGraph,
        *,
        excluded: Iterable[Relation],
    ) -> None:
        self._rules = rules
        self._graph = graph
        self._number = {r: number for number, c in enumerate(graph.components) for r in c}
        of_the_state = [r for r in graph.edges if r.name in ("true", "does")]
        dynamic = graph.dependents([*of_the_state, *excluded])
        self._tables: dict[Relation, Table | None] = dict.fromkeys(dynamic)
        self._left = _MAX_STEPS

    def table(self, relation: Relation) -> Table | None:
        """Return the rows of a relation; None where they depend on the state or are unknown."""
        unknown: set[Relation] = set()
        pending = [relation]
        while pending:
            used = pending.pop()
            if used not in self._tables and used not in unknown:
                unknown.add(used)
                pending.extend(self._graph.edges.get(used, ()))
        for number in sorted({self._number[r] for r in unknown if r in self._number}):
            self._evaluate(self._graph.components[number])
        return self._tables.setdefault(relation, Table())

    def solutions(self, body: Sequence[Literal], steps: Steps) -> list[Bindings]:
        """Return the bindings that make the static literals true; the others are left out.

        Raises:
            Exhausted: it takes too many steps.
        """
        return _join(self._sources(body), self._tests(body), steps)

    def is_satisfiable(self, body: Sequence[Literal], steps: Steps) -> bool:
        """Return whether any bindings make the static literals true; the others are left out.

        Raises:
            Exhausted: it takes too many steps.
        """
        return _has_solution(self._sources(body), self._tests(body), steps)

    def heads(self, rule: Rule, steps: Steps) -> list[Term] | None:
        """Return the instances of a rule's head; None where its body is not static, or unknown.

        Raises:
            Exhausted: it takes too many steps.
        """
        if any(self.table(literal.relation) is None for literal in rule.body):
            return None
        found = self.solutions(rule.body, steps)
        return [ground(rule.head, bindings) for bindings in found]

    def _sources(self, body: Iterable[Literal]) -> list[_Source]:
        positive = (lit for lit in body if lit.positive and lit.relation != _DISTINCT)
        tables = ((arguments_of(lit.atom), self.table(lit.relation)) for lit in positive)
        return [(arguments, table) for arguments, table in tables if table is not None]

    def _tests(self, body: Iterable[Literal]) -> list[_Test]:
        tests: list[_Test] = []
        for literal in body:
            arguments = arguments_of(literal.atom)
            if literal.relation == _DISTINCT:
                tests.append((arguments, _differ if literal.positive else _are_same))
            elif not literal.positive and (table := self.table(literal.relation)) is not None:
                tests.append((arguments, table.lacks))
        return tests

    def _evaluate(self, component: frozenset[Relation]) -> None:
        for relation in component:
            self._tables[relation] = Table()
        steps = Steps(min(self._left, _MAX_STEPS_OF_COMPONENT))
        before = steps.left
        try:
            self._fill(component, steps)
        except Exhausted:
            self._tables.update(dict.fromkeys(component))
        self._left -= before - max(0, steps.left)

    def _fill(self, component: frozenset[Relation], steps: Steps) -> None:
        """Derive rows until there are no new ones, each time from a new row at least."""
        rules = [rule for relation in sorted(component) for rule in self._rules.get(relation, ())]
        if any(self.table(lit.relation) is None for rule in rules for lit in rule.body):
            raise Exhausted
        fresh = self._derive(((rule, self._sources(rule.body)) for rule in rules), steps)
        while fresh:
            deltas = {relation: Table(rows) for relation, rows in fresh.items()}
            fresh = self._derive(self._with_delta(rules, deltas), steps)

    def _with_delta(
        self, rules: Iterable[Rule], deltas: Mapping[Relation, Table]
    ) -> Iterator[tuple[Rule, list[_Source]]]:
        for rule in rules:
            for literal in rule.body:
                if literal.positive and literal.relation in deltas:
                    others = [other for other in rule.body if other is not literal]
                    delta = (arguments_of(literal.atom), deltas[literal.relation])
                    yield rule, [delta, *self._sources(others)]

    def _derive(
        self, joins: Iterable[tuple[Rule, list[_Source]]], steps: Steps
    ) -> dict[Relation, list[Row]]:
        derived: list[tuple[Relation, Row]] = []
        for rule, sources in joins:
            for bindings in _join(sources, self._tests(rule.body), steps):
                row = tuple(ground(term, bindings) for term in arguments_of(rule.head))
                if not all(map(_is_small_and_ground, row)):
                    raise Exhausted
                derived.append((rule.relation, row))
        fresh: defaultdict[Relation, list[Row]] = defaultdict(list)
        for relation, row in derived:
            table = self._tables[relation]
            if table is not None and table.add(row):
                fresh[relation].append(row)
        return fresh


def _join(sources: list[_Source], tests: list[_Test], steps: Steps) -> list[Bindings]:
    """Join the sources, each time the one that promises the fewest matches."""
    found: list[Bindings] = [{}]
    bound: set[Symbol] = set()
    found, tests = _passing(found, tests, bound)
    while sources and found:
        steps.take(len(sources))
        source = min(sources, key=lambda candidate: _matches(candidate, bound))
        sources = [other for other in sources if other is not source]
        columns = _bound_columns(source[0], bound)
        extended = [
            longer for bindings in found for longer in _extended(source, columns, bindings, steps)
        ]
        bound.update(v for argument in source[0] for v in variables(argument))
        found, tests = _passing(extended, tests, bound)
    return found


def _has_solution(sources: list[_Source], tests: list[_Test], steps: Steps) -> bool:
    """Return whether the sources have any common row, found depth-first, smallest source first."""
    bound: set[Symbol] = set()
    plan: list[tuple[_Source, tuple[int, ...], list[_Test]]] = []
    passing, tests = _passing([{}], tests, bound)
    while sources:
        steps.take(len(sources))
        source = min(sources, key=lambda candidate: _matches(candidate, bound))
        sources = [other for other in sources if other is not source]
        columns = _bound_columns(source[0], bound)
        bound.update(v for argument in source[0] for v in variables(argument))
        ready = [test for test in tests if _is_ready(test, bound)]
        tests = [test for test in tests if not _is_ready(test, bound)]
        plan.append((source, columns, ready))
    pending = [(0, bindings) for bindings in passing]
    while pending:
        depth, bindings = pending.pop()
        if depth == len(plan):
            return True
        source, columns, ready = plan[depth]
        for longer in _extended(source, columns, bindings, steps):
            if all(_passes(test, longer) for test in ready):
                pending.append((depth + 1, longer))
    return False


def _bound_columns(arguments: Row, bound: set[Symbol]) -> tuple[int, ...]:
    return tuple(i for i, a in enumerate(arguments) if bound.issuperset(variables(a)))


def _extended(
    source: _Source, columns: tuple[int, ...], bindings: Bindings, steps: Steps
) -> Iterator[Bindings]:
    """Yield the bindings with those of each row that agrees with them."""
    arguments, table = source
    free = [(i, a) for i, a in enumerate(arguments) if i not in columns]
    steps.take()
    key = tuple(ground(arguments[column], bindings) for column in columns)
    for row in table.matching(columns, key):
        steps.take()
        longer: dict[Symbol, Term] | None = dict(bindings)
        for column, argument in free:
            longer = match(argument, row[column], longer) if longer is not None else None
        if longer is not None:
            yield longer


def _matches(source: _Source, bound: set[Symbol]) -> float:
    """Estimate how many rows of a source match, given the variables that have values."""
    arguments, table = source
    free = sum(1 for argument in arguments if not bound.issuperset(variables(argument)))
    return float(len(table.rows) ** (free / max(1, len(arguments))))


def _passing(
    found: list[Bindings], tests: list[_Test], bound: set[Symbol]
) -> tuple[list[Bindings], list[_Test]]:
    """Apply the tests whose variables all have values, and return the others for later."""
    later: list[_Test] = []
    for test in tests:
        if _is_ready(test, bound):
            found = [bindings for bindings in found if _passes(test, bindings)]
        else:
            later.append(test)
    return found, later


def _is_ready(test: _Test, bound: set[Symbol]) -> bool:
    return all(bound.issuperset(variables(argument)) for argument in test[0])


def _passes(test: _Test, bindings: Bindings) -> bool:
    arguments, holds = test
    return holds(tuple(ground(argument, bindings) for argument in arguments))


def _differ(row: Row) -> bool:
    return row[0] != row[1]


def _are_same(row: Row) -> bool:
    return row[0] == row[1]


def _is_small_and_ground(term: Term) -> bool:
    pending = [term]
    for _ in range(_MAX_SIZE):
        if not pending:
            return True
        match pending.pop():
            case Symbol() as symbol:
                if symbol.is_variable:
                    return False
            case Compound(items=items):
                pending.extend(items)
    return False
