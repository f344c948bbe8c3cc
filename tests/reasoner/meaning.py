"""Conformance: what rules mean, however they are written."""

from __future__ import annotations

import pytest

from ggp.errors import GameError
from ggp.kif import Symbol
from tests.reasoner.games import ONE_STATE, OpenGame, after, facts, legal, texts

# A way from 1 to 5 with a loop at 3, and a 6 that nothing leads to.
EDGES = "(edge 1 2) (edge 2 3) (edge 3 4) (edge 4 3) (edge 4 5) (node 6) "


def answers(open_game: OpenGame, rules: str, head: str) -> list[str]:
    """All that the rules say of a head: it is made the move of the only role."""
    return legal(open_game(f"(role x) (init here) {rules} (<= (legal x {head}) {head})"))


class Meaning:
    # Recursion

    @pytest.mark.parametrize(
        "step",
        [
            "(edge ?a ?b) (path ?b ?c)",
            "(path ?a ?b) (edge ?b ?c)",
            "(path ?a ?b) (path ?b ?c)",
        ],
    )
    @pytest.mark.parametrize("where", ["", "(true here)"])
    def test_recursion_on_either_side(self, open_game: OpenGame, step: str, where: str) -> None:
        rules = f"(<= (path ?a ?b) {where} (edge ?a ?b)) (<= (path ?a ?c) {where} {step})"
        found = answers(open_game, EDGES + rules, "(path 3 ?to)".replace("?to", "?b"))
        assert found == ["(path 3 3)", "(path 3 4)", "(path 3 5)"]

    @pytest.mark.parametrize("where", ["", "(true here)"])
    def test_mutual_recursion(self, open_game: OpenGame, where: str) -> None:
        rules = (
            f"(even 1) (<= (even ?b) (odd ?a) (edge ?a ?b) {where})"
            f"(<= (odd ?b) {where} (even ?a) (edge ?a ?b))"
        )
        assert answers(open_game, EDGES + rules, "(even ?n)") == [
            "(even 1)",
            "(even 3)",
            "(even 5)",
        ]
        assert answers(open_game, EDGES + rules, "(odd ?n)") == ["(odd 2)", "(odd 4)"]

    @pytest.mark.parametrize("where", ["", "(true here)"])
    def test_recursion_over_function_terms(self, open_game: OpenGame, where: str) -> None:
        rules = (
            f"(<= (sum z ?n ?n) (number ?n) {where})"
            f"(<= (sum (s ?a) ?b (s ?c)) {where} (sum ?a ?b ?c))"
            "(number z) (<= (number (s ?n)) (number ?n) (small ?n))"
            "(small z) (small (s z)) (small (s (s z)))"
            "(<= (is ?c) (sum (s z) (s (s z)) ?c))"
        )
        assert answers(open_game, rules, "(is ?c)") == ["(is (s (s (s z))))"]

    def test_recursion_that_rests_on_the_moves(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            EDGES + "(role x) (<= (legal x (from ?n)) (edge ?n ?m))"
            "(<= (reached ?n) (does x (from ?n)))"
            "(<= (reached ?b) (reached ?a) (edge ?a ?b))"
            "(<= (next (at ?n)) (reached ?n))"
        )
        assert facts(reasoner, after(reasoner, ("(from 4)",))) == ["(at 3)", "(at 4)", "(at 5)"]
        # What was worked out for one move is gone at the next.
        assert facts(reasoner, after(reasoner, ("(from 4)",), ("(from 1)",)))[0] == "(at 1)"
        expansion = reasoner.expand(reasoner.initial_state())
        assert [len(reasoner.facts(state)) for state in expansion.successors] == [5, 4, 3, 3]

    def test_recursion_that_rests_on_the_state(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            EDGES + "(role x) (init (at 4)) (legal x on)"
            "(<= (ahead ?n) (true (at ?n))) (<= (ahead ?b) (ahead ?a) (edge ?a ?b))"
            "(<= (next (at 5)) (true (at 4))) (<= (goal x 0) (ahead 3))"
            "(<= (goal x 100) (not (ahead 3)))"
        )
        first, second = reasoner.initial_state(), after(reasoner, ("on",))
        states = [first, second, first, second]
        assert [view.goals for view in reasoner.view_all(states)] == [(0,), (100,), (0,), (100,)]

    # Negation

    def test_a_goal_may_rest_on_another_goal_of_the_same_role(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role a) (role b) (init (won b)) (<= (goal ?r 100) (true (won ?r)))"
            "(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))"
        )
        assert reasoner.goals(reasoner.initial_state()) == (0, 100)

    def test_negation_on_a_cycle_of_names_only(self, open_game: OpenGame) -> None:
        rules = (
            "(<= (win ?r) (line ?r)) (line white) (player white) (player black)"
            "(<= (loss ?r) (player ?r) (not (win ?r)) (player ?s) (win ?s))"
            "(<= (result ?r won) (win ?r)) (<= (result ?r lost) (player ?r) (not (result ?r won)))"
        )
        assert answers(open_game, rules, "(result ?r ?how)") == [
            "(result black lost)",
            "(result white won)",
        ]

    @pytest.mark.parametrize("where", ["", "(true here)"])
    def test_negation_of_what_is_recursive(self, open_game: OpenGame, where: str) -> None:
        rules = (
            f"(<= (path ?a ?b) (edge ?a ?b) {where}) (<= (path ?a ?c) (path ?a ?b) (edge ?b ?c))"
            "(<= (node ?a) (edge ?a ?b)) (<= (node ?b) (edge ?a ?b))"
            "(<= (cut ?n) (node ?n) (not (path 1 ?n)))"
        )
        assert answers(open_game, EDGES + rules, "(cut ?n)") == ["(cut 1)", "(cut 6)"]

    @pytest.mark.parametrize("first", [True, False])
    def test_a_variable_that_stands_only_in_a_negation(
        self, open_game: OpenGame, first: bool
    ) -> None:
        negation = "(not (edge ?n ?anything))"
        body = f"{negation} (place ?n)" if first else f"(place ?n) {negation}"
        rules = f"(place 5) (place 4) (place 1) (<= (end ?n) {body})"
        assert answers(open_game, EDGES + rules, "(end ?n)") == ["(end 5)"]

    def test_a_negation_before_its_variables_are_bound(self, open_game: OpenGame) -> None:
        rules = "(p 1) (p 2) (q 2) (<= (only ?x) (not (q ?x)) (p ?x))"
        assert answers(open_game, rules, "(only ?x)") == ["(only 1)"]

    @pytest.mark.parametrize(
        "body",
        [
            "(distinct ?a ?b) (p ?a) (p ?b)",
            "(p ?a) (distinct ?b ?a) (p ?b)",
            "(p ?a) (p ?b) (not (not (distinct ?a ?b)))",
        ],
    )
    def test_distinct_before_its_variables_are_bound(self, open_game: OpenGame, body: str) -> None:
        rules = f"(p 1) (p (f 1)) (p (f 2)) (<= (pair ?a ?b) {body})"
        found = answers(open_game, rules, "(pair ?a ?b)")
        assert len(found) == 6
        assert "(pair 1 (f 1))" in found

    def test_what_is_not_distinct_is_the_same(self, open_game: OpenGame) -> None:
        rules = "(p 1) (p (f 2)) (<= (same ?a ?b) (p ?a) (p ?b) (not (distinct ?a ?b)))"
        found = answers(open_game, rules, "(same ?a ?b)")
        assert found == ["(same (f 2) (f 2))", "(same 1 1)"]

    def test_distinct_with_constants_and_function_terms(self, open_game: OpenGame) -> None:
        rules = (
            "(p 1) (p 01) (<= (r yes) (p ?x) (distinct ?x 1)) (<= (r no) (p ?x) (distinct 1 1))"
            "(<= (r deep) (p ?x) (distinct (f ?x) (f 01)))"
        )
        assert answers(open_game, rules, "(r ?x)") == ["(r deep)", "(r yes)"]

    # Variables in odd places

    def test_a_variable_for_a_role_in_a_fact_means_every_role(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role a) (role b) (init i) (legal ?r noop) (goal ?anyone 30)"
            "(<= (legal ?r go) (true i)) (<= (next (did ?r)) (does ?r go))"
        )
        expansion = reasoner.expand(reasoner.initial_state())
        assert expansion.goals == (30, 30)
        assert [texts(options) for options in expansion.legal] == [["go", "noop"]] * 2
        assert [facts(reasoner, state) for state in expansion.successors] == [
            ["(did a)", "(did b)"],
            ["(did a)"],
            ["(did b)"],
            [],
        ]

    @pytest.mark.parametrize("where", ["", "(true here)"])
    def test_a_rule_that_only_tests_what_it_is_asked(self, open_game: OpenGame, where: str) -> None:
        rules = (
            f"(p 1) (p 2) (bad 2) (<= (good ?x) (not (bad ?x)) {where})"
            f"(<= (other ?x ?y) (distinct ?x ?y) {where})"
            "(<= (r ?x) (p ?x) (good ?x)) (<= (s ?x ?y) (p ?x) (p ?y) (other ?x ?y))"
        )
        assert answers(open_game, rules, "(r ?x)") == ["(r 1)"]
        assert answers(open_game, rules, "(s ?x ?y)") == ["(s 1 2)", "(s 2 1)"]

    def test_the_same_variable_twice_means_the_same_term(self, open_game: OpenGame) -> None:
        rules = "(eq ?x ?x) (p 1) (p 2) (<= (r ?x ?y) (p ?x) (p ?y) (eq (f ?x) (f ?y)))"
        assert answers(open_game, rules, "(r ?x ?y)") == ["(r 1 1)", "(r 2 2)"]

    @pytest.mark.parametrize(
        "rules",
        [
            "(role x) (init (cell ?anything))",
            "(role x) (init i) (legal x (go ?anywhere))",
            "(role x) (init i) (legal x go) (<= (next (cell ?anything)) (true i))",
        ],
    )
    def test_a_fact_or_move_with_a_variable_is_the_games_error(
        self, open_game: OpenGame, rules: str
    ) -> None:
        reasoner = open_game(rules)
        with pytest.raises(GameError, match="not ground"):
            reasoner.expand(reasoner.initial_state())

    def test_facts_that_grow_without_end_are_the_games_error(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (init (n z)) (legal x go) (<= (next (n (s ?n))) (true (n ?n)))"
        )
        deepest = after(reasoner, *[("go",)] * 199)
        with pytest.raises(GameError, match="nests deeper than 200"):
            reasoner.next_state(deepest, [Symbol("go")])
        # The reasoner itself has come to no harm.
        assert facts(reasoner, after(reasoner, ("go",))) == ["(n (s z))"]

    # Odds and ends

    def test_what_is_never_true_is_false(self, open_game: OpenGame) -> None:
        rules = (
            "(p 1) (<= (q ?x) (p ?x) (distinct ?x 1)) (<= (r ?x) (unheard-of ?x))"
            "(<= (a yes) (q 1)) (<= (a no) (not (q 1)) (not (r 1)) (not (unheard-of 1 2)))"
        )
        assert answers(open_game, rules, "(a ?x)") == ["(a no)"]

    def test_relations_of_one_name_and_several_arities(self, open_game: OpenGame) -> None:
        rules = "p (p 1) (p 1 2) (<= (r 0) p) (<= (r ?x) (p ?x)) (<= (r (f ?x ?y)) (p ?x ?y))"
        assert answers(open_game, rules, "(r ?x)") == ["(r (f 1 2))", "(r 0)", "(r 1)"]

    def test_a_proposition_with_and_without_parentheses(self, open_game: OpenGame) -> None:
        rules = "(p) (<= q p) (<= (r) (q)) (<= (a yes) r) (<= (a (b)) ((r)))"
        assert answers(open_game, rules, "(a ?x)") == ["(a (b))", "(a yes)"]

    def test_a_term_in_parentheses_is_another_than_its_name(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (init (done)) (init (n (one) one)) (legal x go) (legal x (go))"
        )
        state = reasoner.initial_state()
        assert facts(reasoner, state) == ["(done)", "(n (one) one)"]
        assert texts(reasoner.legal_moves(state, Symbol("x"))) == ["(go)", "go"]

    def test_facts_and_rules_of_one_relation(self, open_game: OpenGame) -> None:
        rules = "(p 1) (<= (p 2) (p 1)) (<= (p 3) (true here)) (q 1) (<= (q ?x) (p ?x))"
        assert answers(open_game, rules, "(q ?x)") == ["(q 1)", "(q 2)", "(q 3)"]

    def test_nested_function_terms(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (init (board (row a (cell b)) ()x))".replace("()x", "(none)")
            + "(<= (legal x (take ?what from (f ?r))) (true (board (row ?r (cell ?what)) ?n)))"
            "(<= (next (got (g (h ?what)) ?f)) (does x (take ?what from ?f)))"
        )
        (move,) = legal(reasoner)
        assert move == "(take b from (f a))"
        assert facts(reasoner, after(reasoner, (move,))) == ["(got (g (h b)) (f a))"]

    def test_a_goal_and_the_end_may_be_facts(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role x) (init i) terminal (goal x 70)")
        view = reasoner.view(reasoner.initial_state())
        assert (view.terminal, view.goals, view.legal) == (True, (70,), ((),))

    def test_init_does_not_see_a_state(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (init a) (<= (init b) (true a)) (<= (init c) (not (true a)))"
        )
        assert facts(reasoner, reasoner.initial_state()) == ["a", "c"]

    def test_moves_done_are_not_seen_in_the_state_after(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (init i) (legal x go) (<= (next (did ?m)) (does x ?m))"
            "(<= (goal x 0) (does x go)) (<= (goal x 100) (not (does x go)))"
        )
        reasoner.expand(reasoner.initial_state())
        assert reasoner.goals(after(reasoner, ("go",))) == (100,)


class EndlessRelations:
    """Relations without an end, or too large to enumerate, of which only a little is asked."""

    def test_a_huge_static_relation(self, open_game: OpenGame) -> None:
        digits = "".join(f"(d {digit})" for digit in range(10))
        names = "?a ?b ?c ?d ?e ?f ?g ?h"
        body = " ".join(f"(d {name})" for name in names.split())
        reasoner = open_game(
            f"{ONE_STATE} {digits} (<= (number {names}) {body})"
            "(<= (goal x 100) (number 1 2 3 4 5 6 7 8)) (<= (goal x 0) (number 1 2 3 4 5 6 7 z))"
        )
        assert reasoner.goals(reasoner.initial_state()) == (100,)

    @pytest.mark.parametrize(
        "rules",
        [
            "(number z) (<= (number (s ?n)) (number ?n))",
            "(number z) (<= (number (s ?n)) (other ?n)) (<= (other ?n) (number ?n))",
        ],
    )
    def test_an_endless_static_relation(self, open_game: OpenGame, rules: str) -> None:
        reasoner = open_game(
            f"{ONE_STATE} {rules} (<= (goal x 100) (number (s (s (s z)))))"
            "(<= (goal x 0) (number (s (t z))))"
        )
        assert reasoner.goals(reasoner.initial_state()) == (100,)
