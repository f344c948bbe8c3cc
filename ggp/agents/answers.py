"""What commands of `ggp` answer, as a client reads it: errors first, goals by role, no noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "goals_told",
    "match_told",
    "move_told",
    "outcome_told",
    "perft_told",
    "proofs_told",
    "show_told",
]

# What an error says of a process that crashed, rather than met a limit.
_CRASHED = "ended unexpectedly"
# What a test says that its author has switched off.
_SWITCHED_OFF = "switches this off"
# Questions that only a compiled game is asked.
_NEED_CIRCUIT = ("begins", "one-content", "keeps-content", "monotone")

_ERRORS = {
    "TO": "did not answer in time",
    "CE": "gave no answer",
    "EX": "failed in its own code",
    "IL": "may not do",
}


def show_told(shown: dict[str, Any]) -> dict[str, Any]:
    """Return what `ggp show` tells, with what is missing first, and the relations last."""
    relations, error = shown.pop("relations"), shown.pop("circuit_error")
    told: dict[str, Any] = {}
    if error is not None:
        told["circuit_error"] = error
        told["not_known"] = "circuit, symmetries, factors, proofs: they need the compiled game"
        for name in ("circuit", "symmetries", "more_symmetries", "factors", "proofs"):
            shown.pop(name, None)
    if (of_factors := shown.pop("factors_error", None)) is not None and error is None:
        told["factors_error"] = of_factors
    return {**told, **shown, "relations": relations}


def proofs_told(
    questions: Sequence[dict[str, Any]], *, error: str | None, seconds: float, most: float
) -> dict[str, Any]:
    """Return the answers of `ggp prove` after a summary, and why some of them are open.

    Args:
        questions: the answers.
        error: why the game could not be compiled; None if it could.
        seconds: how long each question was allowed to take.
        most: how long it may be allowed to take.
    """
    counts = Counter(each["verdict"] for each in questions)
    told = [_proof(each, error=error, seconds=seconds) for each in questions]
    faults = sum(each["fault"] for each in told)
    summary = f"{counts['proved']} proved, {counts['refuted']} refuted "
    summary += f"({faults or 'no'} fault{'s' * (faults != 1)}), {counts['open']} open"
    answer: dict[str, Any] = {"summary": summary}
    if error is not None:
        asked = {each["name"] for each in questions}
        answer["circuit_error"] = error
        answer["not_asked"] = [name for name in _NEED_CIRCUIT if name not in asked]
    if counts["open"]:
        answer["next"] = _advice(told, error=error, seconds=seconds, most=most)
    return {**answer, "questions": told}


def _proof(answer: dict[str, Any], *, error: str | None, seconds: float) -> dict[str, Any]:
    found = dict(answer)
    is_fault = found["verdict"] == "refuted" and found.pop("expected")
    told = {"name": found.pop("name"), "verdict": found.pop("verdict"), "fault": is_fault}
    found.pop("expected", None)
    by, checked, took = found.pop("engine"), found.pop("checked"), found.pop("seconds")
    if told["verdict"] == "open":
        found.pop("lines")
        if error is None:
            told["why"] = found.pop("why", f"neither proved nor refuted in {seconds:g} s")
        else:
            told["why"] = "the game is not compiled, so that it was only played at random"
    else:
        told |= {"found_by": by, "checked_by": checked, "seconds": took}
    return {**told, **found}


def _advice(
    told: Sequence[Mapping[str, Any]], *, error: str | None, seconds: float, most: float
) -> str:
    if error is not None and _CRASHED in error:
        return "the compiler crashed: that is a fault of this program, or of its limits; try again"
    if error is not None:
        return (
            "make the rules compile: fewer arguments in a relation, smaller numbers, no relation "
            "that depends on itself through next; check names what recurses without end"
        )
    is_open = {each["name"] for each in told if each["verdict"] == "open"}
    advice = []
    if 2 * seconds <= most:
        advice.append(f"call prove with seconds={min(most, max(10.0, 4 * seconds)):g}")
    if "ends" in is_open:
        advice.append(
            "count the steps in a fact, such as (step 7), and let the last number be terminal: "
            "then every play ends"
        )
    return "; ".join(advice) or "play the game: state and run_match show what the rules do"


def goals_told(wrong: Mapping[str, Sequence[str]]) -> list[str]:
    """Return which goals roles have that should have one each.

    >>> goals_told({"bear": ["0", "100"], "seal": []})
    ['bear has the goals 0 and 100', 'seal has no goal']
    """
    return [
        f"{role} has " + (f"the goals {' and '.join(values)}" if values else "no goal")
        for role, values in wrong.items()
    ]


def perft_told(counts: dict[str, Any], *, depth: int) -> dict[str, Any]:
    """Return what `ggp perft` counts, by depth, and what to do where it did not come to its end."""
    layers, states = counts["layers"], counts["states"]
    told: dict[str, Any] = {"complete": counts["complete"], "stop": counts["stop"]}
    if counts["stop"] not in ("complete", "cycle", "maxdepth"):
        told["note"] = (
            f"depth {depth} is out of reach here: depths 0 to {len(states) - 1} are counted; "
            f"ask for depth {max(0, len(states) - 1)}, or play random matches"
        )
    told |= {"roles": counts["roles"], "states": states, "paths": counts["paths"][: len(states)]}
    told["layers"] = [{k: v for k, v in layer.items() if k != "fp"} for layer in layers]
    if "reachable_states" in counts:
        told["reachable_states"] = counts["reachable_states"]
    return told


def move_told(found: dict[str, Any], role: str) -> dict[str, Any]:
    """Return what `ggp solve` finds for a role."""
    late = "it had no time to search: the game is compiled first; call again, or give more seconds"
    return {
        **({"note": late} if None in found["goals"] else {}),
        "role": role,
        "move": found["move"],
        "goals": dict(zip(found["roles"], found["goals"], strict=True)),
        "exact": found["exact"],
        "variation": found["variation"],
        "algorithm": found["algorithm"],
        "depth": found["depth"],
        "states": found["expanded"],
        "seconds": found["seconds"],
    }


def match_told(
    record: dict[str, Any], roles: Sequence[str], players: Sequence[str], *, most_steps: int
) -> dict[str, Any]:
    """Return how a match went.

    Args:
        record: the match.
        roles: of the game.
        players: of the roles but `random`.
        most_steps: after how many joint moves it is stopped.
    """
    moves, goals = record.get("moves", []), record.get("goalValues", [])
    seats = [role for role in roles if role.lower() != "random"]
    if record.get("isCompleted"):
        ended = f"the game was over after {len(moves)} joint moves"
    elif len(moves) >= most_steps:
        ended = f"it was stopped after {most_steps} joint moves, the most that are played here"
    else:
        ended = f"it was aborted after {len(moves)} joint moves"
    return {
        "players": dict(zip(seats, players, strict=True)),
        "goals": dict(zip(roles, goals, strict=True)) if goals else None,
        "ended": ended,
        "errors": [
            {"step": step, "role": role, "error": _error(error)}
            for step, errors in enumerate(record.get("errors", []))
            for role, error in zip(roles, errors, strict=False)
            if error
        ],
        "moves": moves,
    }


def _error(text: str) -> str:
    code, _, detail = text.partition(" ")
    return " ".join(filter(None, (_ERRORS.get(code, code), detail)))


def outcome_told(name: str, tested: dict[str, Any]) -> dict[str, Any]:
    """Return what `ggp test` says of a game; what was left out is no success.

    The result is ``failed`` where a test fails or a process crashes, ``incomplete`` where something
    was left out, and else ``passed``.
    """
    update = "test_game(name, update=true)"
    tests = [
        {**each, "details": [line.replace("`ggp test --update`", update) for line in lines]}
        for each in tested["tests"]
        for lines in [each["details"]]
    ]
    left_out = [
        ": ".join([f"{each['test']} {each['what']}", *each["details"]])
        for each in tests
        if each["status"] == "skipped" and not _says(each, _SWITCHED_OFF)
    ]
    kinds = {each["test"] for each in tests}
    if "perft" not in kinds and "playthrough" in kinds:
        left_out.append(f"perft {name}.perft.json: none is recorded; {update} records one")
    if not tested["passed"] or any(_says(each, _CRASHED) for each in tests):
        result = "failed"
    else:
        result = "incomplete" if left_out else "passed"
    return {
        "game": name,
        "result": result,
        **({"left_out": left_out} if left_out else {}),
        "tests": tests,
    }


def _says(outcome: Mapping[str, Any], text: str) -> bool:
    return any(text in detail for detail in outcome["details"])
