"""Writes a program in the grounder's language, and reads its terms back.

Nothing of a rulesheet's spelling reaches the grounder: constants are integers, relations and
functions are numbered names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from ggp.compiler.grounding.gringo import MAX_DEPTH
from ggp.compiler.rewriting.clauses import DISTINCT, DOES, ROLES, TRUE
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term, variables
from ggp.recursion import deep_recursion

__all__ = ["Encoder"]

#: The relations that are printed with their atoms, each by its letter.
_SHOWN = {
    TRUE: "t",
    DOES: "d",
    Relation("init", 1): "i",
    Relation("next", 1): "n",
    Relation("legal", 2): "l",
    Relation("goal", 2): "g",
    Relation("terminal", 0): "e",
}
#: Whatever is true first or next may be true, and whatever is legal may be done.
_RELAXATION = (
    "#external t(F):i(F).",
    "#external t(F):n(F).",
    "#external d(R,M):l(R,M),player(R).",
)
_SHOW = ("#show.", *(f"#show {letter}/{relation.arity}." for relation, letter in _SHOWN.items()))
#: A level of a term takes no more calls than this.
_FRAMES = 2
#: A number, or a list of numbers and lists.
_Decoded: TypeAlias = Any
_RELATIONS = {letter: relation.name for relation, letter in _SHOWN.items()}


class Encoder:
    """Gives numbers to constants, functions and relations as it meets them."""

    def __init__(self) -> None:
        """Start without any number given out."""
        self._constants: dict[str, int] = {}
        self._functions: dict[Relation, str] = {}
        self._relations = {**_SHOWN, ROLES: "player"}
        self._constant_names: list[Symbol] = []
        #: The name of each function, and how many arguments it has.
        self._function_names: list[tuple[Symbol, int]] = []

    def text(self, clauses: Rules, *, possible: Iterable[str] | None = None) -> str:
        """Return the program's text, in ASCII.

        Args:
            clauses: the rules.
            possible: the facts and moves that are possible, as `inputs` gives them; None if the
                rules are to tell, by the delete relaxation.
        """
        lines = self._lines(clauses)
        relaxation = _RELAXATION if possible is None else (f"#external {a}." for a in possible)
        return "\n".join(chain(lines, relaxation, _SHOW)) + "\n"

    @staticmethod
    def inputs(names: Iterable[str]) -> list[str]:
        """Return those of the printed atoms that are facts and moves."""
        return [name for name in names if name[0] in _SHOWN[TRUE] + _SHOWN[DOES]]

    def decode(self, texts: Sequence[str]) -> Iterator[tuple[str, tuple[Term, ...]]]:
        """Yield the relation's name and the arguments of each printed atom."""
        # a move is printed twice: legal, and done
        distinct = [*dict.fromkeys(text[1:] for text in texts if text[1:])]
        # (3,f2(4)) becomes [3,[2,4]], and all of them together one text of JSON
        inside = "],[".join(text[1:-1] for text in distinct)
        lists = inside.replace("f", "[").replace("(", ",").replace(")", "]")
        with deep_recursion(_FRAMES * MAX_DEPTH):
            found: list[list[_Decoded]] = json.loads(f"[[{lists}]]") if distinct else []
            decoded = dict(zip(distinct, map(self._decoded, found), strict=True))
        for text in texts:
            yield _RELATIONS[text[0]], decoded.get(text[1:], ())

    def _decoded(self, items: list[_Decoded]) -> tuple[Term, ...]:
        """Return terms: constants of numbers, functions of lists that begin with their number."""
        constants, functions = self._constant_names, self._function_names
        terms: list[Term] = []
        for item in items:
            if isinstance(item, int):
                terms.append(constants[item])
            else:
                name, arity = functions[item[0]]
                terms.append(Compound((name, *self._decoded(item[1 : 1 + arity]))))
        return tuple(terms)

    def _lines(self, program: Rules) -> Iterator[str]:
        for role in program.roles:
            yield f"player({self.term(role, {})})."
        for rule in program.rules:
            names: dict[Symbol, str] = {}
            body = ",".join(
                chain(
                    (self.literal(literal, names) for literal in rule.body),
                    self._shallow(rule.head, names) if program.may_nest else (),
                )
            )
            head = self.atom(rule.head, names)
            yield f"{head}:-{body}." if body else f"{head}."
        for guard in program.guards:
            head, body = self.clause(guard)
            yield f"#external {head}:{body}." if body else f"#external {head}."

    def _shallow(self, head: Term, names: dict[Symbol, str]) -> Iterator[str]:
        """Yield tests that a term which a head nests deeper is not too deep already."""
        for term in arguments_of(head):
            if isinstance(term, Compound):
                for variable in dict.fromkeys(variables(term)):
                    name = self.term(variable, names)
                    yield f"{name}=@shallow({name})"

    def clause(self, rule: Rule) -> tuple[str, str]:
        """Return the head and the body of a rule."""
        names: dict[Symbol, str] = {}
        body = ",".join([self.literal(literal, names) for literal in rule.body])
        return self.atom(rule.head, names), body

    def literal(self, literal: Literal, names: dict[Symbol, str]) -> str:
        """Return a literal.

        Args:
            literal: the literal.
            names: the names of the rule's variables so far; extended with new ones.
        """
        if literal.relation == DISTINCT:
            left, right = (self.term(term, names) for term in arguments_of(literal.atom))
            return f"{left}!={right}" if literal.positive else f"{left}={right}"
        atom = self.atom(literal.atom, names)
        return atom if literal.positive else f"not {atom}"

    def atom(self, atom: Term, names: dict[Symbol, str]) -> str:
        """Return an atom; `names` as for `literal`."""
        relation = relation_of(atom)
        name = self._relations.setdefault(relation, f"r{len(self._relations)}")
        arguments = ",".join(self.term(term, names) for term in arguments_of(atom))
        return f"{name}({arguments})" if arguments else name

    def term(self, term: Term, names: dict[Symbol, str]) -> str:
        """Return a term; `names` as for `literal`."""
        if isinstance(term, Symbol):
            if term.is_variable:
                return names.setdefault(term, f"V{len(names)}")
            if term.text not in self._constants:
                self._constants[term.text] = len(self._constants)
                self._constant_names.append(Symbol(term.text))
            return str(self._constants[term.text])
        function = relation_of(term)
        if function not in self._functions:
            self._functions[function] = f"f{len(self._functions)}"
            self._function_names.append((Symbol(function.name), function.arity))
        # The grounder knows no function without arguments.
        arguments = ",".join(self.term(item, names) for item in term.arguments) or "0"
        return f"{self._functions[function]}({arguments})"
