"""The reference pages as text: each entry as its source without the bodies of functions.

A page of ``docs/reference`` names modules and classes; the site takes their descriptions from the
source when it is built (mkdocstrings). Here the source is read as well, and not imported: what an
entry needs may not be installed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from importlib.resources import files

__all__ = ["described", "entries"]

_ENTRY = re.compile(r"^::: (\S+)$", re.MULTILINE)


def entries(text: str) -> list[str]:
    """Return the entries of a page, such as ``ggp.batch.game.Game``; none if it is another page."""
    return _ENTRY.findall(text)


def described(text: str) -> str:
    """Return a page with what stands in the source in place of each entry."""
    return _ENTRY.sub(lambda found: f"## {found[1]}\n\n{_described(found[1])}", text)


def _described(entry: str) -> str:
    """Return the description of a module, with its public names, or of one name in a module."""
    source = _source(entry)
    if source is not None:
        tree = ast.parse(source)
        names = next(_public(tree), [])
        told = [ast.get_docstring(tree) or ""]
    else:
        module, _, name = entry.rpartition(".")
        source = _source(module) or ""
        tree, names, told = ast.parse(source), [name], []
    lines = source.splitlines()
    defined = [node for node in tree.body if set(_names(node)) & set(names)]
    code = "\n\n".join("\n".join(_outline(node, lines)) for node in defined)
    return "\n\n".join([*told, f"```python\n{code}\n```"])


def _source(module: str) -> str | None:
    """Return the source of a module of this package; None if there is no such module."""
    place = "/".join(module.split(".")[1:])
    for file in (f"{place}.py", f"{place}/__init__.py"):
        found = files("ggp").joinpath(file)
        if found.is_file():
            return found.read_text(encoding="utf-8")
    return None


def _public(tree: ast.Module) -> Iterator[list[str]]:
    """Yield what a module calls public."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and "__all__" in _names(node):
            yield ast.literal_eval(node.value)


def _names(node: ast.stmt) -> list[str]:
    """Return the names that a statement defines."""
    if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.AnnAssign):
        return [ast.unparse(node.target)]
    return [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []


def _outline(node: ast.stmt, lines: Sequence[str]) -> list[str]:
    """Return the lines of a definition: its comment, its head, its docstring and its members."""
    first = node.lineno
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return [*_comment(first, lines), *lines[first - 1 : node.end_lineno]]
    assert isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
    first = min([first, *(decorator.lineno for decorator in node.decorator_list)])
    told = [*_comment(first, lines), *lines[first - 1 : max(node.lineno, node.body[0].lineno - 1)]]
    body = node.body
    if ast.get_docstring(node) is not None:
        told += lines[body[0].lineno - 1 : body[0].end_lineno]
        body = body[1:]
    if isinstance(node, ast.ClassDef):
        for member in body:
            if any(name == "__init__" or name[0] != "_" for name in _names(member)):
                told += ["", *_outline(member, lines)]
    return told


def _comment(first: int, lines: Sequence[str]) -> list[str]:
    """Return the lines ``#:`` above a line, which describe what is defined in it."""
    begin = first - 1
    while begin and lines[begin - 1].lstrip().startswith("#:"):
        begin -= 1
    return list(lines[begin : first - 1])
