"""Rulesheets, each for one feature."""

from __future__ import annotations

#: The role that moves last loses; the layout depends only on the facts.
_TURNS = """
(role {first}) (role {second})
(init (control {first}))
(<= (next (control {first})) (true (control {second})))
(<= (next (control {second})) (true (control {first})))
(<= (legal {first} noop) (true (control {second})))
(<= (legal {second} noop) (true (control {first})))
(<= terminal (not open))
(goal {first} 50) (goal {second} 50)
"""

#: Stones on a board of hexagons: each cell has six neighbours, by a relation made of rules.
HEX = (
    _TURNS.format(first="red", second="blue")
    + """
(row a) (row b) (row c) (row d)
(nextrow a b) (nextrow b c) (nextrow c d)
(col 1) (col 2) (col 3) (col 4)
(nextcol 1 2) (nextcol 2 3) (nextcol 3 4)
(<= (base (stone ?x ?y ?who)) (row ?x) (col ?y) (role ?who))
(<= (legal ?who (put ?x ?y)) (true (control ?who)) (row ?x) (col ?y) (not (taken ?x ?y)))
(<= (taken ?x ?y) (true (stone ?x ?y ?who)))
(<= open (row ?x) (col ?y) (not (taken ?x ?y)))
(<= (next (stone ?x ?y ?who)) (does ?who (put ?x ?y)))
(<= (next (stone ?x ?y ?who)) (true (stone ?x ?y ?who)))
(<= (beside ?x ?y ?x ?v) (row ?x) (nextcol ?y ?v))
(<= (beside ?x ?y ?u ?y) (col ?y) (nextrow ?x ?u))
(<= (beside ?x ?v ?u ?y) (nextrow ?x ?u) (nextcol ?y ?v))
"""
)

#: A board whose contents come first, then up, then across; the cells are declared.
TURNED_ROUND = (
    _TURNS.format(first="x", second="o")
    + """
(line 1) (line 2) (line 3)
(file a) (file b) (file c) (file d)
(after a b) (after b c) (after c d)
(<= (base (holds ?what ?line ?file)) (thing ?what) (line ?line) (file ?file))
(thing x) (thing o) (thing nothing)
(<= (init (holds nothing ?line ?file)) (line ?line) (file ?file))
(<= (legal ?who (mark ?file ?line)) (true (control ?who)) (true (holds nothing ?line ?file)))
(<= open (true (holds nothing ?line ?file)))
(<= (next (holds ?who ?line ?file)) (does ?who (mark ?file ?line)))
(<= (next (holds ?what ?line ?file)) (true (holds ?what ?line ?file)) (not (marked ?line ?file)))
(<= (marked ?line ?file) (does ?who (mark ?file ?line)))
"""
)

#: A row of places, with seeds in them.
ROW = """
(role me)
(place p1) (place p2) (place p3) (place p4)
(follows p1 p2) (follows p2 p3) (follows p3 p4)
(more none one) (more one two) (more two three)
(<= (init (seeds ?place two)) (place ?place))
(<= (legal me (take ?place)) (place ?place) (not (true (seeds ?place none))))
(<= (next (seeds ?place ?less)) (does me (take ?place)) (true (seeds ?place ?n)) (more ?less ?n))
(<= (next (seeds ?place ?n)) (true (seeds ?place ?n)) (not (does me (take ?place))))
(<= seeded (true (seeds ?place two)))
(<= terminal (not seeded))
(goal me 100)
"""

#: Each role has cards, of two suits, and plays one at a time.
CARDS = """
(role north) (role south)
(dealt north k1) (dealt north k2) (dealt north m3) (dealt north m4)
(dealt south k3) (dealt south k4) (dealt south m1) (dealt south m2)
(suit k1 keys) (suit k2 keys) (suit k3 keys) (suit k4 keys)
(suit m1 moons) (suit m2 moons) (suit m3 moons) (suit m4 moons)
(<= (init (holding ?who ?card)) (dealt ?who ?card))
(<= (legal ?who (play ?card)) (true (holding ?who ?card)))
(<= (next (holding ?who ?card)) (true (holding ?who ?card)) (not (does ?who (play ?card))))
(<= (next (lying ?who ?card)) (does ?who (play ?card)))
(<= cards (true (holding ?who ?card)))
(<= terminal (not cards))
(goal north 50) (goal south 50)
"""

#: Words that would be markup, or run as a script, if a page inserted them as such.
SCRIPT = """
(role <img/src=x/onerror=document.title='run'>)
(init (cell 1 1 <script>document.title='run'</script>))
(init (cell 1 2 "'&><b>bold</b>))
(init (<i>turn</i> <u>1</u>))
(<= (legal <img/src=x/onerror=document.title='run'> (<svg/onload=document.title='run'> ?x ?y))
    (true (cell ?x ?y ?what)))
(<= (legal <img/src=x/onerror=document.title='run'> javascript:document.title='run')
    (true (cell 1 1 ?what)))
(<= (next (cell ?x ?y done))
    (does <img/src=x/onerror=document.title='run'> (<svg/onload=document.title='run'> ?x ?y)))
(<= (next (cell ?x ?y ?w)) (true (cell ?x ?y ?w)))
(<= terminal (true (cell 1 1 done)))
(goal <img/src=x/onerror=document.title='run'> 100)
"""

#: Grounding never ends, and neither does the first question.
ENDLESS = """
(role r) (init (n z)) (q z)
(<= (q (s ?x)) (q ?x))
(<= (legal r go) (q ?x) (true (n ?x)))
(<= (next (n z)) (does r go))
(<= terminal (true (n w)))
(goal r 50)
"""

#: The initial state has forty to the sixth facts.
BOMB = (
    "(role r)"
    + "".join(f"(d {n})" for n in range(40))
    + """
(<= (init (c ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))
(legal r go) (<= (next x) (does r go)) (<= terminal (true x)) (goal r 50)
"""
)
