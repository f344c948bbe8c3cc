"""Conformance: names that mean something elsewhere, letters of any script, any case."""

from __future__ import annotations

import pytest

from ggp.kif import parse_term
from tests.reasoner.games import OpenGame, after, facts, texts


def words(text: str) -> list[str]:
    """The words between the blanks; `split` without an argument knows other blanks, too."""
    return text.replace("\n", " ").split(" ")


ODD = words(
    "' \" \\ a'b '' \\' ` | ! . , : :- % /* %p [] [ ] {} [|] - + = \\+ @ $ 0'a a. Name _ _x\n"
    "1 01 -1 1.0 0x1 1e9 inf nan é 日本 😀 Ω a\u0301 '.:-halt.\n"
    "\u00a0 \u2028 \ufeff \ufffd \U0010ffff"
)
RELATIONS = words(
    "write halt append member assert fail call is nl catch throw table dynamic module length\n"
    "format print atom var findall user init start answer goal roles term news g:true static"
)


class Spelling:
    @pytest.mark.sample(8)
    @pytest.mark.parametrize("name", ODD)
    def test_any_symbol_is_a_name_like_any_other(self, open_game: OpenGame, name: str) -> None:
        reasoner = open_game(
            f"(role {name}) (init {name}) (init ({name} {name} z)) (<= ({name} ?x) (true ?x))"
            f"(<= (legal {name} ({name} ?x)) ({name} ?x)) (legal {name} {name})"
            f"(<= (next ?m) (does {name} ?m)) (<= (goal {name} 70) ({name} {name}))"
            f"(<= terminal (true ({name} {name})))"
        )
        state = reasoner.initial_state()
        assert texts(reasoner.roles) == [name]
        assert facts(reasoner, state) == sorted([name, f"({name} {name} z)"])
        expansion = reasoner.expand(state)
        moves = sorted([name, f"({name} {name})", f"({name} ({name} {name} z))"])
        assert texts(expansion.legal[0]) == moves
        assert [facts(reasoner, successor) for successor in expansion.successors] == [
            [move] for move in moves
        ]
        assert reasoner.is_terminal(after(reasoner, (f"({name} {name})",)))
        assert expansion.goals == (70,)
        unheard_of = parse_term(f"(x{name} ({name} y) {name})")
        assert reasoner.facts(reasoner.state_of([unheard_of])) == (unheard_of,)

    @pytest.mark.sample(8)
    @pytest.mark.parametrize("name", RELATIONS)
    def test_no_name_of_the_machinery_is_reserved(self, open_game: OpenGame, name: str) -> None:
        reasoner = open_game(
            f"(role x) (init here) ({name} 1 2 3) (<= ({name} 4 5 ?z) ({name} 1 2 ?z))"
            f"(<= (legal x ({name} ?a)) ({name} ?a ?b ?c)) (<= (next ({name})) (does x ({name} 4)))"
        )
        assert texts(reasoner.view(reasoner.initial_state()).legal[0]) == [
            f"({name} 1)",
            f"({name} 4)",
        ]
        assert facts(reasoner, after(reasoner, (f"({name} 4)",))) == [f"({name})"]
        assert facts(reasoner, after(reasoner, (f"({name} 1)",))) == []

    def test_numbers_are_names(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role x) (init (n 1)) (init (n 01)) (init (n 1.0)) (init (n +1))")
        assert facts(reasoner, reasoner.initial_state()) == ["(n +1)", "(n 01)", "(n 1)", "(n 1.0)"]

    def test_case_tells_names_apart_but_not_keywords(self, open_game: OpenGame) -> None:
        reasoner = open_game(
            "(ROLE X) (INIT (Cell A)) (Init (cell A)) (LEGAL X Go) (LEGAL X GO)"
            "(<= (NEXT (Cell ?X)) (DOES X Go) (TRUE (cell ?X)) (DISTINCT ?X a) (NOT (TRUE b)))"
            "(<= TERMINAL (True (cell B))) (<= (GOAL X 100) (OR (True (Cell A)) (True c)))"
        )
        state = reasoner.initial_state()
        expansion = reasoner.expand(state)
        assert texts(reasoner.roles) == ["X"]
        assert facts(reasoner, state) == ["(Cell A)", "(cell A)"]
        assert texts(expansion.legal[0]) == ["GO", "Go"]
        assert [facts(reasoner, s) for s in expansion.successors] == [[], ["(Cell A)"]]
        assert (expansion.terminal, expansion.goals) == (False, (100,))

    def test_variables_of_two_cases_are_two(self, open_game: OpenGame) -> None:
        reasoner = open_game("(role x) (p 1) (p 2) (<= (init (f ?a ?A)) (p ?a) (p ?A))")
        assert len(reasoner.facts(reasoner.initial_state())) == 4
