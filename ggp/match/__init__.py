"""Matches: players, the processes they live in, the referee, and the records of what was played."""

from ggp.match.average import best_on_average
from ggp.match.board import draw
from ggp.match.events import Event, MatchFinished, MatchStarted, MoveMade, PlayersReady
from ggp.match.nursery import Nursery
from ggp.match.options import keyword_options, option_parameters
from ggp.match.participant import (
    LocalPlayer,
    MatchSettings,
    Participant,
    RemotePlayer,
    Scrambled,
    make_participant,
)
from ggp.match.player import Player, Seat, make_player, player_names, with_seed
from ggp.match.possible_states import PossibleStates, Seen
from ggp.match.priority import IDLE
from ggp.match.process import PlayerProcess
from ggp.match.record import MatchRecord
from ggp.match.referee import Referee, new_match_id, seats
from ggp.match.remote import Address
from ggp.match.replay import Mistake, first_mistake
from ggp.match.spelling import game_spelling
from ggp.match.thought import Thought

__all__ = [
    "IDLE",
    "Address",
    "Event",
    "LocalPlayer",
    "MatchFinished",
    "MatchRecord",
    "MatchSettings",
    "MatchStarted",
    "Mistake",
    "MoveMade",
    "Nursery",
    "Participant",
    "Player",
    "PlayerProcess",
    "PlayersReady",
    "PossibleStates",
    "Referee",
    "RemotePlayer",
    "Scrambled",
    "Seat",
    "Seen",
    "Thought",
    "best_on_average",
    "draw",
    "first_mistake",
    "game_spelling",
    "keyword_options",
    "make_participant",
    "make_player",
    "new_match_id",
    "option_parameters",
    "player_names",
    "seats",
    "with_seed",
]
