"""Steps through a search, for a page: a part of what an analyst does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ggp.deadline import Deadline
from ggp.kif import Source
from ggp.reasoner import bounded, open_reasoner
from ggp.search import ALGORITHMS, LeafValueTable, Limit
from ggp.search.tree.drawing import draw
from ggp.search.tree.notation import read_game
from ggp.search.tree.stepping import stepped, suited_to

__all__ = ["steps_of"]

#: The share of the time that the leaf-value table may take.
_ENUMERATING = 0.4


def steps_of(task: Mapping[str, Any]) -> dict[str, Any]:
    """Return the steps of a search, and a drawing of its tree, as JSON values.

    Args:
        task: `rules`, those of a game or a tree; `seconds`; `algorithm`, `classifier`, and `depth`,
            for a tree search its visits, or None.

    Raises:
        SourceError: the text is at fault.
        GgpError: the search is too large, takes too long, or does not suit the game.
        ValueError: the search does not compare what several roles hold, and is to ask the hull.
    """
    source, deadline = Source(task["rules"], "text"), Deadline.after(task["seconds"])
    classifier = task["classifier"]
    description, table = read_game(source)
    name = task["algorithm"]
    algorithm = suited_to(description.roles) if name is None else ALGORITHMS[name]
    options = algorithm.options(classifier=classifier)
    bound = "depth" if algorithm.takes_depth else "nodes"
    limit = Limit(deadline=deadline, **{bound: task["depth"]})
    if table is None and classifier == "none":
        table = LeafValueTable.of(description)
    elif table is None:
        table = LeafValueTable.enumerate(description, deadline=deadline.part(_ENUMERATING))
    with (
        open_reasoner(description, kind="prolog", deadline=deadline) as reasoner,
        bounded(reasoner, deadline=deadline),
    ):
        found = stepped(reasoner, algorithm, replace(options, leaf_values=table), limit)
    title = f"{found.result.algorithm}, {found.result.classifier}"
    return {
        "steps": [step.to_json() for step in found.steps],
        "drawing": draw(found.recorder, title, reasons=found.reasons, styled=False),
        "algorithm": found.result.algorithm,
        "classifier": found.result.classifier,
        "roles": list(map(str, found.result.roles)),
        "rows": len(table),
        "maxsum": table.maxsum,
    }
