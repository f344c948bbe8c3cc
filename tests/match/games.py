"""Tiny rulesheets for matches that take no time."""

from __future__ import annotations

#: Both roles pick a number, three times.
PICK = """
(role left) (role right)
(init (step 0))
(succ 0 1) (succ 1 2) (succ 2 3)
(number 1) (number 2) (number 3)
(<= (legal ?role (pick ?number)) (role ?role) (number ?number))
(<= (next (step ?next)) (true (step ?step)) (succ ?step ?next))
(<= (next (picked ?role ?number ?next))
    (does ?role (pick ?number)) (true (step ?step)) (succ ?step ?next))
(<= (next (picked ?role ?number ?step)) (true (picked ?role ?number ?step)))
(<= terminal (true (step 3)))
(<= (goal left 100) (true (picked left 3 1)))
(<= (goal left 0) (not (true (picked left 3 1))))
(goal right 50)
"""

#: One role turns a coin, nature throws it.
COIN = """
(role me) (role random)
(init (coin heads))
(<= (legal me turn)) (<= (legal me wait))
(<= (legal random heads)) (<= (legal random tails))
(<= (next (coin ?side)) (does random ?side))
(<= (next over) (true (coin ?side)))
(<= terminal (true over))
(<= (goal me 100) (true (coin heads)))
(<= (goal me 0) (true (coin tails)))
(goal random 0)
"""

#: After one step the role has no legal move, though the game is not over.
STUCK = """
(role me)
(init start)
(<= (legal me go) (true start))
(<= (next stuck) (does me go))
(<= terminal (true never))
(goal me 100)
"""

#: What follows the first step rests on a recursion without end.
ENDLESS_RULES = """
(role me)
(init (n 0))
(legal me go)
(<= (next (n 1)) (true (n ?x)) (big ?x))
(<= (big ?x) (big (s ?x)))
(<= terminal (true (n 5)))
(goal me 100)
"""

#: Ends at once, with no goal for one of its roles and two for the other.
GOALLESS = """
(role me) (role you)
(init start)
(legal me go) (legal you go)
(<= (next end) (does me go))
(<= terminal (true end))
(goal you 30) (goal you 40)
"""

#: One role makes one mark, and that is all.
MARK = """
(role me)
(init start)
(<= (legal me (mark 1)) (true start))
(<= (legal me (mark 2)) (true start))
(<= (next (marked ?n)) (does me (mark ?n)))
(<= terminal (true (marked ?n)))
(<= (goal me 0) (true (marked 1)))
(<= (goal me 100) (true (marked 2)))
"""

#: One role goes one of two ways, which differ only in words.
FORK = """
(role me)
(init start)
(<= (legal me left) (true start))
(<= (legal me right) (true start))
(<= (next (went ?way)) (does me ?way))
(<= terminal (true (went ?way)))
(<= (goal me 0) (true (went left)))
(<= (goal me 100) (true (went right)))
"""

#: Two moves, and two facts, that differ by capitals alone.
CASES = """
(role me)
(init start)
(<= (legal me (go a)) (true start))
(<= (legal me (go A)) (true start))
(<= (next (at ?place)) (does me (go ?place)))
(<= terminal (true (at ?place)))
(<= (goal me 100) (true (at A)))
(<= (goal me 0) (true (at a)))
"""
