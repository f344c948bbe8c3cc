"""Sanitises a game's stylesheet, so that it can style the board and nothing else.

The result contains only what the parser understands: rules whose selectors are restricted to the
board, and declarations that load nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import tinycss2
from tinycss2.ast import Node

__all__ = ["sanitised"]

#: Functions that load something, or did so in older browsers.
_LOADING = frozenset(
    {"url", "src", "image", "image-set", "-webkit-image-set", "cross-fade", "element", "expression"}
    | {"paint", "-moz-element", "attr"}
)
_PROPERTIES_REFUSED = frozenset({"behavior", "-moz-binding", "src"})
#: At-rules with rules inside that are allowed.
_GROUPS = frozenset({"media", "supports"})
_EMBEDDED = "data:image/"
_MAX_NESTING = 4


def sanitised(text: str, *, scope: str) -> str:
    """Return the harmless part of a stylesheet.

    >>> sanitised(".cell { color: red; background: url(http://a/b) } @import 'x';", scope=".scene")
    '.scene .cell{color:red}'

    Args:
        text: the stylesheet; it may be invalid.
        scope: a selector; the rules apply only to elements inside of it.
    """
    nodes = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
    return "\n".join(_rules(nodes, scope, 0))


def _rules(nodes: Sequence[Node], scope: str, nesting: int) -> Iterator[str]:
    for node in nodes:
        if node.type == "qualified-rule":
            selectors = list(_scoped(node.prelude, scope))
            declarations = ";".join(_declarations(node.content))
            if selectors and declarations:
                yield f"{','.join(selectors)}{{{declarations}}}"
        elif _is_group(node) and nesting < _MAX_NESTING:
            inner = tinycss2.parse_rule_list(node.content, skip_comments=True, skip_whitespace=True)
            rules = "\n".join(_rules(inner, scope, nesting + 1))
            condition = tinycss2.serialize(node.prelude).strip()
            if rules:
                yield f"@{node.lower_at_keyword} {condition}{{{rules}}}"


def _is_group(node: Node) -> bool:
    """Return whether a node is an allowed at-rule whose condition loads nothing."""
    is_known = node.type == "at-rule" and node.lower_at_keyword in _GROUPS
    return is_known and bool(node.content) and not _is_loading(node.prelude)


def _scoped(prelude: Sequence[Node], scope: str) -> Iterator[str]:
    """Yield the safe selectors of a rule, each restricted to the scope."""
    selectors: list[list[Node]] = [[]]
    for token in prelude:
        if token.type == "literal" and token.value == ",":
            selectors.append([])
        else:
            selectors[-1].append(token)
    for selector in selectors:
        written = tinycss2.serialize(selector).strip()
        # `&` and a leading combinator could select outside the scope; `<` is never valid.
        is_open = any(token.type == "literal" and token.value in "&<" for token in selector)
        if written and not is_open and written[0] not in ">+~|" and _is_sound(selector):
            yield f"{scope} {written}"


def _declarations(content: Sequence[Node]) -> Iterator[str]:
    found = tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True)
    for node in found:
        if node.type != "declaration" or node.lower_name in _PROPERTIES_REFUSED:
            continue
        if not _is_loading(node.value) and _is_sound(node.value):
            value = tinycss2.serialize(node.value).strip()
            important = " !important" if node.important else ""
            yield f"{node.name}:{value}{important}"


def _is_loading(tokens: Sequence[Node]) -> bool:
    """Return whether tokens name a resource outside of the stylesheet."""
    for token in tokens:
        if token.type == "url" and not token.value.lower().startswith(_EMBEDDED):
            return True
        if token.type == "function" and token.lower_name in _LOADING:
            inside: list[Any] = [each for each in token.arguments if each.type == "string"]
            is_embedded = (
                token.lower_name == "url"
                and len(inside) == 1
                and inside[0].value.lower().startswith(_EMBEDDED)
            )
            if not is_embedded:
                return True
        nested = getattr(token, "arguments", None) or getattr(token, "content", None) or ()
        if not isinstance(nested, str) and _is_loading(nested):
            return True
    return False


def _is_sound(tokens: Sequence[Node]) -> bool:
    return all(
        token.type not in ("error", "{} block") and _is_sound(getattr(token, "content", None) or ())
        for token in tokens
        if not isinstance(token, str)
    )
