"""A small mistake in a game's rules is found, its rule is named first, and a change heals it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from ggp.authoring.explain import explain
from ggp.authoring.new import new_rules
from ggp.compiler.circuit.build import build_circuit
from ggp.deadline import Deadline
from ggp.gdl import Description
from ggp.kif import parse_term
from ggp.prove import Question, Verdict, prove
from ggp.prove.claims import content_places
from ggp.prove.repair import Repairs
from ggp.prove.repair.changes import small_changes
from ggp.prove.repair.variants import Variants
from tests.cli.command import ggp

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"


@dataclass(frozen=True)
class Mistake:
    """A mistake that an author might make."""

    game: str
    #: A part of the rules, what it becomes, and the beginning of the rule that it is in.
    old: str
    new: str
    rule: str
    #: A claim that is refuted then.
    question: str
    #: What the author is told to do, if only one change is sensible.
    change: str = ""

    def planted(self) -> tuple[Description, int]:
        """Return the game with the mistake, and the line of its rule."""
        text = board() if self.game == "board" else (GAMES / f"{self.game}.kif").read_text()
        assert text.count(self.old) == 1
        text = text.replace(self.old, self.new)
        return Description.from_text(text), text[: text.index(self.rule)].count("\n") + 1


def board() -> str:
    """The game that `ggp new` begins with: cells with a content each, empty at first."""
    return new_rules("Lines", ["red", "blue"], kind="board")


MISTAKES = {
    "a line of empty cells": Mistake(
        "board",
        "(<= (line ?player)\n    (role ?player)\n",
        "(<= (line ?player)\n",
        "(<= (line ?player)",
        "begins",
        "add (distinct ?player empty)",
    ),
    "a frame of one coordinate": Mistake(
        "board",
        "(true (cell ?x ?y ?content))\n    (not (marked ?x ?y))",
        "(true (cell ?x ?y ?content))\n    (does ?player (mark ?a ?b))\n    (distinct ?x ?a)",
        "(<= (next (cell ?x ?y ?content))",
        "keeps-content (cell ? ? *)",
        "replace (distinct ?x ?a) by (or (distinct ?x ?a) (distinct ?y ?b))",
    ),
    "a frame that keeps too much": Mistake(
        "board",
        "\n    (not (marked ?x ?y)))",
        ")",
        "(<= (next (cell ?x ?y ?content))",
        "one-content (cell ? ? *)",
        "add (not (marked ?x ?y))",
    ),
    "a goal of the wrong role": Mistake(
        "tictactoe",
        "(opponent ?player ?other)\n    (line ?other))",
        "(opponent ?player ?other)\n    (line ?player))",
        "(<= (goal ?player 0)",
        "goals x",
    ),
    "a goal without its condition": Mistake(
        "tictactoe",
        "(role ?player)\n    (not decided))",
        "(role ?player))",
        "(<= (goal ?player 50)",
        "goals x",
        "add (not decided)",
    ),
    "a waiting move that is sometimes missing": Mistake(
        "tictactoe",
        "(<= (legal ?player noop)\n",
        "(<= (legal ?player noop)\n    (not open)\n",
        "(<= (legal ?player noop)",
        "playable o",
        "remove (not open)",
    ),
    "a negation that is missing": Mistake(
        "breakthrough",
        "(<= (goal ?player 0)\n    (role ?player)\n    (not (winner ?player)))",
        "(<= (goal ?player 0)\n    (role ?player)\n    (winner ?player))",
        "(<= (goal ?player 0)",
        "goals white",
        "replace (winner ?player) by (not (winner ?player))",
    ),
    "an end with a condition too many": Mistake(
        "connectfour5x5",
        "(<= terminal\n    (not open))",
        "(<= terminal\n    (not open)\n    decided)",
        "(<= terminal\n    (not open)",
        "playable yellow",
        "remove decided",
    ),
    "a pile that is never empty": Mistake(
        "nim",
        "(does ?player (take ?k))\n    (minus ?m ?k ?n))",
        "(does ?player (take ?k))\n    (minus ?m ?k ?n)\n    (distinct ?n 0))",
        "(<= (next (pile ?n))",
        "playable first",
        "remove (distinct ?n 0)",
    ),
}


def faults(description: Description, seconds: float) -> dict[str, Verdict]:
    found = prove(description, seconds=seconds)
    return {str(verdict.question): verdict for verdict in found if verdict.is_fault}


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found_its_rule_is_named_first_and_a_change_heals_it(name: str) -> None:
    mistake = MISTAKES[name]
    description, line = mistake.planted()
    fault = faults(description, 4)[mistake.question]
    assert fault.places(description)[0].line == line
    assert fault.repair is not None
    assert mistake.change in fault.repair.what
    position = description.terms[fault.repair.number].position
    assert position is not None
    assert position.line == line
    terms = list(description.terms)
    terms[fault.repair.number] = parse_term(fault.repair.statement)
    assert not faults(Description.from_terms(terms), 2)


@pytest.mark.long
def test_the_last_state_is_drawn_and_the_change_is_told(tmp_path: Path) -> None:
    description, line = MISTAKES["a frame of one coordinate"].planted()
    path = tmp_path / "game.kif"
    path.write_text(description.source.text)
    finished = ggp("prove", str(path), "--seconds", "3")
    assert finished.code == 1
    told = finished.out[finished.out.index("keeps-content (cell ? ? *): ") :].splitlines()
    board = told[told.index("  the last state:") + 1 :][:5]
    # One row or column of cells is empty, but for the cell that was marked.
    assert [row[6:8] for row in board] == ["4 ", "3 ", "2 ", "1 ", "  "]
    assert sum(row.count(".") for row in board) == 12
    assert sum(row.count("red") for row in board) == 1
    assert f"{path}:{line}:1: a rule to look at" in finished.out
    assert f"a change that heals it in line {line}: replace (distinct ?x ?a) by" in finished.out


def test_facts_are_listed_where_a_cell_has_two_contents() -> None:
    description, _ = MISTAKES["a frame that keeps too much"].planted()
    facts = tuple(parse_term(f"(cell {x} 1 {content})") for x in (1, 2) for content in "xo")
    question = Question.about("one-content", None, "(cell ? ? *)", expected=True)
    fault = Verdict(question, "refuted", "play", 0.0, witness=(), last_state=facts)
    lines = list(explain(description, fault))
    assert lines == ["the last state:", "    (cell 1 1 o) (cell 1 1 x) (cell 2 1 o) (cell 2 1 x)"]


def test_a_game_without_a_mistake_needs_no_change() -> None:
    assert not faults(Description.load("nim"), 1)


def test_changes_are_safe_stratified_and_each_is_there_once() -> None:
    description = Description.load("tictactoe")
    changes = small_changes(description, statements=range(len(description.terms)))
    assert len({(change.number, str(change.statement)) for change in changes}) == len(changes)
    assert [change.cost for change in changes] == sorted(change.cost for change in changes)
    whats = {change.what for change in changes}
    assert {
        "remove (free ?column ?row)",
        "add (not decided)",
        "add (distinct ?column ?row)",
    } <= whats
    # All together are one game that can be compiled: no cycle, no variable that nothing binds.
    places = list(content_places(build_circuit(description)))
    assert Variants(description, changes, places=places, time_limit=60).changes == changes


def test_variants_play_as_the_changed_games_do() -> None:
    description, line = MISTAKES["a frame that keeps too much"].planted()
    places = list(content_places(build_circuit(description)))
    (number,) = (n for n, t in enumerate(description.terms) if t.position and t.position[0] == line)
    changes = [
        change
        for change in small_changes(description, statements=[number])
        if change.what in ("add (not (marked ?x ?y))", "add (distinct ?x ?y)", "add (index ?x)")
    ]
    assert len(changes) == 3
    variants = Variants(description, changes, places=places, time_limit=60)
    played = variants.played(range(3), deadline=Deadline.after(60))
    sound = [c.what for c, found in zip(changes, played, strict=True) if found.is_sound]
    assert sound == ["add (not (marked ?x ?y))"]
    question = Question.about("one-content", None, "(cell ? ? *)", expected=True)
    play = [(parse_term("(mark 1 2)"), parse_term("noop"))]
    healed = variants.healed(question, play)
    assert [changes[n].what for n in healed] == ["add (not (marked ?x ?y))"]
    assert healed[next(iter(healed))].is_whole
    # (index ?x) holds of every cell, so that nothing differs.
    shares = variants.differences(range(3), deadline=Deadline.after(60))
    assert [share > 0 for share in shares] == [c.what != "add (index ?x)" for c in changes]


def test_no_change_is_looked_for_where_a_condition_of_the_author_is_refuted() -> None:
    description = Description.load("nim")
    repairs = Repairs(description, places=(), prove=lambda _: ())
    question = Question.about("never", None, "(true (pile 6))")
    found = repairs.healing(question, (), suspects=(0,), deadline=Deadline.after(5))
    assert repairs.proved(found, doubts=(), deadline=Deadline.after(5)) is None
