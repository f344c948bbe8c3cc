"""Questions about a game, answered for all its states: with proofs, and with plays that refute.

    >>> from ggp import Description
    >>> from ggp.prove import prove
    >>> found = prove(Description.load("nim"), seconds=2)
    >>> {verdict.verdict for verdict in found if verdict.question.expected}
    {'proved'}

`claims` asks the questions of a `machine`, which is the game's circuit in the form that model
checkers read. `simulation` plays at random, `induction` and `ends` prove by clingo, `abc` runs the
model checker ABC, `replay` plays witnesses with Prolog, `repair` looks for changes that heal a
fault, and `prover` decides who does what. All of that is done by a process of its own, which has
limits.
"""

from __future__ import annotations

from ggp.prove.conditions import read_condition
from ggp.prove.finding import faults, faults_told, slips
from ggp.prove.play.record import witness_record
from ggp.prove.process import prove
from ggp.prove.question import MEANINGS, Answer, Phases, Question, Repair, Verdict

__all__ = [
    "MEANINGS",
    "Answer",
    "Phases",
    "Question",
    "Repair",
    "Verdict",
    "faults",
    "faults_told",
    "prove",
    "read_condition",
    "slips",
    "witness_record",
]
