"""The two engines agree on random games, with each other and with all states of the game."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.prove import prover
from ggp.prove.abc import find_abc, model_check
from ggp.prove.certificate import confirms
from ggp.prove.claims import claims
from ggp.prove.ends import find_ranking, returns
from ggp.prove.induction import Induction, is_invariant
from ggp.prove.machine import GameMachine
from ggp.prove.play.replay import replay, shows
from ggp.prove.play.simulation import Player, Plays, Simulator, joint_moves
from ggp.prove.prover import Prover
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
    plays = Player(machine, [c.literal for c in asked]).play(Deadline.after(0.05))
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


#: A walk to the right, one place in a step, with a rest at some places; it ends at 6.
WALK = """
(role x) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
(<= (legal x go) (true (at ?n)) (succ ?n ?m)) (<= (legal x %s) (true (at 3)))
(<= (next (at ?m)) (does x go) (true (at ?n)) (succ ?n ?m))
(<= (next (at 5)) (does x jump)) (<= (next (at 3)) (does x rest))
(<= terminal (true (at 6))) (<= (goal x 100) (true (at 6)))
"""


@pytest.mark.parametrize(("move", "shortest", "comes_back"), [("jump", 6, 0), ("rest", 7, 5)])
def test_plays_that_begin_anew_are_short_and_no_loops(
    move: str, shortest: int, comes_back: int
) -> None:
    machine = GameMachine(build_circuit(Description.from_text(WALK % move)))
    player = Player(machine, [machine.terminal])
    deadline = Deadline(0.0)
    plays = [player.play(deadline) for _ in range(100)]
    runs = [each.runs[machine.terminal] for each in plays if machine.terminal in each.runs]
    assert min(len(run.inputs) for run in runs) == shortest
    simulator = Simulator(machine, [machine.terminal])
    for run in runs:
        ended = [frame(machine.terminal) for frame in simulator.run(run.inputs)]
        assert ended == [0] * (len(run.inputs) - 1) + [1]
    loops = [len(each.loop.inputs) for each in plays if each.loop is not None]
    assert min(loops, default=0) == comes_back
    assert len(player.play(Deadline(), processor=0.0).runs) <= 1


def test_what_stays_open_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []

    class Late(Player):
        def __init__(self, machine: GameMachine, literals: Sequence[int], *, seed: int) -> None:
            super().__init__(machine, literals, seed=seed)
            seeds.append(seed)

        def play(self, deadline: Deadline, **options: Any) -> Plays:
            return super().play(deadline, **options) if seeds[-1] else Plays()

    monkeypatch.setattr(prover, "Player", Late)
    monkeypatch.setattr(prover, "model_check", lambda *_, **__: None)
    monkeypatch.setattr(prover, "shortest", lambda *_, **__: None)
    rules = Description.from_text((WALK % "rest").replace("(true (at 6))", "(true (at 7))"))
    asked = Prover(rules, build_circuit(rules), seconds=0.2, deadline=Deadline(), repairs=False)
    found = {str(each.question): each for each in asked.verdicts()}
    stuck = found["playable x"]
    assert (stuck.verdict, stuck.engine) == ("refuted", "play")
    assert len(stuck.witness or ()) >= 6
    assert asked.spent.plays > 0
