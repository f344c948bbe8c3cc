"""A game's regression test: the checker, proofs, and what is recorded beside the file.

Beside `NAME.kif` may stand

- `NAME.playthrough.json` and `NAME.WORD.playthrough.json`: golden playthroughs;
- `NAME.perft.json`: what `ggp perft NAME.kif --json` prints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ggp.authoring.explain import explain
from ggp.authoring.playthrough import MAX_BYTES, Playthrough, first_difference, record
from ggp.deadline import Deadline
from ggp.errors import GameError, ReasonerError, RecordError
from ggp.files import read_file, update_file
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.kif import Source
from ggp.perft import Perft, perft
from ggp.prove import Answer, faults, prove
from ggp.reasoner import Reasoner, open_reasoner

__all__ = [
    "PROOF_SECONDS",
    "Outcome",
    "Status",
    "perft_path",
    "playthrough_path",
    "playthrough_paths",
    "read_perft",
    "run_tests",
    "update",
]

Status: TypeAlias = Literal["passed", "failed", "skipped", "warning"]

#: Seconds that each proof may take.
PROOF_SECONDS = 2.0

#: Perft counts are recorded as deep as this many states allow.
PERFT_STATES = 5_000

_PLAYTHROUGH = ".playthrough.json"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one test of a game came to."""

    #: The kind of test: check, reasoner, playthrough, perft, proof.
    test: str
    #: What was tested: the name of a file, a question.
    what: str
    status: Status
    #: One line for each fault, or for what else is worth telling.
    details: tuple[str, ...] = ()


def playthrough_path(path: Path) -> Path:
    """Return where the golden playthrough of a rulesheet is that `update` makes."""
    return path.with_name(path.stem + _PLAYTHROUGH)


def playthrough_paths(path: Path) -> list[Path]:
    """Return the golden playthroughs beside a rulesheet, by name."""
    found = (other for other in path.parent.iterdir() if other.name.endswith(_PLAYTHROUGH))
    return sorted(other for other in found if other.name.startswith(f"{path.stem}."))


def perft_path(path: Path) -> Path:
    """Return where the perft counts of a rulesheet are."""
    return path.with_name(f"{path.stem}.perft.json")


def run_tests(path: Path, *, seconds: float = PROOF_SECONDS) -> Iterator[Outcome]:
    """Test a game, and yield the outcome of each test.

    Playthroughs are replayed in both reasoners, where both can take the game.

    Args:
        path: the rulesheet.
        seconds: how long each proof may take; 0 for no proofs.

    Raises:
        OSError: the rulesheet cannot be read.
        ReasonerError: a reasoner or the prover ran out of time or memory, or died.
    """
    source = Source.read(path)
    checked = _check(source)
    yield checked
    if checked.status == "failed":
        return
    description = Description.from_text(source)
    with ExitStack() as stack:
        opened: dict[str, Reasoner] = {}
        for kind in ("prolog", "compiled"):
            try:
                # With a deadline, Ctrl-C ends compiling at once.
                made = open_reasoner(description, kind=kind, deadline=Deadline())
                opened[kind] = stack.enter_context(made)
            except ReasonerError as error:
                yield Outcome("reasoner", kind, "skipped", (str(error),))
        if not opened:
            yield Outcome("reasoner", "any", "failed", ("no reasoner can take the game",))
            return
        recorded = playthrough_paths(path)
        for other in recorded:
            yield _replay(other, opened)
        if not recorded:
            advice = "none is recorded; `ggp test --update` records one"
            yield Outcome("playthrough", playthrough_path(path).name, "skipped", (advice,))
        if perft_path(path).exists():
            fastest = opened.get("compiled") or opened["prolog"]
            yield _count(perft_path(path), description, fastest)
    if seconds and "compiled" in opened:
        yield from _prove(description, seconds)
    elif seconds:
        advice = "they need the circuit of the game"
        yield Outcome("proof", "of every question", "skipped", (advice,))


def update(path: Path) -> Iterator[tuple[Path, str]]:
    """Record the golden values of a game anew; yield each file and what became of it.

    A playthrough keeps its joint moves. A game without any gets a random one. Perft counts keep
    their depth; where there are none, they go as deep as 5,000 states do.

    Raises:
        OSError: a file cannot be read or written.
        GgpError: the rules have an error, or a file beside them is none of ours, or a playthrough
            has a move that is not legal. Nothing is written then.
    """
    source = Source.read(path)
    errors = [finding for finding in check(source) if finding.severity == "error"]
    if errors:
        raise GameError(f"{errors[0].span}: {errors[0].message}")
    description = Description.from_text(source)
    with open_reasoner(description) as reasoner:
        recorded = playthrough_paths(path)
        made_again = [_made_again(other, reasoner, path.stem) for other in recorded]
        for other, again in zip(recorded, made_again, strict=True):
            yield other, _write(other, again.to_text(), f"{len(again.joint_moves)} steps")
        if not recorded:
            other = playthrough_path(path)
            made = record(reasoner, path.stem)
            yield other, _write(other, made.to_text(), f"{len(made.joint_moves)} steps")
        counted = perft_path(path)
        if counted.exists():
            depth = len(read_perft(counted)["layers"]) - 1
            counts = perft(description, reasoner, depth=depth)
        else:
            counts = perft(description, reasoner, max_states=PERFT_STATES)
        told = f"{len(counts.layers) - 1} steps deep"
        yield counted, _write(counted, _perft_text(counts, path), told)


def _perft_text(counts: Perft, path: Path) -> str:
    """Return perft counts as `ggp perft --json` prints them, but one layer a line."""
    fields = {"key": path.stem, "file": path.name, **counts.to_json()}
    layers = ",\n".join(json.dumps(layer) for layer in fields.pop("layers"))
    return f'{json.dumps(fields)[:-1]}, "layers": [\n{layers}\n]}}\n'


def _check(source: Source) -> Outcome:
    findings = check(source)
    failed = any(finding.severity == "error" for finding in findings)
    details = tuple(f"{f.span}: {f.severity}[{f.code}]: {f.message}" for f in findings)
    return Outcome("check", source.name, "failed" if failed else "passed", details)


def _replay(path: Path, reasoners: Mapping[str, Reasoner]) -> Outcome:
    """Replay a playthrough in every reasoner."""
    try:
        playthrough = Playthrough.read(path)
    except (OSError, RecordError) as error:
        return Outcome("playthrough", path.name, "failed", (str(error),))
    found: dict[str, list[str]] = {}
    for kind, reasoner in reasoners.items():
        for line in first_difference(playthrough, reasoner):
            found.setdefault(line, []).append(kind)
    if not found:
        steps = f"{len(playthrough.joint_moves)} steps"
        return Outcome("playthrough", path.name, "passed", (steps,))
    lines = (
        line if len(kinds) == len(reasoners) else f"{line} ({', '.join(kinds)} only)"
        for line, kinds in found.items()
    )
    return Outcome("playthrough", path.name, "failed", tuple(lines))


def _count(path: Path, description: Description, reasoner: Reasoner) -> Outcome:
    """Count again what was counted before."""
    try:
        fields = read_perft(path)
    except (OSError, RecordError) as error:
        return Outcome("perft", path.name, "failed", (str(error),))
    layers = fields["layers"]
    counts = perft(description, reasoner, depth=len(layers) - 1)
    now = json.loads(json.dumps(counts.to_json()))
    lines: list[str] = []
    for depth, layer in enumerate(layers):
        if depth >= len(now["layers"]):
            lines.append(f"depth {depth}: no state, not {layer.get('states')}")
            break
        lines += _differences(depth, layer, now["layers"][depth])
        if lines:
            break
    if not lines and fields.get("stop") == "complete" and counts.stop != "complete":
        lines.append(f"depth {len(layers)}: there are states, and there were none")
    if lines:
        return Outcome("perft", path.name, "failed", tuple(lines))
    return Outcome("perft", path.name, "passed", (f"{len(layers) - 1} steps deep",))


def _differences(depth: int, recorded: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each count at a depth that differs from the recorded one."""
    for name, value in recorded.items():
        found = now.get(name)
        if found == value:
            continue
        if name != "fp":
            yield f"depth {depth}: {name}: {_shown(found)}, not {_shown(value)}"
        elif now.get("states") == recorded.get("states", now.get("states")):
            yield f"depth {depth}: the states differ, although their number is the same"


def _prove(description: Description, seconds: float) -> Iterator[Outcome]:
    """Ask what has to hold in every game. What is not known, or is doubted only, fails no test."""
    statuses: dict[Answer, Status] = {"proved": "passed", "refuted": "failed", "open": "skipped"}
    found = (v for v in prove(description, seconds=seconds) if v.question.expected or v.doubt)
    for verdict in sorted(found, key=lambda verdict: str(verdict.question)):
        if verdict.doubt and not verdict.question.expected:
            if faults(description, [verdict]):  # else a comment in the rules switches it off
                yield Outcome("proof", str(verdict.question), "warning", (verdict.doubt,))
            continue
        if verdict.is_fault and not faults(description, [verdict]):
            details = ["refuted; a comment in the rules switches this off"]
            yield Outcome("proof", str(verdict.question), "skipped", tuple(details))
            continue
        details = [] if verdict.verdict == "proved" else [verdict.summary]
        details += [verdict.doubt] if verdict.doubt else []
        if verdict.is_fault:
            details += explain(description, verdict)
        question, status = str(verdict.question), statuses[verdict.verdict]
        yield Outcome("proof", question, status, tuple(details))


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else json.dumps(value)


def read_perft(path: Path) -> dict[str, Any]:
    """Return recorded perft counts. Raises `OSError`, or `RecordError` if there are none."""
    try:
        fields = json.loads(read_file(path, most=MAX_BYTES).decode())
    except (ValueError, RecursionError) as error:
        raise RecordError(f"{path}: {error}") from None
    layers = fields.get("layers") if isinstance(fields, dict) else None
    if not (isinstance(layers, list) and layers and all(isinstance(x, dict) for x in layers)):
        raise RecordError(f"{path}: no perft counts: there are no layers")
    return dict(fields)


def _made_again(path: Path, reasoner: Reasoner, game: str) -> Playthrough:
    """Return a playthrough with the same joint moves, and what the rules say now.

    Raises:
        GameError: a move is not legal. The file may have been written by hand: it stays.
    """
    before = Playthrough.read(path)
    ended = not before.steps or before.steps[-1].terminal is True
    try:
        return record(reasoner, game, moves=before.joint_moves, goes_on=ended)
    except GameError as error:
        advice = "correct the line or the rules; without the file, --update plays a new line"
        raise GameError(f"{path.name}: {error}; {advice}") from None


def _write(path: Path, text: str, told: str) -> str:
    """Write a file if that changes it, and tell."""
    return f"{'recorded' if update_file(path, text) else 'unchanged'}: {told}"
