"""Writes a program in the grounder's language, and reads its terms back.

Nothing of a rulesheet's spelling reaches the grounder: constants are integers, relations and
functions are numbered names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from ggp.gdl import Literal, Relation, arguments_of, relation_of
from ggp.kif import Compound, Symbol, Term
from ggp.reasoner.compiled.clauses import DISTINCT, DOES, ROLES, TRUE, Clauses

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
        name, arguments, _ = self._read(text, 0)
        return _RELATIONS[name], arguments

    def _lines(self, program: Clauses) -> Iterator[str]:
        for role in program.roles:
            yield f"player({self._term(role, {})})."
        for rule in program.rules:
            names: dict[Symbol, str] = {}
            body = ",".join(self._literal(literal, names) for literal in rule.body)
            head = self._atom(rule.head, names)
            yield f"{head}:-{body}." if body else f"{head}."
        for guard in program.guards:
            names = {}
            body = ",".join(self._literal(literal, names) for literal in guard.body)
            head = self._atom(guard.head, names)
            yield f"#external {head}:{body}." if body else f"#external {head}."

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

    def _read(self, text: str, start: int) -> tuple[str, tuple[Term, ...], int]:
        """Read a name, then its arguments if there are any; return them and where they end."""
        end = start
        while end < len(text) and text[end] not in "(),":
            end += 1
        name = text[start:end]
        arguments: list[Term] = []
        while end < len(text) and text[end] in "(,":
            if text[end] == "," and not arguments:
                break
            inner, items, end = self._read(text, end + 1)
            arguments.append(self._decoded(inner, items))
        if arguments:
            end += 1  # the closing parenthesis
        return name, tuple(arguments), end

    def _decoded(self, name: str, arguments: tuple[Term, ...]) -> Term:
        if name[0] != "f":
            return self._constant_names[int(name)]
        function = self._function_names[name]
        return Compound((Symbol(function.name), *arguments[: function.arity]))
