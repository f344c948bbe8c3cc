"""Literals and atoms of rules, and the factory for the relations that passes add."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ggp.gdl import Literal, Relation, Rule
from ggp.kif import Compound, Symbol, Term, is_ground, variables

__all__ = [
    "DISTINCT",
    "DOES",
    "QUESTIONS",
    "ROLES",
    "TRUE",
    "Auxiliaries",
    "atom_of",
    "binds",
    "by_relation",
    "given_by_facts",
    "groups_of",
    "is_guard",
    "replaced",
    "variables_of",
    "with_values",
]

TRUE, DOES, DISTINCT = Relation("true", 1), Relation("does", 2), Relation("distinct", 2)

#: What a game is asked.
QUESTIONS = (
    Relation("init", 1),
    Relation("next", 1),
    Relation("legal", 2),
    Relation("goal", 2),
    Relation("terminal", 0),
)

#: Holds of exactly those roles that play. Names with a blank cannot clash with a rulesheet's.
ROLES = Relation("a player", 1)


def is_guard(relation: Relation) -> bool:
    """Return whether a relation is a guard, by its name."""
    return relation.name.startswith(("call ", "guard "))


def binds(literal: Literal) -> bool:
    """Return whether the literal gives its variables values."""
    return literal.positive and literal.relation != DISTINCT


def variables_of(literals: Iterable[Literal]) -> dict[Symbol, None]:
    """Return the variables of the literals in order of appearance, each once."""
    return dict.fromkeys(v for literal in literals for v in variables(literal.atom))


def atom_of(relation: Relation, arguments: Sequence[Term]) -> Term:
    """Return the atom of a relation with these arguments."""
    name = Symbol(relation.name)
    return Compound((name, *arguments)) if arguments else name


@dataclass(slots=True)
class Auxiliaries:
    """Makes relations that stand for a conjunction; equal conjunctions share one."""

    #: How many relations have been named, by others that were made before included.
    named: int = 0
    #: The rules of the relations,
    rules: list[Rule] = field(default_factory=list)
    #: and those of the guards.
    guards: list[Rule] = field(default_factory=list)
    _known: dict[tuple[object, ...], Relation] = field(default_factory=dict)

    def define(
        self, body: Sequence[Literal], kept: Iterable[Symbol], *, guard: bool = False
    ) -> Literal:
        """Return a literal that holds when the body does for some value of what is not kept."""
        ordered = sorted(body, key=_shape)
        names = {v: Symbol(f"?{i}") for i, v in enumerate(variables_of(ordered))}
        kept = set(kept)
        arguments = [variable for variable in names if variable in kept]
        renamed = with_values(ordered, names)
        inside = tuple(names[variable] for variable in arguments)
        key = (guard, inside, renamed)
        relation = self._known.get(key)
        if relation is None:
            relation = self._named("guard" if guard else "part", len(inside))
            self._known[key] = relation
            made = Rule(atom_of(relation, inside), renamed)
            (self.guards if guard else self.rules).append(made)
        return Literal(atom_of(relation, arguments))

    def either(self, alternatives: Sequence[Literal], kept: Iterable[Symbol]) -> Literal:
        """Return a literal that holds when some alternative does; all have the kept variables."""
        kept = set(kept)
        arguments = [v for v in variables_of(alternatives) if v in kept]
        relation = self._named("either", len(arguments))
        head = atom_of(relation, arguments)
        self.rules += (Rule(head, (alternative,)) for alternative in alternatives)
        return Literal(head)

    def _named(self, kind: str, arity: int) -> Relation:
        self.named += 1
        return Relation(f"{kind} {self.named - 1}", arity)


def replaced(term: Term, values: Mapping[Symbol, Term]) -> Term:
    """Return the term with some of its symbols replaced by what stands for them."""
    if isinstance(term, Symbol):
        return values.get(term, term)
    return Compound(tuple(replaced(item, values) for item in term.items))


def with_values(body: Iterable[Literal], values: Mapping[Symbol, Term]) -> tuple[Literal, ...]:
    """Return the literals with their variables replaced by what stands for them."""
    return tuple(Literal(replaced(lit.atom, values), lit.positive) for lit in body)


def by_relation(rules: Iterable[Rule]) -> dict[Relation, list[Rule]]:
    """Return the rules that define each relation."""
    found: dict[Relation, list[Rule]] = {}
    for rule in rules:
        found.setdefault(rule.relation, []).append(rule)
    return found


def given_by_facts(defining: Mapping[Relation, Sequence[Rule]]) -> dict[Relation, list[Term]]:
    """Return the facts of those relations, given with their rules, that have nothing but facts."""
    return {
        relation: [rule.head for rule in own]
        for relation, own in defining.items()
        if all(not rule.body and is_ground(rule.head) for rule in own)
    }


def groups_of(
    literals: Iterable[Literal], names_of: Callable[[Literal], Iterable[Symbol]]
) -> list[list[Literal]]:
    """Return the literals in groups that have none of their names in common."""
    groups: list[tuple[set[Symbol], list[Literal]]] = []
    for literal in literals:
        own = set(names_of(literal))
        joined = [group for group in groups if not own.isdisjoint(group[0])]
        groups = [group for group in groups if own.isdisjoint(group[0])]
        shared = own.union(*(names for names, _ in joined))
        groups.append((shared, [*(lit for _, lits in joined for lit in lits), literal]))
    return [members for _, members in groups]


def _shape(literal: Literal) -> tuple[str, bool]:
    """The literal's text with its variables blanked, which renaming does not change."""
    return _blanked(literal.atom), literal.positive


def _blanked(term: Term) -> str:
    if isinstance(term, Symbol):
        return "?" if term.is_variable else term.text
    return f"({' '.join(map(_blanked, term.items))})"
