"""Card games with hidden hands: each player sees its own, and how many cards the others have."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from ggp.server.manager.manager import Manager
from ggp.server.manager.match import Match
from ggp.server.manager.setup import Seat
from ggp.server.manager.viewers import view_of
from ggp.server.manager.web.app import make_app
from tests.manager.playing.hidden_cards import hidden
from tests.processes import happens

CLOCKS: dict[str, Any] = {"start_clock": 20.0, "play_clock": 3.0, "humans_take_time": True}


def played(manager: Manager, rules: str, *seats: Seat) -> list[dict[str, Any]]:
    """Play a match, as its people see it, to the end; return what they were shown."""
    game = manager.games.add("cards", rules)
    match = manager.matches.begin(game, seats, **CLOCKS)
    client, shown = make_app(manager).test_client(), []

    def turn_after(number: int) -> dict[str, Any] | None:
        """The latest turn of people if it comes after another one; they have no say in a deal."""
        turns = [event for event in match.log if event["event"] == "turn"]
        return turns[-1] if turns and turns[-1]["turn"] > number else None

    def goes_on(number: int) -> bool:
        return match.is_over or turn_after(number) is not None

    number = -1
    while True:
        assert happens(partial(goes_on, number), within=120)
        if (turn := turn_after(number)) is None:
            break
        number = turn["turn"]
        for seat, moves in turn["legal"].items():
            role = int(seat)
            told = _seen(client, match, role, number)
            shown.append({**told, "role": role, "step": number})
            offered = told["legal"][role]
            assert [move["move"] for move in offered] == moves
            assert all(each is None for at, each in enumerate(told["legal"]) if at != role)
            # A card of the hand is clicked.
            assert all(move["clicks"] for move in offered)
            match.make_move(role, number, moves[-1])
    assert match.is_over
    assert len(match.states) == 16
    return shown


def _seen(client: Any, match: Match, role: int, step: int) -> dict[str, Any]:
    view = view_of(match.people()[role].key)
    found: dict[str, Any] = client.get(
        f"/api/matches/{match.id}/scenes/{step}?as={view}"
    ).get_json()
    return found


@pytest.mark.long
@pytest.mark.parametrize("name", ["hearts3", "spades3"])
@pytest.mark.parametrize("others", ["human", "auto"])
def test_a_match_with_hidden_hands_is_played_to_the_end(
    manager: Manager, name: str, others: str
) -> None:
    other = [Seat("human" if others == "human" else "player", others) for _ in range(2)]
    seats = [Seat("human"), *(Seat(seat.kind, seat.spec) for seat in other)]
    shown = played(manager, hidden(name), *seats)
    assert shown
    for told in shown:
        hands = {hand["owner"]: hand for hand in told["scene"]["hands"] if hand["name"] == "hand"}
        names = ["ann", "bob", "cid"]
        for owner, hand in hands.items():
            is_own = owner == names[told["role"]]
            assert not (is_own and "unknown" in hand)
            if not is_own and told["possible"] > 1 and "unknown" in hand:
                sure = [card for card in hand["cards"] if "share" not in card]
                assert hand["unknown"] is None or len(sure) + hand["unknown"] <= 4
