"""Writes a program in the grounder's language, and reads its terms back.

Nothing of a rulesheet's spelling reaches the grounder: constants are integers, relations and
functions are numbered names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

from ggp.gdl import Literal, Relation, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term, variables
from ggp.reasoner.compiled.rewriting.clauses import DISTINCT, DOES, ROLES, TRUE, Clauses

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
#: A constant, a function with its parenthesis, or the end of a term.
_TOKENS = re.compile(r"(\w+)(?![\w(])|(\w*)\(|\)")
_RELATIONS = {letter: relation.name for relation, letter in _SHOWN.items()}


class Encoder:
    """Gives numbers to constants, functions and relations as it meets them."""

    def __init__(self) -> None:
        """Start without any number given out."""
        self._constants: dict[str, int] = {}
        self._functions: dict[Relation, str] = {}
        self._relations = {**_SHOWN, ROLES: "player"}
        self._constant_names: list[Symbol] = []
        self._function_names: dict[str, Relation] = {}
        self._decoded: dict[str, tuple[Term, ...]] = {}

    def text(self, clauses: Clauses, *, possible: Iterable[str] | None = None) -> str:
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

    def decode(self, text: str) -> tuple[str, tuple[Term, ...]]:
        """Return the relation's name and the arguments of a printed atom."""
        arguments = self._decoded.get(text[1:])  # a move is printed twice: legal, and done
        if arguments is None:
            arguments = self._decoded[text[1:]] = self._arguments(text[1:])
        return _RELATIONS[text[0]], arguments

    def _arguments(self, text: str) -> tuple[Term, ...]:
        open_functions: list[str] = []
        open_arguments: list[list[Term]] = [[]]
        for token in _TOKENS.finditer(text):
            constant, function_name = token.groups()
            if constant is not None:
                open_arguments[-1].append(self._constant_names[int(constant)])
            elif function_name is not None:
                open_functions.append(function_name)
                open_arguments.append([])
            else:
                inside = tuple(open_arguments.pop())
                if not open_arguments[1:]:
                    return inside
                function = self._function_names[open_functions.pop()]
                term = Compound((Symbol(function.name), *inside[: function.arity]))
                open_arguments[-1].append(term)
        return ()

    def _lines(self, program: Clauses) -> Iterator[str]:
        for role in program.roles:
            yield f"player({self._term(role, {})})."
        for rule in program.rules:
            names: dict[Symbol, str] = {}
            body = ",".join(
                chain(
                    (self._literal(literal, names) for literal in rule.body),
                    self._shallow(rule.head, names) if program.nesting else (),
                )
            )
            head = self._atom(rule.head, names)
            yield f"{head}:-{body}." if body else f"{head}."
        for guard in program.guards:
            names = {}
            body = ",".join(self._literal(literal, names) for literal in guard.body)
            head = self._atom(guard.head, names)
            yield f"#external {head}:{body}." if body else f"#external {head}."

    def _shallow(self, head: Term, names: dict[Symbol, str]) -> Iterator[str]:
        """Yield tests that a term which a head nests deeper is not too deep already."""
        for term in arguments_of(head):
            if isinstance(term, Compound):
                for variable in dict.fromkeys(variables(term)):
                    name = self._term(variable, names)
                    yield f"{name}=@shallow({name})"

    def _literal(self, literal: Literal, names: dict[Symbol, str]) -> str:
        if literal.relation == DISTINCT:
            left, right = (self._term(term, names) for term in arguments_of(literal.atom))
            return f"{left}!={right}" if literal.positive else f"{left}={right}"
        atom = self._atom(literal.atom, names)
        return atom if literal.positive else f"not {atom}"

    def _atom(self, atom: Term, names: dict[Symbol, str]) -> str:
        relation = relation_of(atom)
        name = self._relations.setdefault(relation, f"r{len(self._relations)}")
        arguments = ",".join(self._term(term, names) for term in arguments_of(atom))
        return f"{name}({arguments})" if arguments else name

    def _term(self, term: Term, names: dict[Symbol, str]) -> str:
        if isinstance(term, Symbol):
            if term.is_variable:
                return names.setdefault(term, f"V{len(names)}")
            if term.text not in self._constants:
                self._constants[term.text] = len(self._constants)
                self._constant_names.append(Symbol(term.text))
            return str(self._constants[term.text])
        function = relation_of(term)
        if function not in self._functions:
            name = f"f{len(self._functions)}"
            self._functions[function] = name
            self._function_names[name] = function
        # The grounder knows no function without arguments.
        arguments = ",".join(self._term(item, names) for item in term.arguments) or "0"
        return f"{self._functions[function]}({arguments})"
