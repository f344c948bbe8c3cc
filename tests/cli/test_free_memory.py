"""The memory that a command takes by default."""

from __future__ import annotations

from pathlib import Path

import pytest

from ggp.cli.free_memory import share_of_memory


def system(root: Path, available: int | None, **files: int | str) -> Path:
    group = root / "sys/fs/cgroup"
    group.mkdir(parents=True)
    (root / "proc").mkdir()
    if available is not None:
        text = f"MemTotal: 99999 kB\nMemAvailable: {available >> 10} kB\n"
        (root / "proc/meminfo").write_text(text)
    for name, value in files.items():
        (group / name.replace("_", ".")).write_text(f"{value}\n")
    return root


@pytest.mark.parametrize(
    ("available", "files", "expected"),
    [
        (40 << 20, {}, 20 << 20),
        (400 << 20, {}, 100 << 20),
        (4 << 20, {}, 10 << 20),
        (None, {}, 10 << 20),
        (80 << 20, {"memory_max": 64 << 20, "memory_current": 4 << 20}, 30 << 20),
        (80 << 20, {"memory_max": "max", "memory_current": 4 << 20}, 40 << 20),
        (80 << 20, {"memory_max": 4 << 20, "memory_current": 8 << 20}, 10 << 20),
    ],
)
def test_half_of_the_free_memory(
    tmp_path: Path, available: int | None, files: dict[str, int | str], expected: int
) -> None:
    root = system(tmp_path, available, **files)
    assert share_of_memory(least=10 << 20, most=100 << 20, root=root) == expected
