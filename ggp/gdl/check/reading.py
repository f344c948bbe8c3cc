"""Reads the well-formed parts of a rulesheet, and reports the malformed ones.

`ggp.gdl.normalise` stops at the first malformed statement; the checker goes on, so it reads the
statements itself and passes on only the well-formed ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ggp.gdl.check.finding import Edit, Findings, shown
from ggp.gdl.check.rulesheet import Condition, Either, Rulesheet, Statement, binds
from ggp.gdl.normalise import canonical, undefinable
from ggp.gdl.rules import Literal, arguments_of, head_name
from ggp.kif import Compound, Source, Symbol, Term
from ggp.kif.keywords import CONNECTIVES, KEYWORDS

__all__ = ["read"]


#: Words that join conditions in other languages, what GDL has instead, and how it is written.
_FOREIGN = {
    **dict.fromkeys(
        ("and", "&", "&&", ","), ("", "all conditions of a rule must hold: list them without it")
    ),
    **dict.fromkeys(("|", "||"), ("or", "write (or condition condition ...)")),
    **dict.fromkeys(("~", "!", "naf", "\\+"), ("not", "write (not condition)")),
    **dict.fromkeys(("!=", "/=", "<>", "\\="), ("distinct", "write (distinct term term)")),
}


def read(terms: Sequence[Term], source: Source, findings: Findings) -> Rulesheet:
    """Read the statements of a rulesheet, and report what is malformed."""
    defined = {head_name(term) for term in terms}
    foreign = {word: meant for word, meant in _FOREIGN.items() if word not in defined}
    statements = tuple(_Reader(term, findings, foreign).statement() for term in terms)
    return Rulesheet(source, statements)


@dataclass
class _Reader:
    """Reads one statement; where `ggp.gdl.normalise` raises, it reports a problem and goes on."""

    term: Term
    findings: Findings
    #: Words that other languages give a meaning, and no rule of this text.
    foreign: Mapping[str, tuple[str, str]]
    sound: bool = field(default=True)

    def statement(self) -> Statement:
        term = self.term
        if not (isinstance(term, Compound) and term.name == "<="):
            return Statement(term, self._head(term, has_body=False), (), False, self.sound)
        if len(term.items) == 1:
            self._fault("rule-without-head", term, "this rule has no head")
            return Statement(term, None, (), True, False)
        head = self._head(term.items[1], has_body=len(term.items) > 2)
        if len(term.items) == 2:
            fix = self._by(term, term.items[1])
            self.findings.add("empty-body", term, "this rule has no condition", fix=fix)
        body = tuple(c for t in term.items[2:] if (c := self._condition(t)) is not None)
        return Statement(term, head, body, True, self.sound)

    def _head(self, term: Term, *, has_body: bool) -> Term | None:
        inner = term
        while isinstance(inner, Compound) and len(inner.items) == 1:
            inner = inner.items[0]
        name = (inner.name if isinstance(inner, Compound) else inner.text).lower()
        reason = undefinable(name, has_body=has_body)
        if reason is not None:
            self._fault("keyword-in-head", inner, reason)
            return None
        head = self._atom(term)
        if head is not None and name == "role":
            self._check_role(arguments_of(head))
        return head

    def _check_role(self, arguments: Sequence[Term]) -> None:
        """Report a role that is no name. That `role` has other than one argument comes later."""
        match arguments:
            case [Symbol() as role]:
                if role.is_variable:
                    self._fault("variable-in-fact", role, f"the variable `{role}` in a fact")
            case [role]:
                self._fault("role-not-a-name", role, f"the role {shown(role)} is no name")
            case _:
                self.sound = False

    def _condition(self, term: Term) -> Condition | None:
        if isinstance(term, Compound):
            match term.name.lower():
                case "not":
                    return self._negation(term)
                case "or":
                    return self._disjunction(term)
                case word if word in self.foreign and len(term.items) > 1:
                    self._foreign(term, word)
                    return None
        atom = self._atom(term)
        return None if atom is None else Literal(atom)

    def _foreign(self, term: Compound, word: str) -> None:
        meant, hint = self.foreign[word]
        fix = None
        if meant:
            fix = self.findings.replacing(term.items[0], meant)
        elif isinstance(self.term, Compound) and any(term is item for item in self.term.items):
            fix = self._by(term, *term.arguments)
        self.sound = False
        message = f"GDL has no `{word}`"
        self.findings.add("foreign-syntax", term.items[0], message, hint=hint, fix=fix)

    def _negation(self, term: Compound) -> Literal | None:
        if len(term.items) != 2:
            message = f"`not` takes one condition, here it has {len(term.items) - 1}"
            self._fault("keyword-arity", term, message)
            return None
        inner = term.items[1]
        name = inner.name.lower() if isinstance(inner, Compound) else ""
        if name in ("not", "or", "distinct") or (isinstance(inner, Symbol) and inner.is_variable):
            self._fault("negation-of-nonatom", term, f"`{name or inner}` cannot be negated")
            return None
        atom = self._atom(inner)
        return None if atom is None else Literal(atom, positive=False)

    def _disjunction(self, term: Compound) -> Either:
        if len(term.items) < 3:
            count = "one alternative" if len(term.items) == 2 else "no alternative"
            fix = self._by(term, term.items[1]) if len(term.items) == 2 else None
            self.findings.add("trivial-or", term, f"this disjunction has {count}", fix=fix)
        branches: list[Condition] = []
        for item in term.items[1:]:
            if isinstance(item, Compound) and item.name.lower() == "or":
                message = "a disjunction directly inside another"
                fix = self._by(item, *item.arguments) if item.arguments else None
                self.findings.add("nested-or", item, message, fix=fix)
            branch = self._condition(item)
            if branch is not None:
                branches.append(branch)
        bound = [binds(branch) for branch in branches]
        return Either(tuple(branches), frozenset.intersection(*bound) if bound else frozenset())

    def _atom(self, term: Term) -> Term | None:
        outer = term
        while isinstance(term, Compound) and len(term.items) == 1:
            term = term.items[0]
        if term is not outer and isinstance(outer, Compound):
            message = "parentheses around a single name"
            self.findings.add("needless-parentheses", outer, message, fix=self._by(outer, term))
        if isinstance(term, Symbol):
            return self._proposition(term)
        name = term.items[0] if term.items else None
        lowered = term.name.lower()
        if name is None:
            self._fault("not-a-relation", outer, "empty parentheses are no atom")
        elif not isinstance(name, Symbol) or name.is_variable:
            self._fault("not-a-relation", name, f"{shown(name)} cannot name a relation")
        elif lowered == "<=":
            self._fault("nested-rule", term, "a rule inside another statement")
        elif lowered in ("not", "or"):
            message = f"a pair of parentheses too many around `{lowered}`"
            self._fault("not-a-relation", outer, message)
        else:
            for argument in term.arguments:
                self._check_argument(argument)
            head = Symbol(lowered, name.position) if lowered in KEYWORDS else name
            return Compound((head, *map(canonical, term.arguments)), term.position)
        return None

    def _proposition(self, symbol: Symbol) -> Term | None:
        lowered = symbol.text.lower()
        if symbol.is_variable:
            self._fault("not-a-relation", symbol, f"the variable `{symbol}` is no atom")
        elif lowered in CONNECTIVES:
            self._fault("keyword-as-constant", symbol, f"`{symbol}` cannot stand alone")
        else:
            return Symbol(lowered, symbol.position) if lowered in KEYWORDS else symbol
        return None

    def _check_argument(self, term: Term) -> None:
        pending = [term]
        while pending:
            term = pending.pop()
            if isinstance(term, Symbol):
                continue
            name = term.items[0] if term.items else None
            if name is None:
                self._fault("not-a-term", term, "empty parentheses are no term")
            elif not isinstance(name, Symbol) or name.is_variable:
                self._fault("not-a-term", name, f"{shown(name)} cannot name a function")
            elif len(term.items) == 1:
                message = f"{shown(term)} is another term than {shown(name)}"
                fix = self._by(term, name)
                self.findings.add("needless-parentheses", term, message, fix=fix)
            pending.extend(term.items[1:])

    def _by(self, term: Term, *parts: Term) -> Edit:
        """Return the edit that writes some parts of a term in its place."""
        return self.findings.replacing(term, " ".join(map(self.findings.written, parts)))

    def _fault(self, code: str, where: Term, message: str) -> None:
        self.sound = False
        self.findings.add(code, where, message)
