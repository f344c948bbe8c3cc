"""Random puzzles in GDL: state machines with a clock and noise, and rules of many small facts."""

from __future__ import annotations

import random
from collections.abc import Iterator

from hypothesis import strategies as st

from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.reasoner.compiled import CompiledReasoner
from tests.engine.written import rules
from tests.search.tree_game import TreeGame, games

__all__ = ["of_rules", "puzzles", "rules_of_facts", "written"]


@st.composite
def puzzles(draw: st.DrawFn) -> tuple[TreeGame, str]:
    """A game of one role, which may come back to where it was, and rules that are added to it."""
    game = draw(st.one_of(games(roles=(1,)), games(roles=(1,), cyclic=True)))
    lines = [*_noise()] if draw(st.booleans()) else []
    if (kind := draw(st.sampled_from(["none", "limit", "goal", "wheel"]))) != "none":
        lines += _clock(kind, random.Random(draw(st.integers(0, 2**32))))
    return game, "\n".join(lines)


def written(game: TreeGame, more: str = "") -> GameGraph:
    description = Description.from_text("\n".join([*rules(game), more]))
    return GameGraph(CompiledReasoner(description), max_states=100_000)


@st.composite
def rules_of_facts(draw: st.DrawFn, *, timeless: bool = False) -> str:
    """Rules of a puzzle with a few facts, which moves make true and false under conditions.

    Args:
        draw: given by hypothesis.
        timeless: whether moves do not rest on the clock, if there is one.
    """
    generator = random.Random(draw(st.integers(0, 2**32)))
    facts = [f"f{number}" for number in range(generator.randint(2, 6))]
    lines = ["(role r)", *(f"(init {fact})" for fact in facts if generator.random() < 0.4)]
    has_clock, length = generator.random() < 0.5, generator.randint(1, 6)
    if has_clock:
        lines += ["(init (step 0))", "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"]
        lines += [f"(succ {step} {step + 1})" for step in range(length)]
        lines.append(f"(<= terminal (true (step {length})))")
    known = [*facts, *(f"(step {step})" for step in range(length) if has_clock and not timeless)]

    def condition(most: int) -> str:
        chosen = generator.sample(known, generator.randint(0, min(most, len(known))))
        literals = [f"(true {fact})" for fact in chosen]
        return " ".join(x if generator.random() < 0.6 else f"(not {x})" for x in literals)

    for move in (f"m{number}" for number in range(generator.randint(2, 5))):
        lines.append(f"(<= (legal r {move}) (true always) {condition(2)})")
        for fact in facts:
            if generator.random() < 0.4:
                lines.append(f"(changes {move} {fact})")
                lines.append(f"(<= (next {fact}) (does r {move}) {condition(2)})")
    # there is something to be done at the beginning; and what no move changes stays
    lines += ["(init always) (init fresh)", "(<= (next always) (true always))"]
    lines.append(f"(<= (legal r m0) (true {'always' if timeless else 'fresh'}))")
    lines += [
        f"(<= (next {fact}) (true {fact}) (does r ?m) (not (changes ?m {fact})))" for fact in facts
    ]
    if any(line.startswith("(changes") for line in lines):
        wanted = generator.sample(facts, generator.randint(1, len(facts)))
        reached = " ".join(
            f"(true {fact})" if generator.random() < 0.5 else f"(not (true {fact}))"
            for fact in wanted
        )
        lines += [f"(<= terminal {reached})"] * (not has_clock or generator.random() < 0.7)
        lines += [f"(<= (goal r 100) {reached})", f"(<= (goal r 40) (true {facts[0]}) (not won))"]
        lines += [f"(<= won {reached})", f"(<= (goal r 10) (not won) (not (true {facts[0]})))"]
        return "\n".join(lines)
    return draw(rules_of_facts(timeless=timeless))


def of_rules(rules: str) -> GameGraph:
    """Return the graph of a game written in GDL."""
    return GameGraph(CompiledReasoner(Description.from_text(rules)), max_states=100_000)


def _noise() -> Iterator[str]:
    """Notes what was done, which nothing asks for."""
    yield "(<= (next (done ?m)) (does r0 ?m))"
    yield "(<= (next (done ?m)) (true (done ?m)))"


def _clock(kind: str, generator: random.Random) -> Iterator[str]:
    """Counts the steps: up to a limit that ends the game, or round and round."""
    last = generator.randint(1, 8)
    yield "(init (step 0))"
    yield "(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))"
    yield from (f"(succ {number} {number + 1})" for number in range(last))
    if kind == "wheel":
        yield f"(succ {last} 0)"
    if kind in ("limit", "goal"):
        yield f"(<= terminal (true (step {last})))"
    if kind in ("goal", "wheel"):
        # one more way to the highest goal, at a certain time
        spot, step = generator.randint(0, 6), generator.randint(0, last)
        yield f"(<= (goal r0 100) (true (at {spot})) (true (step {step})))"
        yield f"(<= terminal (true (at {spot})) (true (step {step})))"
