"""States that random playouts of the larger games hardly ever reach."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pytest

from ggp.gdl import GoalVector
from ggp.kif import parse
from ggp.reasoner import View, open_reasoner
from tests.games.bundled import load
from tests.games.referees.boards.triad import touch

pytestmark = pytest.mark.usefixtures("forked")


def views(game: str, states: Iterable[str]) -> list[View]:
    """What the rules say of the states with these facts."""
    with open_reasoner(load(game)) as reasoner:
        return reasoner.view_all([reasoner.state_of(parse(facts)) for facts in states])


def end_after(game: str, facts: str, joint_move: str) -> GoalVector:
    """The goals after a joint move that must end the game."""
    with open_reasoner(load(game)) as reasoner:
        state = reasoner.state_of(parse(facts))
        assert not reasoner.is_terminal(state)
        reasoner.check_legal(state, parse(joint_move))
        after = reasoner.view(reasoner.next_state(state, parse(joint_move)))
    assert after.terminal
    return after.goals


def test_breakthrough_ends_when_the_last_pawn_is_captured() -> None:
    facts = "(control black) (pawn white 4 4) (pawn black 5 5)"
    assert end_after("breakthrough", facts, "noop (move 5 5 4 4)") == (0, 100)


def test_connect_four_is_drawn_on_a_full_board() -> None:
    # Columns of two and two, shifted by two in every second one: no four in line anywhere.
    discs = [
        (column, row, ("red", "yellow")[((row - 1) // 2 + column) % 2])
        for column in range(1, 8)
        for row in range(1, 7)
    ]
    *others, (column, row, player) = discs
    assert (column, row, player) == (7, 6, "yellow")
    facts = "(control yellow) " + " ".join(f"(disc {c} {r} {p})" for c, r, p in others)
    assert end_after("connectfour", facts, "noop (drop 7)") == (50, 50)


def test_eight_puzzle_ends_when_solved() -> None:
    tiles = "(tile 1 1 1) (tile 2 2 1) (tile 3 3 1) (tile 4 1 2) (tile 5 2 2) (tile 6 3 2)"
    facts = f"{tiles} (tile 7 1 3) (gap 2 3) (tile 8 3 3) (step 7)"
    assert end_after("eightpuzzle", facts, "(slide 8)") == (100,)
    assert end_after("eightpuzzle", facts.replace("(step 7)", "(step 30)"), "(slide 7)") == (0,)


def test_othello_counts_the_discs_on_a_full_board() -> None:
    squares = [(x, y) for x in range(1, 7) for y in range(1, 7)]

    def board(blacks: int) -> str:
        discs = (
            f"(disc {'black' if number < blacks else 'white'} {x} {y})"
            for number, (x, y) in enumerate(squares)
        )
        return "(control black) " + " ".join(discs)

    ends = views("othello6x6", map(board, [36, 19, 18, 17, 0]))
    assert all(end.terminal for end in ends)
    assert [end.goals for end in ends] == [(100, 0), (100, 0), (50, 50), (0, 100), (0, 100)]


def test_triad_counts_three_stones_exactly_when_they_touch_each_other() -> None:
    threes = list(combinations(range(10), 3))
    states = (
        "(control blue) " + " ".join(f"(stone green {cell + 1})" for cell in three)
        for three in threes
    )
    for three, end in zip(threes, views("triad", states), strict=True):
        together = all(touch(one, other) for one, other in combinations(three, 2))
        assert end.terminal == together
        assert end.goals == ((0, 100, 0) if together else (33, 33, 33))


def test_tron_riders_who_meet_both_crash() -> None:
    facts = "(rider red 2 3) (wall 2 3) (rider blue 4 3) (wall 4 3)"
    assert end_after("tron", facts, "east west") == (50, 50)


def test_tron_riders_cannot_pass_through_each_other() -> None:
    facts = "(rider red 2 3) (wall 2 3) (rider blue 3 3) (wall 3 3)"
    assert end_after("tron", facts, "east west") == (50, 50)
    assert end_after("tron", facts, "east north") == (0, 100)


def test_hounds_without_a_move_have_lost() -> None:
    facts = (
        "(control fox) (at fox 4 4) (at hounds 1 1) (at hounds 3 1) (at hounds 5 1) (at hounds 7 1)"
    )
    assert end_after("foxandhounds", facts, "(move 4 4 5 5) noop") == (100, 0)
