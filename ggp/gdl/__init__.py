"""The Game Description Language: what a rulesheet means, and what is wrong with one."""

from ggp.gdl.correspondence import correspondence, game_key
from ggp.gdl.dependency import DependencyGraph, strongly_connected
from ggp.gdl.description import HIGHEST_GOAL, RANDOM, Description, GoalVector
from ggp.gdl.normalise import canonical
from ggp.gdl.rules import Literal, Relation, Rule, arguments_of, relation_of
from ggp.kif.keywords import KEYWORD_RELATIONS

__all__ = [
    "HIGHEST_GOAL",
    "KEYWORD_RELATIONS",
    "RANDOM",
    "DependencyGraph",
    "Description",
    "GoalVector",
    "Literal",
    "Relation",
    "Rule",
    "arguments_of",
    "canonical",
    "correspondence",
    "game_key",
    "relation_of",
    "strongly_connected",
]
