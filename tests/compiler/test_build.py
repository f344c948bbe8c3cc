from __future__ import annotations

import hashlib
import random
import time
from collections.abc import Sequence
from typing import Any

import pytest

from ggp.compiler.circuit import build as build_module
from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import FALSE, Circuit
from ggp.compiler.circuit.evaluate import Answer, answers
from ggp.errors import ReasonerError, ReasonerTimeout
from ggp.gdl import Description
from ggp.kif import Term, parse_term
from ggp.perft import fingerprint
from ggp.reasoner import open_reasoner
from tests.corpus import oracle
from tests.games import bundled

#: Small games of the corpus, one for each thing that is hard to ground.
CORPUS_SAMPLE = ["cubicup_3player", "hodgepodge", "pentago", "quarto", "snake_2009", "ticTacToe"]


def build(rules: str) -> Circuit:
    return build_circuit(Description.from_text(rules))


def state_of(circuit: Circuit, *facts: str) -> frozenset[int]:
    number = {str(fact): index for index, fact in enumerate(circuit.facts)}
    return frozenset(number[fact] for fact in facts)


def ask(circuit: Circuit, *facts: str, moves: Sequence[str] = ()) -> Answer:
    numbers = [
        [str(move) for move in of_role].index(name)
        for of_role, name in zip(circuit.moves, moves, strict=False)
    ]
    return answers(circuit, [state_of(circuit, *facts)], [numbers])[0]


def successor(circuit: Circuit, *facts: str, moves: Sequence[str] = ()) -> list[str]:
    after = ask(circuit, *facts, moves=moves).successor
    return sorted(str(circuit.facts[fact]) for fact in after)


def initial(circuit: Circuit) -> list[str]:
    return [str(circuit.facts[fact]) for fact in circuit.initial]


ONE = "(role x) (init here) (legal x stay) (<= (next here) (true here)) "


class TestRules:
    def test_facts_and_moves_are_sorted_by_their_text(self) -> None:
        circuit = build(
            "(role b) (role a) (init (p 10)) (init (p 9)) (init (p A)) (<= (next ?f) (true ?f))"
            "(legal b z) (legal b (m 1)) (legal a y)"
        )
        assert list(map(str, circuit.facts)) == ["(p 10)", "(p 9)", "(p A)"]
        assert [list(map(str, moves)) for moves in circuit.moves] == [["(m 1)", "z"], ["y"]]

    def test_facts_that_never_come_true_and_moves_never_legal_do_not_appear(self) -> None:
        circuit = build(
            ONE + "(<= (next gone) (true here) (not (true here)))"
            "(<= (legal x go) (true gone)) (<= (next (did ?m)) (does x ?m))"
        )
        assert list(map(str, circuit.facts)) == ["(did stay)", "here"]
        assert list(map(str, circuit.moves[0])) == ["stay"]

    def test_nested_terms_and_odd_names_keep_their_spelling(self) -> None:
        names = ["0", "007", "X_y", "a.b", "'q", "f", "not_x", "#show", "ünï", "_", "$"]
        facts = [f"(holds (f {name} (f (f) {name})))" for name in names]
        circuit = build(
            "(role X) (legal X go) (<= (next ?f) (true ?f))"
            + " ".join(f"(init {fact})" for fact in facts)
        )
        assert initial(circuit) == sorted(facts)

    def test_a_negation_with_a_local_variable_means_that_there_is_none(self) -> None:
        circuit = build(
            ONE + "(init (p 1)) (init (p 2)) (<= (next (p ?x)) (true (p ?x)))"
            "(<= terminal (not (true (p ?x))))"
        )
        assert ask(circuit, "here").terminal
        assert not ask(circuit, "(p 2)").terminal

    def test_distinct_compares_terms(self) -> None:
        circuit = build(
            ONE + "(init (p (f 1))) (init (p 1)) (<= (next (p ?x)) (true (p ?x)))"
            "(<= terminal (true (p ?x)) (true (p ?y)) (distinct ?x ?y))"
            "(<= (goal x 10) (true (p ?x)) (distinct ?x (f 1)))"
        )
        assert [ask(circuit, *facts).terminal for facts in (["(p 1)"], ["(p 1)", "(p (f 1))"])] == [
            False,
            True,
        ]
        assert ask(circuit, "(p (f 1))").goals == (None,)
        assert ask(circuit, "(p 1)").goals == (10,)

    def test_moves_do_not_count_while_the_state_is_looked_at(self) -> None:
        circuit = build(
            ONE + "(<= (legal x again) (does x stay)) (<= terminal (does x stay))"
            "(<= (next last) (legal x again))"
        )
        answer = ask(circuit, "here", moves=["stay"])
        assert not answer.terminal
        assert [len(legal) for legal in answer.legal] == [1]
        assert "last" in successor(circuit, "here", moves=["stay"])

    def test_initial_facts_may_depend_on_rules(self) -> None:
        circuit = build(
            "(role x) (legal x go) (<= (next ?f) (true ?f)) (n 1) (n 2) (<= (init (p ?x)) (n ?x))"
            "(<= (init empty) (not (true (p 1)))) (<= (init full) (true (p 1)))"
        )
        assert initial(circuit) == ["(p 1)", "(p 2)", "empty"]

    def test_a_goal_that_is_not_an_integer_is_distinguished(self) -> None:
        circuit = build(ONE + "(<= (goal x many) (true here)) (goal x 50)")
        assert circuit.goals[0][0][0] == 50
        assert ask(circuit, "here").goals == (None,)
        assert ask(circuit).goals == (50,)

    def test_a_role_that_the_rules_do_not_name_gets_no_moves(self) -> None:
        circuit = build(ONE + "(legal stranger cheat) (goal stranger 100)")
        assert [len(moves) for moves in circuit.moves] == [1]
        assert circuit.goals == ((),)


class TestLoops:
    #: Reachability on a graph with cycles, whose edges are facts.
    GRAPH = ONE + (
        "(node 1) (node 2) (node 3) (node 4)"
        "(<= (init (edge ?a ?b)) (node ?a) (node ?b))"
        "(<= (next (edge ?a ?b)) (true (edge ?a ?b)))"
        "(<= (reach 1) (true here)) (<= (reach ?b) (reach ?a) (true (edge ?a ?b)))"
        "(<= terminal (reach 4)) (<= (goal x 0) (not (reach 3))) (<= (goal x 9) (reach 3))"
    )

    def test_reachability_has_its_least_fixed_point(self) -> None:
        circuit = build(self.GRAPH)
        assert circuit.loops
        generator = random.Random(5)
        nodes = range(1, 5)
        graphs = [
            {(a, b) for a in nodes for b in nodes if generator.random() < 0.3} for _ in range(200)
        ]
        states = [
            state_of(circuit, "here", *(f"(edge {a} {b})" for a, b in graph)) for graph in graphs
        ]
        for graph, answer in zip(graphs, answers(circuit, states), strict=True):
            reached = {1}
            while more := {b for a, b in graph if a in reached} - reached:
                reached |= more
            assert answer.terminal == (4 in reached)
            assert answer.goals == (9 if 3 in reached else 0,)

    def test_atoms_that_only_support_each_other_are_false(self) -> None:
        circuit = build(
            ONE + "(<= a b) (<= b a) (<= b (true here) (true there)) (<= terminal a)"
            "(init there) (<= (next there) (true there))"
        )
        assert not ask(circuit, "here").terminal
        assert ask(circuit, "here", "there").terminal

    def test_an_atom_that_depends_on_its_own_negation_is_refused(self) -> None:
        with pytest.raises(ReasonerError, match="its own negation"):
            build(ONE + "(<= a (not b) (true here)) (<= b (not a) (true here)) (<= terminal a)")

    def test_a_loop_is_a_block_with_its_latches_before_it(self) -> None:
        circuit = build(self.GRAPH)
        for loop in circuit.loops:
            assert all(not circuit.gates[latch].any() for latch in loop.latches)
            assert max(loop.latches) < loop.first <= loop.last
        inside = {n for loop in circuit.loops for n in range(loop.first, loop.last)}
        for node, (left, right) in enumerate(circuit.gates.tolist()):
            assert node in inside or max(left, right) >> 1 < max(node, 1)


class TestSharing:
    def test_wide_conditions_over_the_moves_share_their_gates(self) -> None:
        size = 64
        indices = " ".join(f"(index {i}) (init (free {i}))" for i in range(size))
        circuit = build(
            f"(role x) {indices} (<= (legal x (take ?i)) (true (free ?i)))"
            "(<= (next (free ?i)) (true (free ?i)) (does x (take ?j)) (distinct ?i ?j))"
        )
        gates = len(circuit.gates) - 1 - circuit.inputs
        assert gates < 10 * size  # one by one, they would be 64 * 63

    def test_no_gate_is_there_twice_and_none_is_idle(self) -> None:
        circuit = build_circuit(bundled.load("connectfour"))
        gates = [tuple(gate) for gate in circuit.gates[1 + circuit.inputs :].tolist()]
        assert len(gates) == len(set(gates))
        used = {literal >> 1 for gate in gates for literal in gate}
        used.update(literal >> 1 for literal in [*circuit.legal, *circuit.next, circuit.terminal])
        used.update(literal >> 1 for goals in circuit.goals for _, literal in goals)
        assert used.issuperset(range(1 + circuit.inputs, len(circuit.gates)))


@pytest.mark.parametrize(("hopeless", "part"), [(0, 0.25), (build_module._HOPELESS, 1)])
def test_what_is_estimated_as_hopeless_has_a_part_of_the_time(
    hopeless: float, part: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[float] = []

    def ground(text: str, *, due: float, memory_limit: int) -> bytes:
        found.append(due)
        raise ReasonerTimeout(f"{len(text)} {memory_limit}")

    monkeypatch.setattr(build_module, "_HOPELESS", hopeless)
    monkeypatch.setattr(build_module, "ground", ground)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    with pytest.raises(ReasonerTimeout):
        build_circuit(bundled.load("tictactoe"), time_limit=60)
    assert found == [100 + 60 * part]


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", bundled.NAMES)
def test_a_circuit_agrees_with_prolog_on_random_play(name: str) -> None:
    description = bundled.load(name)
    circuit = build_circuit(description)
    generator = random.Random(name)
    number = {fact: index for index, fact in enumerate(circuit.facts)}
    with open_reasoner(description, kind="prolog") as reasoner:
        state = reasoner.initial_state()
        assert reasoner.facts(state) == tuple(circuit.facts[fact] for fact in circuit.initial)
        for _ in range(30):
            view = reasoner.view(state)
            held = frozenset(number[fact] for fact in reasoner.facts(state))
            joint_move = [generator.choice(moves) for moves in view.legal if moves]
            chosen = [
                moves.index(move) for moves, move in zip(circuit.moves, joint_move, strict=False)
            ]
            (answer,) = answers(circuit, [held], [chosen])
            assert answer.terminal == view.terminal
            assert answer.goals == view.goals
            legal = tuple(
                tuple(moves[i] for i in places)
                for moves, places in zip(circuit.moves, answer.legal, strict=True)
            )
            assert legal == view.legal
            if view.terminal:
                state = reasoner.initial_state()
                continue
            state = reasoner.next_state(state, joint_move)
            after = tuple(circuit.facts[fact] for fact in sorted(answer.successor))
            assert after == reasoner.facts(state)


def moves_hash(moves: Sequence[Term]) -> str:
    text = "\n".join(sorted(map(str, moves)))
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()[:16]


def replay(circuit: Circuit, trace: dict[str, Any]) -> None:
    """Step through a recorded playout and compare everything that was recorded."""
    texts = [str(fact) for fact in circuit.facts]
    state = frozenset(circuit.initial.tolist())
    for step in [*trace["steps"], None]:
        moves = [parse_term(move) for move in step["move"]] if step else []
        chosen = [of_role.index(m) for of_role, m in zip(circuit.moves, moves, strict=False)]
        (answer,) = answers(circuit, [state], [chosen])
        found = fingerprint("\n".join(texts[fact] for fact in sorted(state)))
        assert f"{found:016x}" == (step["fp"] if step else trace["final_fp"])
        if step is None:
            break
        assert not answer.terminal
        terms = [
            tuple(of_role[place] for place in places)
            for of_role, places in zip(circuit.moves, answer.legal, strict=True)
        ]
        assert [[len(m), moves_hash(m)] for m in terms] == step["legal"]
        state = answer.successor
    assert answer.terminal == (trace["end"] == "terminal")
    assert trace["goals"] is None or list(answer.goals) == trace["goals"]


@pytest.mark.sample(1)
@pytest.mark.skipif(not oracle.CORPUS.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize("name", CORPUS_SAMPLE)
def test_recorded_playouts_are_replayed_step_by_step(name: str) -> None:
    circuit = build_circuit(Description.load(oracle.CORPUS / f"{name}.kif"))
    assert FALSE not in circuit.legal
    for trace in oracle.traces()[name]:
        replay(circuit, trace)
