"""Which games are the same but for their words and the order of their rules.

The rules of a game are a graph: each rule hangs together with its literals, and these with the
words in them, by the place where each stands. Two rulesheets describe the same game if the graphs
are isomorphic, where a keyword or an integer can only be itself. As in McKay and Piperno (2014)
"Practical graph isomorphism, II", colours are refined until they change no more; where words are
left that have the same colour, one is chosen, and each of the other graph's is tried.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from ggp.deadline import TimeUp
from ggp.gdl.description import Description
from ggp.gdl.rules import Rule
from ggp.kif import Compound, Term
from ggp.kif.scrambler import is_fixed

__all__ = ["correspondence", "game_key"]

#: What marks a negated literal, and a compound term.
_NOT, _COMPOUND, _RULE = 1, 2, 3

#: A rule in numbers: the literals, the head first; a term is a word's number or a tuple of terms.
_Tree: TypeAlias = "int | tuple[_Tree, ...]"


def game_key(description: Description, *, time_limit: float = 5.0) -> str | None:
    """Return a text that is the same for each rulesheet of a game, whatever its words.

    Other games have other keys, except for a few that differ very little: `correspondence` decides.

    Args:
        description: the rules.
        time_limit: seconds that this may take; the result is None if it takes more.
    """
    graph = _Graph(description)
    try:
        colours = graph.refined(graph.first, time.monotonic() + time_limit)
    except TimeUp:
        return None
    content = repr((sorted(graph.rule_colours(colours)), sorted(colours)))
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def correspondence(
    one: Description, other: Description, *, time_limit: float = 5.0
) -> dict[str, str] | None:
    """Return the word of another rulesheet of the same game for each word of one.

    Args:
        one: the rules whose words are the keys.
        other: the rules whose words are the values.
        time_limit: seconds that this may take.

    Returns:
        The words but for keywords, integers and variables; None if the games are not the same, or
        if that was not found out in time.

    Examples:
        >>> games = (
        ...     Description.from_text(f"(role {role}) (<= terminal (true {fact}))")
        ...     for role, fact in (("a", "over"), ("b", "done"))
        ... )
        >>> correspondence(*games)
        {'a': 'b', 'over': 'done'}
    """
    left, right = _Graph(one), _Graph(other)
    due = time.monotonic() + time_limit
    try:
        for images in _matched(left, right, left.first, right.first, due):
            if left.becomes(right, images):
                return {
                    word: right.words[image]
                    for word, image in zip(left.words, images, strict=True)
                    if not (word.startswith("?") or is_fixed(word))
                }
    except TimeUp:
        pass
    return None


class _Graph:
    """The rules of a game, its words in numbers. A variable is a word of its rule alone."""

    def __init__(self, description: Description) -> None:
        self.words: list[str] = []
        self._numbers: dict[tuple[int, str], int] = {}
        #: Of each rule, its literals: the head, and then the body.
        self.rules = [self._read(number, rule) for number, rule in enumerate(description.rules)]
        self.first = [
            _stable(word if is_fixed(word) else "?" if word.startswith("?") else "")
            for word in self.words
        ]
        self._is_fixed = [is_fixed(word) for word in self.words]

    def refined(self, colours: list[int], due: float) -> list[int]:
        """Return colours that tell words apart by where they stand. Raises `TimeUp`."""
        count = len(set(colours))
        while True:
            if time.monotonic() > due:
                raise TimeUp
            found: list[list[int]] = [[] for _ in colours]
            for rule in self.rules:
                shades = [_shade(literal, colours) for literal in rule]
                whole = _whole(shades)
                for number, literal in enumerate(rule):
                    place = hash((whole, shades[number], number == 0))
                    _note(literal, place, found)
            colours = [
                colour if fixed else hash((colour, *sorted(places)))
                for colour, places, fixed in zip(colours, found, self._is_fixed, strict=True)
            ]
            if len(set(colours)) == count:
                return colours
            count = len(set(colours))

    def rule_colours(self, colours: list[int]) -> Iterator[int]:
        """Yield what a rule looks like when each word is its colour."""
        for rule in self.rules:
            yield _whole([_shade(literal, colours) for literal in rule])

    def becomes(self, other: _Graph, images: list[int]) -> bool:
        """Return whether these are the other's rules, when each word is its image."""
        of_this = Counter(_renumbered(rule, images) for rule in self.rules)
        itself = list(range(len(other.words)))
        return of_this == Counter(_renumbered(rule, itself) for rule in other.rules)

    def _read(self, number: int, rule: Rule) -> tuple[_Tree, ...]:
        return (
            self._tree(number, rule.head),
            *(
                tree if literal.positive else (-_NOT, tree)
                for literal in rule.body
                for tree in [self._tree(number, literal.atom)]
            ),
        )

    def _tree(self, rule: int, term: Term) -> _Tree:
        if isinstance(term, Compound):
            return tuple(self._tree(rule, item) for item in term.items)
        key = (rule if term.is_variable else -1), term.text
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.words)
            self.words.append(term.text)
        return found


def _stable(text: str) -> int:
    """Return a number for a text, the same in each process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=7).digest(), "big")


def _shade(tree: _Tree, colours: list[int]) -> int:
    """Return what a term looks like when each word is its colour."""
    if isinstance(tree, tuple):
        return hash((_COMPOUND, *(_shade(item, colours) for item in tree)))
    return tree if tree < 0 else colours[tree]


def _whole(shades: list[int]) -> int:
    """Return what a rule looks like, by its literals: the order of its body does not matter."""
    return hash((_RULE, shades[0], *sorted(shades[1:])))


def _note(tree: _Tree, place: int, found: list[list[int]]) -> None:
    """Tell each word of a term where it stands."""
    if isinstance(tree, tuple):
        for number, item in enumerate(tree):
            _note(item, hash((place, number)), found)
    elif tree >= 0:
        found[tree].append(place)


def _renumbered(
    rule: tuple[_Tree, ...], images: list[int]
) -> tuple[_Tree, frozenset[tuple[_Tree, int]]]:
    """Return the head and the body, of which the order does not matter."""
    head, *body = (_image(literal, images) for literal in rule)
    return head, frozenset(Counter(body).items())


def _image(tree: _Tree, images: list[int]) -> _Tree:
    if isinstance(tree, tuple):
        return tuple(_image(item, images) for item in tree)
    return tree if tree < 0 else images[tree]


def _cells(colours: Iterable[int]) -> dict[int, list[int]]:
    cells: dict[int, list[int]] = defaultdict(list)
    for number, colour in enumerate(colours):
        cells[colour].append(number)
    return cells


def _matched(
    left: _Graph, right: _Graph, before: list[int], after: list[int], due: float
) -> Iterator[list[int]]:
    """Yield the image of each word, for each way that colours allow. Raises `TimeUp`."""
    colours, others = left.refined(before, due), right.refined(after, due)
    cells, images = _cells(colours), _cells(others)
    if {colour: len(cell) for colour, cell in cells.items()} != {
        colour: len(cell) for colour, cell in images.items()
    }:
        return
    open_cells = [(len(cell), cell[0], colour) for colour, cell in cells.items() if cell[1:]]
    if not open_cells:
        yield [images[colour][0] for colour in colours]
        return
    _, word, colour = min(open_cells)
    for image in images[colour]:
        yield from _matched(left, right, _alone(colours, word), _alone(others, image), due)


def _alone(colours: list[int], word: int) -> list[int]:
    """Return the colours with one of its own for a word."""
    changed = list(colours)
    changed[word] = hash((changed[word], -_RULE))
    return changed
