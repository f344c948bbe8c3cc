"""Finds the game's spelling of what came from outside.

Some managers, players and people write everything in upper case, others keep to the rulesheet's
spelling. Capitals count only where they tell two things apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence

from ggp.gdl import Description
from ggp.kif import Compound, Symbol, Term, symbols
from ggp.reasoner import JointMove

__all__ = ["Spelling", "game_spelling", "joint_spelling"]


def game_spelling(term: Term, candidates: Collection[Term]) -> Term | None:
    """Return the candidate that a term stands for, or None.

    That is the term itself if it is a candidate, else the only candidate that differs from it in
    nothing but capitals.

    Examples:
        >>> from ggp.kif import Symbol, parse_term
        >>> str(game_spelling(parse_term("(MARK 1 2)"), [parse_term("(mark 1 2)"), Symbol("noop")]))
        '(mark 1 2)'
    """
    if term in candidates:
        return term
    text = str(term).lower()
    same = [candidate for candidate in candidates if str(candidate).lower() == text]
    return same[0] if len(same) == 1 else None


def joint_spelling(joint_move: Sequence[Term], legal: Sequence[Collection[Term]]) -> JointMove:
    """Return a joint move in the game's spelling; a move that is not legal stays as it is.

    Args:
        joint_move: the moves.
        legal: the legal moves of each role.
    """
    if len(joint_move) != len(legal):
        return tuple(joint_move)
    pairs = zip(joint_move, legal, strict=True)
    return tuple(game_spelling(move, candidates) or move for move, candidates in pairs)


class Spelling:
    """The words of a game, in which terms are spelled where there are no candidates to choose from.

    Examples:
        >>> from ggp.kif import parse_term
        >>> game = Description.from_text("(role white) (init (cell 1 b)) (init (cell 2 B))")
        >>> told = parse_term("((CELL 1 WHITE) (Cell 1 B))")
        >>> str(Spelling(game).of(told))
        '((cell 1 white) (cell 1 B))'
    """

    def __init__(self, description: Description) -> None:
        """Read the words of the rules."""
        terms = [
            term
            for rule in description.rules
            for term in (rule.head, *(literal.atom for literal in rule.body))
        ]
        self._words = {symbol.text for term in terms for symbol in symbols(term)}
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for word in self._words:
            alike[word.lower()].append(word)
        self._by_lower = {lower: words[0] for lower, words in alike.items() if len(words) == 1}

    def of(self, term: Term) -> Term:
        """Return the term in the words of the game; a word that it does not have stays.

        A word that is not the game's, but differs from exactly one of the game's in nothing but
        capitals, becomes that one. Variables stay.
        """
        if isinstance(term, Compound):
            return Compound(tuple(map(self.of, term.items)), term.position)
        if term.is_variable or term.text in self._words:
            return term
        return Symbol(self._by_lower.get(term.text.lower(), term.text), term.position)
