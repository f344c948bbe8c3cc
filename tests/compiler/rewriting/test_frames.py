"""What stays as it is, said in terms of what moves touch, compared with the rules as they stand."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggp.compiler.rewriting import rewrite as rewriting
from ggp.compiler.rewriting.frames import with_frames
from ggp.compiler.rewriting.rules import Rules
from ggp.gdl import Description
from tests.compiler.rewriting.walk import Walk

# Both players move marks from place to place at the same time, or wait.
GAME = """
(role white) (role black)
(place 1) (place 2) (place 3) (place 4) (mark a) (mark b) (mark c)
(near 1 2) (near 2 3) (near 3 4) (near 4 1)
(init (at 1 a)) (init (at 2 b)) (init (at 3 c)) (init (at 4 a)) (init (turn white))
(<= (legal ?r (move ?i ?j ?v)) (role ?r) (true (at ?i ?v)) (place ?j) (distinct ?i ?j))
(<= (legal ?r wait) (role ?r))
(<= (next (at ?j ?v)) (does ?r (move ?i ?j ?v)))
(<= (next (turn white)) (true (turn black)))
(<= (next (turn black)) (true (turn white)))
(<= (held ?r ?i ?c) (true (turn ?r)) (near ?i ?c) (true (at ?c ?v)) (true (at ?i ?v)))
(<= (other ?c ?p ?i ?v) (distinct ?c ?i) (place ?c) (mark ?p))
(<= (other ?c ?p ?i ?v) (distinct ?p ?v) (mark ?p) (place ?c))
(<= (apart ?c ?p ?i ?v) (distinct ?c ?i) (place ?c))
(<= (apart ?c ?p ?i ?v) (distinct ?p ?v) (mark ?p))
(goal white 50) (goal black 50)
"""
FRAME = "(<= (next (at ?c ?p)) (true (at ?c ?p)) (does {role} {move}) {body})"

#: Literals in terms of what a move touches, and others.
TOUCHING = [
    "(distinct ?c ?i)",
    "(distinct ?j ?c)",
    "(not (near ?c ?i))",
    "(not (near ?j ?c))",
    "(not (held ?r ?i ?c))",
    "(other ?c ?p ?i ?v)",
    "(other ?i ?v ?c ?p)",
]
OTHERS = [
    "(near ?i ?j)",
    "(distinct ?i 2)",
    "(not (near ?j ?i))",
    "(near ?c ?k)",
    "(true (turn ?r))",
    "(not (true (turn ?r)))",
    "(true (at ?k ?p))",
    "(distinct ?p b)",
]
WHOLE = [
    "(near ?c ?i)",
    "(not (distinct ?c ?i))",
    "(apart ?c ?p ?i ?v)",
    "(not (other ?c ?p ?i ?v))",
    "(other ?c ?p ?i ?i)",
    "(near ?k ?i) (near ?k ?c)",
    "(true (at ?i ?p))",
]

bodies = st.builds(
    lambda some, rest, whole: " ".join([*some, *rest, *whole]),
    st.lists(st.sampled_from(TOUCHING), min_size=1, max_size=3, unique=True),
    st.lists(st.sampled_from(OTHERS), max_size=2, unique=True),
    st.lists(st.sampled_from(WHOLE), max_size=1),
)


def game(body: str, *, role: str = "?r", move: str = "(move ?i ?j ?v)") -> str:
    return GAME + FRAME.format(role=role, move=move, body=body).replace("?r", role)


def framed(rules: str) -> tuple[str, list[str]]:
    """Return the rule by which a place keeps its mark, and what it says of moves."""
    description = Description.from_text(rules)
    before = Rules(roles=description.roles, rules=description.rules)
    made = [str(rule) for rule in with_frames(before).rules]
    (frame,) = (text for text in made if text.startswith("(<= (next (at ?c ?p))"))
    return frame, made[len(before.rules) :]


def is_framed(rules: str) -> bool:
    frame, _ = framed(rules)
    return "(does " not in frame and "(not (part " in frame


@settings(
    deadline=None,
    max_examples=settings().max_examples // 2,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(bodies, st.sampled_from(["?r", "black"]))
def test_the_answers_are_the_same(body: str, role: str) -> None:
    rules = game(body, role=role)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rewriting, "PASSES", [p for p in rewriting.PASSES if p is not with_frames])
        expected = Walk(rules)
    assert [*Walk(rules).answers(steps=30)] == [*expected.answers(steps=30)]


@pytest.mark.parametrize("body", TOUCHING)
@pytest.mark.parametrize("other", ["", *OTHERS])
def test_what_moves_touch_is_denied(body: str, other: str) -> None:
    assert is_framed(game(f"{body} {other}"))


@pytest.mark.parametrize("body", WHOLE)
def test_what_most_moves_touch_is_not(body: str) -> None:
    assert not is_framed(game(f"(distinct ?c ?j) {body}"))


@pytest.mark.parametrize(
    ("body", "move"),
    [
        ("(distinct ?c ?i)", "(move ?i ?c ?v)"),  # the fact comes from the move
        ("(distinct ?c ?i) (not (does ?r (move ?c ?i ?p)))", "(move ?i ?j ?v)"),
        ("(near ?i ?j)", "(move ?i ?j ?v)"),  # there is nothing that a move touches
    ],
)
def test_other_rules_stay(body: str, move: str) -> None:
    assert not is_framed(game(body, move=move))


def test_the_place_and_the_mark_of_a_move_are_those_that_it_touches() -> None:
    frame, parts = framed(game("(other ?c ?p ?i ?v) (not (near ?c ?j))"))
    assert frame == (
        "(<= (next (at ?c ?p)) (true (at ?c ?p)) (mark ?p) (place ?c) (part 0 ?r)"
        " (not (part 1 ?r ?c ?p)) (not (part 2 ?r ?c)))"
    )
    assert parts == [
        "(<= (part 0 ?0) (does ?0 (move ?1 ?2 ?3)))",
        "(<= (part 1 ?0 ?1 ?3) (does ?0 (move ?1 ?2 ?3)))",
        "(<= (part 2 ?0 ?4) (does ?0 (move ?1 ?2 ?3)) (near ?4 ?2))",
    ]
