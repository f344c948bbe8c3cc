"""Searches that keep a list of what they visited: machine code and Prolog give the same answers.

Each door is a role that opens or shuts, so that one joint move leads to any graph of the rooms. The
question is whether open doors lead from room a to room z.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from itertools import permutations
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.circuit.circuit import Circuit
from ggp.compiler.circuit.evaluate import evaluate
from ggp.compiler.rewriting.lists import generic, visited
from ggp.compiler.rewriting.rewrite import rewrite
from ggp.gdl import Description
from ggp.kif import parse_term
from ggp.reasoner import Reasoner, open_reasoner

ROOMS = "abcz"
DOORS = tuple(map("".join, permutations(ROOMS, 2)))
TAGS = "".join(f"(tag {room} t{room})" for room in ROOMS)

GAME = (
    "".join(f"(room {room}) " for room in ROOMS)
    + "".join(f"(role {way}) (door {way} {way[0]} {way[1]}) " for way in DOORS)
    + """
(<= (legal ?door on) (role ?door)) (<= (legal ?door off) (role ?door))
(<= (next (open ?from ?to)) (does ?door on) (door ?door ?from ?to))
(<= (open ?from ?to) (true (open ?from ?to)))
(<= (goal ?door 100) (role ?door) there) (<= (goal ?door 0) (role ?door) (not there))
(<= terminal there)
"""
)


def lists(name: str, item: str, kind: str, *, most: int) -> str:
    """Return rules for what is a list: one for each length."""
    rules, term, body = f"({name} nil)", "nil", ""
    for number in range(most):
        term, body = item.format(f"?{number}", term), f"{body} ({kind} ?{number})"
        rules += f"(<= ({name} {term}) {body})"
    return rules


# The tag of a room goes to the end of the list, unless it is on it.
NOTED = """
(<= there (walk a z nil))
(<= (walk ?from ?to ?seen) (tag ?from ?tag) (note ?tag ?seen ?more) (onward ?from ?to ?more))
(<= (onward ?from ?to ?seen) (open ?from ?to) (notes ?seen))
(<= (onward ?from ?to ?seen) (open ?from ?via) (walk ?via ?to ?seen) (notes ?seen))
(<= (note ?tag nil (then ?tag nil)) (is_tag ?tag))
(<= (note ?tag (then ?first ?rest) (then ?first ?more))
  (is_tag ?first) (is_tag ?tag) (distinct ?tag ?first) (notes ?rest) (note ?tag ?rest ?more))
(<= (is_tag ?tag) (tag ?room ?tag))
(<= (noted ?tag (then ?tag ?rest)) (is_tag ?tag) (notes ?rest))
(<= (noted ?tag (then ?first ?rest)) (notes (then ?first ?rest)) (noted ?tag ?rest))
"""
NOTES = lists("notes", "(then {} {})", "is_tag", most=4)

# The next room goes to the front of the list, unless it is on it.
PUSHED = """
(<= there (walk nil z a))
(<= (walk ?seen ?to ?from) (open ?from ?to) (chain ?seen))
(<= (walk ?seen ?to ?from) (open ?from ?via) (chain ?seen) {unless} (walk (on ?seen ?via) ?to ?via))
(<= (in ?x (on ?rest ?x)) (room ?x) (chain ?rest))
(<= (in ?x (on ?rest ?y)) (chain (on ?rest ?y)) (in ?x ?rest))
(<= (absent ?x nil) (room ?x))
(<= (absent ?x (on ?rest ?y)) (distinct ?y ?x) (room ?y) (absent ?x ?rest))
"""
CHAINS = lists("chain", "(on {1} {0})", "room", most=4)

# Rooms are named by two numbers, and the pair of them goes on the list; one rule looks for it only.
PAIRED = """
(spot a 0 0) (spot b 0 1) (spot c 1 0) (spot z 1 1)
(<= (opens ?x ?y ?v ?w) (spot ?from ?x ?y) (spot ?to ?v ?w) (open ?from ?to))
(<= there (walk nil 1 1 0 0))
(<= (walk ?seen ?p ?q ?x ?y) (places ?seen) (opens ?x ?y ?p ?q) (not (has ?seen (at ?x ?y))))
(<= (walk ?seen ?p ?q ?x ?y) (places ?seen) (opens ?x ?y ?v ?w) (not (has ?seen (at ?x ?y)))
  (walk (cons (at ?x ?y) ?seen) ?p ?q ?v ?w))
(<= (has (cons ?x ?rest) ?x) (place ?x) (places ?rest))
(<= (has (cons ?x ?rest) ?y) (places (cons ?x ?rest)) (has ?rest ?y))
(<= (place (at ?x ?y)) (spot ?room ?x ?y))
"""
PLACES = lists("places", "(cons {} {})", "place", most=4)

DROPPED = {
    "to the end": TAGS + NOTED + NOTES,
    "absent": PUSHED.format(unless="(absent ?via ?seen)") + CHAINS,
    "not a member": PUSHED.format(unless="(not (in ?via ?seen))") + CHAINS,
    "pairs": PAIRED + PLACES,
    "asked not to hold": TAGS
    + NOTED.replace("(<= there", "(<= there (not other)) (<= other")
    + NOTES,
    "a list that may stay": TAGS
    + NOTED.replace("(walk a z nil)", "(walk a z (then wall nil))")
    + NOTES.replace("(notes nil)", "(notes nil) (is_tag wall)")
    + lists("notes", "(then {} {})", "is_tag", most=5),
}

END = "(open ?from ?to) (notes ?seen))"
TURNS = "".join(f"(turn {a} {b} {c})" for a, b, c in ("aab", "abc", "bca", "cab", "acb", "abz"))
KEPT = {
    "two rooms with one key": TAGS.replace("tb", "tc") + NOTED + NOTES,
    "a room that must be on it": TAGS + NOTED.replace(END, f"(noted tc ?seen) {END}") + NOTES,
    "a room that must not": TAGS + NOTED.replace(END, f"(not (noted tc ?seen)) {END}") + NOTES,
    "short lists": TAGS + NOTED + lists("notes", "(then {} {})", "is_tag", most=2),
    "a list to begin with": TAGS + NOTED.replace("a z nil", "a z (then tc nil)") + NOTES,
    "two lists to begin with": TAGS + NOTED + NOTES + "(<= there (walk b z (then tc nil)))",
    "any list to begin with": TAGS
    + NOTED.replace("(walk a z nil)", "(begun ?list) (walk a z ?list)")
    + "(begun (then tc nil)) (begun (then tb nil))"
    + NOTES,
    "two calls": TAGS
    + NOTED.replace(
        "(open ?from ?via) (walk ?via", "(open ?from ?via) (walk ?via b ?seen) (walk ?via"
    )
    + NOTES,
    "a turn that depends on the room before": TURNS
    + TAGS
    + NOTED.replace("(walk ?via", "(turn ?before ?from ?via) (walk ?from ?via")
    .replace("(walk ?from ?to", "(walk ?before ?from ?to")
    .replace("(onward ?from", "(onward ?before ?from")
    .replace("(walk a z", "(walk a a z")
    + NOTES,
    "a call that is denied": TAGS
    + NOTED.replace("(walk ?via ?to ?seen)", "(not (walk ?via ?to ?seen))")
    + NOTES,
    "a list that the state decides on": TAGS
    + NOTED.replace("?via ?to ?seen)", "?via ?to ?seen) (may ?seen)")
    + "(<= (may ?seen) (notes ?seen) (noted ta ?seen) (true (open a b)))"
    + "(<= (may ?seen) (notes ?seen) (not (noted tb ?seen)))"
    + NOTES,
}


class Search:
    """A game, compiled as far as its circuit, and in Prolog."""

    def __init__(self, rules: str, reasoner: Reasoner, circuit: Circuit) -> None:
        self.is_dropped = loses_its_lists(rules)
        self._reasoner = reasoner
        self._circuit = circuit

    def by_circuit(self, doors: Set[str]) -> bool:
        """Whether a way leads through the open doors."""
        return leads(self._circuit, doors)

    def by_prolog(self, doors: Set[str]) -> bool:
        """The same as the reference reasoner says."""
        moves = [parse_term("on" if way in doors else "off") for way in DOORS]
        state = self._reasoner.next_state(self._reasoner.initial_state(), moves)
        return self._reasoner.view(state).terminal


def leads(circuit: Circuit, doors: Set[str]) -> bool:
    """Whether the game is over when these doors are open."""
    open_ones = {f"(open {way[0]} {way[1]})" for way in doors}
    inputs = [int(str(fact) in open_ones) for fact in circuit.facts]
    inputs += [0] * (circuit.inputs - len(inputs))
    values = evaluate(circuit.gates, circuit.loops, inputs, lanes=1)
    return bool(values[circuit.terminal >> 1] ^ circuit.terminal & 1)


def loses_its_lists(rules: str) -> bool:
    """Whether all searches of a game do without their lists."""
    made = [str(rule.relation) for rule in rewrite(Description.from_text(GAME + rules)).rules]
    walks = [name for name in made if name.startswith(("walk", "onward"))]
    assert walks
    return all(" cut" in name for name in walks)


@pytest.fixture(scope="module", params=[*DROPPED, *KEPT])
def search(request: pytest.FixtureRequest) -> Iterator[Search]:
    rules = {**DROPPED, **KEPT}[request.param]
    description = Description.from_text(GAME + rules)
    with open_reasoner(description, kind="prolog") as reasoner:
        found = Search(rules, reasoner, build_circuit(description))
        assert found.is_dropped == (request.param in DROPPED)
        yield found


@pytest.mark.sample(5)
def test_both_answers_occur_and_are_the_same(search: Search) -> None:
    generator = Random("doors")
    graphs = [{way for way in DOORS if generator.random() < 0.3} for _ in range(60)]
    answers = [search.by_circuit(graph) for graph in graphs]
    assert answers == [search.by_prolog(graph) for graph in graphs]
    assert len(set(answers)) == 2


@pytest.mark.sample(5)
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(doors=st.sets(st.sampled_from(DOORS)))
def test_any_graph_has_the_same_answer(search: Search, doors: set[str]) -> None:
    assert search.by_circuit(doors) == search.by_prolog(doors)


#: What a search may ask besides, where it walks, where it arrives, and where it goes on.
ASKED = (
    "(noted tc ?seen)",
    "(not (noted tc ?seen))",
    "(tag ?to ?last) (not (noted ?last ?seen))",
    "(tag ?from ?own) (not (noted ?own ?seen))",
    "(tag ?from ?own) (noted ?own ?seen)",
    "(tag ?from ?own) (note ?own ?seen ?others)",
    "(distinct ?from c)",
    "(not (open ?from c))",
    "(tag ?from ?own) (distinct ?own tb)",
    "(notes ?seen)",
    "(distinct ?seen (then ta nil))",
    "(open ?to ?from)",
)
PLACES_TO_ASK = ("(tag ?from ?tag) (note", "(open ?from ?to) (notes", "(open ?from ?via) (walk")


@st.composite
def searches(draw: st.DrawFn) -> str:
    """Return rules of a search, whose lists can be dropped or not."""
    search = NOTED
    for place, asked in draw(
        st.lists(st.tuples(st.sampled_from(PLACES_TO_ASK), st.sampled_from(ASKED)), max_size=2)
    ):
        search = search.replace(place, f"{asked} {place}")
    tags = draw(st.sampled_from(["abcz", "bcza", "zacb", "abbz"]))
    begin = draw(st.sampled_from(["nil", "nil", "(then wall nil)", "(then tc nil)"]))
    return (
        "".join(f"(tag {room} t{tag})" for room, tag in zip(ROOMS, tags, strict=True))
        + search.replace("a z nil", f"a z {begin}")
        + lists("notes", "(then {} {})", "is_tag", most=draw(st.sampled_from([5, 4, 3])))
        + draw(st.sampled_from(["", "(is_tag wall)", f"(<= there (walk b z {begin}))"]))
    )


@pytest.mark.long
@settings(max_examples=settings().max_examples // 5, suppress_health_check=[HealthCheck.too_slow])
@given(rules=searches(), seed=st.integers(0, 99))
def test_searches_mean_the_same_with_and_without_their_lists(rules: str, seed: int) -> None:
    description = Description.from_text(GAME + rules)
    shorter = build_circuit(description)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(visited, "_MOST_KEYS", 0)
        longer = build_circuit(description)
    generator = Random(seed)
    for _ in range(60):
        doors = {way for way in DOORS if generator.random() < 0.4}
        assert leads(shorter, doors) == leads(longer, doors)


@pytest.mark.parametrize(("module", "limit"), [(visited, "_MOST_KEYS"), (generic, "_MOST")])
def test_many_keys_or_tries_are_given_up(
    module: object, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert loses_its_lists(DROPPED["to the end"])
    monkeypatch.setattr(module, limit, 3)
    assert not loses_its_lists(DROPPED["to the end"])


def test_paths_on_a_large_board_ground_small() -> None:
    """There are more than a million paths between the corners of a board of six by six cells."""
    size = range(6)
    cells = [f"c{i}{j}" for i in size for j in size]
    steps = [(i, j, i + 1, j) for i in size[1:] for j in size] + [
        (i, j, i, j + 1) for i in size for j in size[1:]
    ]
    pairs = [(f"c{i}{j}", f"c{k}{m}") for i, j, k, m in steps if k in size and m in size]
    rules = (
        "(role x) (goal x 0)"
        + "".join(f"(room {cell})" for cell in cells)
        + "".join(f"(near {a} {b}) (near {b} {a})" for a, b in pairs)
        + "(<= (legal x (put ?cell)) (room ?cell) (not (true (stone ?cell))))"
        + "(<= (next (stone ?cell)) (true (stone ?cell)))"
        + "(<= (next (stone ?cell)) (does x (put ?cell)))"
        + "(<= (open ?from ?to) (near ?from ?to) (true (stone ?to)))"
        + "(<= terminal there)"
        + PUSHED.format(unless="(absent ?via ?seen)").replace("nil z a", "nil c00 c55")
        + "(chain nil) (<= (chain (on ?rest ?x)) (room ?x) (chain ?rest))"
    )
    circuit = build_circuit(Description.from_text(rules))
    assert len(circuit.gates) < 10_000
