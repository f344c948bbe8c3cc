"""The statements of Python code."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statements(code: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements of a module or of another statement, and all those inside them.

    Expressions have no statements, and most nodes are in them: this is faster than `ast.walk`.
    """
    for child in ast.iter_child_nodes(code):
        if isinstance(child, ast.stmt):
            yield child
        if not isinstance(child, ast.expr):
            yield from statements(child)
