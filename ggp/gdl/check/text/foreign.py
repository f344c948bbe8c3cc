"""The signs of another language: one finding that names the cause, instead of all its symptoms.

What can be read all the same is read: the checks go on with a text of the same layout.
"""

from __future__ import annotations

import re

from ggp.gdl.check.finding import Edit, Findings
from ggp.kif import Source

__all__ = ["repaired"]

#: Characters that look like those of KIF, and what they are taken for.
_LOOKALIKES = {
    **dict.fromkeys(
        "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a", " "
    ),
    **dict.fromkeys("\u200b\u200c\u200d\u2028\u2029\u202f\u205f\u2060\u3000\ufeff", " "),
    **dict.fromkeys(
        "\u201c\u201d\u201e\u201f\u2018\u2019\u201a\u201b\u00ab\u00bb\u2039\u203a", " "
    ),
    "\uff08": "(",
    "\uff09": ")",
    "\uff1f": "?",
    "\uff1b": ";",
}
_KINDS = {" ": "a blank or a quotation mark", "(": "`(`", ")": "`)`", "?": "`?`", ";": "`;`"}

#: A comment of KIF, or a character that looks like another.
_LOOKALIKE = re.compile(f";[^\r\n]*|[{''.join(_LOOKALIKES)}]")
_IS_LOOKALIKE = re.compile(_LOOKALIKE.pattern.partition("|")[2])

#: A comment of KIF, or of another language. A lone `#` or `%` may be an object, unless it begins
#: a line.
_COMMENT = re.compile(
    r";[^\r\n]*|(?<![^\s()])(?:/\*.*?\*/|//(?![)])[^\r\n]*)|^[ \t]*(?:\#|%|--(?=[\s-]))[^\r\n]*",
    re.DOTALL | re.MULTILINE,
)
_IS_COMMENT = re.compile(r"//|/\*|^[ \t]*(?:\#|%|--)", re.MULTILINE)

#: What stands in Prolog's place for a fact or a rule: a name right before its parenthesis, or `:-`.
_CLAUSE = re.compile(r";[^\r\n]*|[()]|^[ \t]*([a-z]\w*)(?=\()|^[ \t]*[a-z]\w*\s*(:-)", re.MULTILINE)
_IS_CLAUSE = re.compile(r"^[ \t]*[a-z]\w*(?:\(|\s*:-)", re.MULTILINE)
_SIMPLE = re.compile(r"([a-z]\w*)\(([\w, \t]*)\)[ \t]*\.?[ \t]*(?=\r?$)", re.MULTILINE)


def repaired(source: Source, findings: Findings) -> Source | None:
    """Return the text without what other languages brought in; None where it is none of KIF."""
    text = _without_lookalikes(source.text, findings)
    commented = text
    if _IS_COMMENT.search(text):
        text = _COMMENT.sub(_blank, text)
    if _IS_CLAUSE.search(text) and _report_prolog(text, findings):
        return None
    if text != commented:
        _report_comment(commented, text, findings)
    return source if text is source.text else Source(text, source.name)


def _without_lookalikes(text: str, findings: Findings) -> str:
    if not _IS_LOOKALIKE.search(text):
        return text
    places = [m for m in _LOOKALIKE.finditer(text) if m[0] in _LOOKALIKES]
    if not places:
        return text  # they stand in comments
    first = places[0]
    character, meant = first[0], _LOOKALIKES[first[0]]
    start, end = (findings.lines.position(offset) for offset in first.span())
    message = f"the character U+{ord(character):04X} only looks like {_KINDS[meant]}"
    if len(places) > 1:
        message += f"; there are {len(places)} such characters"
    findings.add_at("lookalike-character", start, end, message, fix=Edit(start, end, meant))
    pieces, at = [], 0
    for place in places:
        pieces += [text[at : place.start()], _LOOKALIKES[place[0]]]
        at = place.end()
    return "".join([*pieces, text[at:]])


def _blank(comment: re.Match[str]) -> str:
    """Return a comment of KIF as it is, and one of another language as blanks."""
    text = comment[0]
    return text if text.startswith(";") else re.sub(r"[^\r\n]", " ", text)


def _report_comment(commented: str, text: str, findings: Findings) -> None:
    """Report the first comment of another language: where the blanked text differs first."""
    first = next(c for c in _COMMENT.finditer(commented) if text[c.start() : c.end()] != c[0])
    offset = first.start() + len(first[0]) - len(first[0].lstrip())
    sign = re.match(r"//|/\*|--|\W", commented[offset : first.end()])
    assert sign is not None  # `_COMMENT` begins with one of these
    start, end = findings.lines.position(offset), findings.lines.position(first.end())
    sign_end = findings.lines.position(offset + len(sign[0]))
    fix = None if sign[0] == "/*" else Edit(start, sign_end, ";")
    message = f"`{sign[0]}` begins no comment here"
    findings.add_at("foreign-comment", start, end, message, fix=fix)


def _report_prolog(text: str, findings: Findings) -> bool:
    """Report the first clause of Prolog outside all parentheses; return whether there is one."""
    depth = 0
    for found in _CLAUSE.finditer(text):
        if found[0] in "()":
            depth += 1 if found[0] == "(" else -1
        elif depth == 0 and not found[0].startswith(";"):
            offset = found.start() + len(found[0]) - len(found[0].lstrip())
            start, end = findings.lines.position(offset), findings.lines.position(found.end())
            message = "this is the syntax of Prolog: GDL puts the name inside the parentheses"
            if found[2]:
                message = "this is the syntax of Prolog: GDL has no `:-`"
            findings.add_at(
                "foreign-syntax", start, end, message, fix=_as_kif(text, offset, findings)
            )
            return True
    return False


def _as_kif(text: str, offset: int, findings: Findings) -> Edit | None:
    """Return the edit that writes a fact of Prolog in KIF, if it is as simple as ``p(x, Y)``."""
    fact = _SIMPLE.match(text, offset)
    if fact is None:
        return None
    arguments = [
        f"?{name.lower()}" if name[:1].isupper() or name.startswith("_") else name
        for name in re.findall(r"\w+", fact[2])
    ]
    start, end = (findings.lines.position(place) for place in fact.span())
    return Edit(start, end, f"({' '.join([fact[1], *arguments])})")
