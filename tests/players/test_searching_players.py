"""The players that search: legal, prompt, strong where they can see the end."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ggp.deadline import Deadline
from ggp.errors import PlayerError, TooManyJointMoves
from ggp.gdl import Description
from ggp.match import Player, PlayerContext, SearchInfo, make_player
from ggp.players.deepening import Deepening
from ggp.players.searching import Searching
from ggp.reasoner import Reasoner, State, open_reasoner
from ggp.search import Limit, SearchResult
from tests.engine.loaded import loaded_engine  # noqa: F401 - a fixture
from tests.search.tree_game import Spot, TreeGame, TreeReasoner, tree

pytestmark = pytest.mark.usefixtures("forked")

GAMES = Path(__file__).parents[2] / "games"
BY_DEPTH = ("minimax", "bounded", "alphabeta", "maxn")
NAMES = (*BY_DEPTH, "mcts", "auto")

each_player = pytest.mark.parametrize("name", NAMES)


@contextmanager
def opened(game: str, kind: str = "auto") -> Iterator[Reasoner]:
    with open_reasoner(Description.load(GAMES / f"{game}.kif"), kind=kind) as reasoner:
        yield reasoner


def seated(spec: str, reasoner: Reasoner, role: int, *, start_clock: float = 0.0) -> Player:
    player = make_player(spec)
    player.start(PlayerContext(reasoner.roles[role], reasoner, 1.0), Deadline.after(start_clock))
    return player


def answer(player: Player, state: State, *, seconds: float | None = None) -> str:
    *_, move = player.moves(state, Deadline.after(seconds))
    return str(move)


def play(
    reasoner: Reasoner, player: Player, role: int, *, seed: int, seconds: float | None = None
) -> tuple[int | None, ...]:
    """Let the player play against opponents who move at random; return the goals."""
    generator = random.Random(seed)
    state = reasoner.initial_state()
    while not (view := reasoner.view(state)).terminal:
        joint_move = [generator.choice(moves) for moves in view.legal]
        *_, joint_move[role] = player.moves(state, Deadline.after(seconds))
        reasoner.check_legal(state, joint_move)
        state = reasoner.next_state(state, joint_move)
    return view.goals


@pytest.mark.sample(1)
@each_player
def test_the_second_of_hexapawn_always_wins(name: str) -> None:
    with opened("hexapawn") as reasoner:
        for seed in range(10):
            player = seated(name, reasoner, 1)
            assert play(reasoner, player, 1, seed=seed) == (0, 100)


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", [0, 1])
def test_tic_tac_toe_is_never_lost(role: int) -> None:
    with opened("tictactoe") as reasoner:
        player = seated("alphabeta", reasoner, role)
        for seed in range(5):
            goal = play(reasoner, player, role, seed=seed)[role]
            assert goal is not None
            assert goal >= 50


@pytest.mark.sample(4)
@pytest.mark.parametrize("game", ["triad", "centipede", "pirates", "rockpaperscissors", "tron"])
@each_player
def test_any_game_is_played_by_its_rules(name: str, game: str) -> None:
    with opened(game) as reasoner:
        for role in range(len(reasoner.roles)):
            # a tree search of roles that choose at once need not end
            spec, seconds = (f"{name}:depth=1", None) if name in BY_DEPTH else (name, 0.02)
            play(reasoner, seated(spec, reasoner, role), role, seed=role, seconds=seconds)


@each_player
def test_the_shortest_win_is_taken(name: str) -> None:
    # The first move wins in two steps, the second at once.
    game = tree("r", ([0], [2], [1, 2]), ([0], [1], [2]), ([100], [1], []))
    reasoner = TreeReasoner(game)
    assert answer(seated(name, reasoner, 0), b"0") == "m1"


@pytest.mark.parametrize("name", ["minimax", "bounded", "alphabeta"])
def test_a_lost_state_is_held_as_long_as_possible(name: str) -> None:
    # After m0 the other can win at once, after m1 and m2 only one round later.
    game = tree(
        "r s",
        ([None, None], [3, 1], [1, 2, 2]),
        ([None, None], [1, 2], [4, 5]),
        ([None, None], [1, 1], [3]),
        ([None, None], [1, 2], [5, 4]),
        ([0, 100], [1, 1], []),
        ([100, 0], [1, 1], []),
    )
    player = seated(name, TreeReasoner(game), 0)
    assert answer(player, b"0") == "m1"


@pytest.mark.sample(2)
@each_player
def test_a_loss_that_was_proven_before_is_held_as_long_as_possible(name: str) -> None:
    # The start clock is enough to prove all, so that the first search of the turn says "lost".
    game = tree(
        "r s",
        ([None, None], [3, 1], [3, 1, 2]),
        ([None, None], [1, 2], [4, 5]),
        ([None, None], [1, 1], [5]),
        ([0, 100], [1, 1], []),
        ([None, None], [1, 1], [5]),
        ([0, 100], [1, 1], []),
        ([100, 0], [1, 1], []),
    )
    player = seated(name, TreeReasoner(game), 0, start_clock=60)
    # After m1 one of two replies loses at once, after m2 the only one does.
    assert answer(player, b"0") == "m1"


@pytest.mark.sample(2)
@each_player
def test_of_lost_moves_the_one_with_most_mistakes_to_make_is_taken(name: str) -> None:
    # All moves lose in two steps: m0 by each reply, m1 by one of three, m2 by one of two.
    game = tree(
        "r s",
        ([None, None], [3, 1], [1, 2, 3]),
        ([None, None], [1, 2], [4, 4]),
        ([None, None], [1, 3], [5, 5, 4]),
        ([None, None], [1, 2], [4, 5]),
        ([0, 100], [1, 1], []),
        ([100, 0], [1, 1], []),
    )
    player = seated(name, TreeReasoner(game), 0, start_clock=60)
    assert answer(player, b"0") == "m1"


def test_of_lost_moves_that_are_alike_playouts_choose() -> None:
    # After m0 one of four long plays wins by two mistakes, after m1 three of them.
    game = tree(
        "r s",
        ([None, None], [2, 1], [1, 2]),
        ([None, None], [1, 2], [3, 4]),
        ([None, None], [1, 2], [3, 5]),
        ([0, 100], [1, 1], []),
        ([None, None], [1, 4], [3, 3, 3, 6]),
        ([None, None], [1, 4], [3, 6, 6, 6]),
        ([100, 0], [1, 1], []),
    )
    player = seated("alphabeta", TreeReasoner(game), 0, start_clock=60)
    assert answer(player, b"0") == "m1"


def test_at_the_deadline_the_move_of_the_last_search_is_played() -> None:
    game = tree(
        "r s",
        ([None, None], [2, 1], [1, 2]),
        ([None, None], [2, 1], [3, 4]),
        ([None, None], [2, 1], [3, 3]),
        ([0, 100], [1, 1], []),
        ([100, 0], [1, 1], []),
    )
    player = seated("alphabeta", TreeReasoner(game), 0, start_clock=60)
    over = Deadline.after(0)
    assert str(next(player.moves(b"0", over))) == "m0"
    assert [str(move) for move in player.moves(b"1", over)][-1] == "m1"


def test_without_an_expected_move_one_joint_move_is_looked_ahead_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open_reasoner(Description.load(GAMES / "tictactoe.kif"), kind="compiled") as reasoner:
        player = seated("alphabeta", reasoner, 0)
        assert isinstance(player, Deepening)
        state = reasoner.initial_state()
        while player._horizon < 4:
            answer(player, state, seconds=1)
            player._turn = 0
        depths: list[int | None] = []
        engine = player._engine
        assert engine is not None
        run = engine.run

        def noting(node: int, limit: Limit) -> SearchResult:
            depths.append(limit.depth)
            return run(node, limit)

        monkeypatch.setattr(engine, "run", noting)
        player._last = -1, ()
        answer(player, state)
        assert depths[0] == 1
        assert depths[1] is not None
        assert depths[1] > 1


def test_too_many_joint_moves_are_sampled() -> None:
    class Crowded(TreeReasoner):
        def expand_all(self, states, *, max_joint_moves=0):  # type: ignore[no-untyped-def]
            raise TooManyJointMoves("104,060,401 joint moves in one state")

    game = tree("r", ([0], [2], [1, 2]), ([0], [1], []), ([100], [1], []))
    player = seated("alphabeta:ponder=true", Crowded(game), 0)
    state: State = b"0"
    infos: list[SearchInfo] = []
    object.__setattr__(player.context, "report", infos.append)
    for move in player.moves(state, Deadline.after(60)):
        if str(move) == "m1":
            break
    player.ponder(state, move, Deadline())
    assert str(move) == "m1"
    assert infos[-1].simulations


@each_player
def test_where_there_is_no_choice_nothing_is_searched(name: str) -> None:
    game = tree("r", ([0], [1], [1]), ([0], [2], [2, 2]), ([100], [1], []))
    reasoner = TreeReasoner(game)
    player = make_player(name)
    deadline = Deadline()
    deadline.cancel()
    player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0), deadline)
    before = reasoner.expanded
    assert [str(move) for move in player.moves(b"0", Deadline())] == ["m0"]
    assert reasoner.expanded - before <= 1


@pytest.mark.sample(3)
@each_player
def test_results_of_the_start_clock_are_known_when_playing(name: str) -> None:
    with opened("nim", "prolog") as reasoner:
        player = seated(name, reasoner, 0, start_clock=60)
        initial = reasoner.initial_state()
        reasoner.close()
        assert answer(player, initial) == "(take 1)"


@pytest.mark.timing
@each_player
def test_the_clock_is_kept(name: str) -> None:
    with opened("connectfour") as reasoner:
        began = time.monotonic()
        player = seated(name, reasoner, 0, start_clock=0.3)
        moves = [str(m) for m in player.moves(reasoner.initial_state(), Deadline.after(0.5))]
        assert time.monotonic() - began < 5
    assert len(moves) > 1
    assert set(moves) <= {f"(drop {column})" for column in range(1, 8)}


@each_player
def test_a_game_that_breaks_its_rules_ahead_is_played_on(name: str) -> None:
    spots = (
        Spot((None,), (2,), (1, 2)),
        Spot((None,), (1,), (3,)),
        Spot((10,), (1,)),
        Spot((0,), (0,), (-1,)),
    )
    player = seated(name, TreeReasoner(TreeGame(("r",), spots)), 0)
    assert answer(player, b"0") in {"m0", "m1"}


@each_player
def test_a_state_ahead_with_too_many_joint_moves_does_not_end_the_search(name: str) -> None:
    class Crowded(TreeReasoner):
        def expand_all(self, states, *, max_joint_moves=0):  # type: ignore[no-untyped-def]
            if b"2" in states:
                raise TooManyJointMoves("9,999,999 joint moves in one state")
            return super().expand_all(states)

    game = tree("r", ([0], [2], [1, 1]), ([0], [1], [2]), ([100], [1], []))
    assert answer(seated(name, Crowded(game), 0), b"0") == "m0"


@pytest.mark.parametrize("name", ["mcts", "auto"])
@pytest.mark.parametrize(("cores", "allowed"), [(0, 0), (1, 0), (2, 1), (7, 3)])
def test_tree_search_ponders_on_half_of_the_free_cores(
    name: str, cores: int, allowed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ggp.players.searching.free", lambda: cores)
    limits: list[int] = []

    @contextmanager
    def limited(most: int) -> Iterator[None]:
        limits.append(most)
        yield

    monkeypatch.setattr("ggp.players.searching.limited", limited)
    spots = (
        Spot((None, None), (2, 1), (1, 2)),
        Spot((None, None), (1, 2), (3, 4)),
        Spot((None, None), (1, 2), (4, 3)),
        Spot((100, 0), (1, 1)),
        Spot((0, 100), (1, 1)),
    )
    reasoner = TreeReasoner(TreeGame(("r", "s"), spots))
    thoughts: list[SearchInfo] = []
    player = make_player(name)
    player.start(PlayerContext(reasoner.roles[0], reasoner, 1.0, thoughts.append), Deadline(0.0))
    thoughts.clear()
    player.ponder(b"0", reasoner.legal_moves(b"0", reasoner.roles[0])[0], Deadline())
    assert limits == [allowed] * (allowed > 0)
    assert [thought.is_proven for thought in thoughts[-1:]] == [True] * (allowed > 0)


@pytest.mark.parametrize("name", BY_DEPTH)
def test_depth_limits_how_far_is_looked(name: str) -> None:
    chain = [Spot((None,), (2,), (i + 1, i + 1)) for i in range(9)]
    game = TreeGame(("r",), (*chain, Spot((100,), (1,))))
    reasoner = TreeReasoner(game)
    player = seated(f"{name}:depth=3", reasoner, 0)
    assert answer(player, b"0") == "m0"
    assert reasoner.expanded == 4


@pytest.mark.parametrize(
    "spec",
    [
        "minimax:depth=0",
        "alphabeta:max_states=0",
        "alphabeta:count=0",
        "alphabeta:playouts=-1",
        "alphabeta:playouts=nan",
        "alphabeta:goals=0,mobility=0,playouts=0",
        "alphabeta:ponder=perhaps",
        "alphabeta:pruning=shallow",
        "bounded:win=10,lose=50",
        "maxn:win=3",
        "maxn:pruning=deep",
        "maxn:classifier=quadratic",
        "maxn:row_filter=lower",
        "maxn:discrete=2",
        "maxn:memory=0",
        "mcts:exploration=-1",
        "mcts:blend=2",
        "mcts:playouts=0",
        "mcts:ease=-1",
        "auto:memory=0",
    ],
)
def test_options_that_make_no_sense_are_refused(spec: str) -> None:
    with pytest.raises(PlayerError) as raised:
        make_player(spec)
    assert str(raised.value).startswith(f"{spec}: ")
    assert "\n" not in str(raised.value)


def test_a_wrong_word_is_answered_by_the_right_ones() -> None:
    with pytest.raises(PlayerError, match=r"'pruning' is immediate or shallow or .*, not 'deep'"):
        make_player("maxn:pruning=deep")
    with pytest.raises(
        PlayerError, match=r"options are win \(float or none\), lose \(float\), depth \(int"
    ):
        make_player("bounded:deepth=3")


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "pruning", ["immediate", "shallow", "branch-and-bound", "last-branch", "speculative"]
)
def test_every_rule_of_pruning_plays_as_plain_max_n(pruning: str) -> None:
    for kind in ("compiled", "prolog"):
        with open_reasoner(Description.load(GAMES / "pirates.kif"), kind=kind) as reasoner:
            state = reasoner.initial_state()
            expected = answer(seated("maxn:classifier=none", reasoner, 1), state)
            for options in (
                "classifier=linear",
                "classifier=linear,discrete=yes",
                "row_filter=upper",
                "row_filter=literal",
            ):
                player = seated(f"maxn:pruning={pruning},{options}", reasoner, 1)
                assert answer(player, state) == expected


@pytest.mark.long
def test_max_n_enumerates_the_leaf_values_in_a_quarter_of_its_start_clock() -> None:
    with opened("pirates") as reasoner:
        expected = answer(seated("maxn:classifier=none", reasoner, 0), reasoner.initial_state())
        for seconds, level in ((0, 1), (40, 2)):
            player = seated("maxn:classifier=lvt,depth=1", reasoner, 0, start_clock=seconds)
            assert isinstance(player, Deepening)
            assert player._search.leaf_values.level == level
            player = seated("maxn:classifier=lvt", reasoner, 0, start_clock=seconds)
            assert answer(player, reasoner.initial_state()) == expected


@pytest.mark.long
@pytest.mark.parametrize("name", [*BY_DEPTH, "mcts"])
def test_the_table_is_used_as_soon_as_it_is_enumerated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    with opened("pirates") as reasoner:
        monkeypatch.setenv("GGP_CACHE_DIR", str(tmp_path))  # no table is kept there
        # nothing is waited for, and the time to search ends before
        monkeypatch.setattr("ggp.players.searching._LEAF_VALUES", 0.0)
        player = seated(name, reasoner, 0, start_clock=0.1)
        assert isinstance(player, Searching)
        assert player._enumeration is not None
        assert player._enumeration.wait(60)
        assert player._search.leaf_values.level == 1
        assert answer(player, reasoner.initial_state())
        assert player._search.leaf_values.level == 2


def test_bounded_is_content_with_enough() -> None:
    game = tree("r", ([0], [2], [1, 2]), ([60], [1], []), ([100], [1], []))
    assert answer(seated("bounded:win=51,lose=50", TreeReasoner(game), 0), b"0") == "m0"
    assert answer(seated("bounded", TreeReasoner(game), 0), b"0") == "m1"


@pytest.mark.long
def test_alphabeta_beats_random_at_connect_four() -> None:
    with opened("connectfour") as reasoner:
        won = 0
        for seed in range(10):
            role = seed % 2
            player = seated("alphabeta:depth=4", reasoner, role)
            won += play(reasoner, player, role, seed=seed)[role] == 100
    assert won >= 8
