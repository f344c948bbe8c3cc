"""Drops lists of what a search has visited, which only keep it from going in circles.

A chain of stones is often found by rules such as::

    (<= (path ?a ?b ?seen) (next_to ?a ?c) (not (in ?c ?seen)) (path ?c ?b (list ?c ?seen)))

There are as many lists as paths, and each is an atom. Without the list the rules say the same: if a
derivation puts something on it twice, a shorter one goes on from the first time as this one does
from the last; the shortest puts nothing on it twice. So what the conditions on the list forbid does
not matter, if they hold of all lists without repetition (`generic`). Besides, what is put on the
list tells the calls of a chain apart (`chains`), and all chains begin with the same list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice, product
from math import prod

from ggp.compiler.rewriting.arguments import without_arguments
from ggp.compiler.rewriting.clauses import QUESTIONS, given_by_facts, replaced
from ggp.compiler.rewriting.lists.chains import Step, same_keys_mean_same_calls
from ggp.compiler.rewriting.lists.generic import Generic, Undecided, any_key
from ggp.compiler.rewriting.rules import Rules
from ggp.compiler.rewriting.sizes import Sizes
from ggp.gdl import Relation, Rule, arguments_of
from ggp.kif import Symbol, Term, is_ground, symbols, variables
from ggp.recursion import deep_recursion

__all__ = ["without_visited"]

#: Lists of more keys than this are not tried.
_MOST_KEYS = 256
#: How many ways to choose an argument of each relation are tried.
_MOST_CHOICES = 16
#: A key makes a list deeper by no more levels, each of which takes no more calls, than this.
_FRAMES = 16


def without_visited(game: Rules) -> Rules:
    """Drop lists of what was visited."""
    relations = game.defining.keys() - QUESTIONS
    places = {relation: game.sizes.of_compounds(relation) for relation in relations}
    if not any(places.values()):
        return game
    graph = game.graph
    dropped: dict[Relation, set[int]] = {}
    shorter: dict[Rule, Rule] = {}
    for component in graph.components:
        if not component <= graph.recursive:
            continue
        ordered = sorted(component)
        choices = product(*(places.get(relation, ()) for relation in ordered))
        for choice in islice(choices, _MOST_CHOICES):
            chosen = dict(zip(ordered, choice, strict=True))
            steps = _steps(game, chosen)
            if steps:
                shorter |= {step.rule: step.shorter for step in steps}
                dropped |= {relation: {place} for relation, place in chosen.items()}
                break
    rules = without_arguments([shorter.get(rule, rule) for rule in game.rules], dropped)
    return game.changed(rules)


def _steps(game: Rules, places: Mapping[Relation, int]) -> list[Step]:
    """Return the rules of a component if the lists in these places can be dropped, else none."""
    steps: list[Step] = []
    starts: set[Term] = set()
    for rule in game.rules:
        if rule.relation in places:
            step = Step.of(rule, places)
            if step is None:
                return []
            steps.append(step)
        else:
            starts |= {
                arguments_of(literal.atom)[places[literal.relation]]
                for literal in rule.body
                if literal.relation in places
            }
    if len(starts) != 1 or not all(map(is_ground, starts)):
        return []
    facts = {relation: game.defining[relation] for relation in given_by_facts(game.defining)}
    keys = _keys(steps, game.sizes)
    if not 0 < len(keys) <= _MOST_KEYS or not same_keys_mean_same_calls(steps, places, facts):
        return []
    (start,) = starts
    try:
        with deep_recursion(_FRAMES * (len(keys) + len([*symbols(start)]))):
            hold = _always_hold(
                steps, start, len(keys), Generic(game.rules, keys=sorted(keys, key=str))
            )
    except Undecided:
        return []
    return steps if hold else []


def _keys(steps: Sequence[Step], sizes: Sizes) -> set[Term]:
    """Return all that the keys may be; nothing if that is unknown, or too much."""
    keys: set[Term] = set()
    for step in steps:
        if step.key is None:
            continue
        rest = Rule(step.rule.head, step.others)
        names = list(dict.fromkeys(variables(step.key)))
        found = [sizes.values(name, rest) or () for name in names]
        if not 0 < prod(map(len, found)) <= _MOST_KEYS:
            return set()
        for values in product(*found):
            keys.add(replaced(step.key, dict(zip(names, map(Symbol, values), strict=True))))
    return keys


def _always_hold(steps: Sequence[Step], start: Term, number: int, generic: Generic) -> bool:
    """Return whether all conditions hold of all lists that have no key twice.

    The list with any first key, any second one and so on stands for all lists of a length, and one
    key more for any key that is not on it. Raises `Undecided`.
    """
    before = start
    for length in range(number + 1):
        key = any_key(length)
        found = {
            step: step.lists(before, key, generic)
            for step in steps
            if step.key is None or length < number
        }
        longer = (
            after for step, lists in found.items() if step.key and step.call for after in lists
        )
        following = next((after for after in longer if after != before), before)
        for step, lists in found.items():
            allowed = {before, following} if step.key else {before}
            if allowed.isdisjoint(lists) and (step.call or not lists):
                return False
        if following == before:
            break
        before = following
    return True
