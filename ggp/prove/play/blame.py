"""Which rules are probably at fault where a play refutes a claim.

In the last state of the play something holds that should not, or fails to hold that should. The
suspects are the rules by which that holds, or those by which it would hold but for one condition;
and then the rules that decide about that condition. What a changed rule would do is tried by
`ggp.prove.repair`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from ggp.gdl import Description, Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term, compound, variables
from ggp.prove.play.replay import doubled, emptied
from ggp.prove.question import Question
from ggp.reasoner import JointMove, open_reasoner

__all__ = ["Evidence", "held_goals", "suspects"]

# The most rules that are named, how far conditions that lack are followed, and the most rules with
# a condition left out that Prolog is asked for at once.
_MOST, _DEPTH, _MAX_PROBES = 5, 2, 1_000
# The function of moves and facts that stand for rules.
_PROBE = "ggp.prove.probe"
_LEGAL, _NEXT, _GOAL = Relation("legal", 2), Relation("next", 1), Relation("goal", 2)
_TERMINAL, _TRUE = Relation("terminal", 0), Relation("true", 1)


@dataclass(frozen=True, slots=True)
class Evidence:
    """Of the last two states of a play, or those that tell most, the facts."""

    before: tuple[Term, ...]
    joint_move: JointMove | None
    after: tuple[Term, ...]


def suspects(description: Description, question: Question, evidence: Evidence) -> list[Term]:
    """Return the statements that are probably at fault, the likeliest first; five at most.

    Args:
        description: the rules.
        question: a claim that was refuted.
        evidence: a play that refutes it.

    Raises:
        ReasonerError: Prolog failed.
    """
    scene = _Scene(description, evidence)
    role = question.role
    columns: list[list[Rule]]
    match question.name:
        case "playable":
            legal, why_legal = scene.missing(_LEGAL, role), scene.deeper()
            over, why_over = scene.missing(_TERMINAL), scene.deeper()
            columns = [legal, over, why_legal, why_over]
        case "goals":
            columns = [scene.holding(_GOAL, role)]
            if len(columns[0]) < 2:
                columns = [scene.missing(_GOAL, role), scene.holding(_TERMINAL), scene.deeper()]
        case "one-content":
            twice = doubled(question.subject or "", evidence.after)
            columns = [scene.made(fact) for fact in twice]
        case "keeps-content":
            gone = emptied(question.subject or "", evidence.before, evidence.after)
            columns = [scene.lost(gone), scene.deeper()]
        case "begins":
            columns = [scene.holding(_TERMINAL), scene.deeper()]
        case "ends":
            over, why_over = scene.missing(_TERMINAL), scene.deeper()
            columns = [over, scene.lost(evidence.before), scene.kept(), scene.played(), why_over]
        case _:
            return []
    rows = zip_longest(*map(_named, columns))
    return list(dict.fromkeys(term for row in rows for term in row if term is not None))[:_MOST]


def held_goals(description: Description, role: Symbol, facts: Sequence[Term]) -> list[Term] | None:
    """Return all goals that a role has in a state; None where they depend on what is legal.

    Raises:
        ReasonerError: Prolog failed.
    """
    if _LEGAL in description.dependencies.reachable([_GOAL]):
        return None
    return _Scene(description, Evidence((), None, tuple(facts))).values(_GOAL, role)


def _named(rules: Sequence[Rule]) -> list[Term]:
    """Return the statements that rules are made from, each once."""
    return list(dict.fromkeys(rule.source or rule.head for rule in rules))


class _Scene:
    """The end of a play, and why rules hold or fail to hold there."""

    def __init__(self, description: Description, evidence: Evidence) -> None:
        self._description, self._evidence = description, evidence
        #: Conditions that rules lacked, and the step back at which they did: 0 for the last state.
        self._lacked: list[tuple[Literal, int]] = []

    def holding(self, relation: Relation, role: Symbol | None = None) -> list[Rule]:
        """Return the rules of a relation that hold in the last state."""
        return self._holding(self._defining(_atom(relation, role)), 0)

    def values(self, relation: Relation, role: Symbol) -> list[Term]:
        """Return the values that a relation gives a role in the last state, each once."""
        rules = self._defining(_atom(relation, role))
        asked = []
        for rule in rules:
            probe = compound(_PROBE, arguments_of(rule.head)[-1])
            head = compound("legal", self._description.roles[0], probe)
            asked.append(Rule(head, rule.body, rule.source))
        found = self._asked(asked, _LEGAL, 0)
        return sorted({arguments_of(probe)[0] for probe in found}, key=str)

    def missing(self, relation: Relation, role: Symbol | None = None) -> list[Rule]:
        """Return the rules of a relation that hold in the last state but for one condition.

        All of its rules are returned if there is none.
        """
        rules = self._defining(_atom(relation, role))
        return self._missing(rules, 0) or rules

    def made(self, fact: Term) -> list[Rule]:
        """Return the rules by which a fact is true in the last state."""
        return self._holding(self._defining(compound("next", fact)), 1)

    def lost(self, facts: Iterable[Term]) -> list[Rule]:
        """Return the rules by which facts of the state before would still be true."""
        gone = [fact for fact in facts if fact not in self._evidence.after]
        rules = [rule for fact in gone for rule in self._defining(compound("next", fact))]
        return self._missing(rules, 1)

    def kept(self) -> list[Rule]:
        """Return the rules by which facts of the state before are still true."""
        both = [fact for fact in self._evidence.after if fact in self._evidence.before]
        rules = [rule for fact in both for rule in self._defining(compound("next", fact))]
        return self._holding(rules, 1)

    def played(self) -> list[Rule]:
        """Return the rules by which the last moves were legal."""
        moves = zip(self._description.roles, self._evidence.joint_move or (), strict=False)
        rules = [r for role, move in moves for r in self._defining(compound("legal", role, move))]
        return self._holding(rules, 1)

    def deeper(self) -> list[Rule]:
        """Return the rules by which what lacked would not, so that the other rules would hold."""
        found: list[Rule] = []
        for _ in range(_DEPTH):
            lacked, self._lacked = self._lacked, []
            missing: dict[int, list[Rule]] = {0: [], 1: []}
            holding: dict[int, list[Rule]] = {0: [], 1: []}
            for literal, back in dict.fromkeys(lacked):
                atom, when = literal.atom, back
                if literal.relation == _TRUE:
                    atom, when = compound("next", *arguments_of(literal.atom)), back + 1
                if when < 2:
                    rules = missing if literal.positive else holding
                    rules[when] += self._defining(atom)
            for back in (1, 0):
                found += self._missing(missing[back], back)
                found += self._holding(holding[back], back)
        return found

    def _defining(self, pattern: Term) -> list[Rule]:
        """Return the rules whose heads match a pattern, in which a variable stands for anything."""
        found = []
        for rule in self._description.by_relation.get(relation_of(pattern), ()):
            bound: dict[Symbol, Term] = {}
            if _matches(rule.head, pattern, bound):
                body = tuple(Literal(_replaced(lit.atom, bound), lit.positive) for lit in rule.body)
                found.append(Rule(_replaced(rule.head, bound), body, rule.source))
        return found

    def _holding(self, rules: Sequence[Rule], back: int) -> list[Rule]:
        """Return those rules that hold, a number of steps before the end."""
        return [rule for rule, _ in self._true([(rule, None) for rule in rules], back)]

    def _missing(self, rules: Sequence[Rule], back: int) -> list[Rule]:
        """Return those rules that would hold but for one condition, which is noted."""
        probes = [(rule, place) for rule in rules for place in range(len(rule.body))]
        found = []
        for rule, place in self._true(probes, back):
            assert place is not None
            self._lacked.append((rule.body[place], back))
            found.append(rule)
        return found

    def _true(
        self, probes: Sequence[tuple[Rule, int | None]], back: int
    ) -> list[tuple[Rule, int | None]]:
        """Return those rules that hold without the condition in a place."""
        evidence, description = self._evidence, self._description
        if not probes or (back and evidence.joint_move is None):
            return []
        role, relation = description.roles[0], _NEXT if back else _LEGAL
        asked = []
        for number, (rule, place) in enumerate(probes[:_MAX_PROBES]):
            probe = compound(_PROBE, Symbol(str(number)))
            head = compound("next", probe) if back else compound("legal", role, probe)
            body = (lit for other, lit in enumerate(rule.body) if other != place)
            asked.append(Rule(head, tuple(_bound_literals(body)), rule.source))
        numbers = (int(str(arguments_of(probe)[0])) for probe in self._asked(asked, relation, back))
        return [probes[number] for number in sorted(numbers)]

    def _asked(self, rules: Sequence[Rule], relation: Relation, back: int) -> list[Term]:
        """Return the probes that hold by rules in the place of those of `next` or `legal`."""
        evidence, description = self._evidence, self._description
        kept = (rule for rule in description.rules if rule.relation != relation)
        found: Sequence[Term]
        with open_reasoner(replace(description, rules=(*kept, *rules)), kind="prolog") as reasoner:
            if back:
                assert evidence.joint_move is not None
                state = reasoner.state_of(evidence.before)
                found = reasoner.facts(reasoner.next_state(state, evidence.joint_move))
            else:
                state = reasoner.state_of(evidence.after)
                found = reasoner.legal_moves(state, description.roles[0])
        return [term for term in found if isinstance(term, Compound) and term.name == _PROBE]


def _bound_literals(body: Iterable[Literal]) -> Iterator[Literal]:
    """Yield the literals, without those that rest on variables which no other literal binds."""
    body = list(body)
    positive = (lit for lit in body if lit.positive and lit.relation.name != "distinct")
    bound = {variable for literal in positive for variable in variables(literal.atom)}
    return (literal for literal in body if bound.issuperset(variables(literal.atom)))


def _atom(relation: Relation, role: Symbol | None) -> Term:
    """Return a pattern of the atoms of `legal`, `goal` or `terminal`."""
    if not relation.arity:
        return Symbol(relation.name)
    return compound(relation.name, role or Symbol("?role"), Symbol("?value"))


def _matches(head: Term, pattern: Term, bound: dict[Symbol, Term]) -> bool:
    """Bind the variables of a head so that it is an instance of a pattern; ``?`` stands for all."""
    if isinstance(pattern, Symbol) and pattern.is_variable:
        return True
    if isinstance(head, Symbol):
        if head.is_variable:
            return bound.setdefault(head, pattern) == pattern
        return head == pattern
    return (
        isinstance(pattern, Compound)
        and len(head.items) == len(pattern.items)
        and all(
            _matches(one, other, bound)
            for one, other in zip(head.items, pattern.items, strict=True)
        )
    )


def _replaced(term: Term, bound: dict[Symbol, Term]) -> Term:
    if isinstance(term, Symbol):
        return bound.get(term, term)
    return Compound(tuple(_replaced(item, bound) for item in term.items), term.position)
