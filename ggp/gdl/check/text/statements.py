"""Statements that are misshapen as a whole: foreign arrows, statements inside statements."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ggp.gdl.check.finding import Findings, shown
from ggp.kif import Compound, Symbol, Term, is_ground, symbols

__all__ = ["statements_of"]

#: What other languages write for `<=`, and what a slip makes of it.
_ARROWS = frozenset({"=>", "<-", ":-", "->", "<==", "==>", "=<", "<--", "\u21d0", "\u2190", "if"})
_BEGIN_STATEMENTS = frozenset({"<=", "role", "init", "base", "input"})
_ROLE_FIRST = frozenset({"legal", "does", "goal", "role"})


def statements_of(terms: Iterable[Term], findings: Findings) -> tuple[Term, ...] | None:
    """Return the statements as they were meant; None where too little of them is KIF."""
    terms = tuple(terms)
    if _report_bare_arrow(terms, findings) or _report_bare_variables(terms, findings):
        return None
    arrows: list[tuple[Symbol, Compound]] = []
    statements = [_with_arrow(s, arrows) for term in terms for s in _apart(term, findings)]
    if arrows:
        arrow, rule = arrows[0]
        place = "here" if len(arrows) == 1 else f"here and in {len(arrows) - 1} more rules"
        if rule.items[0] is arrow:
            message = f"GDL begins a rule with `<=`, not with `{arrow}` as {place}"
            fix = findings.replacing(arrow, "<=")
        else:
            message = f"GDL puts `<=` before the head of a rule, not after it as {place}"
            fix = None
        findings.add(
            "foreign-syntax", arrow, message, hint="write (<= head condition ...)", fix=fix
        )
    return tuple(statements)


def _with_arrow(term: Term, arrows: list[tuple[Symbol, Compound]]) -> Term:
    """Return a rule with `<=` before its head, and note it if it was written otherwise."""
    if not isinstance(term, Compound):
        return term
    for place, item in enumerate(term.items[:2]):
        if isinstance(item, Symbol) and (item.text in _ARROWS or (place and item.text == "<=")):
            if len(term.items) < 3 or not _may_be_rule(term, place):
                break
            arrows.append((item, term))
            rest = term.items[:place] + term.items[place + 1 :]
            return Compound((Symbol("<=", item.position), *rest), term.position)
    return term


def _may_be_rule(term: Compound, place: int) -> bool:
    """Return whether compounds stand where the head and the conditions of a rule do."""
    others = term.items[:place] + term.items[place + 1 :]
    return any(isinstance(item, Compound) for item in others)


def _report_bare_arrow(terms: tuple[Term, ...], findings: Findings) -> bool:
    """Report an arrow between terms outside all parentheses: where a rule ends is unclear."""
    for before, term, after in zip(terms, terms[1:], terms[2:], strict=False):
        is_arrow = isinstance(term, Symbol) and (term.text in _ARROWS or term.text == "<=")
        if is_arrow and isinstance(before, Compound) and isinstance(after, Compound):
            message = f"`{term}` stands between head and conditions, outside all parentheses"
            findings.add("foreign-syntax", term, message, hint="write (<= head condition ...)")
            return True
    return False


def _report_bare_variables(terms: tuple[Term, ...], findings: Findings) -> bool:
    """Report capital letters for variables, where no variable has its `?`."""
    rules = [term for term in terms if isinstance(term, Compound) and term.name == "<="]
    if any(symbol.is_variable for rule in rules for symbol in symbols(rule)):
        return False
    others = (term for term in terms if not (isinstance(term, Compound) and term.name == "<="))
    facts = {symbol.text for term in others for symbol in symbols(term)}
    for rule in rules:
        for atom in rule.items[1:]:
            if isinstance(atom, Compound) and atom.name in _ROLE_FIRST and len(atom.items) > 1:
                role = atom.items[1]
                if isinstance(role, Symbol) and role.text[:1].isupper() and role.text not in facts:
                    message = (
                        f"`{role}` is no variable here: no variable of the text begins with `?`"
                    )
                    findings.add(
                        "foreign-syntax",
                        role,
                        message,
                        hint=f"write ?{role.text.lower()}, and all other variables in this way",
                        fix=findings.replacing(role, f"?{role.text.lower()}"),
                    )
                    return True
    return False


def _apart(term: Term, findings: Findings) -> Iterator[Term]:
    """Yield a statement without those that it swallowed for want of a parenthesis, then these.

    A statement that begins at the margin was not meant to stand inside another.
    """
    swallowed: list[Compound] = []
    rest = _without_statements(term, swallowed)
    yield rest
    if swallowed:
        assert term.position is not None  # it was read from a text
        name = shown(swallowed[0].items[0])
        message = f"{name} begins inside the statement of line {term.position.line}"
        count = f"{len(swallowed)} statements" if len(swallowed) > 1 else "this one"
        hint = f"close the statement of line {term.position.line}: it holds {count}"
        findings.add("nested-rule", swallowed[0], message, hint=hint)
    for inner in swallowed:
        yield from _apart(inner, findings)


def _begins_statement(term: Compound) -> bool:
    """Return whether this is no condition: only (role ?x) could be one."""
    return term.name.lower() in _BEGIN_STATEMENTS and not (
        term.name.lower() == "role" and not is_ground(term)
    )


def _without_statements(term: Term, swallowed: list[Compound]) -> Term:
    if not isinstance(term, Compound):
        return term
    items: list[Term] = []
    for item in term.items:
        if isinstance(item, Compound):
            at_margin = item.position is not None and item.position.column == 1
            if at_margin and _begins_statement(item):
                swallowed.append(item)
                continue
            items.append(_without_statements(item, swallowed))
        else:
            items.append(item)
    return Compound(tuple(items), term.position) if swallowed else term
