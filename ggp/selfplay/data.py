"""The data of self-play: a folder with the plan and Parquet files of whole matches.

`part-00000.parquet` and so on have as many matches as the plan says. The matches that are over, but
whose part is not complete, have a file each, such as `match-0000000041.parquet`.

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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ggp.batch import Game, States
from ggp.errors import GgpError
from ggp.files import DRAFT, locked, read_file, replace_file
from ggp.selfplay.plan import Plan
from ggp.selfplay.play import Match

__all__ = ["Folder", "Samples", "load_samples"]

_PLAN = "plan.json"
#: Bytes of the largest plan, which holds the rules.
_MAX_PLAN = 100_000_000
_PARTS, _MATCHES = "part-*.parquet", f"match-{'[0-9]' * 10}.parquet"
#: How often the files are looked for that a self-play at work replaces.
_TRIES = 20


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
    """The folder of a self-play. A match that is over is there as a whole, and so is a part.

    Each match has a file until all of its part are over; then they become one file.
    """

    def __init__(self, path: Path) -> None:
        """Take the folder, which need not exist."""
        self.path = path

    @contextmanager
    def opened(self, plan: Plan) -> Iterator[None]:
        """Keep other processes from writing to the folder, which gets the plan if it has none.

        What a process has left that was killed is tidied up.

        Raises:
            GgpError: the folder has another plan, or another process writes to it.
            OSError: it cannot be written.
        """
        self.path.mkdir(parents=True, exist_ok=True)
        with locked(self.path) as is_ours:
            if not is_ours:
                raise GgpError(f"{self.path}: another process writes to it")
            kept = self.plan()
            if kept is None:
                replace_file(self.path / _PLAN, plan.to_json())
            elif kept != plan:
                raise GgpError(f"{self.path} has data of another game, player or settings")
            self._tidy_up(plan)
            yield

    def plan(self) -> Plan | None:
        """Return the plan; None if there is none. Raises `GgpError` if it cannot be read."""
        file = self.path / _PLAN
        try:
            return Plan.from_json(read_file(file, most=_MAX_PLAN).decode())
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise GgpError(f"{file}: {error}") from None

    def missing(self, plan: Plan) -> list[int]:
        """Return the numbers of the matches that are not there."""
        parts = [part for part in range(plan.parts) if not self._part(part).is_file()]
        numbers = (number for part in parts for number in plan.numbers(part))
        return [number for number in numbers if not self._match(number).is_file()]

    def add(self, match: Match, game: Game, plan: Plan) -> None:
        """Write a match that is over; with the last one of a part, the part. Raises `OSError`."""
        replace_file(self._match(match.number), _parquet(_table(match, game, plan)))
        self._complete(match.number // plan.part, plan)

    def _part(self, part: int) -> Path:
        return self.path / f"part-{part:05}.parquet"

    def _match(self, number: int) -> Path:
        return self.path / f"match-{number:010}.parquet"

    def _complete(self, part: int, plan: Plan) -> None:
        """Make a part of its matches if all are over."""
        files = [self._match(number) for number in plan.numbers(part)]
        if not self._part(part).is_file():
            if not all(file.is_file() for file in files):
                return
            replace_file(self._part(part), _parquet(pa.concat_tables(map(_read, files))))
        for file in files:
            file.unlink(missing_ok=True)

    def _tidy_up(self, plan: Plan) -> None:
        for draft in self.path.glob(f"{DRAFT}*"):
            draft.unlink()
        for part in {_number(file) // plan.part for file in self.path.glob(_MATCHES)}:
            self._complete(part, plan)


def _parquet(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table.combine_chunks(), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _read(file: Path) -> pa.Table:
    """Read a file of a self-play. Raises `GgpError` if it is none, and `FileNotFoundError`."""
    try:
        # The folder may have a name like x=1, which must not become a column.
        return pq.read_table(file, partitioning=None)
    except FileNotFoundError:
        raise
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise GgpError(
            f"{file} cannot be read; remove it, and it is played again: {reason}"
        ) from None


def _table(match: Match, game: Game, plan: Plan) -> pa.Table:
    rows = match.choices
    size = 8 * game.reasoner.kernel.state_words
    columns: dict[str, tuple[list[Any], pa.DataType]] = {
        "match": ([match.number] * len(rows), pa.int32()),
        "step": ([choice.step for choice in rows], pa.int32()),
        "role": ([choice.role for choice in rows], pa.int8()),
        "state": ([choice.state for choice in rows], pa.binary(size)),
        "moves": ([choice.moves for choice in rows], pa.list_(pa.int32())),
        "policy": ([choice.policy for choice in rows], pa.list_(pa.float32())),
        "move": ([choice.move for choice in rows], pa.int32()),
        "value": ([choice.value for choice in rows], pa.float32()),
        "goals": ([match.goals] * len(rows), pa.list_(pa.int16())),
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
    """Read all matches of a self-play that are over. It may be going on meanwhile.

    Args:
        folder: where `ggp selfplay` has written.
        game: the game, whose facts and moves must be those of the data.

    Raises:
        GgpError: there is no data, or it is of another game, or a file cannot be read.
    """
    found = _tables(Path(folder))
    if not found:
        raise GgpError(f"{folder} has no data; `ggp selfplay` writes some")
    for file, table in found:
        facts = json.loads((table.schema.metadata or {}).get(b"facts", b"[]"))
        if facts != [str(fact) for fact in game.facts]:
            raise GgpError(f"{file} has data of another game than {game.name}")
    table = pa.concat_tables(table for _, table in found)
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


def _tables(folder: Path) -> list[tuple[Path, pa.Table]]:
    """Read the parts, and the matches that are in none yet, in the order of their names."""
    for _ in range(_TRIES):
        # In this order: a match whose file is gone by now is in a part.
        matches = sorted(folder.glob(_MATCHES))
        parts = sorted(folder.glob(_PARTS))
        try:
            found = [(file, _read(file)) for file in parts]
            known = {number for _, table in found for number in table["match"].unique().to_pylist()}
            alone = [file for file in matches if _number(file) not in known]
            return found + [(file, _read(file)) for file in alone]
        except FileNotFoundError:  # it has become part of a part
            continue
    raise GgpError(f"{folder}: its files come and go; try again")


def _number(file: Path) -> int:
    """Return the number of the match in a file."""
    return int(file.stem.rpartition("-")[2])
