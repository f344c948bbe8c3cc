"""The rulesheets of card games, with the cards of a deal."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

from ggp.experiments.cards import rules
from ggp.experiments.cards.deal import SUITS, Card, Deal, Game

__all__ = ["RANK_EQUIVALENTS", "RankEquivalent", "evaluations", "rulesheet"]

#: Which cards of a hand and suit are equivalent: those with no card between them *left* to other
#: players, those with none *dealt* to other players, or no cards.
RankEquivalent: TypeAlias = Literal["left", "dealt", "none"]
RANK_EQUIVALENTS: tuple[RankEquivalent, ...] = get_args(RankEquivalent)

_NAMES = {"spades": "Spades", "ohhell": "Oh Hell", "hearts": "Hearts"}
_SUITS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
_RANKS = ("A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2")
_QUEEN = Card("s", 3)
_QUEEN_POINTS = 13
_BIDS_GOALS = "by the tricks that were taken and those that were bid; see the end."
_HEARTS_GOALS = "by the points taken, 1 for a heart and 13 for the queen of spades; see the end."


def evaluations(game: Game) -> tuple[str, ...]:
    """Return the names of what the players of a game may want. The first is the default."""
    if game == "hearts":
        return tuple(rules.HEARTS_WISHES)
    first = "oh" if game == "ohhell" else "mot"
    return tuple(sorted(rules.WISHES, key=lambda name: name != first))


def rulesheet(
    deal: Deal,
    *,
    evaluation: str | None = None,
    goals: str = "",
    breaking: bool = True,
    rank_equivalent: RankEquivalent = "left",
) -> str:
    """Return the rules of a game in GDL, with the cards of a deal.

    Args:
        deal: the cards, and the bids.
        evaluation: what the players want, one of `evaluations`; None for the default.
        goals: rules that define the goals instead, in KIF.
        breaking: whether spades, or in Hearts hearts, may not be led until one has been played. In
            Oh Hell any card may be led.
        rank_equivalent: which cards are equivalent, so that only the highest may be played.

    Raises:
        ValueError: there is no such evaluation.
    """
    known = evaluations(deal.game)
    evaluation = evaluation or known[0]
    if evaluation not in known and not goals:
        raise ValueError(f"no evaluation {evaluation!r}; there are {', '.join(known)}")
    breaking = breaking and deal.game != "ohhell"
    blocks = [
        _comment(deal, breaking=breaking, rank_equivalent=rank_equivalent),
        "\n".join(_facts(deal)),
        rules.PLUS,
        *_play(deal, breaking=breaking, rank_equivalent=rank_equivalent),
        *(_hearts(deal) if deal.game == "hearts" else _bids(deal)),
        f";; Goals: in the last line may stand {', '.join(known[:-1])} or {known[-1]}",
        goals or f"(<= (goal ?player ?goal)\n    (worth {evaluation} ?player ?goal))",
    ]
    return "\n\n".join(block.strip("\n") for block in blocks) + "\n"


def _comment(deal: Deal, *, breaking: bool, rank_equivalent: RankEquivalent) -> str:
    """Return a comment with the rules of the game in words, and the cards."""
    cards = "one card" if deal.tricks == 1 else f"{deal.tricks} cards"
    lines = [
        f"{_NAMES[deal.game]}, {cards} each, open on the table",
        "",
        "The players put down a card each, in turn. A player with cards of the led suit must put",
        "down one of them. The highest card of that suit takes the trick, and its owner leads to",
        "the next.",
    ]
    if deal.trump:
        lines[4] += (
            f" But if there are {_SUITS[deal.trump]} in a trick, the highest of them takes it."
        )
    if breaking:
        suit = _SUITS[_breakable(deal.game)]
        lines.append(f"No {suit} may be led until one was put down, unless there is nothing else.")
    if rank_equivalent != "none":
        lines.append("Of cards that are as good as each other only the highest may be put down.")
    lines += [
        "",
        "A card is named by its suit, and 01 for the ace, 02 for the king, to 13 for the two.",
    ]
    lines.append("")
    for index, (role, hand) in enumerate(zip(deal.roles, deal.hands, strict=True)):
        bid = f"; bids {deal.bids[index]}" if deal.bids else ""
        lines.append(f"  {role}: {_spelled(hand)}{bid}")
    lines += ["", "Goals: " + (_HEARTS_GOALS if deal.game == "hearts" else _BIDS_GOALS)]
    return "\n".join(f"; {line}".rstrip() for line in lines)


def _spelled(hand: tuple[Card, ...]) -> str:
    """Return a hand in the usual notation, spades first."""
    suits = (
        (suit, " ".join(_RANKS[card.place - 1] for card in hand if card.suit == suit))
        for suit in reversed(SUITS)
    )
    return ", ".join(f"{_SUITS[suit]} {ranks}" for suit, ranks in suits if ranks)


def _facts(deal: Deal) -> Iterator[str]:
    """Yield the facts that never change: the roles, the cards, and the numbers."""
    yield from (f"(role {role})" for role in deal.roles)
    yield ""
    following = deal.roles[1:] + deal.roles[:1]
    for role, following_role in zip(deal.roles, following, strict=True):
        yield f"(follows {role} {following_role})"
    yield ""
    for role, hand in zip(deal.roles, deal.hands, strict=True):
        yield from (f"(dealt {role} {card})" for card in hand)
    yield ""
    yield from (f"(card {card} {card.suit})" for card in deal.cards)
    yield ""
    yield from (
        f"(lower {low} {high})" for high, low in pairwise(deal.cards) if low.suit == high.suit
    )
    yield ""
    places = range(len(deal.hands))
    yield from (f"(place {k})" for k in places)
    yield from (f"(after {k} {m})" for k, m in pairwise(places))
    highest = deal.tricks
    if deal.game == "hearts":
        highest = sum(card.suit == "h" for card in deal.cards)
    yield ""
    yield from (f"(number {n})" for n in range(highest + 1))
    yield ""
    yield from (f"(succ {n} {m})" for n, m in pairwise(range(highest + 1)))


def _play(deal: Deal, *, breaking: bool, rank_equivalent: RankEquivalent) -> Iterator[str]:
    """Yield the rules that all trick-taking games share."""
    unless_equal = "\n    (not (equal ?player ?card))" if rank_equivalent != "none" else ""
    yield rules.TRICKS.format(
        first=deal.roles[0], others=len(deal.hands) - 1, unless_equal=unless_equal
    )
    if deal.trump:
        yield rules.TRUMP.format(trump=deal.trump)
    if breaking:
        suit = _breakable(deal.game)
        yield rules.BREAKING.format(suit=_SUITS[suit], letter=suit)
    else:
        yield rules.FREE_LEADS
    if rank_equivalent != "none":
        is_special = deal.game == "hearts" and _QUEEN in deal.cards
        between, next_to = rules.NEXT_TO[rank_equivalent]
        unless_special = rules.UNLESS_QUEEN if is_special else ""
        yield rules.COLLAPSE.format(between=between, unless_special=unless_special) + next_to


def _breakable(game: Game) -> str:
    """Return the suit that may not be led until it is broken."""
    return "h" if game == "hearts" else "s"


def _bids(deal: Deal) -> Iterator[str]:
    yield "\n".join(
        f"({kind} (bid {role} {bid}))"
        for kind in ("base", "init")
        for role, bid in zip(deal.roles, deal.bids, strict=True)
    )
    yield rules.BIDS
    yield ";; What the players may want"
    yield "\n".join(_scores(deal))
    yield from rules.WISHES.values()


def _scores(deal: Deal) -> Iterator[str]:
    """Yield the tables from counts to goals. Only the order of the goals matters."""
    counts, others = range(deal.tricks + 1), range(len(deal.hands))
    per_trick = min(10, 100 // deal.tricks)
    yield from (f"(per_trick {n} {per_trick * n})" for n in counts)
    step = 100 // (2 * len(others) - 1)
    yield from (f"(per_miss {k} {2 * k * step})" for k in others)
    yield from (f"(per_miss_and_made {k} {(2 * k + 1) * step})" for k in others)
    loss = min(5, 99 // deal.tricks)
    yield from (f"(less {k} {100 - loss * k})" for k in counts)
    for k in counts:
        for missed in others:
            yield f"(net {k} {missed} {50 + 3 * missed - k})"


def _hearts(deal: Deal) -> Iterator[str]:
    hearts = sum(card.suit == "h" for card in deal.cards)
    has_queen = _QUEEN in deal.cards
    pots = range(min(len(deal.hands) - 1, hearts) + 1)
    yield "\n".join(f"(pots {k})" for k in pots)
    yield rules.HEARTS
    most = hearts
    if has_queen:
        most += _QUEEN_POINTS
        yield rules.QUEEN
        yield "\n".join(f"(with_queen {n} {n + _QUEEN_POINTS})" for n in range(hearts + 1))
    yield ";; What the players may want"
    yield rules.POINTS_WITH_QUEEN if has_queen else rules.POINTS
    points = sorted({n + queen for n in range(hearts + 1) for queen in (0, most - hearts)})
    yield "\n".join(f"(score {n} {100 - 3 * n})" for n in points)
    yield "\n".join(f"(fewer {n} {m})" for n in points for m in points if n < m and n + m <= most)
    yield f"(all_points {most})"
    yield from rules.HEARTS_WISHES.values()
