"""Conformance: states, moves, goals, expansions, as the contract promises them."""

from __future__ import annotations

from itertools import product

import pytest

from ggp.errors import IllegalMove, TooManyJointMoves
from ggp.kif import Symbol, parse_term
from tests.reasoner.games import LIGHTS, ONE_STATE, OpenGame, after, facts, moves, texts


class StatesAndMoves:
    # Roles

    def test_roles_come_in_the_order_of_the_rulesheet(self, open_game: OpenGame) -> None:
        assert texts(open_game("(role b) (init i) (role c) (role a)").roles) == ["b", "c", "a"]

    @pytest.mark.sample(3)
    @pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6])
    def test_one_to_six_roles(self, open_game: OpenGame, count: int) -> None:
        roles = [f"r{number}" for number in range(count)]
        rules = "".join(f"(role {role}) (goal {role} {i})" for i, role in enumerate(roles))
        reasoner = open_game(
            f"{rules} (<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r))"
            "(<= (next (did ?r ?m)) (does ?r ?m)) (<= terminal (true (did r0 ?m)))"
        )
        expansion = reasoner.expand(reasoner.initial_state())
        assert expansion.goals == tuple(range(count))
        assert [texts(options) for options in expansion.legal] == [["a", "b"]] * count
        assert len(expansion.successors) == 2**count
        for choice, successor in zip(
            product("ab", repeat=count), expansion.successors, strict=True
        ):
            did = [f"(did {role} {move})" for role, move in zip(roles, choice, strict=True)]
            assert facts(reasoner, successor) == sorted(did)

    # Some of the moves

    def test_some_moves_are_as_many_as_wanted_of_those_that_are_legal(
        self, open_game: OpenGame
    ) -> None:
        numbers = "".join(f"(number {n})" for n in range(60))
        reasoner = open_game(
            f"(role x) (role y) {numbers} (legal y stay) (init here)"
            "(<= (legal x (pick ?a ?b)) (number ?a) (number ?b) (true here))"
        )
        state, (x, y) = reasoner.initial_state(), reasoner.roles
        legal = reasoner.view(state).legal
        assert reasoner.legal_moves(state, x) == legal[0]
        some = reasoner.some_moves(state, x, limit=50, seed=1)
        assert (some.count, len(set(some.moves))) == (3600, 50)
        assert list(some.moves) == [move for move in legal[0] if move in set(some.moves)]
        assert some == reasoner.some_moves(state, x, limit=50, seed=1)
        assert some != reasoner.some_moves(state, x, limit=50, seed=2)
        all_of_them = reasoner.some_moves(state, y, limit=50)
        assert (all_of_them.count, all_of_them.moves) == (1, legal[1])
        with pytest.raises(ValueError, match="not in tuple"):
            reasoner.some_moves(state, Symbol("z"), limit=50)

    # States

    def test_the_initial_state_holds_what_init_says(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role x) (p b) (p a) (init c) (<= (init (f ?x)) (p ?x))")
        assert facts(reasoner, reasoner.initial_state()) == ["(f a)", "(f b)", "c"]

    def test_a_game_may_begin_with_nothing(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role x) (legal x go) (<= (next done) (does x go))")
        assert facts(reasoner, reasoner.initial_state()) == []
        assert facts(reasoner, after(reasoner, ("go",))) == ["done"]
        assert facts(reasoner, after(reasoner, ("go",), ("go",))) == ["done"]

    def test_states_are_equal_exactly_when_their_facts_are(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        one, ten, same = ("(switch 1)",) * 2, ("(switch 10)",) * 2, ("(switch 1)", "(switch 10)")
        paths = [(a, b) for a in (one, ten, same) for b in (one, ten, same)]
        states = [after(reasoner, *path) for path in paths]
        seen = [facts(reasoner, state) for state in states]
        for state, its_facts in zip(states, seen, strict=True):
            for other, other_facts in zip(states, seen, strict=True):
                assert (state == other) == (its_facts == other_facts)
                assert state != other or hash(state) == hash(other)
        assert len(set(states)) < len(states)

    def test_facts_are_sorted_by_their_text(self, open_game: OpenGame) -> None:
        names = ["(f 2)", "(f 10)", "b", "(b)", "B", "(f (g 1))", "(f-g 1)", "a", "(f 1 1)", "é"]
        reasoner = open_game("(role x)" + "".join(f"(init {name})" for name in names))
        state = reasoner.initial_state()
        assert facts(reasoner, state) == sorted(names)
        assert reasoner.text(state) == "\n".join(sorted(names))

    def test_a_state_is_made_from_its_facts(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        for path in ((), (("(switch 1)", "(switch 2)"),)):
            state = after(reasoner, *path)
            assert reasoner.state_of(reasoner.facts(state)) == state
            assert reasoner.state_of([*reversed(reasoner.facts(state))] * 2) == state
        assert facts(reasoner, reasoner.state_of([])) == []

    def test_a_state_is_made_from_facts_never_seen_before(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        state = reasoner.state_of(moves("(step 1)", "(on 1)", "(on 2)"))
        expansion = reasoner.expand(state)
        assert not expansion.terminal
        assert expansion.goals == (100, 100)
        assert state != reasoner.initial_state()
        again = after(reasoner, ("(switch 1)", "(switch 2)"))
        assert again == state

    def test_keywords_in_facts_and_moves_may_be_in_any_case(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(role x) (init (f TRUE)) (legal x (g TRUE)) (<= (next (h true)) (does x (g true)))"
        )
        assert reasoner.state_of(moves("(f True)")) == reasoner.initial_state()
        assert facts(reasoner, after(reasoner, ("(g tRUE)",))) == ["(h true)"]

    # Moves

    def test_moves_are_sorted_by_their_text(self, open_game: OpenGame) -> None:
        names = ["(f 2)", "(f 10)", "b", "(b)", "B", "(f (g 1))", "(f-g 1)", "a", "(f 1 1)", "é"]
        reasoner = open_game("(role x) (init i)" + "".join(f"(legal x {name})" for name in names))
        state = reasoner.initial_state()
        assert texts(reasoner.legal_moves(state, Symbol("x"))) == sorted(names)
        assert texts(reasoner.expand(state).legal[0]) == sorted(names)

    def test_the_moves_of_no_role(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        with pytest.raises(ValueError):  # noqa: PT011 - whatever `index` says
            reasoner.legal_moves(reasoner.initial_state(), Symbol("stranger"))

    def test_moves_are_made_at_the_same_time(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        assert facts(reasoner, after(reasoner, ("(switch 1)", "(switch 10)"))) == [
            "(on 1)",
            "(on 10)",
            "(step 1)",
        ]
        assert facts(reasoner, after(reasoner, ("(switch 1)", "(switch 1)"))) == [
            "(on 1)",
            "(step 1)",
        ]

    def test_the_last_roles_move_varies_fastest(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        state = reasoner.initial_state()
        expansion = reasoner.expand(state)
        numbers = ["1", "10", "2"]
        assert [texts(joint) for joint in expansion.joint_moves] == [
            [f"(switch {a})", f"(switch {b})"] for a in numbers for b in numbers
        ]
        assert expansion.joint_move_count == 9
        for joint, successor in zip(expansion.joint_moves, expansion.successors, strict=True):
            assert reasoner.next_state(state, joint) == successor

    def test_joint_moves_are_a_sequence(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        made = reasoner.view(reasoner.initial_state()).joint_moves
        listed = list(made)
        assert len(made) == len(listed) == 9
        assert [made[number] for number in range(9)] == listed
        assert [made.index(joint) for joint in listed] == list(range(9))
        assert (made[-1], made[2:4], made[9:]) == (listed[-1], tuple(listed[2:4]), ())
        assert listed[3] in made
        with pytest.raises(IndexError):
            made[9]
        for strange in ((), (listed[0][0], parse_term("wait")), listed[0][0]):
            assert strange not in made
            with pytest.raises(ValueError, match="none of these"):
                made.index(strange)
        with pytest.raises(ValueError, match="none of these"):
            made.index(listed[3], 4)

    def test_a_move_is_not_checked_to_be_legal(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role x) (legal x go) (<= (next (did ?m)) (does x ?m))")
        assert facts(reasoner, after(reasoner, ("(never heard of)",))) == ["(did (never heard of))"]

    def test_unless_asked_to(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        state = reasoner.initial_state()
        reasoner.check_legal(state, moves("(switch 1)", "(switch 2)"))
        with pytest.raises(IllegalMove, match=r"right may not do \(switch 3\)"):
            reasoner.check_legal(state, moves("(switch 1)", "(switch 3)"))
        with pytest.raises(IllegalMove, match="1 moves for 2 roles"):
            reasoner.check_legal(state, moves("(switch 1)"))

    def test_a_joint_move_has_one_move_for_each_role(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        state = reasoner.initial_state()
        for wrong in (moves(), moves("(switch 1)"), moves(*["(switch 1)"] * 3)):
            with pytest.raises(ValueError, match="2 roles"):
                reasoner.step_all([state], [wrong])
        assert facts(reasoner, after(reasoner, ("(switch 1)", "(switch 1)")))  # it goes on

    # Goals

    @pytest.mark.sample(6)
    @pytest.mark.parametrize(
        ("rules", "goal"),
        [
            ("(goal x 50)", 50),
            ("(goal x 50) (<= (goal x 50) (true here))", 50),
            ("(goal x 50) (goal x 60)", None),
            ("", None),
            ("(<= (goal x 50) (true there))", None),
            ("(goal x won)", None),
            ("(goal x (number 50))", None),
            ("(score 30) (<= (goal x ?n) (score ?n))", 30),
            ("(goal y 50)", None),
            (f"(goal x {'1' * 5000})", None),
        ],
    )
    def test_a_role_has_exactly_one_goal_or_none(
        self, open_game: OpenGame, rules: str, goal: int | None
    ) -> None:
        reasoner = open_game(ONE_STATE + rules)
        assert reasoner.goals(reasoner.initial_state()) == (goal,)

    def test_goals_are_given_before_the_end_too(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        assert reasoner.goals(reasoner.initial_state()) == (0, 0)
        assert reasoner.goals(after(reasoner, ("(switch 2)", "(switch 10)"))) == (0, 100)

    def test_the_goal_of_one_role_may_be_missing(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role a) (role b) (role c) (init i) (goal a 1) (goal c 3) (goal c 4)")
        assert reasoner.goals(reasoner.initial_state()) == (1, None, None)

    # Expansions

    def test_a_terminal_state_has_no_successors(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        end = after(reasoner, ("(switch 1)", "(switch 2)"), ("(switch 10)", "(switch 10)"))
        expansion = reasoner.expand(end)
        assert expansion.terminal
        assert reasoner.is_terminal(end)
        assert expansion.goals == (100, 100)
        assert expansion.successors == ()
        assert expansion.joint_move_count == 0
        assert list(expansion.joint_moves) == []
        assert len(expansion.joint_moves) == 0

    def test_where_a_role_has_no_move_there_are_no_successors(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role a) (role b) (init i) (legal a go) (legal a stay)")
        expansion = reasoner.expand(reasoner.initial_state())
        assert not expansion.terminal
        assert [texts(options) for options in expansion.legal] == [["go", "stay"], []]
        assert expansion.successors == ()

    def test_many_states_at_once_are_answered_one_by_one(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        first = reasoner.initial_state()
        level = [first, *reasoner.expand(first).successors]
        states = [*level, *reversed(level), *level] * 8
        assert len(states) > 200
        expansions = reasoner.expand_all(states)
        views = reasoner.view_all(states)
        single = {state: reasoner.expand(state) for state in level}
        assert expansions == [single[state] for state in states]
        for view, expansion in zip(views, expansions, strict=True):
            assert (view.terminal, view.goals, view.legal) == (
                expansion.terminal,
                expansion.goals,
                expansion.legal,
            )
        joint = moves("(switch 1)", "(switch 2)")
        assert reasoner.step_all(states, [joint] * len(states)) == [
            reasoner.next_state(state, joint) for state in states
        ]

    def test_no_states_at_all(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        assert reasoner.expand_all([]) == []
        assert reasoner.view_all([]) == []
        assert reasoner.step_all([], []) == []

    def test_too_many_joint_moves_are_refused(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        state = reasoner.initial_state()
        with pytest.raises(TooManyJointMoves, match="9 joint moves"):
            reasoner.expand(state, max_joint_moves=8)
        assert len(reasoner.expand(state, max_joint_moves=9).successors) == 9
        assert reasoner.view(state).joint_move_count == 9

    def test_a_million_joint_moves_and_more_are_refused_at_once(self, open_game: OpenGame) -> None:
        roles = "".join(f"(role r{i})" for i in range(4))
        numbers = "".join(f"(n {i})" for i in range(40))
        reasoner = open_game(f"{roles} {numbers} (<= (legal ?r ?n) (role ?r) (n ?n))")
        with pytest.raises(TooManyJointMoves, match="2,560,000"):
            reasoner.expand(reasoner.initial_state())

    def test_every_reasoner_of_a_game_gives_the_same_order(self, open_game: OpenGame) -> None:
        answers: list[object] = []
        for _ in range(2):
            reasoner = open_game(LIGHTS)
            # The second one comes to know the facts in another order.
            reasoner.state_of(moves("(on 10)", "(on 2)") if answers else ())
            expansion = reasoner.expand(reasoner.initial_state())
            successors = [reasoner.text(state) for state in expansion.successors]
            answers.append((expansion.legal, successors))
        assert answers[0] == answers[1]

    def test_a_state_belongs_to_its_text(self, open_game: OpenGame) -> None:
        reasoner = open_game(LIGHTS)
        text = reasoner.text(after(reasoner, ("(switch 1)", "(switch 2)")))
        assert text == "(on 1)\n(on 2)\n(step 1)"
        assert reasoner.text(reasoner.state_of(map(parse_term, text.splitlines()))) == text
