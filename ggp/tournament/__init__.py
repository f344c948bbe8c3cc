"""Tournaments: many matches between many players, stored so that an interruption loses none."""

from ggp.tournament.page import TEMPLATES, template_values, write_pages
from ggp.tournament.plan import ROUND_ROBIN, SWISS, SYSTEMS, Fixture, Plan, PlannedGame
from ggp.tournament.play import Underway, play
from ggp.tournament.schedule import byes, fixtures, match_count
from ggp.tournament.standings import Mean, Rating, Standing, Standings, standings
from ggp.tournament.store import ERRORS, Result, Running, Store

__all__ = [
    "ERRORS",
    "ROUND_ROBIN",
    "SWISS",
    "SYSTEMS",
    "TEMPLATES",
    "Fixture",
    "Mean",
    "Plan",
    "PlannedGame",
    "Rating",
    "Result",
    "Running",
    "Standing",
    "Standings",
    "Store",
    "Underway",
    "byes",
    "fixtures",
    "match_count",
    "play",
    "standings",
    "template_values",
    "write_pages",
]
