"""What an editor shows of the name under the cursor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from lsprotocol.types import Hover, MarkupContent, MarkupKind, Position

from ggp.authoring.lsp.features.navigation import places
from ggp.authoring.lsp.features.outline import counted, heading
from ggp.authoring.lsp.features.ranges import range_of, symbol_at
from ggp.authoring.lsp.knowledge import Knowledge, Place, Proof, Values
from ggp.authoring.lsp.text.document import At, Document
from ggp.authoring.lsp.text.words import KEYWORDS

__all__ = ["hover"]

_MANY = 12
_PROOFS = {
    "terminal": ("ends",),
    "goal": ("goals", "winnable", "constant-sum", "monotone"),
    "legal": ("playable", "turn-taking"),
    "true": ("one-content", "keeps-content", "never"),
}


def hover(document: Document, knowledge: Knowledge, position: Position) -> Hover | None:
    """Describe the name at a position; None where there is none."""
    at = symbol_at(document, position)
    if at is None:
        return None
    parts = [part for part in _parts(document, knowledge, at) if part]
    text = MarkupContent(MarkupKind.Markdown, "\n\n".join(parts))
    return Hover(text, range_of(document, at))


def _parts(document: Document, knowledge: Knowledge, at: At) -> Iterator[str]:
    token = at.token
    match token.kind:
        case "keyword":
            yield from _keyword(knowledge, token.text.lower())
        case "variable":
            count = len(at.placed.statement.names[token.name])
            yield f"{_code(token.text)}: a variable, {_times(count)} in this statement"
            yield from _values_of_variable(knowledge, at)
        case "constant" if _is_role(document, token.text):
            yield f"{_code(token.text)}: a role"
            yield _legal(knowledge, token.text)
            yield from _proofs(p for p in knowledge.proofs if p.role == token.text)
        case "constant":
            what = {"fact": "a fact", "move": "a move"}.get(token.where, "a constant")
            yield f"{_code(token.text)}: {what}"
            yield from _definers_and_users(document, at)
        case _:
            what = {"fact": "a fact", "move": "a move"}.get(token.where, f"a {token.kind}")
            yield f"{_code(token.text)}: {what} with {_arguments(token.arity)}"
            yield _domains(knowledge, at)
            yield from _definers_and_users(document, at)


def _keyword(knowledge: Knowledge, name: str) -> Iterator[str]:
    keyword = KEYWORDS[name]
    yield _code(keyword.form)
    yield keyword.meaning
    if name == "role":
        yield from (_legal(knowledge, role, named=True) for role in knowledge.legal)
        yield from _proofs(knowledge.proofs)
    else:
        yield from _proofs(p for p in knowledge.proofs if p.name in _PROOFS.get(name, ()))


def _definers_and_users(document: Document, at: At) -> Iterator[str]:
    found = list(places(document, at))
    defining = list({p.placed.start: p.placed for p in found if p.token.defines}.values())
    using = {p.placed.start: p.placed for p in found if not p.token.defines}
    if defining or at.token.kind != "constant":
        statements = [placed.statement for placed in defining]
        rules = f"Defined by {counted(statements)}" if defining else "Not defined"
        by = list(dict.fromkeys(map(heading, statements)))
        named = f": {_list(by)}" if defining and at.token.kind != "relation" else ""
        yield rules + named + _lines(document, [placed.start for placed in defining])
    users = list(dict.fromkeys(heading(placed.statement) for placed in using.values()))
    yield f"Used by {_list(users)}" if using else "Not used"


def _lines(document: Document, starts: Sequence[int]) -> str:
    if not starts:
        return ""
    lines = [document.lines.point(start).line + 1 for start in starts]
    where = f"line {lines[0]}" if len(lines) == 1 else f"lines {lines[0]} to {lines[-1]}"
    return f" ({where})"


def _domains(knowledge: Knowledge, at: At) -> str:
    token = at.token
    lines = []
    for argument in range(1, token.arity + 1):
        assert token.kind in ("relation", "function")
        place = Place(token.kind, token.text, token.arity, argument)
        values = knowledge.places.get(place)
        if values is not None:
            lines.append(f"{argument}. {_values(values)}")
    return "\n".join(["Values of the arguments:", "", *lines]) if lines else ""


def _values_of_variable(knowledge: Knowledge, at: At) -> Iterator[str]:
    """Yield what can stand at the place of a variable that is an argument."""
    statement = at.placed.statement
    parent = at.token.parent
    name = statement.name_of(parent) if parent >= 0 else None
    if name is not None and name.kind in ("relation", "function") and at.token.place:
        place = Place(name.kind, name.text, name.arity, at.token.place)
        values = knowledge.places.get(place)
        if values is not None:
            yield f"Values of argument {at.token.place} of {_code(name.text)}: {_values(values)}"


def _values(values: Values) -> str:
    functions = [f"({name}{' ...' if arity else ''})" for name, arity in values.functions]
    return _list([*values.constants, *functions]) or "none"


def _legal(knowledge: Knowledge, role: str, *, named: bool = False) -> str:
    legal = knowledge.legal.get(role)
    if legal is None:
        return ""
    who = f" of {_code(role)}" if named else ""
    count = "no legal move" if not legal.count else f"{legal.count} legal moves"
    count = "1 legal move" if legal.count == 1 else count
    rest = " ..." if legal.count > len(legal.moves) else ""
    moves = f": {', '.join(map(_code, legal.moves))}{rest}" if legal.count else ""
    return f"Initial state: {count}{who}{moves}"


def _proofs(proofs: Iterable[Proof]) -> Iterator[str]:
    lines = [f"- {proof.verdict}: {proof.summary}" for proof in proofs]
    if lines:
        yield "\n".join(lines)


def _is_role(document: Document, text: str) -> bool:
    return any(
        use.where == "role" and use.defines and use.name.text == text for use in document.uses
    )


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(_code(name or "()") for name in names[:_MANY])
    return shown + (f", and {len(names) - _MANY} more" if len(names) > _MANY else "")


def _code(text: str) -> str:
    """Return a text as code; more backquotes are around it than it has itself."""
    fence = "`" * (1 + max((len(run) for run in text.split() if set(run) == {"`"}), default=0))
    return f"{fence}{text}{fence}" if "`" not in text else f"`` {text} ``"


def _arguments(arity: int) -> str:
    return f"{arity or 'no'} argument{'' if arity == 1 else 's'}"


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
