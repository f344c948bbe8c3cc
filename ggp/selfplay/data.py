"""The data of self-play: a folder with the plan and Parquet files of whole matches.

Each row is a role with a choice in a state:

- `match` int32, `step` int32 (from 0), `role` int8;
- `state` fixed_size_binary: the packed bits of the facts, words of 64 bits, lowest first;
- `moves` list<int32>, `policy` list<float32>: the legal moves by their numbers, and the player's
  weight of each; `move` int32: the one that was made; `value` float32: the goal that the player
  expects, null if it does not say;
- `goals` list<int16>: what each role got at the end, -1 for none.

The metadata of the schema have, as JSON, the names of what is numbered: `roles`, `moves` (per
role), `facts`; and the `plan`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ggp.batch import Game, States
from ggp.errors import GgpError
from ggp.selfplay.plan import Plan
from ggp.selfplay.play import Match

__all__ = ["Folder", "Samples", "load_samples"]

_PLAN = "plan.json"


@dataclass(frozen=True, slots=True, eq=False)
class Samples:
    """What was seen and chosen in n states, as arrays."""

    #: The states; ``states.observation`` are the bits of their facts.
    states: States
    #: int32[n], int32[n] and int8[n]: the match, the joint moves before, the role that chose.
    match: NDArray[np.int32]
    step: NDArray[np.int32]
    role: NDArray[np.int8]
    #: float32[n, actions]: the weight of each of the role's moves; it adds up to 1.
    policy: NDArray[np.float32]
    #: int32[n]: the move that was made.
    move: NDArray[np.int32]
    #: float32[n]: the goal that the role's player expected; NaN if it did not say.
    value: NDArray[np.float32]
    #: int16[n, roles]: the goals at the end of the match; -1 for none.
    goals: NDArray[np.int16]

    def __len__(self) -> int:
        return len(self.match)


class Folder:
    """The folder of a self-play. A part is there as a whole, or missing."""

    def __init__(self, path: Path) -> None:
        """Take the folder, which need not exist."""
        self.path = path

    def begin(self, plan: Plan) -> None:
        """Write the plan, unless the folder has it already.

        Raises:
            GgpError: the folder has another plan.
            OSError: it cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        kept = self.plan()
        if kept is None:
            self._write(_PLAN, plan.to_json().encode())
        elif kept != plan:
            raise GgpError(f"{self.path} has data of another game, player or settings")

    def plan(self) -> Plan | None:
        """Return the plan; None if there is none. Raises `GgpError` if it cannot be read."""
        file = self.path / _PLAN
        try:
            return Plan.from_json(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise GgpError(f"{file}: {error}") from None

    def has(self, part: int) -> bool:
        """Return whether a part is there."""
        return self._part(part).is_file()

    def _part(self, part: int) -> Path:
        return self.path / f"part-{part:05}.parquet"

    def add(self, part: int, matches: Sequence[Match], game: Game, plan: Plan) -> None:
        """Write a part: all of it, or nothing. Raises `OSError`."""
        sink = pa.BufferOutputStream()
        pq.write_table(_table(matches, game, plan), sink)
        self._write(self._part(part).name, sink.getvalue().to_pybytes())

    def _write(self, name: str, content: bytes) -> None:
        """Write a file so that it is complete wherever it appears, also if the power fails."""
        temporary = self.path / f".{name}.{os.getpid()}"
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(self.path / name)


def _table(matches: Sequence[Match], game: Game, plan: Plan) -> pa.Table:
    rows = [(match, choice) for match in matches for choice in match.choices]
    size = 8 * game.reasoner.kernel.state_words
    columns: dict[str, tuple[list[Any], pa.DataType]] = {
        "match": ([match.number for match, _ in rows], pa.int32()),
        "step": ([choice.step for _, choice in rows], pa.int32()),
        "role": ([choice.role for _, choice in rows], pa.int8()),
        "state": ([choice.state for _, choice in rows], pa.binary(size)),
        "moves": ([choice.moves for _, choice in rows], pa.list_(pa.int32())),
        "policy": ([choice.policy for _, choice in rows], pa.list_(pa.float32())),
        "move": ([choice.move for _, choice in rows], pa.int32()),
        "value": ([choice.value for _, choice in rows], pa.float32()),
        "goals": ([match.goals for match, _ in rows], pa.list_(pa.int16())),
    }
    names = {
        "roles": [str(role) for role in game.roles],
        "moves": [[str(move) for move in moves] for moves in game.moves],
        "facts": [str(fact) for fact in game.facts],
    }
    metadata = {name: json.dumps(value) for name, value in names.items()}
    schema = pa.schema(
        [pa.field(name, kind) for name, (_, kind) in columns.items()],
        metadata={**metadata, "plan": plan.to_json()},
    )
    arrays = [pa.array(values, kind) for values, kind in columns.values()]
    return pa.table(arrays, schema=schema)


def load_samples(folder: Path | str, game: Game) -> Samples:
    """Read all parts of a self-play that are complete.

    Args:
        folder: where `ggp selfplay` has written.
        game: the game, whose facts and moves must be those of the data.

    Raises:
        GgpError: there is no data, or it is of another game.
        OSError: a file cannot be read.
    """
    files = sorted(Path(folder).glob("part-*.parquet"))
    if not files:
        raise GgpError(f"{folder} has no data; `ggp selfplay` writes some")
    tables = [pq.read_table(file) for file in files]
    for file, table in zip(files, tables, strict=True):
        facts = json.loads((table.schema.metadata or {}).get(b"facts", b"[]"))
        if facts != [str(fact) for fact in game.facts]:
            raise GgpError(f"{file} has data of another game than {game.name}")
    table = pa.concat_tables(tables)
    column = {name: table.column(name).combine_chunks() for name in table.column_names}
    words = b"".join(column["state"].to_pylist())
    states = np.frombuffer(bytearray(words), np.uint64)
    count, actions = len(table), game.num_actions
    lengths = column["moves"].value_lengths().to_numpy()
    policy = np.zeros((count, actions), np.float32)
    rows = np.repeat(np.arange(count), lengths)
    policy[rows, column["moves"].flatten().to_numpy()] = column["policy"].flatten().to_numpy()
    return Samples(
        states=States(game, states.reshape(count, -1)),
        match=column["match"].to_numpy(),
        step=column["step"].to_numpy(),
        role=column["role"].to_numpy(),
        policy=policy,
        move=column["move"].to_numpy(),
        value=column["value"].to_numpy(zero_copy_only=False),
        goals=column["goals"].flatten().to_numpy().reshape(count, -1),
    )
