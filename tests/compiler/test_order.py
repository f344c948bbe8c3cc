"""A game passes through the parts of the compiler in one direction."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from ggp import compiler
from tests.statements import statements

PACKAGE = Path(compiler.__file__).parent

#: Each part imports only from those before it.
ORDER = (
    *("limits", "rewriting", "grounding", "circuit", "symmetry", "related", "codegen"),
    "runtime",
    *("store", "measures", "factors", "drawing", "report"),
)


def imported(path: Path) -> Iterator[str]:
    """The parts of the compiler that a file names in its imports, local ones included."""
    for statement in statements(ast.parse(path.read_text())):
        names = []
        if isinstance(statement, ast.ImportFrom) and statement.module:
            names = [statement.module]
        elif isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        for name in names:
            if name.startswith(f"{compiler.__name__}."):
                yield name.split(".")[2]


def test_each_part_imports_from_those_before_it() -> None:
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert parts - {"__init__", "__pycache__"} == set(ORDER)
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own != "__init__":
            for part in imported(path):
                assert ORDER.index(part) <= ORDER.index(own), (path, part)


def test_what_a_waiting_process_imports_loads_neither_numba_nor_llvm() -> None:
    code = (
        "import sys, ggp.native.cache, ggp.native.kernels, ggp.reasoner.kernels;"
        "import ggp.compiler.store;"
        "print(*{'numba', 'llvmlite', 'clingo', 'numpy'} & sys.modules.keys())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "\n"
