"""The order in which the legal moves of large games are computed."""

from __future__ import annotations

from itertools import product

import pytest

from ggp.compiler.circuit import move_order
from ggp.compiler.circuit.gates import Graph, both
from ggp.compiler.circuit.move_order import order_moves
from ggp.kif import Compound, Symbol, Term

PIECES, TARGETS, ROLES = 5, 7, 2


def moves_to_targets() -> tuple[Graph, list[int], list[tuple[int, Term]]]:
    """Moves of pieces to targets. What a target takes, many gates, is the same for all pieces."""
    graph = Graph(PIECES + 3 * TARGETS)
    graph.make_room(1000)
    pieces = [2 * (1 + i) for i in range(PIECES)]
    targets = []
    for i in range(TARGETS):
        inputs = [2 * (1 + PIECES + 3 * i + k) for k in range(3)]
        targets.append(both(graph.gates, both(graph.gates, inputs[0], inputs[1]), inputs[2]))
    legal: list[int] = []
    moves: list[tuple[int, Term]] = []
    for role in range(ROLES):
        for piece, target in product(range(PIECES), range(TARGETS)):
            literal = both(graph.gates, pieces[piece], targets[target])
            legal.append(literal if role else both(graph.gates, literal, pieces[0]))
            items = (Symbol("go"), Symbol(f"p{piece}"), Symbol(f"t{target}"))
            moves.append((role, Compound(items)))
    return graph, legal, moves


def test_moves_that_share_much_are_computed_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_order, "_FEW_NODES", 0)
    graph, legal, moves = moves_to_targets()
    order = order_moves(graph, legal, moves)
    assert sorted(order) == [*range(len(moves))]
    expected = [
        role * PIECES * TARGETS + piece * TARGETS + target
        for role, target, piece in product(range(ROLES), range(TARGETS), range(PIECES))
    ]
    assert order == expected


def test_small_games_keep_the_order_of_their_moves() -> None:
    graph, legal, moves = moves_to_targets()
    assert order_moves(graph, legal, moves) == [*range(len(moves))]


def test_moves_without_arguments_have_an_order_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(move_order, "_FEW_NODES", 0)
    graph, legal, moves = moves_to_targets()
    moves[3] = (0, Symbol("noop"))
    assert sorted(order_moves(graph, legal, moves)) == [*range(len(moves))]
    plain: list[tuple[int, Term]] = [(0, Symbol(f"m{i}")) for i in range(len(legal))]
    assert order_moves(graph, legal, plain) == [*range(len(legal))]
