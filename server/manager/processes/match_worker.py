"""The process that referees one match for the manager.

It receives the settings of the match once, then the moves of people, and perhaps an abort. It sends
the events of the match, and writes the record after each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.gdl import Description, canonical
from ggp.kif import Source, Term, parse_term
from ggp.match import (
    Address,
    Event,
    MatchFinished,
    MatchSettings,
    MatchStarted,
    MoveMade,
    Participant,
    PlayersReady,
    Referee,
    RemotePlayer,
    make_participant,
    seats,
)
from ggp.server.manager.human import HumanPlayer
from ggp.workers.child import Owner

__all__ = ["event_to_json"]


def main(owner: Owner) -> None:
    """Referee a match."""
    task = owner.receive()
    deadline = Deadline()
    humans: dict[int, HumanPlayer] = {}
    listener = Thread(target=_listen, args=(owner, humans, deadline), daemon=True)
    try:
        with ExitStack() as stack:
            referee = _referee(task, owner, humans, stack)
            listener.start()
            for event in referee.run(deadline):
                _write(referee, Path(task["record"]))
                owner.send(event_to_json(event))
    except GgpError as error:
        owner.send(event_to_json(MatchFinished(None, str(error))))


def event_to_json(event: Event) -> dict[str, Any]:
    """Return an event of the referee as JSON values."""
    match event:
        case MatchStarted():
            return {
                "event": "started",
                "roles": list(map(str, event.roles)),
                "players": list(event.players),
                "facts": _texts(event.facts),
            }
        case PlayersReady():
            return {"event": "ready", "errors": event.errors, "seconds": event.seconds}
        case MoveMade():
            return {
                "event": "move",
                "step": event.step,
                "moves": _texts(event.joint_move),
                "errors": event.errors,
                "seconds": [round(seconds, 3) for seconds in event.seconds],
                "facts": _texts(event.facts),
            }
        case MatchFinished():
            return {"event": "finished", "goals": event.goals, "remark": event.remark}


def _referee(
    task: Mapping[str, Any], owner: Owner, humans: dict[int, HumanPlayer], stack: ExitStack
) -> Referee:
    """Set up a match. Raises `GgpError`."""
    description = Description.from_text(Source(task["rules"], "rules"))
    settings = MatchSettings(task["match_id"], description, task["start_clock"], task["play_clock"])
    places = [description.roles.index(role) for role in seats(description)]
    if len(places) != len(task["players"]):
        raise PlayerError(f"{len(task['players'])} players for {len(places)} roles")
    participants: list[Participant] = []
    for role, player in zip(places, task["players"], strict=True):
        participant = _participant(player, role, task, owner)
        if isinstance(participant, HumanPlayer):
            humans[role] = participant
        participants.append(stack.enter_context(closing(participant)))
    return stack.enter_context(Referee(settings, participants, game_url=task["game_url"]))


def _participant(
    player: Mapping[str, str], role: int, task: Mapping[str, Any], owner: Owner
) -> Participant:
    """Make the participant that was chosen on a page. Raises `PlayerError`."""
    match player["kind"]:
        case "human":
            return HumanPlayer(
                player["spec"] or "human",
                on_turn=lambda turn: owner.send({"event": "turn", "role": role, "turn": turn}),
                takes_time=task["humans_take_time"],
            )
        case "url":
            address = Address.parse(player["spec"])
            if address is None:
                raise PlayerError(f"{player['spec']}: a player is at http://host:port")
            return RemotePlayer(address)
        case _:
            return make_participant(
                player["spec"],
                on_info=lambda turn, info: owner.send(
                    {"event": "info", "role": role, "turn": turn, **info.to_json()}
                ),
            )


def _listen(owner: Owner, humans: Mapping[int, HumanPlayer], deadline: Deadline) -> NoReturn:
    while True:
        message = owner.receive()
        if message["do"] == "abort":
            deadline.cancel()
        elif message["do"] == "move" and message["role"] in humans:
            with suppress(GgpError):
                move = canonical(parse_term(message["move"]))
                humans[message["role"]].make(message["turn"], move)


def _write(referee: Referee, path: Path) -> None:
    if referee.record.states:
        referee.record.write(path)


def _texts(terms: Sequence[Term]) -> list[str]:
    return list(map(str, terms))
