"""Other code imports the compiled reasoner only through its package, whose imports run one way."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import ggp
from ggp.reasoner import compiled

DOOR = "ggp.reasoner.compiled"
ROOT = Path(ggp.__file__).parents[1]
PACKAGE = Path(compiled.__file__).parent

#: Each part imports only from those before it.
ORDER = [
    "limits",
    "numba_support",
    "cache",
    "rewriting",
    "grounding",
    "circuit",
    "symmetry",
    "codegen",
    "runtime",
    "store",
]
ORDER += ["measures", "factors", "drawing", "kernels", "reasoner", "compiler"]


def imported(path: Path) -> Iterator[str]:
    """The modules of the package that a file names in its imports."""
    for statement in ast.walk(ast.parse(path.read_text())):
        if isinstance(statement, ast.ImportFrom) and statement.module:
            module = statement.module
            if module == DOOR or module.startswith(f"{DOOR}."):
                yield module
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names if alias.name.startswith(DOOR))


@pytest.mark.parametrize("folder", ["ggp", "players", "server", "benchmarks"])
def test_other_code_imports_only_from_the_package(folder: str) -> None:
    paths = [path for path in (ROOT / folder).rglob("*.py") if PACKAGE not in path.parents]
    assert paths
    past = {str(path) for path in paths for module in imported(path) if module != DOOR}
    assert not past


def test_inside_imports_run_one_way() -> None:
    parts = {path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert parts - {"__init__", "__pycache__"} == set(ORDER)
    for path in PACKAGE.rglob("*.py"):
        own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own != "__init__":
            for module in imported(path):
                part = module.removeprefix(f"{DOOR}.").split(".")[0]
                assert ORDER.index(part) <= ORDER.index(own), (path, module)


def test_every_exported_name_can_be_imported() -> None:
    for name in compiled.__all__:
        assert getattr(compiled, name) is not None
    assert set(compiled.HOMES) == set(compiled.__all__)
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = compiled.no_such_name


def test_importing_the_package_loads_neither_numba_nor_llvm() -> None:
    code = (
        f"import sys, {DOOR}; from {DOOR} import Cache, KernelSet;"
        "print(*{'numba', 'llvmlite', 'clingo', 'numpy'} & sys.modules.keys())"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "\n"
