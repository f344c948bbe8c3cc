"""Matches: players and their processes, the referee, and match records."""

from ggp.match.board import draw
from ggp.match.events import Event, MatchFinished, MatchStarted, MoveMade, PlayersReady, TurnBegan
from ggp.match.flat_monte_carlo import flat_monte_carlo
from ggp.match.options import keyword_options, option_parameters, takes_any_text
from ggp.match.participant import (
    LocalPlayer,
    MatchSettings,
    Participant,
    RemotePlayer,
    Scrambled,
    make_participant,
)
from ggp.match.player import Player, PlayerContext, make_player, player_names, with_seed
from ggp.match.possible_states import Percepts, PossibleStates
from ggp.match.process import PlayerProcess
from ggp.match.records.record import MatchRecord, MatchSummary
from ggp.match.records.replay import Mistake, completed, first_mistake
from ggp.match.referee import Referee, match_stem, new_match_id, seats
from ggp.match.remote import Address
from ggp.match.search_info import SearchInfo
from ggp.match.spelling import Spelling, game_spelling, joint_spelling
from ggp.workers.child import IDLE
from ggp.workers.fork_server import ForkServer

__all__ = [
    "IDLE",
    "Address",
    "Event",
    "ForkServer",
    "LocalPlayer",
    "MatchFinished",
    "MatchRecord",
    "MatchSettings",
    "MatchStarted",
    "MatchSummary",
    "Mistake",
    "MoveMade",
    "Participant",
    "Percepts",
    "Player",
    "PlayerContext",
    "PlayerProcess",
    "PlayersReady",
    "PossibleStates",
    "Referee",
    "RemotePlayer",
    "Scrambled",
    "SearchInfo",
    "Spelling",
    "TurnBegan",
    "completed",
    "draw",
    "first_mistake",
    "flat_monte_carlo",
    "game_spelling",
    "joint_spelling",
    "keyword_options",
    "make_participant",
    "make_player",
    "match_stem",
    "new_match_id",
    "option_parameters",
    "player_names",
    "seats",
    "takes_any_text",
    "with_seed",
]
