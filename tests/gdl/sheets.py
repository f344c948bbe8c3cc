"""A small game without any finding, to which the tests add one fault at a time."""

from __future__ import annotations

from collections.abc import Iterable

from ggp.gdl.check import Finding, check

__all__ = ["GAME", "LINES", "codes_of", "errors_of", "with_line"]

#: Two roles take turns to count to three; a role that counts further at once wins.
GAME = """\
(role white)
(role black)
(succ 1 2)
(succ 2 3)
(<= (base (step ?n)) (succ ?m ?n))
(base (step 1))
(<= (base (control ?r)) (role ?r))
(<= (base (won ?r)) (role ?r))
(<= (input ?r wait) (role ?r))
(<= (input ?r (add ?n)) (role ?r) (succ ?m ?n))
(init (step 1))
(init (control white))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (legal ?r (add ?n)) (true (control ?r)) (true (step ?m)) (less ?m ?n))
(<= (less ?m ?n) (succ ?m ?n))
(<= (less ?m ?n) (succ ?m ?k) (less ?k ?n))
(<= (next (step ?n)) (does ?r (add ?n)))
(<= (next (control black)) (true (control white)))
(<= (next (control white)) (true (control black)))
(<= (next (won ?r)) (does ?r (add ?n)) (not (middle ?n)))
(<= (middle ?n) (succ ?m ?n) (succ ?n ?k))
(<= terminal (true (step ?n)) (not (smaller ?n)))
(<= (smaller ?m) (succ ?m ?n))
(<= (goal ?r 100) (true (won ?r)))
(<= (goal ?r 0) (role ?r) (not (goal ?r 100)))
"""

#: How many lines it has.
LINES = GAME.count("\n")


def with_line(line: str) -> str:
    """Return the game with one more line at its end."""
    return f"{GAME}{line}\n"


def codes_of(findings: Iterable[Finding]) -> set[str]:
    """Return the codes of the findings."""
    return {finding.code for finding in findings}


def errors_of(text: str) -> set[str]:
    """Return the codes of a rulesheet's errors."""
    return codes_of(finding for finding in check(text) if finding.severity == "error")
