"""Terms from outside find the game's spelling, and capitals count where they tell things apart."""

from __future__ import annotations

import pytest

from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, parse, parse_term
from ggp.match import Percepts, PossibleStates, Spelling, game_spelling, joint_spelling
from ggp.reasoner import open_reasoner

MOVES = parse("(mark 1 x) (mark 1 o) (go a) (go A) noop")


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("(mark 1 x)", "(mark 1 x)"),
        ("(MARK 1 X)", "(mark 1 x)"),
        ("NoOp", "noop"),
        ("(go a)", "(go a)"),
        ("(go A)", "(go A)"),
        ("(GO A)", None),
        ("(mark 2 x)", None),
    ],
)
def test_a_move_is_found_in_any_case_unless_capitals_tell_two_apart(
    told: str, meant: str | None
) -> None:
    found = game_spelling(parse_term(told), MOVES)
    assert found == (None if meant is None else parse_term(meant))


def test_a_joint_move_keeps_what_is_not_legal() -> None:
    legal = [MOVES, MOVES]
    assert joint_spelling(parse("NOOP (JUMP 1)"), legal) == parse("noop (JUMP 1)")
    # one move too many is for others to complain about
    assert joint_spelling(parse("NOOP NOOP NOOP"), legal) == parse("NOOP NOOP NOOP")


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("(CELL 1 WHITE)", "(cell 1 white)"),
        ("(Cell 1 B)", "(cell 1 B)"),
        ("(cell 1 b)", "(cell 1 b)"),
        ("(HELD LEFT)", "(Held left)"),
        ("(STRANGE 7)", "(STRANGE 7)"),
        ("(TRUE (CELL ?X B))", "(true (cell ?X B))"),
    ],
)
def test_the_words_of_a_game_spell_any_term(told: str, meant: str) -> None:
    rules = """(role white) (init (cell 1 b)) (init (cell 2 B)) (<= (legal white left)
        (not (true (Held left))))"""
    assert Spelling(Description.from_text(rules)).of(parse_term(told)) == parse_term(meant)


#: The role hears `ping` or `PING`, whichever nature draws, and `noise` each time.
_HEARD = """
(role me) (role random)
(init (turn 1)) (succ 1 2) (succ 2 3)
(legal me wait) (legal random ping) (legal random PING)
(<= (sees me ?sound) (does random ?sound))
(<= (sees me noise) (does random ?sound))
(<= (next (turn ?m)) (true (turn ?n)) (succ ?n ?m))
(<= (next (drew ?sound)) (does random ?sound))
(<= terminal (true (turn 3)))
(goal me 50)
"""


@pytest.mark.parametrize("drawn", ["ping", "PING"])
def test_percepts_that_differ_by_capitals_alone_are_told_apart(drawn: str) -> None:
    game = PerceivedGame.of(Description.from_text(_HEARD), [Symbol("me")])
    with open_reasoner(game.description, kind="prolog") as reasoner:
        possible = PossibleStates(reasoner, game, Symbol("me"))
        heard = Percepts(Symbol("WAIT"), parse(f"NOISE {drawn}"))
        possible.advance(heard, Deadline.after(60))
        facts = {str(fact) for state in possible.probabilities for fact in reasoner.facts(state)}
    assert [fact for fact in sorted(facts) if fact.startswith("(drew")] == [f"(drew {drawn})"]
