"""The loops of self-play do what their plain definitions say."""

from __future__ import annotations

import pickle
from collections import Counter
from itertools import product
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray

from ggp import Game
from ggp.learning.layers import Layers, Rounded
from ggp.learning.loops import LOGISTIC, choose, evaluate, finish, list_some
from ggp.learning.samples import Samples
from ggp.learning.selfplay import NOISE, worth_of
from ggp.native.numba_support import Words

GAMES = ["tictactoe", "breakthrough", "connectfour", "rockpaperscissors"]
SEED = np.uint64(7)


def some_states(game: Game, count: int = 40) -> Words:
    """States of random matches at various depths, some of them terminal."""
    states = game.init(count)
    found = [states.words]
    for seed in range(4):
        states = game.step(states, game.random_moves(states, seed=seed), auto_reset=True)
        found.append(states.words)
    return np.concatenate(found)


def listed(
    game: Game, states: Words, most: int
) -> tuple[list[list[tuple[int, ...]]], NDArray[np.int32], NDArray[np.int32]]:
    """The joint moves of each state as `list_some` lists them, the roles' own and how many."""
    kernel = game.reasoner.kernel
    views, roles = kernel.views(states), len(game.roles)
    widest = max(map(len, kernel.circuit.moves))
    own = np.zeros((len(states), roles, widest), np.int32)
    counts = np.zeros((len(states), roles), np.int32)
    starts = np.zeros(len(states) + 1, np.int64)
    moves = np.zeros((len(states) * most, roles), np.int32)
    parents = np.zeros(len(states) * most, np.int64)
    total = list_some(
        views.legal, views.terminal, kernel.first_move, most, SEED, own, counts, starts, moves,
        parents,
    )  # fmt: skip
    assert total == starts[-1]
    for state in range(len(states)):
        assert (parents[starts[state] : starts[state + 1]] == state).all()
    found = [
        [tuple(map(int, row)) for row in moves[starts[state] : starts[state + 1]]]
        for state in range(len(states))
    ]
    return found, own, counts


@pytest.mark.parametrize("name", GAMES)
def test_all_joint_moves_are_listed_or_some_of_them(name: str) -> None:
    with Game.load(name) as game:
        states = some_states(game)
        kernel = game.reasoner.kernel
        views = kernel.views(states)
        for most in (256, 5):
            found, own, counts = listed(game, states, most)
            for state, joint_moves in enumerate(found):
                if views.terminal[state]:
                    assert joint_moves == []
                    continue
                bits = np.unpackbits(views.legal[state].view(np.uint8), bitorder="little")
                legal = [
                    np.flatnonzero(bits[first:last]).tolist()
                    for first, last in zip(kernel.first_move, kernel.first_move[1:], strict=False)
                ]
                for role, moves in enumerate(legal):
                    assert own[state, role, : counts[state, role]].tolist() == moves
                every = [*product(*legal)]
                if len(every) <= most:
                    assert sorted(joint_moves) == sorted(every)
                else:
                    assert len(joint_moves) == most
                    assert set(joint_moves) <= set(every)


@pytest.mark.parametrize("name", GAMES)
def test_states_and_children_are_worth_what_the_network_says(name: str) -> None:
    with Game.load(name) as game:
        kernel, most = game.reasoner.kernel, 64
        circuit = kernel.circuit
        states = some_states(game, 8)
        found, _, counts = listed(game, states, most)
        moves = np.array([move for some in found for move in some], np.int32)
        parents = np.repeat(np.arange(len(states)), [*map(len, found)])
        children = kernel.steps(states, moves, parents, checked=True)
        ended, goals = kernel.ends(children)
        views = kernel.views(children)
        assert (ended == views.terminal).all()
        assert (goals == views.goals).all()
        layers = with_pairs(
            Layers.new(
                rows=64 * kernel.state_words, hidden=64, roles=len(circuit.roles),
                generator=np.random.default_rng(1),
            ),
            len(circuit.facts),
        )  # fmt: skip
        net, worth = Rounded.of(layers), worth_of(circuit)
        starts, seen = (
            np.cumsum([0, *map(len, found)]),
            np.zeros((2, kernel.state_words), np.uint64),
        )
        values = np.zeros((len(states), len(circuit.roles)), np.float32)
        after = np.zeros((len(children), len(circuit.roles)), np.float32)
        evaluate(
            states, starts, children, ended, goals, worth, counts, net.weights, net.bias,
            net.outputs, net.output_bias, net.one, net.partners, LOGISTIC,
            np.zeros(128, np.int16), seen[0], seen[1], values, after,
        )  # fmt: skip
        assert np.abs(values - plain_values(layers, states)).max() < 0.02
        expected = plain_values(layers, children)
        for child, state in enumerate(parents):
            for role in range(len(circuit.roles)):
                if ended[child]:
                    assert after[child, role] == worth[role, goals[child, role]]
                elif counts[state, role] > 1:
                    assert abs(after[child, role] - expected[child, role]) < 0.02


def with_pairs(layers: Layers, facts: int) -> Layers:
    """The layers with weights for some pairs of facts."""
    generator = np.random.default_rng(4)
    pairs = {tuple(sorted(generator.choice(facts, 2, replace=False).tolist())) for _ in range(60)}
    grown = layers.grown(np.array(sorted(pairs), np.int32))
    grown.weights[layers.bits :] = generator.normal(0, 0.1, (len(pairs), layers.hidden))
    return grown


def plain_values(layers: Layers, states: Words) -> NDArray[np.float32]:
    """What the network says of packed states, by matrices."""
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")
    pairs = bits[:, layers.pairs[:, 0]] & bits[:, layers.pairs[:, 1]]
    inputs = np.concatenate((bits, pairs), axis=1).astype(np.float32)
    hidden = np.clip(inputs @ layers.weights + layers.bias, 0, 1)
    values: NDArray[np.float32] = 1 / (
        1 + np.exp(-(hidden @ layers.outputs.T + layers.output_bias))
    )
    return values


def frequencies(*, explore: float, chance: int, sharpness: float) -> dict[int, float]:
    """How often each of three moves is chosen whose children are worth 0.2, 0.5 and 0.6."""
    lanes = 60_000
    starts = np.arange(0, 3 * lanes + 1, 3)
    moves = np.tile(np.array([[4], [5], [6]], np.int32), (lanes, 1))
    after = np.tile(np.array([[0.2], [0.5], [0.6]], np.float32), (lanes, 1))
    own = np.tile(np.array([[[4, 5, 6]]], np.int32), (lanes, 1, 1))
    counts = np.full((lanes, 1), 3, np.int32)
    chosen, drawn = np.zeros((lanes, 1), np.int32), np.zeros(lanes, np.bool_)
    choose(
        starts, moves, after, own, counts, chance, explore, sharpness, NOISE, SEED,
        np.zeros(9, np.float32), np.zeros(9, np.int32), chosen, drawn,
    )  # fmt: skip
    return {move: count / lanes for move, count in Counter(chosen[:, 0].tolist()).items()}


def test_moves_are_chosen_by_soft_max() -> None:
    found = frequencies(explore=0.0, chance=-1, sharpness=5.0)
    weights = {4: exp(1.0), 5: exp(2.5), 6: exp(3.0)}
    for move, weight in weights.items():
        assert found[move] == pytest.approx(weight / sum(weights.values()), abs=0.02)


@pytest.mark.parametrize(("explore", "chance"), [(1.0, -1), (0.0, 0)])
def test_explorers_and_chance_draw_any_move(explore: float, chance: int) -> None:
    found = frequencies(explore=explore, chance=chance, sharpness=100.0)
    assert set(found) == {4, 5, 6}
    assert all(share == pytest.approx(1 / 3, abs=0.02) for share in found.values())


def test_matches_become_samples_with_the_targets_of_td_lambda() -> None:
    generator = np.random.default_rng(3)
    lanes, plies, roles, trust = 6, 9, 2, 0.7
    over = np.array([True, False, True, True, False, True])
    lengths = generator.integers(1, plies, lanes)
    ends = generator.random((lanes, roles)).astype(np.float32)
    history = generator.integers(1 << 60, size=(lanes, plies, 1), dtype=np.uint64)
    estimates = generator.random((lanes, plies, roles)).astype(np.float32)
    drawn = generator.random((lanes, plies)) < 0.3
    kept, targets = np.zeros((200, 1), np.uint64), np.zeros((200, roles), np.float32)
    terminal, goals = np.arange(lanes) % 2 == 0, np.zeros((lanes, roles), np.int16)
    worth = generator.random((roles, 1)).astype(np.float32)
    count = finish(
        over, terminal, goals, worth, ends, lengths, history, estimates, drawn, trust, 0, kept,
        targets,
    )  # fmt: skip
    ends[terminal] = worth[:, 0]
    expected: list[tuple[int, list[float]]] = []
    for lane in np.flatnonzero(over):
        target = ends[lane].astype(float)
        for ply in reversed(range(lengths[lane])):
            value = estimates[lane, ply].astype(float)
            if drawn[lane, ply]:
                target = value
                continue
            expected.append((int(history[lane, ply, 0]), target.tolist()))
            target = trust * target + (1 - trust) * value
    assert count == len(expected)
    assert kept[:count, 0].tolist() == [state for state, _ in expected]
    assert targets[:count] == pytest.approx(np.array([target for _, target in expected]), abs=1e-5)


def test_the_rows_of_a_network_begin_with_cache_lines_in_every_process() -> None:
    layers = Layers.new(rows=64, hidden=32, roles=2, generator=np.random.default_rng(3))
    net = Rounded.of(layers)
    sent = pickle.loads(pickle.dumps(net))
    for here, there in ((net.weights, sent.weights), (net.outputs, sent.outputs)):
        assert here.ctypes.data % 64 == there.ctypes.data % 64 == 0
        assert (here == there).all()
    assert sent.one == net.one
    # Ray keeps arrays apart from the rest, and read-only
    buffers: list[pickle.PickleBuffer] = []
    packed = pickle.dumps(net, protocol=5, buffer_callback=buffers.append)
    sent = pickle.loads(packed, buffers=[bytes(buffer.raw()) for buffer in buffers])
    assert all(part.flags.writeable for part in (sent.weights, *sent.partners))
    assert [part.tolist() for part in sent.partners] == [part.tolist() for part in net.partners]


def test_a_rounded_network_follows_its_layers() -> None:
    layers = Layers.new(rows=64, hidden=32, roles=2, generator=np.random.default_rng(3))
    net = Rounded.of(layers)
    layers.weights[0, 0], layers.output_bias[0] = 1000, -0.5
    net.follow(layers)
    assert net.weights[0] == np.iinfo(np.int16).max  # the largest that there is
    assert net.output_bias[0] == -0.5 * int(net.one) ** 2
    assert net.weights[1] == round(float(layers.weights[0, 1]) * int(net.one))


def test_samples_move_on_in_their_order_where_a_ring_ends() -> None:
    source, target = (Samples(size=size, words=1, roles=1) for size in (4, 8))
    source.states[:, 0], source.seen = [4, 5, 2, 3], 6  # 0 and 1 are gone
    target.seen = 6
    target.take(source)
    assert (target.seen, source.seen) == (10, 0)
    assert target.states[[6, 7, 0, 1], 0].tolist() == [2, 3, 4, 5]
