"""The page from which a client learns the language."""

from __future__ import annotations

import re

from ggp.agents.documents import page
from ggp.authoring import format_rules
from ggp.gdl import Description
from ggp.gdl.check import check
from ggp.kif import Source
from ggp.perft import perft
from ggp.reasoner import open_reasoner

#: The words that have a meaning in GDL, but for the negation and the alternative.
WORDS = (
    "role", "init", "true", "legal", "does", "next", "terminal", "goal", "base", "input",
    "distinct", "sees", "random", "not", "or",
)  # fmt: skip


def test_the_page_of_the_language_names_all_of_its_words() -> None:
    table = "\n".join(line for line in page("gdl").splitlines() if line.startswith("| `"))
    assert [word for word in WORDS if not re.search(rf"`\(?(role )?{word}\b", table)] == []


def test_the_game_of_the_page_is_correct() -> None:
    (rules,) = re.findall(r"```lisp\n(.*?)```", page("gdl"), re.DOTALL)
    assert check(Source(rules)) == []
    assert format_rules(Source(rules)) == rules
    description = Description.from_text(rules)
    with open_reasoner(description, kind="prolog") as reasoner:
        counts = perft(description, reasoner)
    assert (counts.complete, counts.states) == (True, [1, 4, 6, 4, 1])
    assert counts.layers[-1].goals == {"0,100": (1, 24)}
