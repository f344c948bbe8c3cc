"""What commands of `ggp` answer, as a client reads it: errors first, goals by role, no noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import floor
from pathlib import Path
from typing import Any

from ggp.prove import MEANINGS

__all__ = [
    "clock_for",
    "constant_sum",
    "goals_told",
    "match_told",
    "move_told",
    "outcome_told",
    "perft_told",
    "playouts_told",
    "proofs_told",
    "show_told",
]

#: The share of the time that a match of the usual length may take, and the shortest play clock
#: that is proposed.
_SPARE, _SHORTEST_CLOCK = 0.9, 0.1
#: Seconds: what machine code has played from before this on was played by it alone.
_AT_ONCE = 0.05
#: How many examples are told of what may be long.
_EXAMPLES = 3
#: How many facts and moves of a symmetry `ggp show` lists.
_LISTED = 200
#: The place of each question, as `ggp prove` lists them.
_ORDER = {name: number for number, name in enumerate(MEANINGS)}
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
    """Return what `ggp show` tells: a summary, what is missing, and the rest in short."""
    error, of_factors = shown["circuit_error"], shown["factors_error"]
    told: dict[str, Any] = {"summary": _summary(shown)}
    if error is not None:
        told["circuit_error"] = error
        told["not_known"] = "circuit, symmetries, factors, proofs: they need the compiled game"
    elif of_factors is not None:
        told["factors_error"] = of_factors
    same = ("file", "roles", "rules", "base_facts", "moves", "declared", "goal_values")
    told |= {name: shown[name] for name in same if name in shown}
    told |= {name: shown[name] for name in ("properties", "seen") if name in shown}
    if (circuit := shown["circuit"]) is not None:
        told["circuit"] = {k: v for k, v in circuit.items() if not k.startswith("phase_")}
    if shown["symmetries"] is not None:
        told["symmetries"] = _symmetries(shown)
    if shown["factors"] is not None:
        told["factors"] = {
            "count": len(shown["factors"]),
            "largest": [
                {**factor, "examples": factor["examples"][:_EXAMPLES]}
                for factor in sorted(shown["factors"], key=lambda factor: -factor["facts"])
            ][:_EXAMPLES],
        }
    if shown["proofs"]:
        in_order = sorted(shown["proofs"], key=lambda proof: _ORDER[proof["name"]])
        told["proofs"] = [_proof_line(proof) for proof in in_order]
    return {**told, "relations": _relations(shown["relations"])}


def _summary(shown: Mapping[str, Any]) -> str:
    """Return in one line what a game is, and how much of it is known."""
    likes = [name.replace("_", " ") for name, is_so in shown.get("properties", {}).items()
             if is_so is True]  # fmt: skip
    parts = [", ".join([_number(len(shown["roles"]), "role"), *likes])]
    if shown["circuit_error"] is not None:
        return "; ".join([*parts, "it could not be compiled, so that much is not known"])
    if shown["symmetries"] is not None:
        count, more = len(shown["symmetries"]), shown["more_symmetries"]
        parts.append(f"{count}{' or more' * more} symmetr{'y' if count == 1 else 'ies'}")
    if shown["factors"] is not None:
        parts.append(_number(len(shown["factors"]), "factor"))
    if shown["proofs"]:
        parts.append(_counts(shown["proofs"]))
    return "; ".join(parts)


def _symmetries(shown: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many symmetries there are, and some of the facts and moves that each maps."""
    told: dict[str, Any] = {"count": len(shown["symmetries"])}
    if shown["more_symmetries"]:
        told["more"] = True
    told["each"] = [
        {
            "facts": _up_to(len(each["facts"]), _LISTED),
            "moves": _up_to(len(each["moves"]), _LISTED),
            "examples": [
                f"{source} -> {image}"
                for source, image in [
                    *list(each["facts"].items())[: _EXAMPLES - 1],
                    *each["moves"].items(),
                    *list(each["facts"].items())[_EXAMPLES - 1 :],
                ][:_EXAMPLES]
            ],
        }
        for each in shown["symmetries"]
    ]
    return told


def _proof_line(proof: Mapping[str, Any]) -> str:
    """Return an answer of a proof in one line, in the words of `proofs_told`.

    >>> _proof_line({"name": "goals", "role": "north", "verdict": "refuted", "expected": True})
    'goals north: refuted (a fault)'
    """
    about = " ".join(filter(None, (proof["name"], proof.get("role"), proof.get("subject"))))
    note = ""
    if proof["verdict"] == "refuted" and proof["expected"]:
        note = " (a fault)"
    elif "longest" in proof:
        note = f", after {_number(proof['longest'], 'joint move')} at most"
    return f"{about}: {proof['verdict']}{note}"


def _relations(relations: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Return the relations by their kind, each with its number of arguments."""
    told: dict[str, list[str]] = {}
    for each in relations:
        name = f"{each['name']}/{each['arity']}"
        told.setdefault(each["kind"], []).append(name)
        if each["recursive"]:
            told.setdefault("recursive", []).append(name)
    return told


def _up_to(count: int, most: int) -> int | str:
    """Return a count; that of a list which was cut may be larger."""
    return count if count < most else f"{most} or more"


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _counts(proofs: Sequence[Mapping[str, Any]]) -> str:
    """Return how many questions have which answer, and how many of them are or may be faults."""
    counts = Counter(each["verdict"] for each in proofs)
    faults = sum(each["verdict"] == "refuted" and each["expected"] for each in proofs)
    unknown = sum(each["verdict"] == "open" and each["expected"] for each in proofs)
    which = f"{faults or 'no'} fault{'s' * (faults != 1)}" + " found" * (unknown > 0)
    told = f"{counts['proved']} proved, {counts['refuted']} refuted ({which}), "
    told += f"{counts['open']} open"
    if unknown:
        told += f", {unknown} of them would be {'faults' if unknown > 1 else 'a fault'}"
    return told


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
    told = [_proof(each, error=error, seconds=seconds) for each in questions]
    answer: dict[str, Any] = {"summary": _counts(questions)}
    if error is not None:
        asked = {each["name"] for each in questions}
        answer["circuit_error"] = error
        answer["not_asked"] = [name for name in _NEED_CIRCUIT if name not in asked]
    if any(each["verdict"] == "open" for each in questions):
        answer["next"] = _advice(told, error=error, seconds=seconds, most=most)
    return {**answer, "questions": told}


def _proof(answer: dict[str, Any], *, error: str | None, seconds: float) -> dict[str, Any]:
    found = dict(answer)
    is_fault = found["verdict"] == "refuted" and found.pop("expected")
    told = {"name": found.pop("name"), "verdict": found.pop("verdict"), "fault": is_fault}
    if told["verdict"] == "open" and found.pop("expected"):
        told["fault_if_refuted"] = True
    found.pop("expected", None)
    by, checked, took = found.pop("engine"), found.pop("checked"), found.pop("seconds")
    if not found["lines"] or told["verdict"] == "open":
        found.pop("lines")
    if not (is_fault or told["name"] == "never"):
        witness = found.pop("witness", None)
        found.pop("lastState", None)
        if witness is not None:
            found["shown_after"] = _number(len(witness), "joint move")
    if told["verdict"] == "open":
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


def playouts_told(found: dict[str, Any]) -> dict[str, Any]:
    """Return what `ggp playouts` found, in numbers that can be read."""
    after, rate = found["compiled_after"], found["compiled_playouts_per_second"]
    if after is None:
        by = "Prolog"
    elif after < _AT_ONCE:
        by = "machine code"
    else:
        by = f"Prolog, and machine code after {after:.1f} s"
        by += "" if rate is None else f": {rate:.0f} playouts a second from then on"
    return {
        "playouts": found["playouts"],
        "mean_steps": _rounded(found["mean_steps"]),
        **{
            name: {role: _rounded(goal) for role, goal in found[name].items()}
            for name in ("mean_goals", "min_goals", "max_goals")
        },
        "seconds": _rounded(found["seconds"]),
        "playouts_per_second": round(found["playouts_per_second"]),
        "played_by": by,
    }


def _rounded(number: float | None) -> float | None:
    """Return a number with two digits after the point; a whole number stays one."""
    return number if number is None or isinstance(number, int) else round(number, 2)


def constant_sum(table: Mapping[str, Any]) -> int | None:
    """Return what the goals of all roles come to in every terminal state; None if that varies.

    Args:
        table: what `ggp lvt` tells of the goals that can occur together.

    >>> constant_sum({"complete": True, "entries": [{"goals": [100, 0]}, {"goals": [50, 50]}]})
    100
    """
    goals = [entry["goals"] for entry in table["entries"]]
    if not table["complete"] or any(goal is None for each in goals for goal in each):
        return None
    sums = {sum(each) for each in goals}
    return sums.pop() if len(sums) == 1 else None


def move_told(found: dict[str, Any], role: str, *, total: int | None = None) -> dict[str, Any]:
    """Return what `ggp solve` finds for a role.

    Args:
        found: by the search.
        role: for whom it searched.
        total: what the goals of all roles come to in every terminal state; None if not known.
    """
    late = "it had no time to search: the game is compiled first; call again, or give more seconds"
    goals = {
        each: goal
        for each, goal in zip(found["roles"], found["goals"], strict=True)
        if goal is not None
    }
    missing = [each for each in found["roles"] if each not in goals]
    if total is not None and len(missing) == 1:
        rest = total - sum(goals.values())
        goals = {each: goals.get(each, rest) for each in found["roles"]}
    # The root alone is no search, unless its moves were looked at.
    is_unsearched = found["expanded"] <= 1 and role not in goals and not found["exact"]
    return {
        **({"note": late} if is_unsearched else {}),
        "role": role,
        "move": found["move"],
        "goals": goals,
        "exact": found["exact"],
        "variation": found["variation"],
        "algorithm": found["algorithm"],
        "depth": found["depth"],
        "states": found["expanded"],
        "seconds": found["seconds"],
    }


def clock_for(
    wished: float, *, steps: float | None, start_clock: float, seconds: float
) -> float | None:
    """Return the play clock with which a match of the usual length ends in time.

    Args:
        wished: the play clock that was asked for; the result is no longer.
        steps: the usual length of the game, in joint moves; None if it is not known.
        start_clock: seconds before the first move.
        seconds: how long the match may take.

    Returns:
        None if there is no such clock: the game is too long.

    >>> clock_for(5, steps=20, start_clock=2, seconds=42)
    1.8
    """
    if steps is None or steps == 0:
        return wished
    fitting = _SPARE * (seconds - start_clock) / steps
    if fitting >= wished:
        return wished
    return floor(10 * fitting) / 10 if fitting >= _SHORTEST_CLOCK else None


def match_told(
    record: dict[str, Any],
    roles: Sequence[str],
    players: Sequence[str],
    *,
    most_steps: int,
    why: str = "",
) -> dict[str, Any]:
    """Return how a match went.

    Args:
        record: the match.
        roles: of the game.
        players: of the roles but `random`.
        most_steps: after how many joint moves it is stopped.
        why: the reason why it was aborted, if it was and that is known.
    """
    moves, goals = record.get("moves", []), record.get("goalValues", [])
    seats = [role for role in roles if role.lower() != "random"]
    if record.get("isCompleted"):
        ended = f"the game was over after {_number(len(moves), 'joint move')}"
    elif len(moves) >= most_steps:
        ended = f"it was stopped after {most_steps} joint moves, the most that are played here"
    else:
        ended = f"it was aborted after {_number(len(moves), 'joint move')}"
        ended += f": {why}" if why else ""
    return {
        "players": dict(zip(seats, players, strict=True)),
        "goals": dict(zip(roles, goals, strict=True)) if goals else None,
        "ended": ended,
        "errors": [
            {"role": role, "error": error, "steps": steps}
            for (role, error), steps in _errors(record, roles).items()
        ],
        "moves": moves,
    }


def _errors(record: Mapping[str, Any], roles: Sequence[str]) -> dict[tuple[str, str], list[int]]:
    """Return the steps of each error of each role; step 0 is the start."""
    found: dict[tuple[str, str], list[int]] = {}
    for step, errors in enumerate(record.get("errors", [])):
        for role, error in zip(roles, errors, strict=False):
            if error:
                found.setdefault((role, _error(error)), []).append(step)
    return found


def _error(text: str) -> str:
    code, _, detail = text.partition(" ")
    return " ".join(filter(None, (_ERRORS.get(code, code), detail)))


def outcome_told(
    name: str, tested: dict[str, Any], *, updated: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Return what `ggp test` says of a game; what was left out is no success.

    The result is ``failed`` where a test fails or a process crashes, ``incomplete`` where something
    was left out, and else ``passed``.

    Args:
        name: of the game.
        tested: what the tests came to.
        updated: what `ggp test --update` did before, if it was asked for.
    """
    tests, left_out = tested["tests"], list[str]()
    for each in tests:
        if each["status"] == "skipped" and not _says(each, _SWITCHED_OFF):
            left_out.append(": ".join([_named(each), *each["details"]]))
    kinds = {each["test"] for each in tests}
    if "perft" not in kinds and "playthrough" in kinds:
        left_out.append(f"perft {name}.perft.json: none is recorded")
    if not tested["passed"] or any(_says(each, _CRASHED) for each in tests):
        result = "failed"
    else:
        result = "incomplete" if left_out else "passed"
    is_recorded = updated is None or not updated["error"]
    told: dict[str, Any] = {"game": name, "result": result if is_recorded else "failed"}
    if updated is not None:
        told["recorded"] = _recorded(updated, tests)
    if left_out:
        told["left_out"] = left_out
        told["next"] = _next(tests, left_out)
    told["passed"] = [_named(each) for each in tests if _is_plain(each)]
    told["tests"] = [each for each in tests if not _is_plain(each)]
    return told


def _named(outcome: Mapping[str, Any]) -> str:
    return f"{outcome['test']} {outcome['what']}"


def _is_plain(outcome: Mapping[str, Any]) -> bool:
    """Return whether a test passed, and there is nothing else to say of it."""
    is_counted = outcome["test"] in ("playthrough", "perft")  # its details are a length
    return outcome["status"] == "passed" and (is_counted or not outcome["details"])


def _recorded(updated: Mapping[str, Any], tests: Sequence[Mapping[str, Any]]) -> str:
    """Return what became of the recorded files, and whether the game is known to have faults."""
    if updated["error"]:
        return f"nothing: {updated['error']}"
    told = ", ".join(f"{Path(each['file']).name} {each['what']}" for each in updated["files"])
    finders = {"check": "check", "proof": "prove"}
    found: dict[str, list[str]] = {}
    for each in tests:
        if each["status"] == "failed" and each["test"] in finders:
            found.setdefault(finders[each["test"]], []).append(each["what"])
    if not found:
        return told
    faults = "; ".join(f"{tool} found faults: {', '.join(each)}" for tool, each in found.items())
    return f"{told}; but {faults}; correct the rules and record again"


def _next(tests: Sequence[Mapping[str, Any]], left_out: Sequence[str]) -> str:
    """Return what to do where tests were left out."""
    advice = []
    if any("none is recorded" in text for text in left_out):
        advice.append("when the rules are as you want them, test_game(name, update=true)")
    skipped = [each for each in tests if each["status"] == "skipped"]
    if any(each["test"] == "reasoner" or each["what"] == "of every question" for each in skipped):
        advice.append("make the rules compile: show and prove tell why they do not")
    elif any(each["test"] == "proof" for each in skipped):
        advice.append("call prove with more seconds, such as 10")
    return "; ".join(advice)


def _says(outcome: Mapping[str, Any], text: str) -> bool:
    return any(text in detail for detail in outcome["details"])
