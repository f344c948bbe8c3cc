"""The words that GDL gives a meaning, and what stands at each of their places."""

from __future__ import annotations

from dataclasses import dataclass

from ggp.kif import Symbol

__all__ = ["KEYWORDS", "Keyword", "is_keyword", "is_variable", "place_after"]


@dataclass(frozen=True, slots=True)
class Keyword:
    """A word of the language."""

    #: What it means, in one sentence.
    meaning: str
    #: How it is used.
    form: str
    #: The names of its arguments.
    arguments: tuple[str, ...]
    #: Where a group that begins with it may stand: `top`, `head` or `condition`.
    stands: frozenset[str]
    #: What its arguments are: `role`, `fact`, `move`, `condition`, or `term`.
    places: tuple[str, ...]


def _keyword(form: str, meaning: str, stands: str, places: str = "") -> Keyword:
    inner = [word for word in form.strip("()").split()[1:] if word != "..."]
    return Keyword(meaning, form, tuple(inner), frozenset(stands.split()), tuple(places.split()))


#: Every keyword, in lower case.
KEYWORDS = {
    "<=": _keyword(
        "(<= head condition ...)",
        "A rule: the head holds wherever all of the conditions hold.",
        "top",
    ),
    "role": _keyword(
        "(role name)",
        "Names a role, which is one of the players; the order of these facts is the order of "
        "joint moves.",
        "top condition",
        "role",
    ),
    "init": _keyword("(init fact)", "The fact is true in the initial state.", "top head", "fact"),
    "true": _keyword("(true fact)", "The fact is true in the present state.", "condition", "fact"),
    "next": _keyword(
        "(next fact)",
        "The fact is true in the state after the joint move; what no `next` gives is false there.",
        "head",
        "fact",
    ),
    "legal": _keyword(
        "(legal role move)",
        "The role may make the move in the present state.",
        "top head condition",
        "role move",
    ),
    "does": _keyword(
        "(does role move)",
        "The role makes the move in the joint move that leads to the next state.",
        "condition",
        "role move",
    ),
    "goal": _keyword(
        "(goal role value)",
        "The role's result is the value, an integer from 0 to 100, if the game ends here.",
        "head top condition",
        "role term",
    ),
    "terminal": _keyword("terminal", "The game is over in the present state.", "head condition"),
    "base": _keyword(
        "(base fact)", "Declares a fact that can be true in some state.", "top head", "fact"
    ),
    "input": _keyword(
        "(input role move)",
        "Declares a move that the role can have in some state.",
        "top head",
        "role move",
    ),
    "sees": _keyword(
        "(sees role percept)",
        "The role perceives this after the joint move (GDL-II, for games of hidden information).",
        "head",
        "role term",
    ),
    "distinct": _keyword(
        "(distinct term term)", "The two terms are different.", "condition", "term term"
    ),
    "not": _keyword(
        "(not condition)",
        "The condition does not hold; its variables get their values elsewhere in the rule.",
        "condition",
        "condition",
    ),
    "or": _keyword(
        "(or condition condition ...)",
        "At least one of the conditions holds.",
        "condition",
    ),
}


def is_keyword(name: str) -> bool:
    """Return whether a name is a keyword, in whatever case."""
    return name.lower() in KEYWORDS


def place_after(name: str, place: int) -> str:
    """Return what stands at a place, counted from 1, of an atom whose name is given."""
    places = KEYWORDS[name.lower()].places if is_keyword(name) else ()
    return places[place - 1] if place <= len(places) else "term"


def is_variable(text: str) -> bool:
    """Return whether a symbol is a variable."""
    return Symbol(text).is_variable
