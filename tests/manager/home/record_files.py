"""Files of match records, made by hand."""

from __future__ import annotations

import json
from io import BytesIO

#: What a player thought, as records have it.
THOUGHT: dict[str, object] = {
    "value": 50, "depth": 3, "nodes": 8, "seconds": 0.5, "proven": False, "classifier": None,
    "prunes": {}, "reasoner": "compiled", "variation": [["(mark 1)"]],
}  # fmt: skip


def record_of(**fields: object) -> BytesIO:
    """Return the file of a record of a game that is not known, in which one move was made."""
    told = {
        "matchId": "m1", "randomToken": "t", "startTime": 1_700_000_000_000, "isCompleted": True,
        "gameMetaURL": "http://games/marks.kif", "startClock": 5, "playClock": 5,
        "states": ["( (free 1) )", "( (marked 1) )"], "moves": [["(mark 1)"]],
        "stateTimes": [1_700_000_000_000, 1_700_000_002_500], "goalValues": [100],
        "playerNamesFromHost": ["Ada"], "search": [[THOUGHT]],
    } | fields  # fmt: skip
    return BytesIO(json.dumps(told).encode())
