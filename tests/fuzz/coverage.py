"""Fuzzes one target by atheris. Arguments: its name, then what libFuzzer takes."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["server", "ggp.kif", "waitress"]):
    from tests.fuzz.run import TARGETS
    from tests.fuzz.target import SEEDS


def main() -> None:
    """Fuzz until libFuzzer's limits end it; what fails ends the process with an error."""
    _, name, *options = sys.argv
    (target,) = (target for target in TARGETS if target.__name__ == name)
    with tempfile.TemporaryDirectory() as folder:
        for number, seed in enumerate(SEEDS):
            (Path(folder) / str(number)).write_bytes(seed)
        atheris.Setup([sys.argv[0], *options, folder], target)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
