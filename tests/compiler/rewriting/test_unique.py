"""Unique facts: what is proven is true, and asking literals one by one changes no answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.rewriting.rewrite import rewrite
from ggp.compiler.rewriting.unique import patterns, separation
from ggp.compiler.rewriting.unique.patterns import Pattern, proven
from ggp.gdl import Description, Relation
from ggp.kif import Symbol, Term, parse_term
from ggp.reasoner.compiled import CompiledReasoner
from ggp.reasoner.handover import _converted
from ggp.reasoner.prolog import PrologReasoner
from tests.compiler.rewriting.walk import Walk

# A king and a tower move on a line, in turns; the tower does not move over the king.
LINE = """
(role white) (role black)
(square 1) (square 2) (square 3) (square 4)
(up 1 2) (up 2 3) (up 3 4) (owner k white) (owner t black)
(<= (beside ?a ?b) (up ?a ?b)) (<= (beside ?a ?b) (up ?b ?a))
(<= (other ?a ?b) (square ?a) (square ?b) (distinct ?a ?b))
(init (at 1 k)) (init (at 4 t)) (init (at 2 b)) (init (at 3 b)) (init (control white))
(<= (legal ?player (move ?p ?a ?b)) (true (control ?player)) (owner ?p ?player)
    (true (at ?a ?p)) (beside ?a ?b) (true (at ?b b)))
(<= (legal ?player noop) (role ?player) (not (true (control ?player))))
(<= (next (at ?b ?p)) (does ?player (move ?p ?a ?b)))
(<= (next (at ?a b)) (does ?player (move ?p ?a ?b)))
(<= (next (at ?c ?p)) (does ?player (move ?q ?a ?b)) (true (at ?c ?p)) (other ?c ?a) (other ?c ?b))
(<= (next (at ?c ?p)) (true (at ?c ?p)) (does white noop) (does black noop))
(<= (next (control white)) (true (control black)))
(<= (next (control black)) (true (control white)))
(goal white 50) (goal black 50)
"""
REST = """
(<= (next (at 3 k)) (does ?who rest)) (<= (next (at ?c k)) (true (at ?c k)) (does ?who rest))
"""
KING = Pattern(Relation("at", 2), frozenset({(1, Symbol("k"))}))
BLANK = Pattern(Relation("at", 2), frozenset({(1, Symbol("b"))}))
TURN = Pattern(Relation("control", 1))


def found(rules: str, *candidates: Pattern) -> frozenset[Pattern]:
    return proven(candidates, Description.from_text(rules).rules)


class TestPatterns:
    def test_one_king_and_one_turn_but_several_blanks(self) -> None:
        assert found(LINE, KING, BLANK) == {KING, TURN}

    def test_facts_with_a_variable_for_a_name_are_looked_at(self) -> None:
        kept = (
            "(<= (next ?fact) (true ?fact) (true (control white)) (distinct ?fact (control white)))"
        )
        assert found(LINE + kept, KING) == {TURN}

    def test_the_most_general_pattern(self) -> None:
        one = "(role x) (next_to 1 2) (next_to 2 1) (init (spot 1 1)) (goal x 0) (legal x wait)"
        turns = "(<= (next (spot ?b ?a)) (true (spot ?a ?b)) (next_to ?a ?c))"
        jumps = "(<= (next (spot ?c ?a)) (true (spot ?a ?b)) (next_to ?a ?c))"
        both = "(<= (next (spot ?c ?a)) (true (spot ?a ?b)) (next_to ?c ?d))"
        pattern = Pattern(Relation("spot", 2))
        assert found(one + turns, pattern) == {pattern}
        assert found(one + turns + jumps, pattern) == frozenset()
        assert found(one + both, pattern) == frozenset()

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("(init (at 2 b))", "(init (at 2 k))"),  # two kings at first
            ("(init (at 2 b))", "(<= (init (at ?a k)) (up ?a 3))"),
            ("(init (at 2 b))", "(<= (init (at 2 k)) (not (distinct a a)))"),
            ("(init (at 2 b))", "(<= odd (not (distinct a b))) (<= (init (at 2 k)) (not odd))"),
            ("(init (control white))", "(init (control white)) (init (control black))"),
            ("(true (control ?player)) (owner", "(owner"),  # both move at once, one king stays
            ("(other ?c ?a) (other ?c ?b)", "(other ?c ?b)"),  # the king stays where it was
            ("(true (at ?a ?p)) (beside", "(square ?a) (beside"),  # a king from anywhere
            ("(goal white 50)", "(<= (next (at 3 k)) (true (at 3 t))) (goal white 50)"),
            ("(does white noop)", "(does white ?any) (other ?c 2)"),  # one stays, another moves
            # the role of a move is left open
            ("(goal white 50)", "(<= (legal ?who rest) (true (at 2 b))) (goal white 50)" + REST),
            ("(does ?player (move ?q ?a ?b))", "(beside ?a ?b) (not (does white (move t ?a ?b)))"),
            ("(other ?c ?a) (other ?c ?b))", "(other ?c ?b) (not (distinct ?a ?a)))"),
        ],
    )
    def test_what_may_be_twice_is_not_proven(self, old: str, new: str) -> None:
        assert old in LINE
        rules = LINE.replace(old, new)
        states = Walk(rules).states(steps=200)
        assert any(sum(fact.endswith(" k)") for fact in state) > 1 for state in states)
        assert KING not in found(rules, KING)

    def test_what_takes_too_long_is_not_proven(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(patterns, "_MAX_STEPS", 200)
        assert KING not in found(LINE, KING)


# Kings and towers on a board. A king is safe where no tower reaches it along free squares; a square
# that a piece leaves counts as free.
BOARD = """
(role white) (role black) (foe white black) (foe black white)
(line 1) (line 2) (line 3) (line 4) (up 1 2) (up 2 3) (up 3 4)
(owner wk white king) (owner bk black king) (owner wt white tower) (owner bt black tower)
(init (cell 1 1 wk)) (init (cell 4 4 bk)) (init (cell 1 3 wt)) (init (cell 3 2 bt))
(init (cell 2 4 wt)) (init (cell 4 1 bt)) (init (control white))
(<= (init (cell ?x ?x b)) (up ?w ?x) (up ?x ?y))
(<= (init (cell ?x ?y b)) (free ?x ?y))
(free 1 2) (free 1 4) (free 2 1) (free 2 3) (free 3 1) (free 3 4) (free 4 2) (free 4 3)
(<= (other ?x1 ?y1 ?x2 ?y2) (line ?x1) (line ?x2) (line ?y1) (line ?y2) (distinct ?x1 ?x2))
(<= (other ?x1 ?y1 ?x2 ?y2) (line ?x1) (line ?x2) (line ?y1) (line ?y2) (distinct ?y1 ?y2))

(<= (reaches ?x ?y ?z ?y ?i ?j) (up ?x ?z) (line ?y) (line ?i) (line ?j))
(<= (reaches ?x ?y ?x ?z ?i ?j) (up ?y ?z) (line ?x) (line ?i) (line ?j))
(<= (reaches ?x ?y ?z ?y ?i ?y) (up ?x ?i) (reaches ?i ?y ?z ?y ?i ?y))
(<= (reaches ?x ?y ?x ?z ?x ?j) (up ?y ?j) (reaches ?x ?j ?x ?z ?x ?j))
(<= (reaches ?x ?y ?z ?y ?i ?j) (up ?x ?w) (true (cell ?w ?y b)) (reaches ?w ?y ?z ?y ?i ?j))
(<= (reaches ?x ?y ?x ?z ?i ?j) (up ?y ?w) (true (cell ?x ?w b)) (reaches ?x ?w ?x ?z ?i ?j))
(<= (attacked ?player ?x ?y ?i ?j) (foe ?player ?foe) (owner ?tower ?foe tower)
    (true (cell ?a ?b ?tower)) (either_way ?a ?b ?x ?y ?i ?j))
(<= (either_way ?a ?b ?x ?y ?i ?j) (reaches ?a ?b ?x ?y ?i ?j))
(<= (either_way ?a ?b ?x ?y ?i ?j) (reaches ?x ?y ?a ?b ?i ?j))

(<= (legal ?player (move ?p ?x ?y ?u ?v)) (true (control ?player)) (owner ?p ?player ?kind)
    (distinct ?kind king) (true (cell ?x ?y ?p)) (either_way ?x ?y ?u ?v 0 0) (true (cell ?u ?v b))
    (owner ?king ?player king) (true (cell ?kx ?ky ?king)) {asked}
    (not (attacked ?player ?kx ?ky ?x ?y)))
(<= (legal ?player (move ?king ?x ?y ?u ?v)) (true (control ?player)) (owner ?king ?player king)
    (true (cell ?x ?y ?king)) (either_way ?x ?y ?u ?v 0 0) (true (cell ?u ?v b)))
(<= (legal ?player noop) (role ?player) (not (true (control ?player))))
(line 0)
(<= (next (cell ?u ?v ?p)) (does ?player (move ?p ?x ?y ?u ?v)))
(<= (next (cell ?x ?y b)) (does ?player (move ?p ?x ?y ?u ?v)))
(<= (next (cell ?a ?b ?q)) (does ?player (move ?p ?x ?y ?u ?v)) (true (cell ?a ?b ?q))
    (other ?a ?b ?x ?y) (other ?a ?b ?u ?v))
(<= (next (control ?foe)) (true (control ?player)) (foe ?player ?foe))
(<= (next (check ?foe ?u ?v)) (does ?player (move ?p ?x ?y ?u ?v)) (owner ?p ?player tower)
    (foe ?player ?foe) (owner ?king ?foe king) (true (cell ?kx ?ky ?king))
    (either_way ?u ?v ?kx ?ky ?x ?y))
(<= (goal ?player 100) (role ?player) (true (cell ?kx ?ky wk)) (true (cell ?bx ?by bk))
    (not (either_way ?kx ?ky ?bx ?by 0 0)))
(<= (goal ?player 0) (role ?player) (true (cell ?kx ?ky wk)) (true (cell ?bx ?by bk))
    (either_way ?kx ?ky ?bx ?by 0 0))
"""


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "asked",
    [
        "",
        "(distinct ?kx ?u)",
        "(distinct ?v ?ky)",
        "(distinct ?kx ?ky)",
        "(distinct ?kx 2) (not (up ?kx ?ky))",
        "(other ?kx ?ky ?u ?v)",
        "(true (cell ?kx ?w b)) (up ?ky ?w)",
        "(not (true (cell ?kx ?v b)))",
    ],
)
def test_the_answers_are_the_same(asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = BOARD.replace("{asked}", asked)
    monkeypatch.setattr(separation, "_LARGE", 10**9)
    tied = Walk(rules)
    assert not asks_apart(rules)
    monkeypatch.setattr(separation, "_LARGE", 0)
    assert asks_apart(rules)
    apart = Walk(rules)
    played = [*zip(tied.answers(steps=25), apart.answers(steps=25), strict=True)]
    for one, other in played:
        assert one == other
    assert len({str(one) for one, _ in played}) > 12


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{asked}", "(not (distinct ?kx ?u))"),
        # a relation that leaves it to its callers to bind a variable
        (
            "(reaches ?x ?y ?x ?z ?i ?j) (up ?y ?z) (line ?x) (line ?i)",
            "(reaches ?x ?y ?x ?z ?i ?j) (up ?y ?z) (line ?x)",
        ),
    ],
)
def test_what_does_not_fit_stays(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separation, "_LARGE", 0)
    assert not asks_apart(BOARD.replace(old, new).replace("{asked}", ""))


def test_many_relations_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(separation, "_LARGE", 0)
    monkeypatch.setattr(separation, "_MOST", 3)
    assert not asks_apart(BOARD.replace("{asked}", ""))


def asks_apart(rules: str) -> bool:
    """Whether a rule asks where a unique fact is."""
    made = rewrite(Description.from_text(rules)).rules
    return any(lit.relation.name.startswith("where ") for rule in made for lit in rule.body)


class TestStatesThatNoMatchReaches:
    """In these the rules that ask literals one by one say something else."""

    @pytest.fixture
    def compiled(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[CompiledReasoner]:
        monkeypatch.setattr(separation, "_LARGE", 0)
        description = Description.from_text(BOARD.replace("{asked}", ""))
        with CompiledReasoner(description, circuit=build_circuit(description)) as reasoner:
            yield reasoner

    @pytest.fixture
    def prolog(self, compiled: CompiledReasoner) -> Iterator[PrologReasoner]:
        with PrologReasoner(compiled.description) as reasoner:
            yield reasoner

    @staticmethod
    def facts_with(compiled: CompiledReasoner, *changes: str) -> list[Term]:
        """Return the facts of the first state, each square with what the changes say."""
        facts = {str(fact)[:9]: fact for fact in compiled.facts(compiled.initial_state())}
        for change in changes:
            facts[change[:9]] = parse_term(change)
        return [*facts.values()]

    @pytest.mark.parametrize(
        "changes",
        [
            ["(cell 4 2 wk)"],  # two white kings, one of them attacked
            ["(cell 4 2 wk)", "(cell 2 2 bk)"],
            ["(cell 1 1 b)", "(cell 4 4 b)"],  # no king: that is as the proof allows
            ["(cell 1 1 b)", "(cell 3 3 wk)"],  # the king elsewhere
        ],
    )
    def test_the_reasoners_agree(
        self, compiled: CompiledReasoner, prolog: PrologReasoner, changes: list[str]
    ) -> None:
        facts = self.facts_with(compiled, *changes)
        one, other = compiled.state_of(facts), prolog.state_of(facts)
        for _ in range(3):
            expansion, expected = compiled.expand(one), prolog.expand(other)
            assert expansion.legal == expected.legal
            assert (expansion.goals, expansion.terminal) == (expected.goals, expected.terminal)
            texts = [*map(compiled.text, expansion.successors)]
            assert texts == [*map(prolog.text, expected.successors)]
            if not expansion.successors:  # without a king there is no move
                break
            one, other = expansion.successors[-1], expected.successors[-1]

    def test_such_a_state_stays_so_when_machine_code_takes_over(
        self, compiled: CompiledReasoner, prolog: PrologReasoner
    ) -> None:
        twice = self.facts_with(compiled, "(cell 4 2 wk)")
        once = self.facts_with(compiled)
        states = [prolog.state_of(twice), prolog.state_of(once)]
        assert [*_converted(states, prolog, compiled)] == [
            compiled.state_of(twice),
            compiled.state_of(once),
        ]
        assert compiled.fact_numbers(compiled.state_of(twice)) is None
        assert compiled.state_of(once) == compiled.initial_state()

    def test_machine_code_alone_would_say_something_else(
        self, compiled: CompiledReasoner, prolog: PrologReasoner
    ) -> None:
        facts = self.facts_with(compiled, "(cell 4 2 wk)")
        numbers = sorted(compiled.circuit.facts.index(fact) for fact in facts)
        state = compiled.kernel.pack(np.array(numbers, np.int32)).tobytes()
        assert compiled.view(state).goals == (0, 0)
        assert prolog.view(prolog.state_of(facts)).goals == (None, None)  # each has two
