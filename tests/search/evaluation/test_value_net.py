"""Value networks: the engine estimates as the reference does, and players load them from files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ggp import Game
from ggp.deadline import Deadline
from ggp.errors import GgpError, PlayerError
from ggp.gdl import Description
from ggp.graph import GameGraph
from ggp.match import PlayerContext, make_player
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import Evaluation, LeafValueTable, Limit, ValueNet
from tests.search.every import by_engine, in_python

GAMES = Path(__file__).parents[3] / "games"


def opened(game: str) -> GameGraph:
    return GameGraph(CompiledReasoner(Description.load(GAMES / f"{game}.kif")))


def net_of(
    graph: GameGraph, *, hidden: int = 8, seed: int = 1, scale: float = 0.3, pairs: int = 40
) -> ValueNet:
    """Return a network with random weights, also for random pairs of facts."""
    assert isinstance(graph.reasoner, CompiledReasoner)
    random, facts = np.random.default_rng(seed), graph.reasoner.circuit.facts
    roles, order = graph.roles, random.permutation(len(facts))
    related = {
        frozenset(random.choice(len(facts), 2, replace=False).tolist()) for _ in range(pairs)
    }
    return ValueNet.of_layers(
        roles,
        [facts[place] for place in order],
        weights=random.normal(scale=scale, size=(hidden, len(facts) + len(related))),
        bias=random.normal(size=hidden),
        outputs=random.normal(size=(len(roles), hidden)),
        output_bias=random.normal(size=len(roles)),
        pairs=[tuple(pair) for pair in related],
    )


def options(graph: GameGraph, net: ValueNet) -> dict[str, Any]:
    table = LeafValueTable.of(graph.reasoner.description)
    return {"leaf_values": table, "evaluation": Evaluation(leaf_values=table, net=net)}


@pytest.mark.parametrize(
    ("game", "algorithm", "depth"),
    [
        ("connectfour", "alphabeta", 3),
        ("breakthrough", "alphabeta", 2),  # has more than 128 facts: no state is its own key
        ("triad", "maxn", 2),
        ("tictactoe", "minimax", 4),
    ],
)
def test_the_engine_estimates_as_the_reference_does(game: str, algorithm: str, depth: int) -> None:
    graph = opened(game)
    given = options(graph, net_of(graph))
    reference = in_python(graph, algorithm, **given).run(limit=Limit(depth=depth))
    engine = by_engine(graph, algorithm, ordered=False, **given)
    assert engine is not None
    result = engine.run(limit=Limit(depth=depth))
    assert result.value == pytest.approx(reference.value, abs=1e-9)
    assert result.joint_move == reference.joint_move
    assert result.expanded == reference.expanded
    # what the network has seen before changes nothing
    assert engine.run(limit=Limit(depth=depth)).value == result.value


def test_tree_search_estimates_each_leaf_once() -> None:
    graph = opened("connectfour")
    given = options(graph, net_of(graph, scale=0.5)) | {"seed": 1}
    values = []
    for search in (in_python(graph, "mcts", **given), by_engine(graph, "mcts", **given)):
        assert search is not None
        # the root, and each of its seven children
        result = search.run(limit=Limit(nodes=8))
        values.append(result.value)
        assert result.simulations == 0
    evaluation, expansion = given["evaluation"], graph.expansion(graph.root)
    estimates = [evaluation(graph, node, 0) for node in (graph.root, *expansion.children)]
    assert min(estimates) < values[0] < max(estimates)
    assert values[1] == pytest.approx(values[0], abs=20)


@pytest.mark.parametrize("player", ["alphabeta", "mcts"])
def test_a_player_takes_what_a_network_prefers(player: str, tmp_path: Path) -> None:
    graph = opened("connectfour")
    net = net_of(graph, hidden=1)
    # nothing counts but a red disc in column 6
    net.weights[:], net.bias[:], net.outputs[:], net.output_bias[:] = 0, 0, [[4000], [-4000]], 0
    for number, fact in enumerate(net.facts):
        net.weights[number] = 1024 * (fact == "(disc 6 1 red)")
    net.save(tmp_path / "net.npz")
    limit = "depth=1" if player == "alphabeta" else "threads=1"
    made = make_player(f"{player}:net={tmp_path / 'net.npz'},{limit}")
    reasoner = graph.reasoner
    made.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
    *_, move = made.moves(reasoner.initial_state(), Deadline.after(0.3))
    assert str(move) == "(drop 6)"


def test_a_file_holds_all_of_a_network(tmp_path: Path) -> None:
    net = net_of(opened("tictactoe"))
    net.save(tmp_path / "net.npz")
    again = ValueNet.load(tmp_path / "net.npz")
    first, second = net.pairs[0].tolist()
    facts = [*net.facts[3:9], net.facts[first], net.facts[second]]
    assert (again.pairs == net.pairs).all()
    assert (again.roles, again.facts) == (net.roles, net.facts)
    assert [again.goal(facts, role) for role in (0, 1)] == [net.goal(facts, r) for r in (0, 1)]


def test_weights_are_rounded() -> None:
    net = ValueNet.of_layers(
        ["a"], ["f", "g"], weights=[[0.5, 100.0]], bias=[0.25], outputs=[[2]], output_bias=[-1]
    )
    assert net.weights.tolist() == [[512], [32767]]
    assert net.goal(["f"], 0) == pytest.approx(100 / (1 + np.exp(-(0.75 * 2 - 1))))
    assert net.goal(["g"], 0) == pytest.approx(100 / (1 + np.exp(-1)))
    assert net.goal(["unknown"], 0) == pytest.approx(100 / (1 + np.exp(-(0.25 * 2 - 1))))


def test_a_pair_counts_where_both_of_its_facts_are_true() -> None:
    net = ValueNet.of_layers(
        ["a"], ["f", "g", "h"], weights=[[0.0, 0.0, 0.0, 0.5]], bias=[0.25], outputs=[[2]],
        output_bias=[-1], pairs=[(0, 2)],
    )  # fmt: skip
    nothing, both = (100 / (1 + np.exp(-(hidden * 2 - 1))) for hidden in (0.25, 0.75))
    assert net.goal(["h", "f"], 0) == pytest.approx(both)
    for facts in ([], ["f"], ["g", "h"], ["f", "g"]):
        assert net.goal(facts, 0) == pytest.approx(nothing)
    seen = np.array([[1, 0, 1], [1, 1, 0]], np.uint8)
    assert net.goals(seen)[:, 0] == pytest.approx([both, nothing])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 0)], "a pair is not of two of the 2 facts"),
        ([(0, 2)], "a pair is not of two of the 2 facts"),
        ([(-1, 0)], "a pair is not of two of the 2 facts"),
        ([(0, 1 << 32)], "a pair is not of two of the 2 facts"),
        ([(0, 1), (1, 0)], "a pair is there twice"),
        ([(0.0, 1.0)], "no whole numbers"),
        ([0, 1], "pairs has the shape"),
    ],
)
def test_a_pair_is_of_two_facts(pairs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ValueNet.of_layers(
            ["a"], ["f", "g"], weights=np.zeros((1, 2 + len(pairs))), bias=[0], outputs=[[1]],
            output_bias=[0], pairs=pairs,
        )  # fmt: skip


@pytest.mark.parametrize("name", ["weights", "bias", "outputs", "output_bias", "pairs"])
@pytest.mark.parametrize("kind", ["f8", "i8", "?", "m8[s]"])
def test_a_file_with_numbers_of_other_types_is_refused(
    name: str, kind: str, tmp_path: Path
) -> None:
    parts = dict(vars(net_of(opened("tictactoe"))))
    parts[name] = parts[name].astype(kind)
    np.savez(tmp_path / "net.npz", **parts)
    with pytest.raises(GgpError, match="is no file of a value network"):
        ValueNet.load(tmp_path / "net.npz")


def test_a_file_from_before_there_were_pairs_has_none(tmp_path: Path) -> None:
    net = net_of(opened("tictactoe"), pairs=0)
    parts = {name: value for name, value in vars(net).items() if name != "pairs"}
    np.savez(tmp_path / "net.npz", **parts)
    again = ValueNet.load(tmp_path / "net.npz")
    assert again.pairs.shape == (0, 2)
    assert again.goal(net.facts[:4], 1) == net.goal(net.facts[:4], 1)


def test_what_is_no_network_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    other.write_text("no network")
    with pytest.raises(GgpError, match=r"other\.npz is no file of a value network"):
        ValueNet.load(other)
    np.savez(other, roles=np.array(["a"]))
    with pytest.raises(PlayerError, match=r"option 'net': .*other\.npz is no file"):
        make_player(f"alphabeta:net={other}")
    with pytest.raises(PlayerError, match=r"option 'net': .*missing\.npz: No such file"):
        make_player(f"mcts:net={tmp_path / 'missing.npz'}")
    with pytest.raises(ValueError, match=r"outputs has the shape \(1, 2\), and not \(1, 1\)"):
        ValueNet.of_layers(
            ["a"], ["f"], weights=[[1.0]], bias=[0.0], outputs=[[1.0, 2.0]], output_bias=[0.0]
        )


def test_a_network_of_another_game_is_refused(tmp_path: Path) -> None:
    net_of(opened("tictactoe")).save(tmp_path / "net.npz")
    reasoner = opened("connectfour").reasoner
    player = make_player(f"alphabeta:net={tmp_path / 'net.npz'}")
    with pytest.raises(PlayerError, match="a game with the roles"):
        player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), Deadline.after(0))
    net = ValueNet.load(tmp_path / "net.npz")
    with pytest.raises(GgpError, match=r"does not know the fact \(cell 9 9 x\)"):
        net.check_game(net.roles, ["(cell 9 9 x)"])


def test_many_states_are_estimated_as_each_is() -> None:
    with Game.load("breakthrough") as game:
        net = net_of(GameGraph(game.reasoner))
        order = [net.facts.index(str(fact)) for fact in game.facts]
        net = replace(
            net,
            facts=tuple(map(str, game.facts)),
            weights=net.weights[[*order, *range(len(order), len(net.weights))]],
            pairs=np.argsort(order)[net.pairs].astype(np.int32),
        )
        states = game.init(3)
        for _ in range(4):
            states = game.step(states, game.random_moves(states))
        found = net.goals(states.observation)
        for number in range(3):
            for role in range(len(game.roles)):
                assert found[number, role] == pytest.approx(net.goal(states.facts(number), role))
        with pytest.raises(ValueError, match="facts"):
            net.goals(states.observation[:, 1:])
