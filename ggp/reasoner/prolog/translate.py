"""Translates a description into a Prolog program for `engine.pl`."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from ggp.gdl import Description, Literal, Relation, Rule, arguments_of, strongly_connected
from ggp.gdl.unify import unifiable
from ggp.kif import Symbol, Term, is_ground, variables

__all__ = ["executable_order", "prolog_program", "prolog_term", "recursive_relations"]

#: The five questions of the engine, each a predicate of module `game`.
_QUESTIONS = (
    Relation("init", 1),
    Relation("next", 1),
    Relation("legal", 2),
    Relation("goal", 2),
    Relation("terminal", 0),
)
_TRUE, _DOES, _DISTINCT = Relation("true", 1), Relation("does", 2), Relation("distinct", 2)
#: The relations that are looked up, or compared, without reasoning.
_STATE = frozenset({_TRUE, _DOES, _DISTINCT})


def prolog_program(description: Description) -> str:
    """Return the program's text, in ASCII."""
    return "\n".join(_Translator(description).clauses()) + "\n"


def prolog_term(term: Term, names: dict[str, str] | None = None) -> str:
    """Return a term in Prolog's syntax. Every constant is an atom, numbers too.

    Args:
        term: the term, ground unless names are given.
        names: the Prolog variables that stand for the variables so far; extended with new ones.
    """
    if isinstance(term, Symbol):
        if names is not None and term.is_variable:
            return names.setdefault(term.text, f"V{len(names)}")
        return _quoted(term.text)
    name, *arguments = term.items
    # Prolog would take a term with the name '.' for a call on a dictionary.
    functor = _quoted(". " if str(name) == "." else str(name))
    return f"{functor}({','.join(prolog_term(a, names) for a in arguments)})"


def _quoted(text: str) -> str:
    plain = (
        char if " " <= char <= "~" and char not in "'\\" else f"\\x{ord(char):x}\\" for char in text
    )
    return f"'{''.join(plain)}'"


def _predicate(relation: Relation) -> str:
    """The prefix keeps a rulesheet's relations apart from Prolog's own predicates."""
    return _quoted(f"g:{relation.name}")


def _goal(module: str, atom: Term, names: dict[str, str]) -> str:
    relation = Relation(str(atom), 0) if isinstance(atom, Symbol) else Relation(atom.name, 0)
    arguments = ",".join(prolog_term(argument, names) for argument in arguments_of(atom))
    return f"{module}:{_predicate(relation)}" + (f"({arguments})" if arguments else "")


class _Translator:
    """The clauses of one description's program; `engine.pl` tells what the modules hold."""

    def __init__(self, description: Description) -> None:
        self._description = description
        graph = description.dependencies
        self._needed = graph.reachable(_QUESTIONS) - {_TRUE, _DOES, _DISTINCT}
        self._moving = graph.dependents([_DOES])
        self._recursive = recursive_relations(description)
        static = {r: description.by_relation[r] for r in self._needed & description.static}
        facts = {r for r, rules in static.items() if not any(rule.body for rule in rules)}
        self._derived = frozenset(
            r for r, rules in static.items() if r not in facts and all(map(_binds_its_head, rules))
        )
        self._cheap = facts | _STATE
        # Which component of the dependency graph a relation is in, and in which order they come.
        self._component = {
            relation: index
            for index, component in enumerate(graph.components)
            for relation in component
        }

    def clauses(self) -> Iterator[str]:
        roles = ",".join(prolog_term(role) for role in self._description.roles)
        ordered = sorted(self._needed, key=lambda r: (self._component.get(r, -1), r))
        yield ":- style_check(-singleton), style_check(-discontiguous)."
        yield f"game:roles([{roles}])."
        yield ":- dynamic(game:tabled/1), dynamic(game:static_relation/2)."
        for module in sorted({self._module(r) for r in self._recursive & self._needed}):
            yield f"game:tabled({module})."
        for relation in ordered:
            if relation in self._derived:
                yield f"game:static_relation({_predicate(relation)},{relation.arity})."
            yield from self._definition(relation)
        for question in _QUESTIONS:
            names = [f"A{index}" for index in range(question.arity)]
            arguments = f"({','.join(names)})" if names else ""
            goal = f"{self._module(question)}:{_predicate(question)}{arguments}"
            yield f"game:{question.name}{arguments} :- {goal}."

    def _definition(self, relation: Relation) -> Iterator[str]:
        rules = self._description.by_relation.get(relation, ())
        module = "rules" if relation in self._derived else self._module(relation)
        indicator = f"{module}:{_predicate(relation)}/{relation.arity}"
        if not rules:
            yield f":- dynamic({indicator})."
        if relation in self._recursive:
            yield f":- table({indicator})."
        for rule in rules:
            names: dict[str, str] = {}
            head = _goal(module, rule.head, names)
            body = [self._literal(literal, rule, names) for literal in self._ordered(rule)]
            yield f"{head} :- {', '.join(body)}." if body else f"{head}."

    def _ordered(self, rule: Rule) -> list[Literal]:
        return executable_order(rule, cheap=self._cheap)

    def _literal(self, literal: Literal, rule: Rule, names: dict[str, str]) -> str:
        if literal.relation == _DISTINCT:
            left, right = (prolog_term(argument, names) for argument in arguments_of(literal.atom))
            operator = "\\==" if literal.positive else "=="
            return f"{left} {operator} {right}"
        module = self._module(literal.relation)
        if (
            literal.relation in self._derived
            and self._component[literal.relation] == self._component[rule.relation]
        ):
            module = "rules"  # while it is being enumerated, a relation cannot use the result
        return ("" if literal.positive else "\\+ ") + _goal(module, literal.atom, names)

    def _module(self, relation: Relation) -> str:
        if relation in self._moving:
            return "move"
        return "state" if relation in self._description.dynamic else "static"


def _binds_its_head(rule: Rule) -> bool:
    """Return whether the rule can be asked for all that it states, not only about something."""
    bound = {v for literal in rule.body if _binds(literal) for v in variables(literal.atom)}
    return bound.issuperset(variables(rule.head))


def executable_order(rule: Rule, *, cheap: Container[Relation] = _STATE) -> list[Literal]:
    """Return the body in an order in which Prolog can run it, close to the author's.

    A `not` or `distinct` waits until the positive literals have bound its variables; one that
    none of them binds is existential inside the negation and delays nothing. What is cheap to
    test is tested as soon as its variables are bound, and what has no variables comes first:
    `(bit ?x) (bit ?y) (true (step 1))` would otherwise look at the step once for all the bits.

    Args:
        rule: the rule.
        cheap: the relations whose atoms take no reasoning to test.
    """
    generators = [literal for literal in rule.body if _binds(literal)]
    bindable = {variable for literal in generators for variable in variables(literal.atom)}
    bound: set[Symbol] = set()
    remaining, ordered = list(rule.body), []

    def is_test(literal: Literal) -> bool:
        needed = set(variables(literal.atom))
        return needed <= bound if _binds(literal) else needed & bindable <= bound

    while remaining:
        ready = [lit for lit in remaining if lit.relation in cheap and is_test(lit)]
        ready += [lit for lit in remaining if lit not in ready and is_ground(lit.atom)]
        ready = ready or [next(lit for lit in remaining if _binds(lit) or is_test(lit))]
        for literal in ready:
            ordered.append(literal)
            remaining.remove(literal)
            if _binds(literal):
                bound.update(variables(literal.atom))
    return ordered


def _binds(literal: Literal) -> bool:
    return literal.positive and literal.relation != _DISTINCT


def recursive_relations(description: Description) -> frozenset[Relation]:
    """Return the relations with a rule that can come to need itself: they must be tabled.

    Finer than a cycle of names: an edge runs from a rule to those whose head unifies with a
    literal of its body, so that `(goal ?r 0)` may depend on `(not (goal ?r 100))` without a table.
    """
    candidates = [r for r in description.rules if r.relation in description.dependencies.recursive]
    by_relation: dict[Relation, list[int]] = {}
    for index, rule in enumerate(candidates):
        by_relation.setdefault(rule.relation, []).append(index)
    edges: Mapping[int, list[int]] = {
        index: [
            target
            for literal in rule.body
            for target in by_relation.get(literal.relation, ())
            if unifiable(literal.atom, candidates[target].head)
        ]
        for index, rule in enumerate(candidates)
    }
    return frozenset(
        candidates[index].relation
        for component in strongly_connected(edges)
        for index in component
        if len(component) > 1 or index in edges[index]
    )
