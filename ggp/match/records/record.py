"""The record of a match, in the JSON form of ggp-base (`org.ggp.base.util.match.Match`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, TypeAlias, TypeVar, cast

from ggp.errors import KifError, RecordError
from ggp.files import check_writable, read_file, replace_file
from ggp.gdl import RANDOM
from ggp.kif import Compound, Symbol, Term, parse_term
from ggp.printable import table
from ggp.reasoner import JointMove

__all__ = ["MatchRecord", "MatchSummary", "Progress", "goals_of_loss", "parse_fields"]

_Kind = TypeVar("_Kind")

#: Called before each step of something long with its number, from 0, and that of all steps. An
#: exception that it raises ends the work.
Progress: TypeAlias = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord:
    """What was played in a match, as far as it went.

    Roles are in role order throughout. Times are in milliseconds since 1970.
    """

    match_id: str
    random_token: str
    start_time: int
    #: The address of the rules.
    game_meta_url: str
    #: Seconds; -1 for none.
    preview_clock: float = -1
    start_clock: float
    play_clock: float
    player_names: tuple[str, ...] = ()
    is_player_human: tuple[bool, ...] = ()
    tournament_name: str | None = None
    #: Whether a player was sent scrambled rules.
    is_scrambled: bool = False
    is_completed: bool = False
    is_aborted: bool = False
    #: The facts of each state, sorted by their printed text. Empty if nothing was played, and in
    #: Stanford's records, which tell the last state at most; `completed` computes the others.
    states: tuple[tuple[Term, ...], ...] = ()
    #: The facts of the last state, in a record that has no other.
    final_state: tuple[Term, ...] = ()
    #: When each state was reached.
    state_times: tuple[int, ...] = ()
    moves: tuple[JointMove, ...] = ()
    #: For the start and then for each turn, the error of each role: "" for none, "TO" for a late
    #: answer, "CE" for no answer, "IL move" for an illegal move, "IL" for an answer that is no term
    #: of the game; then the referee chose a move. "EX text" is an error in the code of a player
    #: that gave a legal move nevertheless.
    errors: tuple[tuple[str, ...], ...] = ()
    #: For each turn and role what the player thought, as `SearchInfo.to_json` returns it, or None.
    #: Empty in the records of other servers.
    search: tuple[tuple[Mapping[str, Any] | None, ...], ...] = ()
    #: For each role what the player thought during the start clock, in the same form. Empty if no
    #: player said anything, and in older records and those of other servers.
    start_search: tuple[Mapping[str, Any] | None, ...] = ()
    #: The goals at the end of a completed match.
    goal_values: tuple[int, ...] = ()
    #: The role that gave up, which completed the match before the game was over; None for none.
    gave_up: str | None = None

    def _repr_html_(self) -> str:
        """Return the moves as a table, for notebooks."""
        end = "aborted" if self.is_aborted else "completed" if self.is_completed else "under way"
        goals = f", goals {' '.join(map(str, self.goal_values))}" if self.goal_values else ""
        count = len(self.moves[0]) if self.moves else len(self.player_names)
        names = self.player_names or [f"role {number}" for number in range(1, count + 1)]
        numbered = ((number, *moves) for number, moves in enumerate(self.moves, 1))
        return table(["", *names], numbered, caption=f"{self.match_id}: {end}{goals}")

    def to_json(self) -> str:
        """Return the record as JSON, with the field names of ggp-base."""
        fields: dict[str, object] = {
            "matchId": self.match_id,
            "randomToken": self.random_token,
            "startTime": self.start_time,
            "gameMetaURL": self.game_meta_url,
            "isCompleted": self.is_completed,
            "isAborted": self.is_aborted,
            "states": [f"( {' '.join(_sorted_texts(facts))} )" for facts in self.states],
            "moves": [list(map(str, joint_move)) for joint_move in self.moves],
            "stateTimes": self.state_times,
            "previewClock": _number(self.preview_clock),
            "startClock": _number(self.start_clock),
            "playClock": _number(self.play_clock),
            "scrambled": self.is_scrambled,
        }
        optional: dict[str, object] = {
            "finalState": self.final_state and f"( {' '.join(_sorted_texts(self.final_state))} )",
            "errors": self.errors,
            "search": self.search,
            "startSearch": self.start_search,
            "goalValues": self.goal_values,
            "playerNamesFromHost": self.player_names,
            "isPlayerHuman": self.is_player_human,
            "tournamentNameFromHost": self.tournament_name,
            "gaveUp": self.gave_up,
        }
        fields.update({name: value for name, value in optional.items() if value})
        return json.dumps(fields, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> MatchRecord:
        """Read a record of this framework or of ggp-base; unknown fields are ignored.

        Raises:
            RecordError: the text is no JSON object, a field is missing or of the wrong type, or
                the fields contradict each other.
        """
        return cls.from_fields(parse_fields(text))

    @classmethod
    def from_fields(
        cls, fields: Mapping[str, Any], *, progress: Progress = lambda _done, _all: None
    ) -> MatchRecord:
        """Read what `to_json` writes from its parsed form. Raises `RecordError`.

        Args:
            fields: the record.
            progress: called before each state.
        """
        read = _Reader(fields)
        record = cls(
            match_id=read.value("matchId", str),
            random_token=read.value("randomToken", str),
            start_time=read.value("startTime", int),
            game_meta_url=read.value("gameMetaURL", str, default=""),
            preview_clock=read.value("previewClock", float, default=-1.0),
            start_clock=read.value("startClock", float),
            play_clock=read.value("playClock", float),
            player_names=read.values("playerNamesFromHost", str, default=()),
            is_player_human=read.values("isPlayerHuman", bool, default=()),
            tournament_name=read.value("tournamentNameFromHost", str, default="") or None,
            is_scrambled=read.value("scrambled", bool, default=False),
            is_completed=read.value("isCompleted", bool),
            is_aborted=read.value("isAborted", bool, default=False),
            states=tuple(_states(read.values("states", str), progress)),
            final_state=_facts(read.value("finalState", str, default="()"), "finalState"),
            state_times=read.values("stateTimes", int),
            moves=tuple(_moves(read.rows("moves"))),
            errors=read.rows("errors", default=()),
            search=tuple(
                _objects(thoughts, f"search[{index}]")
                for index, thoughts in enumerate(read.values("search", list, default=()))
            ),
            start_search=_objects(read.value("startSearch", list, default=[]), "startSearch"),
            goal_values=read.values("goalValues", int, default=()),
            gave_up=read.value("gaveUp", str, default="") or None,
        )
        _check(record)
        return record

    def write(self, path: Path | str) -> None:
        """Write the record to a file, which is replaced at once. Raises `OSError`."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, f"{self.to_json()}\n")

    @staticmethod
    def check_writable(path: Path | str) -> None:
        """Make the folder of a record and check that it is writable. Raises `OSError`."""
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        check_writable(path)

    @classmethod
    def read(
        cls, path: Path | str, *, progress: Progress = lambda _done, _all: None
    ) -> MatchRecord:
        """Read a record in any form: ggp-base's JSON or XML, Stanford's XML, or Dresden's folder.

        Args:
            path: its file or folder.
            progress: as for `from_fields`.

        Raises:
            OSError: the file cannot be read, or has more than 64 MB.
            RecordError: it is no record.
        """
        try:
            return cls.from_fields(_read_fields(Path(path)), progress=progress)
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchSummary:
    """What a list of records shows of each. Reading it parses no state and no move."""

    game_meta_url: str
    #: Milliseconds since 1970.
    start_time: int
    player_names: tuple[str, ...]
    #: The goals at the end of a completed match.
    goal_values: tuple[int, ...]
    #: Joint moves.
    steps: int
    is_completed: bool

    @classmethod
    def read(cls, path: Path | str) -> MatchSummary:
        """Read the summary of a record in any form. Raises `OSError`, `RecordError`."""
        try:
            read = _Reader(_read_fields(Path(path)))
            return cls(
                game_meta_url=read.value("gameMetaURL", str, default=""),
                start_time=read.value("startTime", int),
                player_names=read.values("playerNamesFromHost", str, default=()),
                goal_values=read.values("goalValues", int, default=()),
                steps=len(read.value("moves", list)),
                is_completed=read.value("isCompleted", bool),
            )
        except RecordError as error:
            raise RecordError(f"{path}: {error}") from None


def goals_of_loss(roles: Sequence[Symbol], loser: Symbol) -> tuple[int, ...]:
    """Return the goals after a role gave up: 0 for it; the other players share 100 evenly.

    Examples:
        >>> goals_of_loss([Symbol("x"), Symbol("o")], Symbol("x"))
        (0, 100)
    """
    winners = [role for role in roles if role != loser and role.text.lower() != RANDOM]
    return tuple(100 // len(winners) if role in winners else 0 for role in roles)


def _read_fields(path: Path) -> Mapping[str, Any]:
    """Return the fields of ggp-base's JSON from a record in any form.

    Raises:
        OSError: the file cannot be read.
        RecordError: it is no record.
    """
    from ggp.match.records.xml import MAX_RECORD, dresden_fields, is_xml, xml_fields

    if path.is_dir():
        return dresden_fields(path)
    data = read_file(path, most=MAX_RECORD)
    if is_xml(data):
        return xml_fields(data, path)
    try:
        return parse_fields(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise RecordError(f"not UTF-8: {error.reason}") from None


def parse_fields(text: str) -> dict[str, Any]:
    """Return the fields of a JSON record. Raises `RecordError` if it is not a JSON object."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"this is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise RecordError("a match record is a JSON object")
    return fields


class _Reader:
    """Reads the fields of a JSON object and checks their types."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self._fields = fields

    def value(self, name: str, kind: type[_Kind], *, default: _Kind | None = None) -> _Kind:
        value = self._fields.get(name)
        if value is None:
            if default is None:
                raise RecordError(f"{name} is missing")
            return default
        return _typed(value, kind, name)

    def values(
        self, name: str, kind: type[_Kind], *, default: tuple[_Kind, ...] | None = None
    ) -> tuple[_Kind, ...]:
        values: list[object] = self.value(name, list, default=None if default is None else [])
        return tuple(_typed(value, kind, f"{name}[{i}]") for i, value in enumerate(values))

    def rows(
        self, name: str, *, default: tuple[tuple[str, ...], ...] | None = None
    ) -> tuple[tuple[str, ...], ...]:
        rows = self.values(name, list, default=None if default is None else ())
        return tuple(
            tuple(_typed(value, str, f"{name}[{i}][{j}]") for j, value in enumerate(row))
            for i, row in enumerate(rows)
        )


def _typed(value: object, kind: type[_Kind], name: str) -> _Kind:
    # Not `isinstance`: in Python, True is an instance of int.
    is_typed = type(value) in ((int, float) if kind is float else (kind,))
    if not is_typed or (isinstance(value, float) and not isfinite(value)):
        wanted = {
            str: "a string",
            int: "an integer",
            float: "a number",
            bool: "true or false",
            dict: "an object",
        }
        raise RecordError(f"{name} should be {wanted.get(kind, 'a list')}, not {value!r:.60}")
    return cast(_Kind, value)


def _objects(values: Iterable[object], name: str) -> tuple[Mapping[str, Any] | None, ...]:
    """Read objects, each of which may be null."""
    return tuple(
        None if value is None else _typed(value, dict, f"{name}[{index}]")
        for index, value in enumerate(values)
    )


def _term(text: str, name: str) -> Term:
    try:
        return parse_term(text)
    except KifError as error:
        raise RecordError(f"{name}: {error.message}: {text!r:.60}") from None


def _states(texts: Sequence[str], progress: Progress) -> Iterator[tuple[Term, ...]]:
    for index, text in enumerate(texts):
        progress(index, len(texts))
        yield _facts(text, f"states[{index}]")


def _moves(rows: Iterable[tuple[str, ...]]) -> Iterator[JointMove]:
    known: dict[str, Term] = {}  # the same few moves are made again and again
    for index, row in enumerate(rows):
        for text in row:
            if text not in known:
                known[text] = _term(text, f"moves[{index}]")
        yield tuple(known[text] for text in row)


def _facts(text: str, name: str) -> tuple[Term, ...]:
    state = _term(text, name)
    if not isinstance(state, Compound):
        raise RecordError(f"{name} should be a list of facts, not {text!r:.60}")
    return tuple(sorted(state.items, key=str))


def _check(record: MatchRecord) -> None:
    """Raise `RecordError` if the record contradicts itself."""
    turns = len(record.moves)
    # A match that was aborted before it began has no state at all; other records may not tell any.
    expected = turns + 1 if record.states or record.state_times or record.errors else 0
    per_state: dict[str, tuple[object, ...]] = {
        "states": record.states,
        "stateTimes": record.state_times,
        "errors": record.errors or record.states,
    }
    for name, entries in per_state.items():
        if len(entries) != expected:
            raise RecordError(f"{name} has {len(entries)} entries, {turns} moves need {expected}")
    if len(record.search) not in (0, turns):
        raise RecordError(f"search has {len(record.search)} entries for {turns} moves")
    roles = len(record.moves[0]) if record.moves else len(record.goal_values)
    per_role: Iterable[tuple[str, tuple[object, ...]]] = (
        *((f"moves[{i}]", joint_move) for i, joint_move in enumerate(record.moves)),
        *((f"errors[{i}]", errors) for i, errors in enumerate(record.errors)),
        *((f"search[{i}]", search) for i, search in enumerate(record.search)),
        ("startSearch", record.start_search),
        ("goalValues", record.goal_values),
        ("playerNamesFromHost", record.player_names),
        ("isPlayerHuman", record.is_player_human),
    )
    for name, entries in per_role:
        if entries and roles and len(entries) != roles:
            raise RecordError(f"{name} has {len(entries)} entries for {roles} roles")


def _sorted_texts(facts: Iterable[Term]) -> list[str]:
    return sorted(map(str, facts))


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value
