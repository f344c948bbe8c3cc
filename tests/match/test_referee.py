from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError, ReasonerUnavailable
from ggp.gdl import Description
from ggp.kif import Compound, Symbol, parse_term
from ggp.match import (
    Address,
    Event,
    LocalPlayer,
    MatchFinished,
    MatchRecord,
    MatchSettings,
    MatchStarted,
    MoveMade,
    Participant,
    PlayersReady,
    Referee,
    RemotePlayer,
    Scrambled,
    TurnBegan,
    make_participant,
    new_match_id,
    seats,
)
from ggp.reasoner import JointMove, open_reasoner
from tests.match.fakes import (
    Behaviour,
    FakePlayer,
    answers,
    dribbles,
    fake_player,
    reply,
    sends,
)
from tests.match.games import CASES, COIN, ENDLESS_RULES, FORK, GOALLESS, MARK, PICK, STUCK
from tests.match.participants import Fixed, Stubborn

pytestmark = pytest.mark.usefixtures("forked")

THREE = parse_term("(pick 3)")


def settings(
    rules: str, *, start_clock: float = 60, play_clock: float = 30, name: str = "test"
) -> MatchSettings:
    return MatchSettings(new_match_id(name), Description.from_text(rules), start_clock, play_clock)


def play(
    rules: str,
    *participants: Participant,
    play_clock: float = 30,
    start_clock: float = 60,
    seed: int | None = None,
    played: Sequence[JointMove] = (),
) -> tuple[list[Event], MatchRecord]:
    configured = settings(rules, play_clock=play_clock, start_clock=start_clock)
    with Referee(configured, participants, seed=seed, played=played) as referee:
        events = list(referee.run())
    assert MatchRecord.from_json(referee.record.to_json()) == referee.record
    return events, referee.record


def test_local_players_play_to_the_end() -> None:
    events, record = play(PICK, LocalPlayer("legal"), LocalPlayer("random:seed=1"))
    started, ready, *turns, finished = events
    moves = [event for event in turns if isinstance(event, MoveMade)]
    assert isinstance(started, MatchStarted)
    assert list(map(str, started.roles)) == ["left", "right"]
    assert started.players == ("legal", "random:seed=1")
    assert isinstance(ready, PlayersReady)
    assert ready.errors == ("", "")
    assert len(moves) == 3
    assert finished == MatchFinished((0, 50))
    assert (record.is_completed, record.is_aborted, record.goal_values) == (True, False, (0, 50))
    assert [str(joint_move[0]) for joint_move in record.moves] == ["(pick 1)"] * 3
    assert record.errors == (("", ""),) * 4
    assert record.player_names == ("legal", "random:seed=1")
    assert list(map(str, record.states[0])) == ["(step 0)"]


def test_everyone_hears_what_was_played_and_how_it_ended() -> None:
    left, right = Fixed("(pick 3)"), Fixed("(pick 2)")
    play(PICK, left, right)
    assert left.told == [
        "start left",
        "play None",
        "play (pick 3) (pick 2)",
        "play (pick 3) (pick 2)",
        "stop (pick 3) (pick 2)",
        "close",
    ]
    assert right.told[0] == "start right"


def test_the_referee_plays_random_and_repeats_it_with_a_seed() -> None:
    games = [play(COIN, Fixed("wait"), seed=seed)[1].moves for seed in (1, 1, 2, 3, 4, 5, 6, 7)]
    assert games[0] == games[1]
    assert len(set(games)) > 1
    assert {str(joint_move[1]) for moves in games for joint_move in moves} == {"heads", "tails"}


def test_seats_leave_random_out() -> None:
    assert list(map(str, seats(Description.from_text(COIN)))) == ["me"]
    _, record = play(COIN, Fixed("wait", name="visitor"))
    assert record.player_names == ("visitor", "random")


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_wrong_number_of_players_is_refused(count: int) -> None:
    with pytest.raises(PlayerError, match=f"{count} players for 2 roles: left, right"):
        Referee(settings(PICK), [Fixed("x") for _ in range(count)])


#: Only left hears when right picks 1; right hears nothing.
HEARING = PICK + "(<= (sees left one) (does right (pick 1))) (sees left bell)"


def test_in_gdl_2_each_player_is_told_only_its_percepts() -> None:
    left, right = Fixed("(pick 3)"), Fixed("(pick 1)")
    _, record = play(HEARING, left, right)
    heard = "(pick 3): bell one"
    assert left.told[1:5] == ["play None", *[f"play {heard}"] * 2, f"stop {heard}"]
    assert right.told[1:5] == ["play None", *["play (pick 1): "] * 2, "stop (pick 1): "]
    assert record.is_completed
    assert all("percept" not in str(fact) for facts in record.states for fact in facts)


def test_a_remote_player_of_gdl_2_is_told_its_percepts_in_the_later_form() -> None:
    with fake_player(answers("(pick 3)")) as player:
        address = Address.parse(player.url)
        assert address is not None
        play(HEARING, RemotePlayer(address), Fixed("(pick 1)"))
        messages = [message.split(maxsplit=3)[3] for message in player.messages[1:]]
    assert messages == [
        "0 NIL NIL )",
        "1 (pick 3) (bell one ) )",
        "2 (pick 3) (bell one ) )",
        "3 (pick 3) (bell one ) )",
    ]


@pytest.mark.long
def test_a_player_that_knows_only_gdl_1_is_told_the_joint_moves_and_the_end() -> None:
    def behave(connection: socket.socket, message: str) -> bool:
        term = parse_term(message)
        assert isinstance(term, Compound)
        if term.name in ("PLAY", "STOP") and len(term.items) != 3:
            return True  # as ggp-base's players: dropped without a reply
        connection.sendall(reply("(pick 3)"))
        return False

    with fake_player(behave) as player:
        _, record = play(HEARING, remote(player), Fixed("(pick 1)"), play_clock=0.1)
        messages = [message.split(maxsplit=3)[3] for message in player.messages[1:]]
    assert [left for left, _ in record.errors] == ["", "TO", "", ""]
    played = "(" + " ".join(map(str, record.moves[0])) + " ) )"
    assert messages == ["0 NIL NIL )", played, "((pick 3) (pick 1) ) )", "((pick 3) (pick 1) ) )"]


def test_a_player_that_does_not_understand_stop_is_sent_abort(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ggp.match.referee._STOP", 0.4)

    def behave(connection: socket.socket, message: str) -> bool:
        if message.startswith("( STOP"):
            return True
        connection.sendall(reply("(mark 2)"))
        return False

    with fake_player(behave) as player:
        play(MARK, remote(player))
        player.wait_for("ABORT")


def test_a_scrambled_player_of_gdl_2_is_told_its_percepts_in_other_words() -> None:
    inner = Fixed("(pick 3)")
    play(HEARING, Scrambled(inner, seed=1), Fixed("(pick 1)"))
    assert inner.told[2].startswith("play ")
    assert inner.told[2].count(" ") == 4  # a move of two words, two percepts
    assert "bell" not in inner.told[2]


@pytest.mark.parametrize("answer", ["(MARK 2)", "(Mark 2)"])
def test_a_move_in_capitals_is_the_move_of_the_game(answer: str) -> None:
    _, record = play(MARK, Fixed(answer))
    assert record.errors == (("",), ("",))
    assert record.moves == ((parse_term("(mark 2)"),),)


@pytest.mark.parametrize(
    ("answer", "made"), [("(go a)", "(go a)"), ("(go A)", "(go A)"), ("(GO A)", None)]
)
def test_capitals_count_where_two_moves_differ_by_them(answer: str, made: str | None) -> None:
    _, record = play(CASES, Fixed(answer))
    assert record.errors == (("",), ("" if made else f"IL {answer}",))
    if made:
        assert record.moves == ((parse_term(made),),)


# What remote players may do, and what ggp-base's server made of it; ours does the same, but that
# it sees through a player that dribbles, and calls an empty body an error. ggp-base was asked by
# its library, to which capitals count; its application takes them as ours does.
MISBEHAVIOUR: dict[str, tuple[Behaviour, str]] = {
    "extra blanks": (sends(reply("  (  mark   2 )  \r\n")), ""),
    "junk after the move": (sends(reply("(mark 2) and more )")), ""),
    "HTTP 500": (sends(reply("(mark 2)", status="500 Oops")), ""),
    "headers with LF only": (sends(reply("(mark 2)", end="\n")), ""),
    "no Content-Length, closed": (sends(reply("(mark 2)", header="X: y")), ""),
    "Content-Length, kept open": (sends(reply("(mark 2)"), keep_open=True), ""),
    "in capitals": (sends(reply("(MARK 2)")), ""),
    "no Content-Length, kept open": (
        sends(reply("(mark 2)", header="X: y"), keep_open=True),
        "TO",
    ),
    "silence": (sends(b"", keep_open=True), "TO"),
    "dribbling": (dribbles(reply("(mark 2)"), seconds=0.2), "TO"),
    "an illegal move": (sends(reply("(mark 3)")), "IL (mark 3)"),
    "nil": (sends(reply("nil")), "IL nil"),
    "unbalanced": (sends(reply("(mark 2")), "IL (mark 2"),
    "closing parenthesis": (sends(reply(") (mark 2)")), "IL ) (mark 2)"),
    "nesting too deep": (sends(reply("(" * 300 + ")" * 300)), "IL " + "(" * 100),
    "chunked": (
        sends(reply("8\r\n(mark 2)\r\n0\r\n\r\n", header="Transfer-Encoding: chunked")),
        "IL 8",
    ),
    "another service": (sends(reply("INTERNAL-TOKEN-7 (mark 2)")), "IL"),
    "a page with an error": (sends(reply("<!DOCTYPE html><p>(mark 2)")), "IL"),
    "a foreign word in a move": (sends(reply("(mark INTERNAL-TOKEN-7)")), "IL"),
    "a foreign word that is cut off": (sends(reply("mark" + " INTERNAL" * 99)), "IL mark"),
    "Content-Length too short": (sends(reply("(mark 2)", length=6)), "IL (mark"),
    "no headers": (sends(b"(mark 2)"), "CE"),
    "closed at once": (sends(b""), "CE"),
    "empty body": (sends(reply("")), "CE"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("case", MISBEHAVIOUR)
def test_misbehaving_players_forfeit_nothing_but_their_move(case: str) -> None:
    behave, error = MISBEHAVIOUR[case]
    began = time.monotonic()
    play_clock = 0.2 if error == "TO" else 10
    with fake_player(behave) as player:
        events, record = play(MARK, remote(player), play_clock=play_clock, seed=5)
    assert time.monotonic() - began < 20
    assert record.errors == (("",), (error,))
    assert record.is_completed
    assert events[-1] == MatchFinished(record.goal_values)
    if not error:
        assert record.goal_values == (100,)
    assert [message.split()[1] for message in player.messages] == ["START", "PLAY", "STOP"]


def remote(player: FakePlayer) -> RemotePlayer:
    address = Address.parse(player.url)
    assert address is not None
    return RemotePlayer(address)


def test_a_closed_port_is_a_connection_error_each_time() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    _, record = play(MARK, RemotePlayer(Address("127.0.0.1", port)))
    assert record.errors == (("CE",), ("CE",))
    assert record.is_completed


def test_a_late_start_is_noted_and_the_match_goes_on() -> None:
    def behave(connection: socket.socket, message: str) -> bool:
        if message.startswith("( START"):
            return True
        connection.sendall(reply("(mark 2)"))
        return False

    with fake_player(behave) as player:
        _, record = play(MARK, remote(player), start_clock=0.3)
    assert record.errors == (("TO",), ("",))
    assert record.goal_values == (100,)


def test_the_messages_are_those_of_ggp_base() -> None:
    with fake_player(answers("(mark 2)")) as player:
        _, record = play(MARK, remote(player), start_clock=10, play_clock=2.5)
    start, first, stop = player.messages
    rules = " ".join(map(str, Description.from_text(MARK).terms))
    assert start == f"( START {record.match_id} me ({rules} ) 10 2.5)"
    assert first == f"( PLAY {record.match_id} NIL )"
    assert stop == f"( STOP {record.match_id} ((mark 2) ) )"
    assert len(parse_term(start).items) == 6  # type: ignore[union-attr]


class ScrambledPlayer:
    """Plays the last legal move of whatever game it is told, in its own spelling."""

    def __init__(self, spell: Callable[[str], str] = str) -> None:
        self._spell = spell

    def __call__(self, connection: socket.socket, message: str) -> None:
        term = parse_term(message)
        assert isinstance(term, Compound)
        if term.name == "START":
            _, _, role, rules, *_ = term.items
            assert isinstance(role, Symbol)
            assert isinstance(rules, Compound)
            with open_reasoner(Description.from_terms(rules.items)) as reasoner:
                legal = reasoner.legal_moves(reasoner.initial_state(), role)
            self._answer = str(legal[-1])
            connection.sendall(reply("ready"))
        else:
            connection.sendall(reply(self._spell(self._answer)))


@pytest.mark.parametrize("spell", [str, str.upper])
def test_scrambled_players_see_no_word_of_the_game(spell: Callable[[str], str]) -> None:
    with fake_player(ScrambledPlayer(spell)) as player:
        _, record = play(MARK, Scrambled(remote(player), seed=1))
    assert record.errors == (("",), ("",))
    assert record.is_scrambled
    assert str(record.moves[0][0]) in ("(mark 1)", "(mark 2)")
    for message in player.messages:
        for word in ("me", "start", "mark", "marked"):
            assert word not in message.replace("(", " ").replace(")", " ").split()


@pytest.mark.long
def test_players_here_may_be_told_other_words_as_well() -> None:
    # Which of the legal moves comes first depends on the words.
    records = [play(FORK, Scrambled(LocalPlayer("legal"), seed=seed))[1] for seed in range(6)]
    assert all(record.errors == (("",), ("",)) for record in records)
    assert all(record.is_scrambled for record in records)
    assert {(str(record.moves[0][0]), record.goal_values) for record in records} == {
        ("left", (0,)),
        ("right", (100,)),
    }
    assert records[0].player_names == ("legal",)


@pytest.mark.timing
def test_a_player_that_keeps_to_no_clock_is_not_waited_for() -> None:
    stubborn = Stubborn("(mark 2)")
    began = time.monotonic()
    _, record = play(MARK, stubborn, play_clock=0.2)
    assert time.monotonic() - began < 10
    assert record.errors == (("",), ("TO",))
    stubborn.released.set()


@pytest.mark.long
def test_a_hung_player_costs_no_more_than_its_clock() -> None:
    hung = LocalPlayer("tests.match.bad_players.Hung")
    _, record = play(PICK, hung, LocalPlayer("legal"), play_clock=1)
    assert record.is_completed
    assert record.moves[0][0] == THREE


def test_a_match_in_a_hurry_begins_before_its_players_are_there(tmp_path: Path) -> None:
    file = tmp_path / "there"
    spec = f"tests.match.bad_players.Absent:file={file}"
    players = [make_participant(spec, in_hurry=True), make_participant("legal", in_hurry=True)]
    with Referee(settings(PICK), players) as referee:
        events = referee.run()
        told = [next(events) for _ in range(3)]
        assert [type(event) for event in told] == [MatchStarted, PlayersReady, TurnBegan]
        ready = told[1]
        assert isinstance(ready, PlayersReady)
        assert ready.seconds[0] < referee.settings.start_clock
        file.touch()
        list(events)
    assert referee.record.moves[0][0] == THREE
    assert not any(any(errors) for errors in referee.record.errors)


def test_a_player_without_a_move_in_time_is_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.match.referee._DELAY", 0.0)
    hung = LocalPlayer("tests.match.bad_players.HungAtOnce")
    _, record = play(MARK, hung, start_clock=0.001, play_clock=0.001)
    # the first to notice is the referee, or the process of the player
    late = ("TO",), ("EX yielded no move in time",)
    assert record.errors[0] in (("",), *late)  # of the start
    assert record.errors[1] in late
    assert record.is_completed


def test_a_player_that_is_gone_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    gone = RemotePlayer(Address("127.0.0.1", port))
    _, record = play(PICK, gone, Fixed("(pick 1)"))
    assert [left for left, _ in record.errors] == ["CE"] * 4
    assert caplog.text.count("refused") == 1


def test_a_player_that_cannot_be_made_is_noted(caplog: pytest.LogCaptureFixture) -> None:
    _, record = play(MARK, LocalPlayer("no_player"))
    assert record.errors == (("CE",), ("CE",))
    assert "no_player: no such player" in caplog.text


def test_a_role_without_legal_moves_aborts_the_match() -> None:
    me = Fixed("go")
    events, record = play(STUCK, me)
    assert events[-1] == MatchFinished(
        None,
        "me has no legal move, though the game is not over, after 1 joint moves in the state "
        "( stuck ); `ggp check` may say why",
    )
    assert me.told == ["start me", "play None", "abort", "close"]
    assert (record.is_completed, record.is_aborted) == (False, True)
    assert len(record.states) == 2
    assert record.goal_values == ()


@pytest.mark.long
def test_rules_that_recurse_without_end_abort_the_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ggp.match.referee._RULES", 1.0)
    me = Fixed("go")
    events, record = play(ENDLESS_RULES, me, start_clock=0.1, play_clock=0.1)
    assert events[-1] == MatchFinished(
        None, "the rules do not say within 1 s what follows joint move 0; `ggp check` may say why"
    )
    assert record.is_aborted
    assert "abort" in me.told


def test_errors_in_a_players_code_are_in_the_record() -> None:
    crashing = LocalPlayer("tests.match.bad_players.Crashing")
    _, record = play(PICK, crashing, LocalPlayer("tests.match.bad_players.Illegal"))
    assert record.goal_values == (100, 50)
    for left, right in record.errors[1:]:
        assert left.startswith("EX ZeroDivisionError: by design (bad_players.py, line")
        assert right == "EX wants to play resign, which is not legal"


def test_missing_goals_count_nothing_and_are_said() -> None:
    events, record = play(GOALLESS, Fixed("go"), Fixed("go"))
    assert events[-1] == MatchFinished((0, 0), "not exactly one goal, so scored 0: me, you")
    assert record.is_completed
    assert record.goal_values == (0, 0)


def test_a_reasoner_that_cannot_be_opened_aborts_the_match(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ReasonerUnavailable("install it")

    monkeypatch.setattr("ggp.match.referee.open_reasoner", refuse)
    with fake_player(answers("noop")) as player:
        events, record = play(MARK, remote(player))
    assert events == [MatchFinished(None, "install it")]
    assert record.is_aborted
    assert player.messages == []


def test_cutting_the_clock_aborts_the_match_at_once() -> None:
    deadline = Deadline()

    def behave(connection: socket.socket, message: str) -> bool:
        if message.startswith("( PLAY"):
            deadline.cancel()  # and no answer
            return True
        connection.sendall(reply("ready"))
        return False

    with fake_player(behave) as player:
        participants = [LocalPlayer("legal"), remote(player)]
        with Referee(settings(PICK, play_clock=60), participants) as referee:
            began = time.monotonic()
            events = list(referee.run(deadline))
            assert time.monotonic() - began < 20
        assert events[-1] == MatchFinished(None, "stopped before its end")
        player.wait_for("ABORT")
    assert referee.record.is_aborted
    assert MatchRecord.from_json(referee.record.to_json()) == referee.record


def test_giving_the_iteration_up_aborts_the_match() -> None:
    me, you = Fixed("(pick 1)"), Fixed("(pick 1)")
    with Referee(settings(PICK), [me, you]) as referee:
        events = referee.run()
        assert isinstance(next(events), MatchStarted)
        assert isinstance(next(events), PlayersReady)
        assert isinstance(next(events), TurnBegan)
        assert isinstance(next(events), MoveMade)
        events.close()  # type: ignore[attr-defined]
        assert me.told == ["start left", "play None", "abort"]
        assert referee.record.is_aborted
        assert len(referee.record.moves) == 1


def test_a_match_that_is_over_stays_completed() -> None:
    me = Fixed("(mark 1)")
    with Referee(settings(MARK), [me]) as referee:
        events = referee.run()
        while not isinstance(next(events), MatchFinished):
            pass
        events.close()  # type: ignore[attr-defined]
        assert "abort" not in me.told
        assert referee.record.is_completed
        assert not referee.record.is_aborted


def test_ids_are_unique_and_fit_for_messages_and_files() -> None:
    ids = {new_match_id("a (strange) name/../x;y") for _ in range(1000)}
    assert len(ids) == 1000
    for match_id in ids:
        assert parse_term(match_id) == Symbol(match_id)
        assert "/" not in match_id
    assert new_match_id("").startswith("match.")
