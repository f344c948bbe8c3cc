"""The rules of a game as a program for clingo in which each turn of a match has its number.

A relation that depends on the state gets the number of the turn as one more argument, so that
``(true (hand ?p ?x))`` becomes ``t(f0(P,X),t)``. The program comes in parts, which are grounded
once for each turn:

- `base`: what depends on neither state nor turn;
- `state(t)`: what holds in the state before turn t, and that the match is not over there;
- `turn(t)`: the legal moves, that each role makes one of them, and the state that follows.

(Thielscher, Answer Set Programming for Single-Player Games in General Game Playing, 2009.)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from ggp.compiler.grounding.encode import Encoder
from ggp.compiler.rewriting.clauses import DOES, TRUE, Auxiliaries
from ggp.compiler.rewriting.rewrite import safe_rules
from ggp.gdl import Description, Literal, Relation, Rule, arguments_of, relation_of
from ggp.gdl.dependency import DependencyGraph
from ggp.gdl.unify import renamed, resolved, unifier
from ggp.kif import Compound, Symbol, Term
from ggp.match.histories.causes import Cause

__all__ = ["TimedProgram"]

_INIT, _NEXT = Relation("init", 1), Relation("next", 1)
_LEGAL, _TERMINAL = Relation("legal", 2), Relation("terminal", 0)
_QUESTIONS = (_INIT, _NEXT, _LEGAL, _TERMINAL)
_PERCEPT = Symbol("?percept")

_MAKE_MOVES = "1{d(R,M,t):l(R,M,t)}1:-player(R)."
_BEGIN, _PROCEED, _GOES_ON = "t(F,0):-i(F).", "t(F,t+1):-n(F,t).", ":-e(t)."


class TimedProgram(Encoder):
    """The parts of the program, and what a role knows of a match as constraints."""

    def __init__(self, description: Description) -> None:
        """Translate the rules.

        Raises:
            ReasonerError: a variable of some rule has no values to range over.
        """
        super().__init__()
        rules = safe_rules(description, _QUESTIONS, Auxiliaries())
        graph = DependencyGraph(tuple(rules))
        self._timed = graph.dependents((TRUE, DOES)) | {TRUE, DOES, _NEXT, _LEGAL, _TERMINAL}
        self._roles = description.roles
        self._legal = [rule for rule in rules if rule.relation == _LEGAL]
        #: Whether some of the legal moves may be left out: no rule looks at those that are legal.
        self.may_restrict = not any(
            literal.relation == _LEGAL for rule in rules for literal in rule.body
        )
        following = graph.dependents((DOES,)) | {_NEXT}
        self.base = self._text(
            (rule for rule in rules if rule.relation not in self._timed),
            *(f"player({self.term(role, {})})." for role in self._roles),
            _BEGIN,
        )
        self.state = self._text(
            (rule for rule in rules if rule.relation in self._timed - following - self._guarded),
            _GOES_ON,
        )
        self.turn = self._text(
            (rule for rule in rules if rule.relation in following),
            *self._guarded_legal(),
            _MAKE_MOVES,
            _PROCEED,
        )

    @property
    def _guarded(self) -> frozenset[Relation]:
        """The relations that are restricted to the moves that a turn is grounded with."""
        return frozenset({_LEGAL} if self.may_restrict else ())

    def atom(self, atom: Term, names: dict[Symbol, str]) -> str:
        """Return an atom, with the turn if it depends on that."""
        text = super().atom(atom, names)
        if relation_of(atom) not in self._timed:
            return text
        return f"{text.removesuffix(')')},t)" if arguments_of(atom) else f"{text}(t)"

    def choices(
        self,
        turn: int,
        some: Mapping[Symbol, Sequence[Term]],
        causes: Iterable[Cause],
    ) -> str:
        """Return which moves are possible in a turn; to be grounded together with the turn.

        Args:
            turn: the number of the turn.
            some: for roles with too many moves, some that are legal in some state.
            causes: moves that are possible as well, if they are legal.
        """
        if not self.may_restrict:
            return ""
        lines = []
        for role in self._roles:
            name = self.term(role, {})
            if role not in some:
                lines.append(f"free({name},{turn}).")
            for move in some.get(role, ()):
                lines.append(f"some({name},{self.term(move, {})},{turn}).")
        for cause in causes:
            wanted = Compound((Symbol("legal"), cause.role, cause.move))
            for rule in self._legal:
                bound = unifier(renamed(rule.head), wanted)
                if bound is not None:
                    head, body = self.clause(_instance(rule, bound))
                    lines.append(f"{head}:-{body}." if body else f"{head}.")
        return "\n".join(lines)

    def made(self, turn: int, role: Symbol, move: Term) -> str:
        """Return that a role made a move in a turn."""
        return f":-not d({self.term(role, {})},{self.term(move, {})},{turn})."

    def perceived(self, turn: int, told: Iterable[Term], kind: Compound) -> str:
        """Return that the facts of one kind after a turn are those that a role was told.

        Args:
            turn: the number of the turn.
            told: the facts.
            kind: what all of them are instances of.
        """
        after = turn + 1
        names: dict[Symbol, str] = {}
        any_fact = self.term(kind, names)
        lines = [f":-t({any_fact},{after}),not seen({any_fact},{after})."]
        for fact in told:
            text = self.term(fact, {})
            lines += (f"seen({text},{after}).", f":-not t({text},{after}).")
        return "\n".join(lines)

    def _guarded_legal(self) -> Iterator[str]:
        if not self.may_restrict:
            return
        for rule in self._legal:
            names: dict[Symbol, str] = {}
            body = [self.literal(literal, names) for literal in rule.body]
            head = self.atom(rule.head, names)
            role, move = (self.term(term, names) for term in arguments_of(rule.head))
            yield f"{head}:-{','.join([*body, f'free({role},t)'])}."
            yield f"{head}:-{','.join([*body, f'some({role},{move},t)'])}."

    def _text(self, rules: Iterable[Rule], *lines: str) -> str:
        clauses = map(self.clause, rules)
        made = (f"{head}:-{body}." if body else f"{head}." for head, body in clauses)
        return "\n".join(chain(made, lines))


def _instance(rule: Rule, values: Mapping[Symbol, Term]) -> Rule:
    return Rule(
        resolved(renamed(rule.head), values),
        tuple(
            Literal(resolved(renamed(literal.atom), values), literal.positive)
            for literal in rule.body
        ),
    )
