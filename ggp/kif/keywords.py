"""The words to which the Game Description Language gives a meaning; texts of games are in KIF."""

from __future__ import annotations

__all__ = ["CONNECTIVES", "KEYWORDS", "KEYWORD_RELATIONS"]

#: The relations that GDL itself gives a meaning, with their arity.
KEYWORD_RELATIONS = {
    "role": 1,
    "init": 1,
    "true": 1,
    "next": 1,
    "legal": 2,
    "does": 2,
    "goal": 2,
    "terminal": 0,
    "base": 1,
    "input": 2,
    "sees": 2,
    "distinct": 2,
}

#: Words that join terms and never stand alone.
CONNECTIVES = frozenset({"<=", "not", "or", "distinct"})

#: All of these words, in lower case.
KEYWORDS = frozenset(KEYWORD_RELATIONS) | CONNECTIVES
