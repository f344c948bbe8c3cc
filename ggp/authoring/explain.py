"""What an author is told of a fault: the play that shows it, its last state, rules, a change."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from ggp.authoring.format import WIDTH, format_rules
from ggp.gdl import Description
from ggp.match import draw
from ggp.prove import Verdict

__all__ = ["explain"]

_BLANK = "\N{NO-BREAK SPACE}"


def explain(description: Description, fault: Verdict, *, carets: bool = False) -> Iterator[str]:
    """Yield the lines that explain a fault.

    The last state is drawn if its facts look like a board; otherwise its facts are listed.

    Args:
        description: the rules.
        fault: a claim that was refuted.
        carets: whether each rule is quoted, with a caret below its beginning.
    """
    for step, joint_move in enumerate(fault.witness or (), start=1):
        yield f"{step:3}  {' '.join(map(str, joint_move))}"
    if fault.last_state:
        yield "the last state:"
        yield from (f"    {line}" for line in _state(description, fault))
    for position in fault.places(description):
        span = description.source.span(position)
        yield f"{span}: a rule to look at"
        if carets:
            yield from span.caret().splitlines()
    if fault.repair is not None:
        place = description.terms[fault.repair.number].position
        where = f" in line {place.line}" if place is not None else ""
        what = "proved" if fault.repair.is_proved else "not refuted, but not all proved"
        yield f"a change that heals it{where}: {fault.repair.what}"
        yield f"what should hold is {what} then:"
        lines = format_rules(fault.repair.statement).splitlines()
        yield from (f"    {line}" for line in lines)


def _state(description: Description, fault: Verdict) -> list[str]:
    """Return the lines that show the last state of the play."""
    board = draw(fault.last_state, description.domains.facts)
    if board is not None:
        return board.splitlines()
    # A fact is not broken at its blanks.
    facts = " ".join(str(fact).replace(" ", _BLANK) for fact in sorted(fault.last_state, key=str))
    lines = textwrap.wrap(facts, WIDTH - 20, break_long_words=False, break_on_hyphens=False)
    return [line.replace(_BLANK, " ") for line in lines]
