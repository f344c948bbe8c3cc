"""Finds the classes that users name: by an entry point, or by their place in a module."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

__all__ = ["entry_point_names", "find"]


def entry_point_names(group: str) -> list[str]:
    """Return the names of the entry points of a group, which any installed package can add."""
    return sorted(point.name for point in entry_points(group=group))


def find(group: str, name: str) -> object | None:
    """Return what a name stands for; None if it is no entry point, and not the place of a class.

    Args:
        group: of entry points.
        name: of an entry point, or a place such as ``package.module:Class`` or
            ``package.module.Class``; modules are searched in the current folder first.

    Raises:
        Exception: whatever happens when the module is imported, or the class is taken from it.
    """
    for point in entry_points(group=group, name=name):
        return point.load()  # type: ignore[no-any-return]
    module, _, class_name = name.rpartition(":" if ":" in name else ".")
    if not module:
        return None
    _prefer_current_folder(module)
    return getattr(import_module(module), class_name)  # type: ignore[no-any-return]


def _prefer_current_folder(module: str) -> None:
    """Let a module of the current folder come before modules of the same name elsewhere."""
    here = Path.cwd()
    if sys.path[:1] != [str(here)]:
        sys.path.insert(0, str(here))
    top, _, rest = module.partition(".")
    within = here.joinpath(top, *rest.split("."))
    is_there = within.is_dir() or within.with_name(f"{within.name}.py").is_file()
    if rest and is_there and top not in sys.modules and not (here / top / "__init__.py").exists():
        # Without `__init__.py`, Python prefers any package of this name on the search path.
        package = sys.modules[top] = ModuleType(top)
        package.__path__ = [str(here / top)]
