"""The layers: no import up, no cycle, no file that is too large."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ggp.gdl import strongly_connected

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ggp"

#: From the lowest to the highest; a module imports from its own layer and those before it only.
LAYERS = (
    (
        "ggp.printable",
        "ggp.errors",
        "ggp.deadline",
        "ggp.closing",
        "ggp.files",
        "ggp.background",
        "ggp.recursion",
    ),
    ("ggp.requirements",),
    ("ggp.native",),
    ("ggp.kif",),
    ("ggp.gdl",),
    ("ggp.workers",),
    ("ggp.cluster",),
    ("ggp.compiler",),
    ("ggp.reasoner",),
    ("ggp.batch", "ggp.graph", "ggp.perft", "ggp.playouts", "ggp.survey"),
    ("ggp.search",),
    ("ggp.learning",),
    ("ggp.engine",),
    ("ggp.match",),
    ("ggp.players",),
    ("ggp.tournament", "ggp.selfplay"),
    ("ggp.prove",),
    ("ggp.doctor",),
    ("ggp.authoring",),
    ("ggp.server",),
    ("ggp.display",),
    ("ggp.adapters",),
    ("ggp.agents",),
    ("ggp.cli",),
    # The command finds experiments by their entry points, as it finds those of other packages.
    ("ggp.experiments",),
    ("ggp.__main__",),
    ("ggp",),
)

MAX_LINES = 500


def _paths() -> dict[str, Path]:
    """Return the file of each module, by the module's name."""
    found = {}
    for folder, name in (
        (PACKAGE, "ggp"),
        (ROOT / "players", "ggp.players"),
        (ROOT / "server", "ggp.server"),
    ):
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join([name, *parts]).removesuffix(".__init__")] = path
    return found


PATHS = _paths()


@cache
def imported(name: str, *, at_import: bool) -> frozenset[str]:
    """Return the modules of ours that a module imports.

    Args:
        name: the module.
        at_import: whether to leave out imports inside functions, which run later.
    """
    tree = ast.parse(PATHS[name].read_text(encoding="utf-8"))
    return frozenset(
        found for node in _nodes(tree, at_import=at_import) for found in _targets(node)
    ) - {name}


def _nodes(node: ast.AST, *, at_import: bool) -> Iterator[ast.AST]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if at_import and isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _nodes(child, at_import=at_import)


def _targets(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names if alias.name in PATHS)
    if isinstance(node, ast.ImportFrom) and node.module:
        assert node.level == 0, "imports are absolute"
        inner = [f"{node.module}.{alias.name}" for alias in node.names]
        yield from (name for name in inner if name in PATHS)
        if node.module in PATHS and any(name not in PATHS for name in inner):
            yield node.module


def layer(name: str) -> int:
    """Return the number of a module's layer: that of its longest listed prefix."""
    fitting = [
        (len(prefix), number)
        for number, prefixes in enumerate(LAYERS)
        for prefix in prefixes
        if name == prefix or (prefix != "ggp" and name.startswith(f"{prefix}."))
    ]
    assert fitting, f"{name} is in no layer"
    return max(fitting)[1]


def test_no_import_goes_up() -> None:
    assert len(PATHS) > 400
    up = [
        (name, other)
        for name in PATHS
        for other in imported(name, at_import=False)
        if layer(other) > layer(name)
    ]
    assert not up


def test_no_modules_import_each_other() -> None:
    """A package's `__init__` runs before its modules, so it may gather what they define."""
    edges = {name: imported(name, at_import=True) for name in PATHS}
    cycles = [found for found in strongly_connected(edges) if len(found) > 1]
    assert not cycles


def _folders() -> list[Path]:
    tops = ("ggp", "players", "server", "benchmarks", "tests", "examples")
    roots = [ROOT / top for top in tops if (ROOT / top).is_dir()]
    inner = [path for root in roots for path in root.rglob("*/") if not path.is_symlink()]
    return [path for path in (*roots, *inner) if any(path.glob("*.py"))]


def test_no_file_is_too_long() -> None:
    lengths = {
        path: len(path.read_text(encoding="utf-8").splitlines())
        for folder in _folders()
        for path in folder.glob("*.py")
    }
    assert {path: count for path, count in lengths.items() if count > MAX_LINES} == {}
