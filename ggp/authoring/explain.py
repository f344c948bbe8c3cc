"""What an author is told of a fault: the play that shows it, its last state, rules, a change."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator

from ggp.authoring.format import WIDTH, format_rules
from ggp.gdl import Description
from ggp.gdl.check import CODES
from ggp.kif import Term
from ggp.match import draw
from ggp.prove import Repair, Verdict

__all__ = ["drawn", "explain"]

_BLANK = "\N{NO-BREAK SPACE}"


def explain(
    description: Description, fault: Verdict, *, carets: bool = False, is_known: bool = False
) -> Iterator[str]:
    """Yield the lines that explain a fault.

    The last state is drawn if its facts look like a board; otherwise its facts are listed.

    Args:
        description: the rules.
        fault: a claim that was refuted.
        carets: whether each rule is quoted, with a caret below its beginning.
        is_known: whether the change that heals the fault was told with another one.
    """
    for step, joint_move in enumerate(fault.witness or (), start=1):
        yield f"{step:3}  {' '.join(map(str, joint_move))}"
    if fault.last_state:
        yield "the last state:"
        yield from (f"    {line}" for line in drawn(description, fault.last_state))
    for position in fault.places(description):
        span = description.source.span(position)
        yield f"{span}: a rule to look at"
        if carets:
            yield from span.caret().splitlines()
    if fault.repair is not None:
        yield from _change(description, fault.repair, is_known=is_known)
    elif fault.suspects and (code := f"refuted-{fault.question.name}") in CODES:
        if fault.advice:
            yield fault.advice
        yield f"what heals it in most games: {CODES[code].fix}"


def _change(description: Description, repair: Repair, *, is_known: bool) -> Iterator[str]:
    place = description.terms[repair.number].position
    where = f" in line {place.line}" if place is not None else ""
    if is_known:
        yield f"the same change{where} heals it: {repair.what}"
        return
    yield f"a change that heals it{where}: {repair.what}"
    yield f"{repair.note}:"
    yield from (f"    {line}" for line in format_rules(repair.statement).splitlines())


def drawn(description: Description, state: Iterable[Term]) -> list[str]:
    """Return the lines that show a state: a board if its facts look like one, else all facts."""
    facts = sorted(state, key=str)
    board = draw(facts, description.domains.facts)
    if board is not None:
        return board.splitlines()
    # A fact is not broken at its blanks.
    text = " ".join(str(fact).replace(" ", _BLANK) for fact in facts)
    lines = textwrap.wrap(text, WIDTH - 20, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_BLANK, " ") for line in lines]
