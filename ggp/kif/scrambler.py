"""Renames every symbol of a game, so that no player can know it by its words."""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping

from ggp.kif.keywords import KEYWORDS
from ggp.kif.terms import Compound, Symbol, Term, symbols

__all__ = ["FIXED", "Scrambler", "is_fixed", "renamed"]

#: The words that no scrambler may touch, in any case: the role `random` has a meaning, too.
FIXED = KEYWORDS | {"random"}

_INTEGER = re.compile(r"[+-]?[0-9]+")
_CONSONANTS = "bcdfghjklmnprstvwz"
_VOWELS = "aeiou"


class Scrambler:
    """A one-to-one renaming of a game's constants and variables, and its inverse.

    Keywords (with `sees`, `random`, `base`, `input`) and integers keep their names.
    The same seed and terms give the same renaming.

    >>> scrambler = Scrambler([Symbol("cell"), Symbol("?x"), Symbol("12")], seed=1)
    >>> scrambler.unscramble(scrambler.scramble(Symbol("cell")))
    Symbol(text='cell')
    >>> scrambler.scramble(Symbol("12")), scrambler.scramble(Symbol("true"))
    (Symbol(text='12'), Symbol(text='true'))
    """

    def __init__(self, terms: Iterable[Term], *, seed: int = 0) -> None:
        generator = random.Random(seed)
        names = dict.fromkeys(s.text for term in terms for s in symbols(term))
        kept = {name for name in names if is_fixed(name)}
        taken = {name.lower() for name in kept} | FIXED
        self._forward: dict[str, str] = {}
        for name in names:
            if name not in kept:
                self._forward[name] = _fresh(name, taken, generator)
        self._backward = {new: old for old, new in self._forward.items()}

    def scramble(self, term: Term) -> Term:
        """Return the term in the new names; a symbol that the game does not have stays."""
        return renamed(term, self._forward)

    def unscramble(self, term: Term) -> Term:
        """Return the term in the game's own names; an unknown symbol stays.

        Capitals do not count: the new names are in lower case, and differ in more than capitals.
        """
        return renamed(term, self._backward, lower=True)


def is_fixed(name: str) -> bool:
    """Return whether a word is no name of a game's own: a keyword, an integer, a bare ``?``."""
    return name.lower() in FIXED or bool(_INTEGER.fullmatch(name)) or name == "?"


def _fresh(name: str, taken: set[str], generator: random.Random) -> str:
    mark = "?" if name.startswith("?") else ""
    syllables = 2
    while True:
        word = "".join(
            generator.choice(_CONSONANTS) + generator.choice(_VOWELS) for _ in range(syllables)
        )
        if mark + word not in taken:
            taken.add(mark + word)
            return mark + word
        syllables += 1


def renamed(term: Term, names: Mapping[str, str], *, lower: bool = False) -> Term:
    """Return a term with other words; those that have no other one stay.

    Args:
        term: the term, which keeps its positions.
        names: the new word of each word.
        lower: whether words are looked up in lower case.
    """
    if isinstance(term, Symbol):
        known = term.text.lower() if lower else term.text
        return Symbol(names.get(known, term.text), term.position)
    return Compound(tuple(renamed(item, names, lower=lower) for item in term.items), term.position)
