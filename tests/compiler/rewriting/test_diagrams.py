"""Conditions that become walks through diagrams are compared with those that do not."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.evaluate import evaluate
from ggp.compiler.rewriting import conditions, diagrams
from ggp.compiler.rewriting.rewrite import rewrite
from ggp.gdl import Description

VALUES = "abc"
GAME = """
(role x) (place 1) (place 2) (place 3)
(value a) (value b) (value c) (eq a a) (eq b b) (eq c c) (up a b) (up b c)
(<= (legal x (put ?i ?v)) (place ?i) (value ?v))
(<= (next (mark ?i ?v)) (does x (put ?i ?v)))
(<= (next (mark ?i ?v)) (true (mark ?i ?v)))
(<= (goal x 50) (true (mark 1 a)))
(<= terminal (true (mark 1 ?p)) (true (mark 2 ?q)) (true (mark 3 ?r)) {asked})
"""

terms = st.sampled_from([*"abc", "?p", "?q", "?r"])
tests = st.builds(
    lambda form, name, left, right: form.format(f"({name} {left} {right})"),
    st.sampled_from(["{}", "(not {})"]),
    st.sampled_from(["eq", "up", "distinct", "near"]),
    terms,
    terms,
)
heads = st.sampled_from(["(c ?p ?q ?r)", "(c ?p ?q ?p)", "(c ?p a ?r)"])
rules = st.builds(lambda head, body: (head, body), heads, st.lists(tests, max_size=4))
NEAR = "(<= (near ?x ?y) (up ?x ?y)) (<= (near ?x ?y) (up ?y ?x) (not (eq ?x a)))"


def text_of(definitions: list[tuple[str, list[str]]], asked: str) -> str:
    """Return a game; variables that a head does not have are those that it has."""
    lines = []
    for head, body in definitions:
        inside = [
            test if all(v in head for v in ("?p", "?q", "?r") if v in test) else "(eq a a)"
            for test in body
        ]
        lines.append(f"(<= {head} (value a) {' '.join(inside)})")
    bound = "(<= (d ?p ?q ?r) (value ?p) (value ?q) (value ?r) (c ?p ?q ?r))"
    return GAME.format(asked=asked) + NEAR + bound + "\n".join(lines)


def ends(text: str) -> int:
    """Return in which states the game is over, a bit for each state."""
    circuit = build_circuit(Description.from_text(text))
    facts, lanes = len(circuit.facts), 1 << len(circuit.facts)
    inputs = [
        sum(1 << state for state in range(lanes) if state >> fact & 1) for fact in range(facts)
    ]
    moves = [0] * (circuit.inputs - facts)
    values = evaluate(circuit.gates, circuit.loops, [*inputs, *moves], lanes=lanes)
    value = values[circuit.terminal >> 1]
    return value ^ ((1 << lanes) - 1) if circuit.terminal & 1 else value


def walks(text: str) -> bool:
    """Whether a rule becomes a walk."""
    return any("step 1 0" in str(rule) for rule in rewrite(Description.from_text(text)).rules)


@settings(deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(rules, min_size=1, max_size=4),
    st.sampled_from(["(d ?p ?q ?r)", "(not (d ?p ?q ?r))", "(d ?p ?q ?r) (d ?q ?r ?p)"]),
)
def test_the_answers_are_the_same(definitions: list[tuple[str, list[str]]], asked: str) -> None:
    text = text_of(definitions, asked)
    assert not walks(text)
    expected = ends(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diagrams, "_LARGE", 0)
        patch.setattr(diagrams, "_MANY", 3)
        assert ends(text) == expected


def test_equal_remainders_are_one_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagrams, "_LARGE", 0)
    monkeypatch.setattr(diagrams, "_MANY", 3)
    text = text_of([("(c ?p ?q ?r)", ["(distinct ?p ?q)"])], "(d ?p ?q ?r)")
    assert walks(text)
    made = [str(rule) for rule in rewrite(Description.from_text(text)).rules]
    # three values lead to three states, each of them by two values to one, which ends by any
    assert [sum(line.startswith(f"(step 1 {k} ") for line in made) for k in range(3)] == [3, 6, 3]


@pytest.mark.parametrize(("limit", "module"), [("_MOST_STEPS", diagrams), ("_MOST", conditions)])
def test_large_diagrams_are_given_up(
    limit: str, module: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagrams, "_LARGE", 0)
    monkeypatch.setattr(diagrams, "_MANY", 3)
    monkeypatch.setattr(module, limit, 2)
    assert not walks(text_of([("(c ?p ?q ?r)", ["(distinct ?p ?q)"])], "(d ?p ?q ?r)"))


@pytest.mark.parametrize(
    "definition",
    [
        "(<= (c ?p ?q ?r) (up ?p ?s) (up ?s ?q) (value ?r))",  # a variable of its own
        "(<= (c ?p ?q ?r) (up ?p ?q) (value ?r)) (<= (c ?p ?q ?r) (value ?p) (c ?q ?r ?p))",
    ],
)
def test_what_is_no_condition_on_its_arguments_stays(
    definition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(diagrams, "_LARGE", 0)
    monkeypatch.setattr(diagrams, "_MANY", 3)
    assert not walks(text_of([], "(d ?p ?q ?r)") + definition)


@pytest.mark.long
def test_nine_different_marks_ground() -> None:
    """No two of nine marks are equal: without diagrams that has nine to the ninth instances."""
    places = "".join(f"(place {k}) (value v{k})" for k in range(9))
    pairs = " ".join(f"(distinct ?m{i} ?m{k})" for k in range(9) for i in range(k))
    names = " ".join(f"?m{k}" for k in range(9))
    marks = " ".join(f"(true (mark {k} ?m{k}))" for k in range(9))
    given_marks = " ".join(f"(value ?m{k})" for k in range(9))
    text = f"""
    (role x) {places} (goal x 0)
    (<= (legal x (put ?i ?v)) (place ?i) (value ?v))
    (<= (next (mark ?i ?v)) (does x (put ?i ?v)))
    (<= (differ {names}) {given_marks} {pairs})
    (<= terminal {marks} (differ {names}))
    """
    circuit = build_circuit(Description.from_text(text))
    assert len(circuit.gates) < 20_000
    where = {str(fact): 1 + number for number, fact in enumerate(circuit.facts)}
    for row, is_over in (([*range(9)], True), ([*range(8), 7], False), ([*range(8)], False)):
        inputs = [0] * circuit.inputs
        for place, value in enumerate(row):
            inputs[where[f"(mark {place} v{value})"] - 1] = 1
        values = evaluate(circuit.gates, circuit.loops, inputs, lanes=1)
        assert bool(values[circuit.terminal >> 1] ^ circuit.terminal & 1) == is_over
