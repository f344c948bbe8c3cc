"""The owners of pieces: by a role or a colour in their symbols, or by who moves them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from ggp.server.manager.drawing.forms import take_apart
from ggp.server.manager.drawing.layout import Placing, What
from ggp.server.manager.drawing.looks.words import CHESS_LETTERS, COLOUR_LETTERS, TONES, split
from ggp.server.manager.drawing.play import Line

__all__ = ["by_letter", "movers", "role_tones", "toned"]

#: The share, and the number, of new facts that make a role their owner.
_MOSTLY = 0.95
_OFTEN = 3


def role_tones(roles: Sequence[str]) -> tuple[str, ...]:
    """Return a tone for each role: the colour in its name, or a number.

    >>> role_tones(["white", "xPlayer", "blackKnight", "redjumper"])
    ('white', '1', 'black', 'red')
    """
    numbers = iter(range(1, 1000))
    tones: list[str] = []
    for role in roles:
        named = _colour(role)
        tones.append(named if named and named not in tones else str((next(numbers) - 1) % 8 + 1))
    return tuple(tones)


def _colour(text: str) -> str:
    words = split(text)
    whole = next((tone for word in words if (tone := TONES.get(word))), "")
    begun = (tone for word in words for colour, tone in TONES.items() if word.startswith(colour))
    return whole or next(begun, "")


def toned(words: Sequence[str], tones: Mapping[str, str]) -> tuple[str, str]:
    """Return the tone that words name, by a role or else a colour, and the remaining words.

    Args:
        words: the symbols of a piece.
        tones: the tone of each role.
    """
    role = next((word for word in words if word in tones), None)
    if role is not None:
        return tones[role], " ".join(word for word in words if word != role)
    for word in words:
        begun = [r for r in tones if len(r) > 2 and word.lower().startswith(r.lower())]
        if begun:
            rest = [word[len(begun[0]) :].strip("-_") if w == word else w for w in words]
            return tones[begun[0]], " ".join(filter(None, rest))
    parts = [part for word in words for part in split(word)]
    colour = next((part for part in parts if part in TONES), None)
    if colour is None:
        return "", " ".join(words)
    return TONES[colour], " ".join(part for part in parts if part != colour)


def by_letter(
    symbols: Collection[str], tones: Mapping[str, str], movers_of: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Return the tone and the kind of symbols whose first letter names the owner.

    The letters are those of roles or of colours. Either all symbols are single letters, or the same
    kinds follow several letters.

    Args:
        symbols: the symbols of the pieces of a board.
        tones: the tone of each role.
        movers_of: the tone of the role that moves a symbol, if that is known.

    >>> by_letter(["np", "nk", "sp", "sk"], {"north": "1", "south": "2"}, {})["sk"]
    ('2', 'k')
    >>> by_letter(["w", "b"], {"left": "1", "right": "2"}, {})
    {'w': ('white', ''), 'b': ('black', '')}
    >>> by_letter(["wall", "bomb"], {"white": "white", "black": "black"}, {})
    {}
    """
    of_roles: dict[str, str] = {}
    for role, tone in tones.items():
        of_roles.setdefault(role[:1].lower(), tone)
    for letters in (of_roles, COLOUR_LETTERS):
        kinds: defaultdict[str, set[str]] = defaultdict(set)
        for symbol in symbols:
            if symbol[:1].lower() in letters:
                kinds[symbol[:1].lower()].add(symbol[1:])
        count = Counter(kind for found in kinds.values() for kind in found)
        covered = sum(map(len, kinds.values()))
        shared = sum(number for number in count.values() if number > 1)
        if len(kinds) > 1 and 5 * covered >= 4 * len(symbols) and 2 * shared >= covered:
            owner = dict(letters)
            if letters is COLOUR_LETTERS:
                for letter in kinds:
                    moved = {movers_of.get(letter + kind) for kind in kinds[letter]} - {None}
                    if len(moved) == 1:
                        owner[letter] = str(moved.pop())
            return {
                symbol: (owner[symbol[:1].lower()], symbol[1:])
                for symbol in symbols
                if symbol[:1].lower() in letters
            }
    men = [s for s in symbols if len(s) == 2 and s[0] in "wb" and s[1] in CHESS_LETTERS]
    if len(men) == len(symbols):
        return {symbol: (COLOUR_LETTERS[symbol[0]], symbol[1]) for symbol in symbols}
    return {}


def movers(lines: Sequence[Line], placings: Mapping[str, Placing]) -> dict[What, int]:
    """Return the role that moves contents: the only one with a choice when they appear."""
    counts: defaultdict[What, Counter[int]] = defaultdict(Counter)
    for line in lines:
        for n, (before, after) in enumerate(zip(line.states, line.states[1:], strict=False)):
            mover = _mover(line, n)
            if mover is None:
                continue
            for fact in set(after) - set(before):
                form, values = take_apart(fact)
                if placing := placings.get(form):
                    counts[form, placing.contents_of(values)][mover] += 1
    found = {
        what: role
        for what, by_role in counts.items()
        for role, count in by_role.most_common(1)
        if count >= _MOSTLY * by_role.total() and count >= _OFTEN
    }
    # If most contents have several owners, that a few have one may be chance.
    return found if 2 * len(found) > len(counts) else {}


def _mover(line: Line, number: int) -> int | None:
    if not line.legal:
        return None
    choosing = [role for role, moves in enumerate(line.legal[number]) if len(moves) > 1]
    return choosing[0] if len(choosing) == 1 else None
