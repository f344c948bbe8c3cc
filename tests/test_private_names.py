"""The private names of libraries: each library has an upper bound, and what is used is there."""

from __future__ import annotations

import ast
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.statements import statements

ROOT = Path(__file__).parents[1]
FOLDERS = ("ggp", "players", "server")
#: Modules of numba that its documentation leaves out, without an underscore in their names.
INTERNAL = ("numba.core", "numba.np")


def private_imports(text: str) -> Iterator[str]:
    """Yield the libraries of which a module imports what they do not document."""
    for node in statements(ast.parse(text)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            library, *inner = name.split(".")
            is_private = any(part.startswith("_") for part in inner) or name.startswith(INTERNAL)
            if is_private and library not in {"ggp", "tests", *sys.stdlib_module_names}:
                yield library


def bounded() -> set[str]:
    """Return the dependencies that have an upper bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lists = [project["dependencies"], *project["optional-dependencies"].values()]
    return {re.split(r"[<>=\[]", each)[0] for some in lists for each in some if "<" in each}


def test_a_library_whose_private_names_are_used_has_an_upper_bound() -> None:
    used = {
        library
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for library in private_imports(path.read_text(encoding="utf-8"))
    }
    assert used >= {"numba", "ray"}
    assert used <= bounded()


def test_ray_says_what_happens_to_nodes_by_a_name_that_can_be_replaced() -> None:
    """`ggp.cluster.on_ray` replaces it: otherwise Ray prints into results."""
    worker = pytest.importorskip("ray._private.worker")
    assert [*inspect.signature(worker.print_to_stdstream).parameters] == ["data", "ignore_prefix"]
    assert "print_to_stdstream" in worker.listen_error_messages.__code__.co_names
