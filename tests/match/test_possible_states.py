"""The possible states against a second way to them: the hand-written referees of the games."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest

from ggp.deadline import Deadline, TimeUp
from ggp.gdl import Description
from ggp.gdl.percepts import PerceivedGame
from ggp.kif import Symbol, Term, parse, parse_term
from ggp.match import (
    LocalPlayer,
    MatchFinished,
    MoveMade,
    Percepts,
    PossibleStates,
    flat_monte_carlo,
)
from ggp.match.histories.process import HistoryProcess
from ggp.match.histories.turn import Turn
from ggp.reasoner import Reasoner, open_reasoner
from tests.games.bundled import load
from tests.games.referees.boards.kriegtictactoe import Night, referee
from tests.match.fakes import answers, fake_player
from tests.match.histories.games import WIDE
from tests.match.participants import Fixed
from tests.match.test_referee import HEARING, THREE, play, remote

pytestmark = pytest.mark.usefixtures("forked")

Belief = dict[Night, float]

#: Two hands of three cards of 25, dealt one after the other: a move has 13,800 outcomes.
DEAL_OF_THREE = f"""
(role me) (role you) (role random) {" ".join(f"(card {n})" for n in range(25))}
(init (turn yours)) (after yours mine) (after mine play) (after play over)
(to yours you) (to mine me)
(<= (legal random (deal ?p ?a ?b ?c)) (true (turn ?t)) (to ?t ?p)
    (card ?a) (card ?b) (card ?c) (distinct ?a ?b) (distinct ?a ?c) (distinct ?b ?c))
(<= (legal random wait) (true (turn play)))
(<= (legal ?p wait) (role ?p) (distinct ?p random) (not (true (turn play))))
(<= (legal ?p (play ?c)) (true (turn play)) (true (hand ?p ?c)))
(<= (next (hand ?p ?a)) (does random (deal ?p ?a ?b ?c)))
(<= (next (hand ?p ?b)) (does random (deal ?p ?a ?b ?c)))
(<= (next (hand ?p ?c)) (does random (deal ?p ?a ?b ?c)))
(<= (next (hand ?p ?c)) (true (hand ?p ?c)))
(<= (next (turn ?y)) (true (turn ?x)) (after ?x ?y))
(<= (sees ?p (dealt ?a ?b ?c)) (does random (deal ?p ?a ?b ?c)))
(<= terminal (true (turn over))) (<= (goal ?p 50) (role ?p))
"""


@contextmanager
def opened(
    name: str, role: str, *, kind: str = "auto", max_states: int = 1000
) -> Iterator[tuple[Reasoner, PossibleStates]]:
    game = PerceivedGame.of(load(name), [Symbol(role)])
    with open_reasoner(game.description, kind=kind) as reasoner:
        yield reasoner, PossibleStates(reasoner, game, Symbol(role), max_states=max_states)


def seen(move: str, *percepts: str) -> Percepts:
    return Percepts(parse_term(move), tuple(map(parse_term, percepts)))


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["prolog", "compiled"])
def test_opening_a_door_changes_the_probabilities_of_the_others(kind: str) -> None:
    with opened("montyhall", "candidate", kind=kind) as (reasoner, possible):
        possible.advance(seen("noop"), Deadline())
        assert list(possible.probabilities.values()) == pytest.approx([1 / 3] * 3)
        possible.advance(seen("(choose 1)"), Deadline())
        possible.advance(seen("NOOP", "(OPENED 3)"), Deadline())
        likely = {
            str(reasoner.facts(state)[0]): probability
            for state, probability in possible.probabilities.items()
        }
        assert likely == pytest.approx({"(car 1)": 1 / 3, "(car 2)": 2 / 3})
        assert possible.is_complete
        assert list(map(str, possible.legal)) == ["keep", "switch"]
        *_, best = flat_monte_carlo(
            reasoner, 0, possible.legal, lambda: possible.sample(1)[0], Deadline.after(1)
        )
    assert str(best) == "switch"


def test_a_long_history_is_replayed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PossibleStates, "_following", lambda _self, state, _step: [state])
    with opened("montyhall", "candidate") as (reasoner, possible):
        possible._steps = [seen("noop")] * 2000
        # without a deadline: it stops when it finds the same state again and again
        assert list(possible._replayed(Deadline())) == [reasoner.initial_state()]


def test_where_no_state_agrees_play_goes_on_with_guesses() -> None:
    with opened("montyhall", "candidate") as (_, possible):
        possible.advance(seen("noop", "(opened 1)"), Deadline.after(1))
        assert possible.is_guess
        assert not possible.is_complete
        assert list(map(str, possible.legal)) == ["(choose 1)", "(choose 2)", "(choose 3)"]


def test_a_game_is_open_as_long_as_the_state_is_known() -> None:
    with opened("montyhall", "candidate") as (_, possible):
        assert not possible.is_open  # there was no turn that might have hidden anything
        possible.advance(seen("noop"), Deadline())
        assert not possible.is_open  # a car is behind one of three doors
    with opened("montyhall", "random") as (_, possible):
        possible.advance(seen("(hide 1)"), Deadline())
        assert possible.is_open
        possible.advance(seen("noop"), Deadline())
        assert not possible.is_open  # it does not see which door was chosen


def test_a_joint_move_that_is_known_leaves_one_state() -> None:
    with opened("montyhall", "candidate") as (reasoner, possible):
        possible.advance(tuple(parse("noop (hide 2)")), Deadline())
        (state,) = possible.probabilities
        assert "(car 2)" in reasoner.text(state)


def percepts(before: Night, after: Night, player: int) -> tuple[str, ...]:
    """What a player of tic-tac-toe in the dark is told, in plain Python."""
    is_success = before.board != after.board
    if is_success:
        return ("your_turn",) if player != before.player else ()
    return ("not_free",) if player == before.player else ()


def filtered(belief: Belief, player: int, move: str, told: tuple[str, ...]) -> Belief:
    """The belief of a player after its move, by the referee."""
    after: defaultdict[Night, float] = defaultdict(float)
    for state, probability in belief.items():
        others = referee.moves(state)[1 - player]
        for other in others:
            joint_move = (move, other) if player == 0 else (other, move)
            following = referee.after(state, joint_move)
            if percepts(state, following, player) == told and not referee.is_over(following):
                after[following] += probability / len(others)
    total = sum(after.values())
    return {state: probability / total for state, probability in after.items()}


def facts(state: Night) -> str:
    """The state as its facts, sorted, one a line."""

    def place(square: int) -> str:
        return f"{square % 3 + 1} {square // 3 + 1}"

    found = [f"(control {'xo'[state.player]})"]
    found += [f"(mark {place(s)} {mark})" for s, mark in enumerate(state.board) if mark != "."]
    found += [
        f"(tried {'xo'[player]} {place(square)})"
        for player in (0, 1)
        for square in state.tried[player]
    ]
    return "\n".join(sorted(found))


class LotMatch:
    """A match by lot in the dark, with what each turn tells one of the players."""

    def __init__(self, player: int, *, seed: int) -> None:
        self.player = player
        self._random = random.Random(seed)

    def steps(self) -> Iterator[tuple[str, tuple[str, ...], Night]]:
        """Give the player's move, what it is told, and the state after it, until the end."""
        state = referee.start
        while True:
            joint_move = tuple(map(self._random.choice, referee.moves(state)))
            after = referee.after(state, joint_move)
            if referee.is_over(after):
                return
            yield joint_move[self.player], percepts(state, after, self.player), after
            state = after


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_every_state_and_its_probability_agree_with_the_referees(player: int, seed: int) -> None:
    with opened("kriegtictactoe", "xo"[player], kind="compiled", max_states=20_000) as (
        reasoner,
        possible,
    ):
        belief: Belief = {referee.start: 1.0}
        for move, told, _ in LotMatch(player, seed=seed).steps():
            belief = filtered(belief, player, move, told)
            possible.advance(seen(move, *told), Deadline())
            named = {
                own_text(reasoner, state): probability
                for state, probability in possible.probabilities.items()
            }
            expected = {facts(state): probability for state, probability in belief.items()}
            assert named == pytest.approx(expected)
        assert possible.is_complete


@pytest.mark.long
@pytest.mark.parametrize("max_states", [1, 5])
def test_a_sample_goes_on_with_states_that_agree(max_states: int) -> None:
    lost = 0
    for seed in range(4):
        player = seed % 2
        with opened("kriegtictactoe", "xo"[player], kind="compiled", max_states=max_states) as (
            reasoner,
            possible,
        ):
            belief: Belief = {referee.start: 1.0}
            for move, told, after in LotMatch(player, seed=seed).steps():
                belief = filtered(belief, player, move, told)
                possible.advance(seen(move, *told), Deadline.after(60))
                known = {facts(state) for state in belief}
                assert all(own_text(reasoner, s) in known for s in possible.probabilities)
                expected = referee.moves(after)[player]
                assert sorted(map(str, possible.legal)) == sorted(expected)
            lost += not possible.is_complete
    assert lost  # else nothing was sampled


def test_without_time_a_player_continues_with_some_of_the_states(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ggp.match.possible_states._BATCH", 16)
    with opened("kriegtictactoe", "x", kind="compiled", max_states=20_000) as (_, possible):
        for move in ("(place 1 1)", "noop", "(place 2 2)", "noop", "(place 3 2)", "noop"):
            told = ("your_turn",) if move == "noop" else ()
            possible.advance(seen(move, *told), Deadline.after(0))
        assert not possible.is_complete
        tried = {"(place 1 1)", "(place 2 2)", "(place 3 2)"}
        assert len(possible.legal) == 6
        assert tried.isdisjoint(map(str, possible.legal))


def own_text(reasoner: Reasoner, state: bytes) -> str:
    lines = reasoner.text(state).split("\n")
    return "\n".join(line for line in lines if not line.startswith("(percept"))


def test_after_an_impossible_turn_the_next_one_is_guessed_as_well() -> None:
    with opened("montyhall", "candidate") as (_, possible):
        possible.advance(seen("noop", "nonsense"), Deadline.after(0.2))
        possible.advance(seen("(choose 1)"), Deadline.after(0.2))
        assert possible.is_guess
        assert list(map(str, possible.legal)) == ["noop"]


class Told:
    """Stands for the process that looks for histories."""

    def __init__(self, *answers: list[str] | type[Exception]) -> None:
        self._answers = list(answers)
        self.turns: list[Turn] = []
        self.is_closed = False

    def advance(self, turn: Turn) -> None:
        self.turns.append(turn)

    def draw(self, count: int, deadline: Deadline) -> Iterator[tuple[Term, ...]]:
        answer = self._answers.pop(0)
        if isinstance(answer, type):
            raise answer
        yield from (tuple(parse(text)) for text in answer[:count])

    def close(self) -> None:
        self.is_closed = True


@contextmanager
def dealt(told: Told) -> Iterator[PossibleStates]:
    """A game in which a move of `random` has 1,600 outcomes."""
    game = PerceivedGame.of(Description.from_text(WIDE), [Symbol("me")])
    with (
        open_reasoner(game.description, kind="prolog") as reasoner,
        PossibleStates(
            reasoner, game, Symbol("me"), histories=cast("HistoryProcess", told), max_states=50
        ) as possible,
    ):
        yield possible


def test_where_moves_are_too_many_the_states_are_those_of_histories() -> None:
    told = Told(["(step 1) (has 7)", "(step 1) (has 9)"])
    with dealt(told) as possible:
        possible.advance(seen("WAIT", "QUIET"), Deadline())
        assert len(possible.probabilities) == 2
        assert (possible.is_complete, possible.is_guess) == (False, False)
        (turn,) = told.turns
        assert (str(turn.own_move), list(map(str, turn.percepts))) == ("wait", ["quiet"])
        assert {role.text: len(moves) for role, moves in turn.some.items()} == {"random": 300}
    assert told.is_closed


def test_a_state_that_comes_late_is_better_than_a_guess() -> None:
    with dealt(Told(TimeUp, ["(step 1) (has 7)"])) as possible:
        possible.advance(seen("wait", "quiet"), Deadline(0), Deadline())
        assert not possible.is_guess
        assert len(possible.probabilities) == 1


def test_without_histories_the_history_is_replayed() -> None:
    told = Told(EOFError)
    with dealt(told) as possible:
        possible.advance(seen("wait", "quiet"), Deadline())
        assert told.is_closed
        assert not possible.is_guess
        possible.advance(seen("wait", "(first 7)"), Deadline.after(20))
        assert not possible.is_guess


def test_without_any_state_in_time_a_guess_is_made() -> None:
    with dealt(Told(TimeUp, TimeUp)) as possible:
        possible.advance(seen("wait", "quiet"), Deadline(0))
        assert possible.is_guess
        assert list(map(str, possible.legal)) == ["wait"]


def test_a_first_guess_looks_at_no_percept() -> None:
    with dealt(Told()) as possible:
        assert list(map(str, possible.guess(seen("WAIT", "nonsense")))) == ["wait"]


@pytest.mark.long
def test_the_hand_of_a_large_deal_is_known() -> None:
    rules = DEAL_OF_THREE
    me = Symbol("me")
    game = PerceivedGame.of(Description.from_text(rules), [me])
    with (
        open_reasoner(game.description, kind="prolog") as reasoner,
        HistoryProcess(game, me) as histories,
        PossibleStates(reasoner, game, me, histories=histories) as possible,
    ):
        possible.advance(seen("wait"), Deadline.after(60))
        possible.advance(seen("wait", "(dealt 4 15 16)"), Deadline.after(60))
        assert list(map(str, possible.legal)) == ["(play 15)", "(play 16)", "(play 4)"]
        assert len(possible.probabilities) > 1


@pytest.mark.long
def test_a_sure_move_is_preferred_to_a_lottery() -> None:
    rules = """
        (role me) (role random) (init (step 1)) (succ 1 2) (succ 2 3)
        (side left) (side right)
        (<= (legal random (hide ?s)) (true (step 1)) (side ?s)) (<= (legal me noop) (true (step 1)))
        (<= (legal random noop) (true (step 2))) (<= (legal me safe) (true (step 2)))
        (<= (legal me (take ?s)) (true (step 2)) (side ?s))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= (next (prize ?s)) (does random (hide ?s))) (<= (next (prize ?s)) (true (prize ?s)))
        (<= (next (took ?s)) (does me (take ?s))) (<= (next saved) (does me safe))
        (<= (sees me nothing) (true never))
        (<= terminal (true (step 3)))
        (<= found (true (took ?s)) (true (prize ?s)))
        (<= (goal me 100) found) (<= (goal me 80) (true saved))
        (<= (goal me 0) (not found) (not (true saved))) (goal random 0)
    """
    game = PerceivedGame.of(Description.from_text(rules), [Symbol("me")])
    with open_reasoner(game.description, kind="compiled") as reasoner:
        possible = PossibleStates(reasoner, game, Symbol("me"))
        possible.advance(seen("noop"), Deadline())
        assert len(possible.probabilities) == 2
        *_, best = flat_monte_carlo(
            reasoner, 0, possible.legal, lambda: possible.sample(1)[0], Deadline.after(2)
        )
    assert str(best) == "safe"


#: The first two turns of a match.
BEFORE = [(parse_term("(pick 3)"), parse_term(f"(pick {number})")) for number in (1, 2)]


def test_a_match_goes_on_after_turns_of_which_each_player_is_told_what_it_saw() -> None:
    left, right = LocalPlayer("legal"), Fixed("(pick 1)")
    events, record = play(HEARING, left, right, played=BEFORE)
    assert right.history == [Percepts(move, ()) for _, move in BEFORE]
    assert right.told[:2] == ["start right", "play (pick 2): "]
    assert [event.step for event in events if isinstance(event, MoveMade)] == [1]
    assert (record.errors, record.is_completed) == ((("", ""),) * 2, True)


def test_a_remote_player_is_sent_the_turns_before_one_by_one() -> None:
    with fake_player(answers("(pick 3)")) as player:
        play(HEARING, remote(player), Fixed("(pick 1)"), played=BEFORE)
        messages = [message.split(maxsplit=3)[3] for message in player.messages[1:]]
    assert messages == [
        "0 NIL NIL )",
        "1 (pick 3) (bell one ) )",
        "2 (pick 3) (bell ) )",
        "3 (pick 3) (bell one ) )",
    ]


def test_a_turn_seconds_that_is_not_legal_ends_the_match() -> None:
    turn = (THREE, parse_term("(pick 9)"))
    events, _ = play(HEARING, Fixed("x"), Fixed("x"), played=[turn])
    assert events == [MatchFinished(None, "right may not do (pick 9)")]
