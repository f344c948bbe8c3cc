"""Checks the form of a file beside a rulesheet: a program for `ggp.agents.calls`.

Its arguments are the names of the rulesheet and of the file, in the folder where it runs. It fails
with a message if the file is none of those that `ggp test` or the drawing of a board reads.
"""

from __future__ import annotations

import sys
from pathlib import Path

from ggp.authoring.playthrough import Playthrough
from ggp.authoring.regression import perft_path, read_perft
from ggp.errors import RecordError, SourceError
from ggp.gdl import Description
from ggp.gdl.bundled import drawing_path
from ggp.kif import Source
from ggp.server.manager.drawing.declared import drawing_mistake

__all__ = ["mistake"]


def mistake(rules: Path, file: Path) -> str | None:
    """Return in one line what is wrong with a file beside a rulesheet; None for nothing."""
    try:
        if file == drawing_path(rules):
            description = Description.from_text(Source.read(rules))
            return drawing_mistake(description, file.read_text(encoding="utf-8"))
        if file == perft_path(rules):
            read_perft(file)
        else:
            Playthrough.read(file)
    except SourceError as error:
        return error.one_line()
    except RecordError as error:
        return " ".join(str(error).split())
    return None


if __name__ == "__main__":
    sys.exit(mistake(Path(sys.argv[1]), Path(sys.argv[2])))
