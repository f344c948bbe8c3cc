"""Small games with known faults."""

#: Counts from 1 to 3: `a` goes on, `b` waits. Without a fault.
COUNT = """
(role a) (role b)
(succ 1 2) (succ 2 3)
(init (n 1)) (init (cell 1 1 x)) (init (cell 1 2 y))
(<= (legal a go) (true (n ?n)) (succ ?n ?m))
(<= (legal b wait) (true (n ?n)) (succ ?n ?m))
(<= (next (n ?m)) (does a go) (true (n ?n)) (succ ?n ?m))
(<= (next (cell ?x ?y ?c)) (true (cell ?x ?y ?c)))
(<= terminal (true (n 3)))
(<= (goal a 100) (true (n 3)))
(<= (goal b 0) (true (n 3)))
"""

#: What to replace, by what, the question that is refuted then, and after how many joint moves.
FAULTS = {
    "playable a": ("(<= (legal a go) (true (n ?n))", "(<= (legal a go) (true (n 1))", 1),
    "playable b": ("(<= (legal b wait) (true (n ?n))", "(<= (legal b wait) (true (n 2))", 0),
    "goals a": ("(goal a 100) (true (n 3))", "(goal a 100) (true (n 2))", 2),
    "goals b": ("(<= (goal b 0)", "(<= (goal b 50) (true (n 3))) (<= (goal b 0)", 2),
    "ends": ("(<= (next (n ?m)) (does a go)", "(<= (next (n ?n)) (does a go)", 1),
    "one-content (cell ? ? *)": (
        "(<= (next (cell",
        "(<= (next (cell 1 1 y)) (true (n 1)))\n(<= (next (cell",
        1,
    ),
}
