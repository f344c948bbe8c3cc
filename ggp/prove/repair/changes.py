"""Small changes to a rulesheet: one literal or one `distinct` more or less, or another variable.

A change is made in one statement. The smallest changes, and those that authors most often forget,
come first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from ggp.errors import GdlError
from ggp.gdl import Description, Literal, Relation, Rule, relation_of
from ggp.gdl.dependency import DependencyGraph
from ggp.gdl.normalise import normalise
from ggp.kif import Compound, Source, Symbol, Term, compound, symbols, variables
from ggp.kif.keywords import KEYWORD_RELATIONS

__all__ = ["Change", "small_changes"]

# Constants of a variable that a new `distinct` may name: more than these are no contents of a cell.
_MOST_CONSTANTS = 12
_ARROW, _NOT, _OR = Symbol("<="), Symbol("not"), Symbol("or")
_TRUE, _DOES, _DISTINCT = Relation("true", 1), Relation("does", 2), Relation("distinct", 2)
_NEXT, _SEES = Relation("next", 1), Relation("sees", 2)
_ANSWERS = (Relation("legal", 2), Relation("goal", 2), Relation("terminal", 0))


@dataclass(frozen=True, slots=True)
class Change:
    """One statement of a rulesheet, changed."""

    #: The number of the statement in the description's terms.
    number: int
    statement: Term
    #: What the author is told to do, such as "add (distinct ?p b)".
    what: str
    #: The statement in normal form.
    rules: tuple[Rule, ...]
    #: How unlikely it is; changes of one kind have the same.
    cost: int

    def made_in(self, description: Description) -> Description:
        """Return the game with the change. Raises `GdlError`."""
        terms = list(description.terms)
        terms[self.number] = self.statement
        return Description.from_terms(terms)


def small_changes(description: Description, *, statements: Collection[int]) -> list[Change]:
    """Return changes of some statements, the likeliest first.

    Args:
        description: the rules.
        statements: the numbers of the statements that may be changed; only rules whose relation
            depends on the state or on the moves are.
    """
    maker = _Maker(description)
    found = [change for number in sorted(statements) for change in maker.changes(number)]
    return sorted(found, key=lambda change: change.cost)


class _Maker:
    """Makes the changes of a rulesheet."""

    def __init__(self, description: Description) -> None:
        self._description = description
        self._by_source: dict[int, list[Rule]] = {}
        for rule in description.rules:
            self._by_source.setdefault(id(rule.source), []).append(rule)
        bodies = (lit.atom for rule in description.rules for lit in rule.body)
        heads = (rule.head for rule in description.rules if rule.body)
        unasked = {_DISTINCT, *(Relation(*keyword) for keyword in KEYWORD_RELATIONS.items())}
        kept = {_TRUE, _DOES, Relation("role", 1)}
        #: What may be asked for, in the words of the author.
        self._atoms = [
            atom
            for atom in dict.fromkeys(chain(bodies, heads))
            if relation_of(atom) not in unasked or relation_of(atom) in kept
        ]
        graph = description.dependencies
        self._order = _order(graph)
        self._does = graph.dependents([_DOES])
        self._moveless = graph.reachable(_ANSWERS)

    def changes(self, number: int) -> Iterator[Change]:
        """Yield the changes of a statement, each once; none where it is no rule of the dynamic."""
        term = self._description.terms[number]
        rules = self._by_source.get(id(term), [])
        if not (isinstance(term, Compound) and term.items[0] == _ARROW and len(term.items) > 2):
            return
        if not rules or rules[0].relation not in self._description.dynamic:
            return
        seen = {_text(rules)}
        for changed, what, cost in self._changed(term, rules):
            try:
                made = tuple(normalise([changed], source=Source("")))
            except GdlError:
                continue
            text = _text(made)
            if text not in seen and all(map(self._is_sound, made)):
                seen.add(text)
                yield Change(number, changed, what, made, cost)

    def _changed(self, term: Compound, rules: Sequence[Rule]) -> Iterator[tuple[Term, str, int]]:
        """Yield the changed statement, what was done, and how unlikely that is."""
        head, body = term.items[1], list(term.items[2:])
        used = list(dict.fromkeys(variables(term)))
        bound = set.intersection(*(_bound_by(rule.body) for rule in rules))
        known = [variable for variable in used if variable in bound]

        def with_body(literals: Iterable[Term]) -> Compound:
            return Compound((_ARROW, head, *literals), term.position)

        for place, literal in enumerate(body):
            others = (*body[:place], *body[place + 1 :])
            yield with_body(others), f"remove {literal}", 1
            if _is(literal, "distinct", 2):
                for one, other in _pairs(known):
                    wider = Compound((_OR, literal, compound("distinct", one, other)))
                    changed = (*body[:place], wider, *body[place + 1 :])
                    yield with_body(changed), f"replace {literal} by {wider}", 1
        variables_apart = ((one, other, 1) for one, other in _pairs(known))
        for one, other, cost in chain(variables_apart, self._of_constants(known, term, rules)):
            literal = compound("distinct", one, other)
            yield with_body((*body, literal)), f"add {literal}", cost
        for place, item in enumerate(term.items[1:], start=1):
            for new in _renamed(item, known):
                items = (*term.items[:place], new, *term.items[place + 1 :])
                yield Compound(items, term.position), f"replace {item} by {new}", 2
        for atom in self._atoms:
            if set(variables(atom)) <= set(known) and any(variables(atom)):
                yield with_body((*body, atom)), f"add {atom}", 3
                negated = Compound((_NOT, atom))
                yield with_body((*body, negated)), f"add {negated}", 3
            elif not any(variables(atom)) or len(set(variables(atom)) - set(known)) == 1:
                yield with_body((*body, atom)), f"add {atom}", 4
                if not any(variables(atom)):
                    negated = Compound((_NOT, atom))
                    yield with_body((*body, negated)), f"add {negated}", 4
        for place, literal in enumerate(body):
            if not _is(literal, "distinct", 2) and not _is(literal, "or"):
                opposite = _negated(literal)
                changed = (*body[:place], opposite, *body[place + 1 :])
                yield with_body(changed), f"replace {literal} by {opposite}", 3

    def _of_constants(
        self, known: Sequence[Symbol], term: Term, rules: Sequence[Rule]
    ) -> Iterator[tuple[Symbol, Symbol, int]]:
        """Yield variables, each with a constant that it may stand for, and how unlikely that is.

        A role, or a number, that the rule does not have is a guess.
        """
        roles = {role.text for role in self._description.roles}
        written = {symbol.text for symbol in symbols(term)}
        for variable in known:
            slots = [self._description.domains.value(variable, rule) for rule in rules]
            constants = set().union(*(slot.constants for slot in slots))
            if not any(slot.anything for slot in slots) and len(constants) <= _MOST_CONSTANTS:
                for text in sorted(constants):
                    is_guess = text not in written and (text in roles or text.isdigit())
                    yield variable, Symbol(text), 4 if is_guess else 1

    def _is_sound(self, rule: Rule) -> bool:
        """Return whether a changed rule is safe, and its rulesheet stratified."""
        bound = _bound_by(rule.body)
        loose = [rule.head, *(lit.atom for lit in rule.body if lit.relation == _DISTINCT)]
        if not all(bound.issuperset(variables(term)) for term in loose):
            return False
        known = self._description.dependencies.edges[rule.relation]
        for literal in rule.body:
            relation = literal.relation
            # All changes together make no cycle: each new edge follows one order.
            is_known = relation in known and (known[relation] or literal.positive)
            if not is_known and self._order.get(relation, (0, 0)) >= self._order[rule.relation]:
                return False
            if relation in self._does and not (
                rule.relation in (_NEXT, _SEES)
                or (rule.relation in self._does and rule.relation not in self._moveless)
            ):
                return False
        return True


def _order(graph: DependencyGraph) -> dict[Relation, tuple[int, int]]:
    """Return a place for each relation, after those that it depends on."""
    levels: dict[Relation, int] = {}
    for component in graph.components:
        needed = {used for relation in component for used in graph.edges[relation]} - component
        level = 1 + max((levels[used] for used in needed), default=0)
        levels |= dict.fromkeys(component, level)
    places = {r: place for place, component in enumerate(graph.components) for r in component}
    used = {relation for row in graph.edges.values() for relation in row}
    # What no rule asks for and the game does, such as `next`, may ask for everything.
    asked = {_NEXT, _SEES, *_ANSWERS} - used
    last = 1 + len(places)
    return {r: (last if r in asked else level, places[r]) for r, level in levels.items()}


def _renamed(term: Term, known: Sequence[Symbol]) -> Iterator[Term]:
    """Yield a term with one occurrence of a variable replaced by another."""
    if isinstance(term, Symbol):
        if term.is_variable:
            yield from (other for other in known if other != term)
        return
    for place, item in enumerate(term.items):
        for new in _renamed(item, known):
            yield replace(term, items=(*term.items[:place], new, *term.items[place + 1 :]))


def _pairs(known: Sequence[Symbol]) -> Iterator[tuple[Symbol, Symbol]]:
    return ((one, two) for n, one in enumerate(known) for two in known[n + 1 :])


def _negated(term: Term) -> Term:
    if isinstance(term, Compound) and _is(term, "not", 1):
        return term.items[1]
    return Compound((_NOT, term))


def _is(term: Term, name: str, arity: int | None = None) -> bool:
    return (
        isinstance(term, Compound)
        and term.name.lower() == name
        and (arity is None or len(term.arguments) == arity)
    )


def _text(rules: Iterable[Rule]) -> str:
    """Return the meaning of rules, in which the order of the literals does not count."""
    return "\n".join(f"{rule.head}: {' '.join(sorted(map(str, rule.body)))}" for rule in rules)


def _bound_by(body: Iterable[Literal]) -> set[Symbol]:
    """Return the variables that the literals bind."""
    positive = (lit for lit in body if lit.positive and lit.relation != _DISTINCT)
    return {variable for literal in positive for variable in variables(literal.atom)}
