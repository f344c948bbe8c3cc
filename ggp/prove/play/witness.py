"""A play of a machine as the witness of an answer: its moves, checked with Prolog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ggp.errors import GameError, ReasonerError
from ggp.gdl import Description
from ggp.kif import Symbol, Term
from ggp.prove.conditions import with_end
from ggp.prove.machine import GameMachine
from ggp.prove.play.blame import Evidence, held_goals, suspects
from ggp.prove.play.replay import replay, shows
from ggp.prove.play.simulation import Run, joint_moves
from ggp.prove.question import Verdict
from ggp.reasoner import open_reasoner

__all__ = ["CONTRADICTED", "witnessed"]

#: Who has checked an answer whose play Prolog does not confirm. The answer is open then.
CONTRADICTED = "contradicted by prolog"

# Seconds that Prolog may take for each call.
_REPLAY = 20.0


def witnessed(
    verdict: Verdict,
    run: Run,
    *,
    machine: GameMachine,
    description: Description,
    conditions: Mapping[str, Term],
) -> Verdict:
    """Return the verdict with its witness, and with suspects where rules are at fault.

    Args:
        verdict: an answer without a witness.
        run: the play that shows it.
        machine: where that is a play.
        description: the rules.
        conditions: those that are claimed never to hold, by their texts.
    """
    question = verdict.question
    moves = machine.circuit.moves
    steps = joint_moves(machine, run, has_last_step=question.name == "monotone")
    witness = tuple(
        tuple(of_role[number] for of_role, number in zip(moves, step, strict=True))
        for step in steps
    )
    found, rules = replace(verdict, witness=witness), description
    if question.name == "never":
        rules = with_end(rules, conditions[question.subject or ""])
    try:
        with open_reasoner(rules, kind="prolog", time_limit=_REPLAY) as reasoner:
            states = replay(reasoner, witness)
            if states is None or not shows(question, reasoner, states):
                return replace(verdict, verdict="open", engine="", checked=CONTRADICTED)
            facts = [reasoner.facts(state) for state in states]
            found = replace(found, checked="prolog", last_state=facts[-1])
        if not found.is_fault:
            return found
        step = _telling_step(facts, first=states.index(states[-1]))
        evidence = Evidence(facts[step - 1], witness[step - 1] if witness else None, facts[step])
        named = suspects(rules, question, evidence)
        found = replace(found, suspects=tuple(map(description.terms.index, named)))
        if question.name == "goals" and question.role is not None:
            found = replace(found, shown=_goals(rules, question.role, facts[-1]))
    except (ReasonerError, GameError):
        pass
    return found


def _goals(description: Description, role: Symbol, facts: Sequence[Term]) -> str:
    """Return what is wrong with the goals of a role in a last state; "" if that is not seen."""
    goals = held_goals(description, role, facts)
    if goals is None:
        return ""
    if not goals:
        return f"the game is over, and {role} has no goal"
    if len(goals) > 1:
        several = f"{', '.join(map(str, goals[:-1]))} and {goals[-1]}"
        return f"the game is over, and {role} has {len(goals)} goals: {several}"
    return f"the game is over, and the goal of {role} is {goals[0]}, not one from 0 to 100"


def _telling_step(facts: Sequence[Sequence[Term]], *, first: int) -> int:
    """Return the step of a play that tells most: the last, or of a loop that which loses most.

    Args:
        facts: those of each state.
        first: the number of the first state that is the last one too.
    """

    def lost(step: int) -> int:
        return len(set(facts[step - 1]).difference(facts[step]))

    last = len(facts) - 1
    return max(range(first + 1, last + 1), key=lost, default=last)
