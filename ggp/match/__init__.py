"""Matches: players, the processes they live in, the referee, and the records of what was played."""

from ggp.match.board import draw
from ggp.match.events import Event, MatchFinished, MatchStarted, MoveMade, PlayersReady
from ggp.match.options import keyword_options
from ggp.match.participant import LocalPlayer, MatchSettings, Participant, RemotePlayer
from ggp.match.player import Player, Seat, make_player, player_names, with_seed
from ggp.match.process import PlayerProcess
from ggp.match.record import MatchRecord
from ggp.match.referee import Referee, new_match_id, seats
from ggp.match.remote import Address
from ggp.match.spelling import game_spelling

__all__ = [
    "Address",
    "Event",
    "LocalPlayer",
    "MatchFinished",
    "MatchRecord",
    "MatchSettings",
    "MatchStarted",
    "MoveMade",
    "Participant",
    "Player",
    "PlayerProcess",
    "PlayersReady",
    "Referee",
    "RemotePlayer",
    "Seat",
    "draw",
    "game_spelling",
    "keyword_options",
    "make_player",
    "new_match_id",
    "player_names",
    "seats",
    "with_seed",
]
