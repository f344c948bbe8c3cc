"""The two engines agree on random games, with each other and with all states of the game."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.prove.abc import find_abc, model_check
from ggp.prove.certificate import confirms
from ggp.prove.claims import claims
from ggp.prove.ends import find_ranking, returns
from ggp.prove.induction import Induction, is_invariant
from ggp.prove.machine import GameMachine
from ggp.prove.play.replay import replay, shows
from ggp.prove.play.simulation import joint_moves, random_plays
from ggp.reasoner import Reasoner, State, open_reasoner
from ggp.search.leaf_values.outcomes import Outcomes

FACTS = tuple("pqrs")


@st.composite
def games(draw: st.DrawFn) -> str:
    """A game of two roles and four facts, each with random rules."""
    literals = st.sampled_from(
        [f"(true {f})" for f in FACTS] + [f"(not (true {f}))" for f in FACTS]
    )
    moves = st.sampled_from(["(does a go)", "(does a stay)", "(does b go)", "(does b stay)"])
    conditions = st.lists(literals, min_size=1, max_size=2).map(" ".join)
    rules = ["(role a) (role b)", *(f"(init {f})" for f in FACTS if draw(st.booleans()))]
    rules.append("(init start)")
    for role in "ab":
        rules.append(f"(<= (legal {role} go) {draw(conditions)})")
        rules.append(f"(<= (legal {role} stay) {draw(literals)})")
        rules += [f"(<= (goal {role} {g}) {draw(conditions)})" for g in (0, 50, 100)]
    for fact in FACTS:
        rules.append(f"(<= (next {fact}) {draw(moves)} {draw(conditions)})")
        rules.append(f"(<= (next {fact}) {draw(moves)} {draw(literals)})")
    rules.append(f"(<= terminal {draw(conditions)})")
    return "\n".join(rules)


def reachable(reasoner: Reasoner) -> Iterator[list[State]]:
    """Yield a shortest play to each state that can be reached, and each step from one."""
    first = reasoner.initial_state()
    plays = {first: [first]}
    pending = [first]
    yield [first]
    while pending:
        state = pending.pop(0)
        view = reasoner.view(state)
        if view.terminal or not all(view.legal):
            continue
        for after in reasoner.expand(state).successors:
            yield [*plays[state], after]
            if after not in plays:
                plays[after] = [*plays[state], after]
                pending.append(after)


@pytest.mark.long
@pytest.mark.skipif(find_abc() is None, reason="ABC is not installed")
@given(text=games())
@settings(
    max_examples=max(2, settings().max_examples // 20),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
def test_the_engines_agree_with_all_states(text: str) -> None:
    description = Description.from_text(text)
    circuit = build_circuit(description)
    machine = GameMachine(circuit)
    asked = list(claims(machine, total=100))
    outcomes = Outcomes(circuit, due=time.monotonic() + 60)
    induction = Induction(machine, outcomes.transitions)
    plays = random_plays(machine, [c.literal for c in asked], deadline=Deadline.after(0.05))
    with open_reasoner(description, kind="prolog") as reasoner:
        found, proved = list(reachable(reasoner)), list[int]()
        for claim in asked:
            if claim.question.name == "monotone":
                is_shown = any(
                    len(states) > 1 and shows(claim.question, reasoner, states) for states in found
                )
            else:
                is_shown = any(shows(claim.question, reasoner, states) for states in found)
            checked = model_check(machine, claim.literal, deadline=Deadline.after(60))
            assert checked is not None
            assert (checked.run is not None) == is_shown
            if checked.run is not None:
                has_last = claim.question.name == "monotone"
                numbers = joint_moves(machine, checked.run, has_last_step=has_last)
                terms = [
                    tuple(m[n] for m, n in zip(circuit.moves, step, strict=True))
                    for step in numbers
                ]
                states = replay(reasoner, terms)
                assert states is not None
                assert shows(claim.question, reasoner, states)
            else:
                assert checked.excluded is not None
                assert claim.literal not in plays.runs
                due = time.monotonic() + 60
                assert is_invariant(machine, claim.literal, checked.excluded, due=due)
            assumptions, due = outcomes.invariants.assumptions, time.monotonic() + 60
            if induction.excludes(claim.literal, assumptions=assumptions, due=due):
                assert not is_shown
                proved.append(claim.literal)
        endless = GameMachine(circuit)
        checked = model_check(endless, returns(endless), deadline=Deadline.after(60))
        assert checked is not None
        comes_back = checked.run is not None
        assert comes_back or plays.loop is None
        deadline = Deadline.after(60)
        assert confirms(machine, outcomes.invariants, proved, None, deadline=deadline)
        ranking = find_ranking(circuit, outcomes, deadline=Deadline.after(60))
        if ranking is not None:
            assert not comes_back
            deadline = Deadline.after(60)
            assert confirms(machine, outcomes.invariants, proved, ranking, deadline=deadline)
        assert comes_back == _has_cycle(reasoner)


def _has_cycle(reasoner: Reasoner) -> bool:
    """Return whether some state that can be reached leads back to itself."""
    steps: dict[State, set[State]] = {}
    for states in reachable(reasoner):
        for before, after in pairwise(states):
            steps.setdefault(before, set()).add(after)
    while True:
        ends = [s for s, after in steps.items() if not any(a in steps for a in after)]
        if not ends:
            return bool(steps)
        for state in ends:
            del steps[state]
