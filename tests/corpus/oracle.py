"""The counts of the Java reference on real rulesheets, and the comparison with ours."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.kif import Term, parse_term
from ggp.perft import fingerprint, perft
from ggp.reasoner import Reasoner

CORPUS = Path(__file__).parents[2].parent / "shared" / "corpus"


def counts() -> dict[str, dict[str, Any]]:
    """The perft results of the reference, by the name of the game's file."""
    if not CORPUS.is_dir():
        return {}
    lines = (CORPUS / "perft.jsonl").read_text(encoding="utf-8").splitlines()
    return {expected["file"]: expected for expected in map(json.loads, lines)}


def traces() -> dict[str, list[dict[str, Any]]]:
    """Random playouts of the reference, by the key of the game."""
    found: dict[str, list[dict[str, Any]]] = {}
    with gzip.open(CORPUS / "traces.jsonl.gz", "rt", encoding="utf-8") as lines:
        for trace in map(json.loads, lines):
            found.setdefault(trace["key"], []).append(trace)
    return found


def perft_differences(
    expected: dict[str, Any],
    description: Description,
    reasoner: Reasoner,
    *,
    depth: int,
    deadline: Deadline,
) -> tuple[list[str], int]:
    """Count to a depth, or as deep as the time allows; return what differs, and the depth."""
    made = perft(description, reasoner, depth=depth, deadline=deadline)
    actual = json.loads(json.dumps(made.to_json()))
    differing = [
        f"{name}: {actual[name]} for {expected[name]}"
        for name in ("roles", "n_rules", "init_size", "init_fp", "init_goals")
        if actual[name] != expected[name]
    ]
    for name in ("states", "paths"):
        common = min(len(actual[name]), len(expected[name]))
        if actual[name][:common] != expected[name][:common]:
            differing.append(f"{name}: {actual[name]} for {expected[name]}")
    for mine, theirs in zip(actual["layers"], expected["layers"], strict=False):
        differing += [
            f"layer {mine['d']}, {name}: {mine[name]} for {theirs[name]}"
            for name in theirs
            if name in mine and mine[name] != theirs[name]
        ]
    both_complete = actual["complete"] and expected["complete"]
    if both_complete and actual["reachable_states"] != expected["reachable_states"]:
        differing.append(f"reachable: {actual['reachable_states']}")
    return differing, len(actual["states"]) - 1


def trace_differences(trace: dict[str, Any], reasoner: Reasoner) -> Iterator[str]:
    """Replay a playout step by step; yield what differs."""
    state = reasoner.initial_state()
    for number, step in enumerate(trace["steps"]):
        view = reasoner.view(state)
        legal = [[len(moves), _moves_hash(moves)] for moves in view.legal]
        if f"{fingerprint(reasoner.text(state)):016x}" != step["fp"]:
            yield f"step {number}: other facts"
        if len(reasoner.facts(state)) != step["n"]:
            yield f"step {number}: {len(reasoner.facts(state))} facts for {step['n']}"
        if view.terminal:
            yield f"step {number}: terminal"
        if legal != step["legal"]:
            yield f"step {number}: legal moves {legal} for {step['legal']}"
        state = reasoner.next_state(state, [parse_term(move) for move in step["move"]])
    if f"{fingerprint(reasoner.text(state)):016x}" != trace["final_fp"]:
        yield "the last state has other facts"
    view = reasoner.view(state)
    # The clock of the reference may have ended a trace in any state, even a terminal one.
    if trace["end"] == "terminal" and not view.terminal:
        yield "the last state is not terminal"
    if trace["goals"] is not None and list(view.goals) != trace["goals"]:
        yield f"goals {view.goals} for {trace['goals']}"


def _moves_hash(moves: tuple[Term, ...]) -> str:
    text = "\n".join(sorted(map(str, moves)))
    return hashlib.md5(text.encode(), usedforsecurity=False).digest()[:8].hex()
