"""What numba keeps on disk is compiled again whenever a source that it is made of changes."""

from __future__ import annotations

import ast
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import ir

from ggp.native import numba_support
from ggp.native.numba_support import aligned_words
from tests.statements import statements

ROOT = Path(__file__).parents[2]

SOURCES = {
    "__init__": "",
    "constants": "STEP = 1",
    "below": """
from ggp.native.numba_support import inlined
from stamped.constants import STEP

@inlined
def step(number):
    return number + STEP
""",
    "above": """
from ggp.native.numba_support import nopython
from stamped import below
from stamped.below import step

@nopython
def twice(number):
    return step(step(number))

@nopython
def once(number):
    return below.step(number)
""",
    "aside": "import stamped.constants",
}

ASK = """
from stamped.above import once, twice
print(twice(5), once(5), sum(twice.stats.cache_hits.values()), sum(once.stats.cache_hits.values()))
"""


def write(folder: Path, **changed: str) -> None:
    package = folder / "stamped"
    package.mkdir(exist_ok=True)
    for name, text in {**SOURCES, **changed}.items():
        (package / f"{name}.py").write_text(text)


def ask(folder: Path) -> list[int]:
    """Ask a process of its own what two functions return, and how many it did not compile."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), *sys.path])}
    environment |= {"NUMBA_CACHE_DIR": str(folder / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", ASK]
    made = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return [int(word) for word in made.stdout.split()]


@pytest.mark.long
def test_a_change_in_what_is_imported_is_noticed(tmp_path: Path) -> None:
    write(tmp_path)
    assert ask(tmp_path) == [7, 6, 0, 0]
    assert ask(tmp_path) == [7, 6, 1, 1]
    write(tmp_path, aside="# what nothing imports")
    assert ask(tmp_path) == [7, 6, 1, 1]
    write(tmp_path, constants="STEP = 100")
    assert ask(tmp_path) == [205, 105, 0, 0]
    write(tmp_path, below=SOURCES["below"].replace("+", "*"))
    assert ask(tmp_path) == [5, 5, 0, 0]


@pytest.mark.long
def test_an_index_that_names_classes_of_an_earlier_version_is_replaced(tmp_path: Path) -> None:
    write(tmp_path)
    assert ask(tmp_path) == [7, 6, 0, 0]
    for index in (tmp_path / "kept").rglob("*.nbi"):
        index.write_bytes(pickle.dumps(numba.__version__) + b"cno_such_module\nStack\n.")
    assert ask(tmp_path) == [7, 6, 0, 0]
    assert ask(tmp_path) == [7, 6, 1, 1]


STAMPS = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
import ggp.engine.alphabeta.loop, ggp.engine.maxn.loop
from ggp.native import numba_support
for name in {function.__module__ for function in numba_support._functions}:
    print(name, numba_support._stamp(name))
"""


def stamps(*loaded: str) -> set[str]:
    command = [sys.executable, "-c", STAMPS, *loaded]
    return {*subprocess.check_output(command, cwd=ROOT, text=True).splitlines()}


def test_nothing_is_compiled_again_for_what_is_imported_before() -> None:
    paths = (ROOT / "ggp" / "search").rglob("[!_]*.py")
    modules = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in paths]
    alone = stamps()
    assert len(alone) > 10
    assert alone <= stamps(*modules)


def imported(by: Iterable[ast.AST]) -> set[tuple[str, str]]:
    found = set[tuple[str, str]]()
    for statement in by:
        if isinstance(statement, ast.ImportFrom):
            found |= {(str(statement.module), alias.name) for alias in statement.names}
        elif isinstance(statement, ast.Import):
            found |= {(alias.name, "") for alias in statement.names}
    return found


def test_imports_of_the_module_count_and_those_of_its_functions_do_not() -> None:
    paths = [*(ROOT / "ggp" / "engine").rglob("*.py"), *(ROOT / "ggp" / "search").rglob("*.py")]
    later = set[tuple[str, str]]()
    for path in paths:
        module = ast.parse(path.read_bytes())
        expected = imported(module.body)
        found = {
            (source, name)
            for source, names in numba_support._imports(path)
            for name in names or [""]
        }
        assert expected <= found, path
        inside = imported(statements(module)) - expected
        assert not inside & found, path
        later |= inside
    assert len(paths) > 10
    assert later


def test_an_inlined_function_is_copied_without_its_variables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copied = list[object]()

    def note(scope: object, memo: dict[int, object]) -> object:
        copied.append(scope)
        return scope

    monkeypatch.setattr(ir.Scope, "__deepcopy__", note, raising=False)
    compiled: Callable[..., Callable[[Any], Any]] = numba.njit

    @compiled(inline="always")
    def larger(one: int, other: int) -> int:
        return one if one > other else other

    @compiled()
    def largest(one: int, other: int, third: int) -> Any:
        return larger(larger(one, other), third)

    assert [largest(5, 3, 4), largest(3, 5, 4), largest(3, 4, 5)] == [5, 5, 5]
    assert not copied


@pytest.mark.parametrize("count", [1, 8, 1000])
def test_words_are_aligned(count: int) -> None:
    words = aligned_words(count)
    assert (len(words), words.ctypes.data % 64) == (count, 0)
    assert words.dtype == np.uint64
    assert not words.any()
