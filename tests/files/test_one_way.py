"""Files are written by `ggp.files`, which leaves none that is cut off."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Calls that write to a file by its name.
WRITING = {"write_text", "write_bytes", "savefig", "savez", "to_parquet", "write_table", "mkstemp"}

#: Modules that may do so, and why.
ALLOWED = {
    "ggp/files.py": "it is the one way",
    "ggp/native/cache.py": "a checksum tells what is damaged, and none needs the disk",
    "ggp/search/evaluation/value_net.py": "into memory",
    "ggp/learning/store.py": "into memory",
    "ggp/selfplay/data.py": "into memory",
    "ggp/display/figure.py": "into memory",
    "ggp/experiments/running/measuring.py": "lines are appended, each as a whole",
    "ggp/prove/abc.py": "into a temporary folder of its own",
    "ggp/workers/cores.py": "locks, which are empty",
    "ggp/workers/child.py": "to the system, in /proc",
    "ggp/native/kernels.py": "to the system, in /proc",
}

#: What stands in every module that has such a call; most have not, and need not be parsed.
MAY_WRITE = re.compile(rf"\b({'|'.join(WRITING)})\(|open\([^)]*[\"'][rbt]*[wax+]")


def writes(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of calls that write to a file by its name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        *_, name = (called := ast.unparse(node.func)).rpartition(".")
        if "devnull" in called:
            continue
        if name in WRITING or (name == "open" and mode(node) & set("wax+")):
            yield node.lineno


def mode(call: ast.Call) -> set[str]:
    """Return the letters of the mode in which a call opens a file; none if it is no such call."""
    given = [*call.args[:2], *(word.value for word in call.keywords if word.arg == "mode")]
    texts = (each.value for each in given if isinstance(each, ast.Constant))
    modes = [text for text in texts if isinstance(text, str) and set(text) <= set("rwaxbt+")]
    return set("".join(modes))


def test_calls_that_write_are_found() -> None:
    lines = (
        "p.write_text(x)\nopen('a.b', 'w')\np.open('ab')\np.open(mode='r+')\np.open()\n"
        "open(path)\nStore.open(folder)\nPath(x).open('rb')\nPath(os.devnull).open('wb')\n"
    )
    assert list(writes(ast.parse(lines))) == [1, 2, 3, 4]
    assert [bool(MAY_WRITE.search(line)) for line in lines.splitlines()[:4]] == [True] * 4


def test_no_other_module_writes_files() -> None:
    found = set()
    for folder in ("ggp", "players", "server", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if MAY_WRITE.search(text) and any(writes(ast.parse(text))):
                found.add(str(path.relative_to(ROOT)))
    assert found - set(ALLOWED) == set()
