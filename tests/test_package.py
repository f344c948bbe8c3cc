"""The public names of the packages: each module exports what it lists, and documents it."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("ggp",)


def module_names() -> list[str]:
    """All modules except the programs, which end in `if __name__ == "__main__"`."""
    found = []
    for package in PACKAGES:
        found.append(package)
        for module in pkgutil.walk_packages([str(ROOT / package)], prefix=f"{package}."):
            found.append(module.name)
    return [name for name in found if '__name__ == "__main__"' not in source(name)]


def _path(name: str) -> Path:
    path = ROOT.joinpath(*name.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def source(name: str) -> str:
    """Return the text of a module."""
    return _path(name).read_text(encoding="utf-8")


def _body(name: str) -> list[ast.stmt]:
    return ast.parse(source(name)).body


def _load(name: str) -> ModuleType:
    return importlib.import_module(name)


#: Modules that cannot be imported without a package that `make setup` installs.
WITHOUT = {"ggp.agents.server"} if find_spec("mcp") is None else set[str]()
NAMES = module_names()
CODE = [name for name in NAMES if source(name).strip() and name not in WITHOUT]


def test_the_modules_are_found() -> None:
    assert {"ggp.kif.parser", "ggp.reasoner.prolog", "ggp.cli.perft"} <= set(CODE)


def test_a_module_explains_itself_and_what_it_exports() -> None:
    silent = [name for name in CODE if not inspect.getdoc(_load(name))]
    for name in CODE:
        for exported in _exports(name):
            value = getattr(_load(name), exported)
            if (inspect.isclass(value) or inspect.isfunction(value)) and not inspect.getdoc(value):
                silent.append(f"{name}.{exported}")
    assert not silent


def _exports(name: str) -> list[str]:
    exported: list[str] = getattr(_load(name), "__all__", [])
    return exported


def test_exported_names_exist_and_are_listed_once() -> None:
    twice = [name for name in CODE if len(set(_exports(name))) < len(_exports(name))]
    assert not twice
    missing = [
        f"{name}.{exported}"
        for name in CODE
        for exported in _exports(name)
        if not hasattr(_load(name), exported)
    ]
    assert not missing


def test_a_module_exports_the_functions_and_classes_that_it_shows() -> None:
    inner = {"main"}  # what a child process runs
    hidden = [
        f"{name}.{statement.name}"
        for name in CODE
        for statement in _body(name)
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and not statement.name.startswith("_")
        and statement.name not in inner | set(_exports(name))
    ]
    assert hidden == ["ggp.cli.cli"]  # the click group behind `main`


@pytest.mark.parametrize("name", [name for name in CODE if _path(name).name == "__init__.py"])
def test_a_package_exports_just_what_it_gathers_for_others(name: str) -> None:
    body = _body(name)
    if any(isinstance(statement, ast.FunctionDef | ast.ClassDef) for statement in body):
        return  # it has code of its own, and imports for itself
    gathered = {
        alias.asname or alias.name
        for statement in body
        if isinstance(statement, ast.ImportFrom) and _is_ours(statement.module)
        for alias in statement.names
    }
    assigned = {
        target.id
        for statement in body
        if isinstance(statement, ast.Assign | ast.AnnAssign)
        for target in getattr(statement, "targets", [getattr(statement, "target", None)])
        if isinstance(target, ast.Name) and not target.id.startswith("_")
    }
    assert set(_exports(name)) == gathered | assigned


def _is_ours(module: str | None) -> bool:
    return (module or "").split(".")[0] in PACKAGES


def test_the_command_is_installed() -> None:
    (script,) = entry_points(group="console_scripts", name="ggp")
    assert script.load() is _load("ggp.__main__").main


def test_catching_the_base_class_catches_every_error() -> None:
    errors = _load("ggp.errors")
    raised = [getattr(errors, name) for name in _exports("ggp.errors")]
    exceptions = [error for error in raised if issubclass(error, BaseException)]
    assert len(exceptions) > 10
    assert all(issubclass(error, errors.GgpError) for error in exceptions)


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    errors = _load("ggp.errors")
    drawing = inspect.getdoc(errors) or ""
    for name in _exports("ggp.errors"):
        error = getattr(errors, name)
        if issubclass(error, BaseException):
            depth = len(error.__mro__) - len(errors.GgpError.__mro__)
            (line,) = [line for line in drawing.splitlines() if name in line.split()]
            assert line.index(name) == 4 * depth
