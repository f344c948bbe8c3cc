"""A server has room for its files before it has threads."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

#: Limits the files, makes room, and prints the limit and the size of the system's table of files.
CODE = """
import resource, sys
from pathlib import Path
from ggp.server.access.descriptors import make_room
soft, hard, most = map(int, sys.argv[1:])
resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
make_room(most)
status = Path("/proc/self/status")
size = 0
if status.exists():
    size = next(int(x.split()[1]) for x in status.read_text().splitlines() if "FDSize" in x)
print(resource.getrlimit(resource.RLIMIT_NOFILE)[0], size)
"""


@pytest.mark.parametrize(
    ("soft", "hard", "most", "limit", "size"),
    [
        (256, 2000, 1500, 1500, 1500),
        (256, 300, 1500, 300, 300),  # the system allows no more
        (1800, 2000, 1500, 1800, 1500),  # a higher limit stays
    ],
)
def test_there_is_room_for_as_many_files_as_are_allowed(
    soft: int, hard: int, most: int, limit: int, size: int
) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < hard:
        pytest.skip("the system allows fewer files")
    done = subprocess.run(
        [sys.executable, "-c", CODE, *map(str, (soft, hard, most))],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    found, room = map(int, done.stdout.split())
    assert found == limit
    if sys.platform == "linux":
        assert room >= size
