"""Searches that keep a list of what they visited, in machine code and in Prolog.

Each room is a role that turns its light on or off, so that one joint move leads to any set of lit
rooms; the question is always whether lit rooms lead from room a to room z.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggp.gdl import Description, Rule
from ggp.kif import Symbol, parse_term
from ggp.reasoner import open_reasoner
from ggp.reasoner.compiled.circuit.build import build_circuit
from ggp.reasoner.compiled.circuit.evaluate import evaluate
from ggp.reasoner.compiled.rewriting import generic, visited
from ggp.reasoner.compiled.rewriting.generic import Generic, Undecided, any_key
from ggp.reasoner.compiled.rewriting.rewrite import rewrite

ROOMS = "abcz"
#: From a there are two ways to z, and circles.
DOORS = ("ab", "bc", "ca", "cz", "ac", "bz", "cb", "zb")

GAME = """
(<= (legal ?room on) (role ?room)) (<= (legal ?room off) (role ?room))
(<= (next (lit ?room)) (does ?room on))
(<= (open ?from ?to) (door ?from ?to) (true (lit ?to)))
(<= (goal ?room 100) (role ?room) there) (<= (goal ?room 0) (role ?room) (not there))
(<= terminal there)
"""

# The name of a room goes to the end of a list, unless it is on it.
NOTED = """
(<= there (walk a z none))
(<= (walk ?from ?to ?seen) (tag ?from ?tag) (note ?tag ?seen ?more) (onward ?from ?to ?more))
(<= (onward ?from ?to ?seen) (open ?from ?to) (notes ?seen))
(<= (onward ?from ?to ?seen) (open ?from ?via) (walk ?via ?to ?seen) (notes ?seen))
(<= (note ?tag none (then ?tag none)) (is_tag ?tag))
(<= (note ?tag (then ?first ?rest) (then ?first ?more))
  (is_tag ?first) (is_tag ?tag) (distinct ?tag ?first) (notes ?rest) (note ?tag ?rest ?more))
(<= (is_tag ?tag) (tag ?room ?tag))
(notes none)
"""
NOTES = "(<= (notes (then ?tag ?rest)) (is_tag ?tag) (notes ?rest))"

# The next room goes to the front of a list, unless it is on it.
PUSHED = """
(<= there (walk z a empty))
(<= (walk ?to ?from ?seen) (open ?from ?to) (list ?seen))
(<= (walk ?to ?from ?seen) (open ?from ?via) (list ?seen) {unless} (walk ?to ?via (on ?seen ?via)))
(<= (in ?x (on ?rest ?x)) (role ?x) (list ?rest))
(<= (in ?x (on ?rest ?y)) (in ?x ?rest) (role ?y))
(list empty) (<= (list (on ?rest ?x)) (role ?x) (list ?rest))
(<= (absent ?x empty) (role ?x))
(<= (absent ?x (on ?rest ?y)) (distinct ?y ?x) (role ?y) (absent ?x ?rest))
"""

# Rooms are pairs; the room itself goes on the list; one rule looks at it, another one adds to it.
PAIRED = """
(<= there (walk z 0 a 0 nil))
(<= (walk ?to ?k ?from ?i ?seen) (door ?from ?to) (true (lit ?to)) (floor ?k) (floor ?i)
  (not (has ?seen (p ?from ?i))))
(<= (walk ?to ?k ?from ?i ?seen) (leads ?from ?i ?via ?j) (not (has ?seen (p ?from ?i)))
  (walk ?to ?k ?via ?j (cons (p ?from ?i) ?seen)))
(<= (leads ?from ?i ?via ?i) (open ?from ?via) (floor ?i))
(<= (leads ?from 0 ?from 1) (door ?from ?to))
(<= (has (cons ?x ?rest) ?x) (walked ?rest) (pair ?x))
(<= (has (cons ?x ?rest) ?y) (has ?rest ?y) (pair ?x))
(<= (pair (p ?a ?i)) (door ?a ?b) (floor ?i)) (<= (pair (p ?b ?i)) (door ?a ?b) (floor ?i))
(walked nil) (<= (walked (cons ?x ?rest)) (pair ?x) (walked ?rest))
(floor 0) (floor 1)
"""


def game(search: str, *, rooms: str = ROOMS, doors: Iterable[str] = DOORS) -> str:
    roles = " ".join(f"(role {room}) (tag {room} t{room})" for room in rooms)
    return roles + " ".join(f"(door {way[0]} {way[1]})" for way in doors) + GAME + search


def is_dropped(text: str) -> bool:
    """Whether the searches in a game lose their lists."""
    rules = rewrite(Description.from_text(text)).rules
    walks = {str(rule.relation) for rule in rules if str(rule.relation).startswith("walk")}
    return bool(walks) and all("/3 cut" in name or "/5 cut" in name for name in walks)


def by_circuit(text: str) -> list[bool]:
    """Whether the game is over for each set of lit rooms."""
    circuit = build_circuit(Description.from_text(text))
    sets = list(product([False, True], repeat=len(circuit.roles)))
    lit = {f"(lit {role})": number for number, role in enumerate(circuit.roles)}
    numbers = [lit[str(fact)] for fact in circuit.facts]
    inputs = [sum(1 << lane for lane, row in enumerate(sets) if row[n]) for n in numbers]
    values = evaluate(
        circuit.gates,
        circuit.loops,
        [*inputs, *[0] * (circuit.inputs - len(inputs))],
        lanes=len(sets),
    )
    value, sign = values[circuit.terminal >> 1], circuit.terminal & 1
    return [bool(value >> lane & 1) != bool(sign) for lane in range(len(sets))]


def by_prolog(text: str) -> list[bool]:
    """The same as the reference reasoner says."""
    description = Description.from_text(text)
    with open_reasoner(description, kind="prolog") as reasoner:
        start = reasoner.initial_state()
        return [
            reasoner.view(
                reasoner.next_state(start, [parse_term("on" if lit else "off") for lit in row])
            ).terminal
            for row in product([False, True], repeat=len(description.roles))
        ]


def assert_same(text: str) -> None:
    found = by_circuit(text)
    assert found == by_prolog(text)
    assert len(set(found)) == 2, "the question is trivial"


ABSENT, DENIED = "(absent ?via ?seen)", "(not (in ?via ?seen))"
SEARCHES = {
    "noted": NOTED + NOTES,
    "absent": PUSHED.format(unless=ABSENT),
    "denied": PUSHED.format(unless=DENIED),
    "paired": PAIRED,
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
def test_lists_are_dropped(search: str) -> None:
    assert is_dropped(game(search))
    assert_same(game(search))
