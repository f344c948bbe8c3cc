"""A small game for tests of the language server."""

from __future__ import annotations

__all__ = ["GAME"]

GAME = """\
; Take one or two stones.
(role left)
(role right)
(init (stones 3))
(init (control left))
(successor 0 1)
(successor 1 2)
(successor 2 3)

(<= (legal ?r (take 1))
    (true (control ?r)))
(<= (legal ?r (take 2))
    (true (control ?r))
    (not (true (stones 1))))
(<= (legal ?other noop)
    (role ?other)
    (not (true (control ?other))))

(<= (next (stones ?n))
    (does ?r (take 1))
    (true (stones ?m))
    (successor ?n ?m))
(<= (next (stones ?n))
    (does ?r (take 2))
    (true (stones ?m))
    (successor ?l ?m)
    (successor ?n ?l))
(<= (next (control left))
    (true (control right)))
(<= (next (control right))
    (true (control left)))

(<= terminal
    (true (stones 0)))
(<= (goal ?r 0)
    (true (control ?r)))
(<= (goal ?r 100)
    (role ?r)
    (not (true (control ?r))))

(base (stones 3))
(<= (base (stones ?n))
    (successor ?n ?m))
(<= (base (control ?r))
    (role ?r))
(<= (input ?r (take 1))
    (role ?r))
(<= (input ?r (take 2))
    (role ?r))
(<= (input ?r noop)
    (role ?r))
"""
