"""The rules of trick-taking games, in GDL, as blocks that `rulesheet` puts together."""

from __future__ import annotations

__all__ = [
    "BIDS",
    "BREAKING",
    "COLLAPSE",
    "FREE_LEADS",
    "HEARTS",
    "HEARTS_WISHES",
    "NEXT_TO",
    "PLUS",
    "POINTS",
    "POINTS_WITH_QUEEN",
    "QUEEN",
    "TRICKS",
    "TRUMP",
    "UNLESS_QUEEN",
    "WISHES",
]

# {first} leads to the first trick.
TRICKS = """\
;; What may be true, what may be done

(<= (base (hand ?player ?card))
    (dealt ?player ?card))
(<= (base (winning ?player ?card))
    (dealt ?player ?card))
(<= (base (control ?player))
    (role ?player))
(<= (base (laid ?k))
    (place ?k))
(<= (base (led ?suit))
    (card ?card ?suit))

(<= (input ?player (play ?card))
    (dealt ?player ?card))
(<= (input ?player noop)
    (role ?player))

;; Start

(<= (init (hand ?player ?card))
    (dealt ?player ?card))
(init (control {first}))
(init (laid 0))

;; Moves: follow suit

(<= (legal ?player (play ?card))
    (true (control ?player))
    (playable ?player ?card){unless_equal})
(<= (legal ?player noop)
    (role ?player)
    (not (true (control ?player))))

(<= (playable ?player ?card)
    (true (hand ?player ?card))
    (true (led ?suit))
    (card ?card ?suit))
(<= (playable ?player ?card)
    (true (hand ?player ?card))
    (true (led ?suit))
    (not (has ?player ?suit)))
(<= (playable ?player ?card)
    (true (hand ?player ?card))
    (true (laid 0))
    (leadable ?player ?card))

(<= (has ?player ?suit)
    (true (hand ?player ?card))
    (card ?card ?suit))

;; The trick: how many cards are laid down, and which is winning, and whose it is

(<= (next (hand ?player ?card))
    (true (hand ?player ?card))
    (not (does ?player (play ?card))))

(<= last
    (true (laid {others})))
(<= (next (laid 0))
    last)
(<= (next (laid ?m))
    (true (laid ?k))
    (after ?k ?m))
(<= (next (led ?suit))
    (true (led ?suit))
    (not last))
(<= (next (led ?suit))
    (true (laid 0))
    (does ?player (play ?card))
    (card ?card ?suit))

(<= (takes ?player ?card)
    (does ?player (play ?card))
    (true (laid 0)))
(<= (takes ?player ?card)
    (does ?player (play ?card))
    (beats ?card))
(<= taken
    (takes ?player ?card))
(<= (beats ?card)
    (lower ?best ?card)
    (true (winning ?player ?best)))
(<= (beats ?card)
    (lower ?between ?card)
    (beats ?between))

(<= (next (winning ?player ?card))
    (takes ?player ?card)
    (not last))
(<= (next (winning ?player ?card))
    (true (winning ?player ?card))
    (not taken)
    (not last))

(<= (wins ?player)
    last
    (takes ?player ?card))
(<= (wins ?player)
    last
    (true (winning ?player ?card))
    (not taken))

(<= (next (control ?other))
    (true (control ?player))
    (follows ?player ?other)
    (not last))
(<= (next (control ?player))
    (wins ?player))

;; End: no player has a card left, and the last trick is full

(<= playing
    (true (hand ?player ?card)))
(<= terminal
    (true (laid 0))
    (not playing))
"""

TRUMP = """\
;; A trump beats all that is none

(<= (beats ?card)
    (card ?card {trump})
    plain)
(<= plain
    (true (winning ?player ?best))
    (card ?best ?suit)
    (distinct ?suit {trump}))
"""

# {suit} is the word for a suit, {letter} its letter.
BREAKING = """\
;; No {suit} are led until one was played, unless there is nothing else

(base broken)

(<= (leadable ?player ?card)
    (card ?card ?suit)
    (role ?player)
    (distinct ?suit {letter}))
(<= (leadable ?player ?card)
    (card ?card {letter})
    (role ?player)
    (true broken))
(<= (leadable ?player ?card)
    (card ?card {letter})
    (role ?player)
    (not (other ?player)))
(<= (other ?player)
    (has ?player ?suit)
    (distinct ?suit {letter}))

(<= (next broken)
    (true broken))
(<= (next broken)
    (does ?player (play ?card))
    (card ?card {letter}))
"""

FREE_LEADS = """\
;; Any card may be led

(<= (leadable ?player ?card)
    (card ?card ?suit)
    (role ?player))
"""

COLLAPSE = """\
;; Of cards that are as good as each other only the highest may be played: cards of one hand and
;; suit, where {between}

(<= (equal ?player ?card)
    (true (hand ?player ?card))
    (true (hand ?player ?higher))
    (next_to ?card ?higher){unless_special})
(<= (next_to ?card ?higher)
    (lower ?card ?higher))
"""

#: By name, when cards are equivalent, in words and in rules.
NEXT_TO = {
    "left": (
        "none between them is in another hand or winning the trick",
        """\
(<= (next_to ?card ?higher)
    (next_to ?card ?between)
    (not (in_play ?between))
    (lower ?between ?higher))
(<= (in_play ?card)
    (true (hand ?player ?card)))
(<= (in_play ?card)
    (true (winning ?player ?card)))
""",
    ),
    "dealt": (
        "none between them was dealt to another player",
        """\
(<= (next_to ?card ?higher)
    (next_to ?card ?between)
    (dealt ?player ?card)
    (dealt ?player ?between)
    (lower ?between ?higher))
""",
    ),
}

PLUS = """\
; a + b = c
(<= (plus ?n 0 ?n)
    (number ?n))
(<= (plus ?a ?k ?c)
    (plus ?a ?j ?b)
    (succ ?j ?k)
    (succ ?b ?c))
"""

BIDS = """\
;; Tricks taken, and the bids

(<= (base (took ?player ?n))
    (role ?player)
    (number ?n))

(<= (init (took ?player 0))
    (role ?player))

(<= (next (took ?player ?m))
    (wins ?player)
    (true (took ?player ?n))
    (succ ?n ?m))
(<= (next (took ?player ?n))
    (true (took ?player ?n))
    (not (wins ?player)))
(<= (next (bid ?player ?n))
    (true (bid ?player ?n)))

(<= (over ?player ?k)
    (true (bid ?player ?bid))
    (true (took ?player ?n))
    (plus ?bid ?k ?n))
(<= (under ?player ?k)
    (true (bid ?player ?bid))
    (true (took ?player ?n))
    (plus ?n ?k ?bid)
    (distinct ?k 0))
(<= (made ?player)
    (over ?player ?k))
(<= (missed ?player)
    (under ?player ?k))

; How many of the others, from the next player on, have missed their bids
(<= (tally ?player ?next 0)
    (follows ?player ?next)
    (made ?next))
(<= (tally ?player ?next 1)
    (follows ?player ?next)
    (missed ?next))
(<= (tally ?player ?next ?k)
    (tally ?player ?other ?k)
    (follows ?other ?next)
    (distinct ?player ?next)
    (made ?next))
(<= (tally ?player ?next ?m)
    (tally ?player ?other ?k)
    (follows ?other ?next)
    (distinct ?player ?next)
    (missed ?next)
    (after ?k ?m))
(<= (fallen ?player ?k)
    (tally ?player ?other ?k)
    (follows ?other ?player))
"""

#: By name, what a player may want in games with bids.
WISHES = {
    "mt": """\
; mt: the more tricks the better
(<= (worth mt ?player ?goal)
    (true (took ?player ?n))
    (per_trick ?n ?goal))
""",
    "momb": """\
; momb: that the others miss their bids, then to make one's bid
(<= (worth momb ?player ?goal)
    (made ?player)
    (fallen ?player ?k)
    (per_miss_and_made ?k ?goal))
(<= (worth momb ?player ?goal)
    (missed ?player)
    (fallen ?player ?k)
    (per_miss ?k ?goal))
""",
    "mot": """\
; mot: to make the bid, with as few tricks over as can be
(<= (worth mot ?player ?goal)
    (over ?player ?k)
    (less ?k ?goal))
(<= (worth mot ?player 0)
    (missed ?player))
""",
    "smot": """\
; smot: the same, but one trick over does not matter
(<= (worth smot ?player 100)
    (over ?player 0))
(<= (worth smot ?player ?goal)
    (over ?player ?k)
    (succ ?j ?k)
    (less ?j ?goal))
(<= (worth smot ?player 0)
    (missed ?player))
""",
    "wl": """\
; wl: to make the bid
(<= (worth wl ?player 100)
    (made ?player))
(<= (worth wl ?player 0)
    (missed ?player))
""",
    "oh": """\
; oh: to take as many tricks as were bid, or nearly
(<= (worth oh ?player ?goal)
    (over ?player ?k)
    (less ?k ?goal))
(<= (worth oh ?player ?goal)
    (under ?player ?k)
    (less ?k ?goal))
""",
    "formula": """\
; formula: to make the bid; then -1 for each trick over, and +3 for each other player that misses it
(<= (worth formula ?player ?goal)
    (over ?player ?k)
    (fallen ?player ?m)
    (net ?k ?m ?goal))
(<= (worth formula ?player 0)
    (missed ?player))
""",
}

# The queen of spades is not equivalent to any other card.
UNLESS_QUEEN = """
    (distinct ?card s03)
    (distinct ?higher s03)"""

HEARTS = """\
;; Which player has taken which hearts; `pot` stands for those in the trick

(<= (base (hearts ?player ?n))
    (role ?player)
    (number ?n))
(<= (base (pot ?k))
    (pots ?k))

(<= (init (hearts ?player 0))
    (role ?player))
(init (pot 0))

(<= heart
    (does ?player (play ?card))
    (card ?card h))
(<= (swept ?k)
    (true (pot ?k))
    (not heart))
(<= (swept ?m)
    (true (pot ?k))
    heart
    (succ ?k ?m))

(<= (next (pot ?k))
    (swept ?k)
    (not last))
(<= (next (pot 0))
    last)
(<= (next (hearts ?player ?m))
    (wins ?player)
    (true (hearts ?player ?n))
    (swept ?k)
    (plus ?n ?k ?m))
(<= (next (hearts ?player ?n))
    (true (hearts ?player ?n))
    (not (wins ?player)))
"""

QUEEN = """\
;; Which player has taken the queen of spades

(base queen_shown)
(<= (base (queen ?player))
    (role ?player))

(<= queen_falls
    (does ?player (play s03)))
(<= queen_falls
    (true queen_shown))
(<= (next queen_shown)
    queen_falls
    (not last))
(<= (next (queen ?player))
    queen_falls
    (wins ?player))
(<= (next (queen ?player))
    (true (queen ?player)))
"""

POINTS = """\
(<= (points ?player ?n)
    (true (hearts ?player ?n)))
"""

POINTS_WITH_QUEEN = """\
(<= (points ?player ?n)
    (true (hearts ?player ?n))
    (not (true (queen ?player))))
(<= (points ?player ?m)
    (true (hearts ?player ?n))
    (true (queen ?player))
    (with_queen ?n ?m))
"""

#: By name, what a player may want in Hearts.
HEARTS_WISHES = {
    "few": """\
; few: few points
(<= (worth few ?player ?goal)
    (points ?player ?n)
    (score ?n ?goal))
""",
    "moon": """\
; moon: few points, or else all of them, which gives them to each of the others instead
(<= (worth moon ?player 100)
    (shoots ?player))
(<= (worth moon ?player ?goal)
    (role ?player)
    shot
    (not (shoots ?player))
    (all_points ?n)
    (score ?n ?goal))
(<= (worth moon ?player ?goal)
    (not shot)
    (worth few ?player ?goal))
(<= (shoots ?player)
    (points ?player ?n)
    (all_points ?n))
(<= shot
    (shoots ?player))
""",
    "least": """\
; least: that no player has fewer points
(<= (worth least ?player 100)
    (role ?player)
    (not (behind ?player)))
(<= (worth least ?player 0)
    (behind ?player))
(<= (behind ?player)
    (points ?player ?m)
    (points ?other ?n)
    (fewer ?n ?m))
""",
}
