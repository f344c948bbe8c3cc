"""Walks over the gates of a circuit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ggp.compiler.circuit.circuit import Circuit

__all__ = ["copier", "facts_below"]


def facts_below(
    circuit: Circuit, literals: Iterable[int], *, is_followed: bool = False
) -> set[int]:
    """Return the facts, by number, on which some literals rest.

    Args:
        circuit: the game.
        literals: of the circuit.
        is_followed: whether to add the facts on which the next values of these facts rest.
    """
    gates, following = circuit.gates.tolist(), circuit.next.tolist()
    nodes = circuit.fact_nodes
    pending = [literal >> 1 for literal in literals]
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if node in seen:
            continue
        seen.add(node)
        pending += (literal >> 1 for literal in gates[node])
        if is_followed and node in nodes:
            pending.append(following[nodes.index(node)] >> 1)
    return {nodes.index(node) for node in seen if node in nodes}


def copier(
    gates: Sequence[Sequence[int]],
    known: dict[int, int],
    *,
    both: Callable[[int, int], int],
    negated: Callable[[int], int],
) -> Callable[[int], int]:
    """Return what copies the gates below a literal, and gives the copy's literal for it.

    Args:
        gates: the two input literals of each node.
        known: the copy's literals for the constant and the inputs, by node; gates are added.
        both: makes the conjunction of two literals of the copy.
        negated: gives the negation of a literal of the copy.
    """

    def literal(root: int) -> int:
        pending = [root >> 1]
        while pending:
            node = pending[-1]
            if node in known:
                pending.pop()
                continue
            left, right = gates[node]
            missing = [below >> 1 for below in (left, right) if below >> 1 not in known]
            if missing:
                pending += missing
                continue
            known[node] = both(signed(left), signed(right))
        return signed(root)

    def signed(root: int) -> int:
        found = known[root >> 1]
        return negated(found) if root & 1 else found

    return literal
