"""Conditions that an author claims never to hold.

They are added to the rules as goals of a value that no game has, so that whatever computes goals
computes them too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ggp.errors import GdlError
from ggp.gdl import Description, Relation
from ggp.gdl.check import check
from ggp.gdl.normalise import normalise
from ggp.gdl.rules import head_name
from ggp.kif import Compound, Source, Symbol, Term, parse_term, to_kif
from ggp.match.spelling import Spelling

__all__ = ["FIRST_VALUE", "read_condition", "with_conditions", "with_end"]

#: The goal value that stands for the first condition; the next one's is one higher.
FIRST_VALUE = 100_000_000

_MAX_ALTERNATIVES = 1_000
#: Warnings that a condition cannot hold as it is written: it would be proved, and say nothing.
_IMPOSSIBLE = frozenset(
    {
        *("undefined-relation", "undefined-fact", "undefined-move", "impossible-constant"),
        *("misspelt-constant", "forgotten-question-mark", "contradiction"),
    }
)


def read_condition(text: str, description: Description) -> Term:
    """Read a condition on a state, as in the body of a rule; ``(and ...)`` joins several.

    Raises:
        KifError: the text is no KIF.
        GdlError: the text is no condition on a state of this game, or one that no fact can meet.
    """
    source = Source(text, name="condition")
    condition = Spelling(description).of(parse_term(source))
    rules = _rules(condition, Symbol("terminal"), source)
    rest = [term for term in description.terms if head_name(term).lower() != "terminal"]
    known = {(f.code, f.message) for f in check(to_kif(rest)) if f.severity == "error"}
    for finding in check(to_kif((*rest, *rules))):
        is_new = (finding.code, finding.message) not in known
        if is_new and (finding.severity == "error" or finding.code in _IMPOSSIBLE):
            raise GdlError(finding.message, span=source.span(condition.position), hint=finding.hint)
    return condition


def with_conditions(description: Description, conditions: Sequence[Term]) -> Description:
    """Return the game with conditions as goals of its first role, from `FIRST_VALUE` on."""
    role = description.roles[0]
    rules = list(description.rules)
    for number, condition in enumerate(conditions):
        head = Compound((Symbol("goal"), role, Symbol(str(FIRST_VALUE + number))))
        source = Source(str(condition))
        rules += normalise(_rules(condition, head, source), source=source)
    return replace(description, rules=tuple(rules))


def with_end(description: Description, condition: Term) -> Description:
    """Return the game that is over when a condition holds, and only then."""
    source = Source(str(condition))
    rules = normalise(_rules(condition, Symbol("terminal"), source), source=source)
    kept = (rule for rule in description.rules if rule.relation != Relation("terminal", 0))
    return replace(description, rules=(*kept, *rules))


def _rules(condition: Term, head: Term, source: Source) -> list[Term]:
    """Return rules by which the head holds where the condition does: one for each alternative."""
    alternatives = _alternatives(condition, positive=True)
    if len(alternatives) > _MAX_ALTERNATIVES:
        raise GdlError(
            f"the condition has more than {_MAX_ALTERNATIVES:,} alternatives",
            span=source.span(condition.position),
            hint="ask for its parts one by one",
        )
    arrow = Symbol("<=")
    return [Compound((arrow, head, *literals)) for literals in alternatives]


def _alternatives(condition: Term, *, positive: bool) -> list[tuple[Term, ...]]:
    """Return the disjunctive normal form of a condition, or of its negation."""
    name = condition.name.lower() if isinstance(condition, Compound) else ""
    parts = condition.arguments if isinstance(condition, Compound) else ()
    if name == "not" and len(parts) == 1:
        return _alternatives(parts[0], positive=not positive)
    if name not in ("and", "or"):
        return [(condition if positive else Compound((Symbol("not"), condition)),)]
    below = [_alternatives(part, positive=positive) for part in parts]
    if (name == "or") == positive:
        return [literals for alternatives in below for literals in alternatives]
    found: list[tuple[Term, ...]] = [()]
    for alternatives in below:
        found = [(*one, *other) for one in found for other in alternatives][: _MAX_ALTERNATIVES + 1]
    return found
