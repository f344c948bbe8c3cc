"""Proves, for patterns such as ``(cell ? ? wk)``, that at most one of their facts holds at a time.

The proof is by induction over the states of a match. No two such facts hold at first; and whenever
two rules for `next` would make two of them true, what their bodies and the rules for the moves say
is contradictory, if at most one fact of each pattern holds before. To see that, all that must be
the same is made the same: the facts of one pattern, and the moves of one role. What is left is a
contradiction if a fact both holds and does not, or if its static conditions have no solution.
Compare Haufe, Schiffel and Thielscher (2012) "Automated verification of state sequence invariants
in general game playing"; and Helmert (2009) "Concise finite-domain representations for PDDL
planning tasks", section 5, on rules with variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count

from ggp.compiler.rewriting.clauses import (
    DISTINCT,
    DOES,
    TRUE,
    atom_of,
    given_by_facts,
    groups_of,
    replaced,
    variables_of,
    with_values,
)
from ggp.gdl import DependencyGraph, Literal, Relation, Rule, arguments_of, relation_of
from ggp.gdl.check.analysis.matching import Bindings, Exhausted, Steps, resolved, unify
from ggp.gdl.check.analysis.statics import Statics
from ggp.kif import Compound, Symbol, Term, variables

__all__ = ["Pattern", "proven"]

#: The steps of all proofs together, and those of one search for a solution.
_MAX_STEPS = 100_000
_MAX_SEARCH = 5_000
#: Definitions deeper than this are not looked at.
_MAX_DEPTH = 3
_GIVEN = frozenset({TRUE, DOES})
_INIT, _NEXT, _LEGAL = Relation("init", 1), Relation("next", 1), Relation("legal", 2)


@dataclass(frozen=True, slots=True)
class Pattern:
    """Facts of one name that have the given constants in the given places."""

    relation: Relation
    fixed: frozenset[tuple[int, Symbol]] = frozenset()

    def admits(self, fact: Term) -> bool:
        """Return whether a fact, which may have variables, is surely one of the pattern's."""
        if relation_of(fact) != self.relation:
            return False
        arguments = arguments_of(fact)
        return all(arguments[place] == constant for place, constant in self.fixed)


def proven(candidates: Iterable[Pattern], rules: Sequence[Rule]) -> frozenset[Pattern]:
    """Return those of the patterns of which at most one fact holds in every state of a match.

    Patterns that only the proofs of others need, such as the one for whose turn it is, are tried as
    well, and returned. All moves of a match are legal. What takes too many steps is not proven.

    Args:
        candidates: patterns.
        rules: all rules of the game.
    """
    known: frozenset[Pattern] = frozenset()
    try:
        induction = _Induction(rules)
        names = dict.fromkeys(relation_of(fact) for fact in induction.first or ())
        turns = [Pattern(relation) for relation in names if relation.arity == 1]
        for tried in (turns, candidates):
            assumed = known.union(filter(induction.holds_at_first, tried))
            while failed := {p for p in assumed - known if not induction.is_kept(p, assumed)}:
                assumed -= failed
            known = assumed
    except Exhausted:
        pass
    return known


@dataclass(frozen=True, slots=True)
class _Case:
    """What is assumed together, to be found contradictory."""

    #: Two facts that are assumed to differ.
    one: Term
    other: Term
    body: tuple[Literal, ...]
    #: Moves of different roles, as ``(does ROLE MOVE)``. Why they are legal is in the body already
    #: for the first `legal` of them.
    moves: tuple[Term, ...] = ()
    legal: int = 0

    def given(self, bindings: Bindings) -> _Case:
        """Return the case with variables replaced."""
        body = (Literal(resolved(lit.atom, bindings), lit.positive) for lit in self.body)
        return _Case(
            resolved(self.one, bindings),
            resolved(self.other, bindings),
            tuple(dict.fromkeys(body)),
            tuple(resolved(move, bindings) for move in self.moves),
            self.legal,
        )


class _Induction:
    """Finds out whether cases are contradictory."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        graph = DependencyGraph(tuple(rules))
        dynamic = graph.dependents(_GIVEN)
        #: The rules, without the literals that tell nothing here.
        self._rules: dict[Relation, list[Rule]] = {}
        for rule in rules:
            own = self._rules.setdefault(rule.relation, [])
            body = (
                lit for lit in rule.body if lit.relation in _GIVEN or lit.relation not in dynamic
            )
            shorter = _in_order(Rule(rule.head, tuple(dict.fromkeys(body))))
            if shorter not in own:
                own.append(shorter)
        self._facts = given_by_facts(self._rules)
        self._statics = Statics(self._rules, graph, excluded=())
        self._steps = Steps(_MAX_STEPS)
        self._numbers = count()
        self._assumed: frozenset[Pattern] = frozenset()
        #: Whether static conditions have a solution, by their text.
        self._solvable: dict[str, bool] = {}
        #: Whether two roles never make such moves together.
        self._apart: dict[tuple[Term, Term], bool] = {}
        self.first = self._first()

    def _first(self) -> dict[Term, None] | None:
        """Return the facts that hold at first; None if they are not worked out."""
        found: dict[Term, None] = {}
        for rule in self._rules.get(_INIT, ()):
            heads = self._statics.heads(rule, self._steps)
            if heads is None:
                return None
            found |= dict.fromkeys(arguments_of(head)[0] for head in heads)
        return found

    def holds_at_first(self, pattern: Pattern) -> bool:
        """Return whether at most one fact of a pattern holds at first."""
        return self.first is not None and sum(map(pattern.admits, self.first)) <= 1

    def is_kept(self, pattern: Pattern, assumed: frozenset[Pattern]) -> bool:
        """Return whether at most one fact of a pattern holds next if that is so for all assumed."""
        if self._assumed != assumed:
            self._assumed = assumed
            self._apart.clear()
        ways: list[_Case] = []
        for rule in self._rules.get(_NEXT, ()):
            for _ in range(2):  # so that a rule and itself have no variables in common
                head, body = self._renamed(rule)
                fact = self._fact(pattern)
                bindings = unify(arguments_of(head)[0], fact, self._steps)
                if bindings is not None:
                    ways.append(_Case(fact, fact, body).given(bindings))
        pairs = (
            (ways[i], ways[j]) for i in range(0, len(ways), 2) for j in range(i + 1, len(ways), 2)
        )
        return all(
            self._is_impossible(_Case(one.one, other.one, (*one.body, *other.body)))
            for one, other in pairs
        )

    def _is_impossible(self, case: _Case) -> bool:
        merged = self._merged(case)
        if merged is None or self._are_same(merged):
            return True
        made = next((lit for lit in merged.body if lit.positive and lit.relation == DOES), None)
        if made is None:
            return self._cannot_be_made(merged)
        move = made.atom
        rest = tuple(literal for literal in merged.body if literal != made)
        case = replace(merged, body=rest)
        if move in case.moves:
            return self._is_impossible(case)
        for before in case.moves:
            bindings = unify(move, before, self._steps)
            if bindings is not None and not self._is_impossible(case.given(bindings)):
                return False
        if any(self._never_together(move, before) for before in case.moves):
            return True
        apart = (_different_roles(move, before) for before in case.moves)
        return self._is_impossible(replace(case, body=(*rest, *apart), moves=(*case.moves, move)))

    def _cannot_be_made(self, case: _Case) -> bool:
        """Return whether a case is contradictory however its moves are legal."""
        if case.legal == len(case.moves):
            return False
        return all(
            self._is_impossible(
                replace(case, body=(*case.body, *body), legal=case.legal + 1).given(bindings)
            )
            for bindings, body in self._legal(case.moves[case.legal])
        )

    def _legal(self, move: Term) -> Iterator[tuple[Bindings, tuple[Literal, ...]]]:
        """Yield why a move may be legal: bindings, and the body of a rule."""
        for rule in self._rules.get(_LEGAL, ()):
            head, body = self._renamed(rule)
            bindings = unify(atom_of(DOES, arguments_of(head)), move, self._steps)
            if bindings is not None:
                yield bindings, body

    def _never_together(self, one: Term, other: Term) -> bool:
        """Return whether two roles never make moves such as these together."""
        key = _general(one, "?one"), _general(other, "?other")
        if key not in self._apart:
            first, second = key
            apart = _different_roles(first, second)
            self._apart[key] = all(
                self._merged(_Case(first, second, (apart, *body, *more)).given({**given, **also}))
                is None
                for given, body in self._legal(first)
                for also, more in self._legal(second)
            )
        return self._apart[key]

    def _fact(self, pattern: Pattern) -> Term:
        """Return the most general fact of a pattern."""
        fixed = dict(pattern.fixed)
        places = range(pattern.relation.arity)
        return atom_of(pattern.relation, [fixed.get(at) or self._fresh() for at in places])

    def _fresh(self) -> Symbol:
        return Symbol(f"?of {next(self._numbers)}")

    def _renamed(self, rule: Rule) -> tuple[Term, tuple[Literal, ...]]:
        names: dict[Symbol, Term] = {variable: self._fresh() for variable in rule.variables()}
        return replaced(rule.head, names), with_values(rule.body, names)

    def _merged(self, case: _Case) -> _Case | None:
        """Return the case with the facts of each pattern made the same; None if it contradicts."""
        while True:
            self._steps.take(len(case.body))
            facts = [
                arguments_of(lit.atom)[0]
                for lit in case.body
                if lit.relation == TRUE and lit.positive
            ]
            own = ([f for f in facts if pattern.admits(f)] for pattern in self._assumed)
            pair = next((found[:2] for found in own if len(found) > 1), None)
            if pair is None:
                break
            bindings = unify(pair[0], pair[1], self._steps)
            if bindings is None:
                return None
            case = case.given(bindings)
        held = {literal.atom for literal in case.body if literal.positive}
        if any(not literal.positive and literal.atom in held for literal in case.body):
            return None
        static = [lit for lit in case.body if lit.relation not in _GIVEN]
        may_hold = all(map(self._may_hold, static)) and self._have_solutions(case.body)
        return case if may_hold else None

    def _are_same(self, case: _Case) -> bool:
        """Return whether the two facts, which are to differ, are the same."""
        pairs = zip(arguments_of(case.one), arguments_of(case.other), strict=True)
        return all(
            one == other
            or not self._have_solutions((*case.body, Literal(atom_of(DISTINCT, [one, other]))))
            for one, other in pairs
        )

    def _have_solutions(self, body: Iterable[Literal]) -> bool:
        """Return whether the literals that are given by facts may have a common solution."""
        given = [
            lit
            for lit in body
            if lit.relation in self._facts or (lit.positive and lit.relation == DISTINCT)
        ]
        return all(
            map(self._has_solution, groups_of(given, lambda literal: variables(literal.atom)))
        )

    def _may_hold(self, literal: Literal, depth: int = 0) -> bool:
        """Return whether some rule may derive a literal, as far as each of its body alone tells."""
        if literal.relation == DISTINCT:
            return not literal.positive or len(set(arguments_of(literal.atom))) > 1
        unknown = not literal.positive or literal.relation not in self._rules
        if unknown or depth > _MAX_DEPTH or _are_any(arguments_of(literal.atom)):
            return True
        for rule in self._rules[literal.relation]:
            head, body = self._renamed(rule)
            bindings = unify(head, literal.atom, self._steps)
            if bindings is not None and all(
                self._may_hold(Literal(resolved(lit.atom, bindings), lit.positive), depth + 1)
                for lit in body
            ):
                return True
        return False

    def _has_solution(self, body: Sequence[Literal]) -> bool:
        """Return whether literals have a common solution; also if the search takes too long."""
        names = {v: Symbol(f"?{number}") for number, v in enumerate(variables_of(body))}
        body = with_values(body, names)
        key = " ".join(map(str, body))
        if key not in self._solvable:
            search = Steps(_MAX_SEARCH)
            try:
                found = self._statics.is_satisfiable(body, search)
            except Exhausted:
                found = True
            self._solvable[key] = found
            self._steps.take(1 + _MAX_SEARCH - max(0, search.left))
        return self._solvable[key]


def _general(move: Term, name: str) -> Term:
    """Return the most general move of the same name, made by any role."""
    made = arguments_of(move)[1]
    if isinstance(made, Compound):
        open_places = (Symbol(f"{name} {place}") for place in range(len(made.arguments)))
        made = Compound((made.items[0], *open_places))
    return atom_of(DOES, [Symbol(name), made])


def _different_roles(one: Term, other: Term) -> Literal:
    return Literal(atom_of(DISTINCT, [arguments_of(one)[0], arguments_of(other)[0]]))


def _are_any(arguments: Sequence[Term]) -> bool:
    """Return whether the arguments are variables, no two of them the same."""
    return len(set(arguments)) == len(arguments) and all(
        isinstance(term, Symbol) and term.is_variable for term in arguments
    )


def _in_order(rule: Rule) -> Rule:
    """Return the rule with its variables named in order of appearance."""
    names = {v: Symbol(f"?{number}") for number, v in enumerate(rule.variables())}
    return Rule(replaced(rule.head, names), with_values(rule.body, names))
