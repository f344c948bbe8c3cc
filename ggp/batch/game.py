"""A game that plays many states at once, with arrays of numpy, and those states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggp.batch.loops import FINE, choose_moves, find_players
from ggp.batch.playing import StatePlayouts
from ggp.batch.single import Single
from ggp.batch.symmetries import Symmetries
from ggp.closing import Closing
from ggp.compiler.circuit.build import build_circuit
from ggp.compiler.runtime.kernel import Kernel, Views
from ggp.compiler.symmetry import find_symmetries
from ggp.deadline import Deadline
from ggp.errors import GameError, IllegalMove
from ggp.gdl import RANDOM, Description, canonical
from ggp.kif import Symbol, Term, parse_term
from ggp.native.cache import Cache
from ggp.native.kernels import KernelSet
from ggp.native.numba_support import Words
from ggp.printable import figure, preformatted
from ggp.reasoner.compiled import SMALL_GAME, CompiledReasoner
from ggp.reasoner.kernels import REASONER_KERNELS

__all__ = ["BATCH_KERNELS", "Game", "Moves", "States", "compile_kernels"]

_CHANCE = Symbol(RANDOM)

#: What batches need of numba.
BATCH_KERNELS = KernelSet("batch", __name__)

#: int32[n, roles] or int32[n]: numbers of moves, see `Game.step`.
Moves: TypeAlias = NDArray[np.int32]

# States that a notebook shows.
_SHOWN = 8

#: What an index of numpy may be.
_Index: TypeAlias = int | slice | NDArray[np.intp] | NDArray[np.bool_]


class Game(Closing):
    """A game whose states are played in batches, in machine code.

        >>> from ggp import Game
        >>> game = Game.load("tictactoe")
        >>> states = game.init(3)
        >>> states = game.step(states, game.random_moves(states, seed=1))
        >>> game.playouts(states, 100, seed=1).shape
        (3, 2)

    Moves are numbers: move k of role r is ``game.moves[r][k]``. The roles have numbers, too, in the
    order of the rulesheet. Goals are integers from 0 to 100. A game belongs to one thread.

    The names of pgx stand for what they stand for there, as far as rules in GDL allow: `init`,
    `step`, and of states `legal_action_mask`, `rewards`, `terminated`, `current_player`,
    `observation`. Arrays have the DLPack protocol, so torch and jax take them without a copy.
    """

    def __init__(
        self,
        description: Description,
        *,
        name: str = "",
        time_limit: float | None = None,
        memory_limit: int | None = None,
    ) -> None:
        """Compile the rules of a game, or take the code from the cache.

        Args:
            description: the rules.
            name: what the game is called.
            time_limit: seconds that compiling may take; None for the reasoner's default.
            memory_limit: bytes that it may take; None for the reasoner's default.

        Raises:
            ReasonerError: the game is too large for these limits, or cannot be grounded.
        """
        REASONER_KERNELS.request()
        BATCH_KERNELS.request()
        self.name = name or "a game"
        #: Answers questions about one state, such as ``states.words[0].tobytes()``.
        self.reasoner = CompiledReasoner(
            description, time_limit=time_limit, memory_limit=memory_limit
        )
        REASONER_KERNELS.wait(Deadline())
        BATCH_KERNELS.wait(Deadline())
        circuit = self.reasoner.circuit
        #: In the order of joint moves and goals.
        self.roles: tuple[Symbol, ...] = circuit.roles
        #: The number of the role `random`, which makes each of its moves with the same probability;
        #: None if there is none.
        self.chance = next((i for i, role in enumerate(self.roles) if role == _CHANCE), None)
        #: The moves of each role, sorted by printed text; one that no state allows may be missing.
        self.moves: tuple[tuple[Term, ...], ...] = circuit.moves
        #: The facts that can be true, sorted by printed text.
        self.facts: tuple[Term, ...] = circuit.facts
        #: The largest number of moves that a role has: the size of `States.legal`.
        self.num_actions = max(map(len, self.moves))
        #: How many roles there are besides chance.
        self.num_players = len(self.roles) - (self.chance is not None)
        #: The shape of a state's observation: (facts,); `ggp.display.Planes` has that of boards.
        self.observation_shape = (len(self.facts),)
        #: Per role int16[goals + 1], the goals that it can have, ascending, and -1.
        self.goal_values = tuple(
            np.array([*(goal for goal, _ in goals), -1], np.int16) for goals in circuit.goals
        )
        self._counts = np.diff(self.reasoner.kernel.first_move)
        self._generator = np.random.default_rng()
        # what the first step loads takes a fifth of a second, which may be time for a move
        none = self.init(0)
        self.step(none, self.random_moves(none))

    @classmethod
    def load(cls, path: Path | str, *, time_limit: float | None = None) -> Game:
        """Load a rulesheet from a file, or by the name of a bundled game, such as "tictactoe".

        Raises:
            OSError: the file cannot be read.
            SourceError: the text is not KIF, or describes no game.
            ReasonerError: the game cannot be compiled, or not in that time.
        """
        return cls(Description.load(path), name=Path(path).stem, time_limit=time_limit)

    def __deepcopy__(self, memo: object) -> Game:
        return self  # copies of what holds a game share it

    def __reduce__(self) -> tuple[Callable[[Description], Game], tuple[Description]]:
        return partial(Game, name=self.name), (self.reasoner.description,)

    def init(self, n: int = 1) -> States:
        """Return n times the state that the game begins in. Raises `ValueError` if n is below 0."""
        if n < 0:
            raise ValueError(f"there cannot be {n} states")
        return States(self, np.repeat(self.reasoner.kernel.initial(), n, axis=0))

    def concatenate(self, parts: Iterable[States]) -> States:
        """Return all states of some parts, one part after the other."""
        words = [part.words for part in parts]
        return States(self, np.concatenate(words)) if words else self.init(0)

    def legal(self, states: States) -> NDArray[np.bool_]:
        """Return which moves are legal: bool[n, roles, actions]; see `States.legal`."""
        return states.legal

    def terminal(self, states: States) -> NDArray[np.bool_]:
        """Return whether the game is over: bool[n]."""
        return states.terminated

    def goals(self, states: States) -> NDArray[np.int16]:
        """Return the goals, also before the end: int16[n, roles]; -1 for none or several."""
        return states.goals

    def observe(self, states: States) -> NDArray[np.uint8]:
        """Return which facts are true: uint8[n, facts]."""
        return states.observation

    def step(
        self,
        states: States,
        moves: ArrayLike,
        *,
        seed: int | None = None,
        auto_reset: bool = False,
    ) -> States:
        """Return the state after a joint move in each state.

        Args:
            states: n states.
            moves: int[n, roles], the number of each role's move, where -1 is a legal move that is
                drawn at random; or int[n], the moves of `States.current_player`: then the moves of
                chance are drawn, and the other roles have only one.
            seed: the same seed draws the same moves for the same states; None for others in each
                call.
            auto_reset: whether a terminal state is followed by the initial one. Otherwise it
                stays.

        Raises:
            IllegalMove: a move is not legal, or `moves` are of one role where several choose.
            ValueError: `moves` have another shape, or are no integers.
        """
        chosen = self._checked(states, self._joint(states, moves), seed)
        words = self.reasoner.kernel.steps(states.words, chosen, checked=True)
        terminal = states.terminated
        if terminal.any():
            words[terminal] = (
                self.reasoner.kernel.initial() if auto_reset else states.words[terminal]
            )
        return States(self, words)

    def random_moves(self, states: States, *, seed: int | None = None) -> Moves:
        """Return a legal move of each role, drawn at random: int32[n, roles].

        In a terminal state, all are 0. The same seed draws the same moves for the same states, and
        others for the states that follow; None draws others in each call.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
        """
        try:
            drawn = np.full((len(states), len(self.roles)), -1, np.int32)
            return self._checked(states, drawn, seed)
        except IllegalMove as error:
            raise GameError(str(error)) from None

    def playouts(
        self,
        states: States,
        count: int = 1,
        *,
        seed: int | None = None,
        max_steps: int | None = None,
    ) -> NDArray[np.float32]:
        """Play from each state to the end, every role at random: float32[n, roles], mean goals.

        All playouts of a call run at once, 512 of them in the time of one. One playout from each of
        many equal states, such as `init(n)`, tells how the goals vary: their least and greatest.

        Args:
            states: n states.
            count: playouts from each state, at least 1.
            seed: the same seed gives the same means; None for others in each call.
            max_steps: joint moves after which a playout ends, with the goals as they stand; None
                for games that end by themselves. A missing goal counts as 0.

        Raises:
            GameError: a role has no legal move in a state that is not terminal.
            ValueError: the count is below 1, or `max_steps` below 0.
        """
        if count < 1 or (max_steps is not None and not 0 <= max_steps < 2**31):
            raise ValueError("playouts need a count of 1 or more, and 0 steps or more")
        generator = self._generator if seed is None else np.random.default_rng(seed)
        return self._playouts.means(
            states.words, count=count, generator=generator, max_steps=max_steps
        )

    def states(self, facts: Iterable[Iterable[Term | str]]) -> States:
        """Return the states in which exactly these facts are true, such as ``"(mark 1 1 x)"``.

        Raises:
            ValueError: a fact is none of `Game.facts`: no reachable state holds it. Or no reachable
                state holds two of the facts together, on which the machine code rests.
        """
        packed = []
        for one in facts:
            terms = [parse_term(fact) if isinstance(fact, str) else fact for fact in one]
            state = self.reasoner.state_of(terms)
            if self.reasoner.fact_numbers(state) is None:
                known = set(self.facts)
                strange = next((term for term in terms if canonical(term) not in known), None)
                if strange is None:
                    raise ValueError(f"no match of {self.name} has a state with all these facts")
                raise ValueError(f"{self.name} has no fact {strange}")
            packed.append(np.frombuffer(state, np.uint64))
        words = self.reasoner.kernel.state_words
        return States(self, np.array(packed, np.uint64).reshape(-1, words))

    def role_number(self, role: int | str) -> int:
        """Return the number of a role that is given by its number or its name.

        Raises:
            ValueError: there is no such role.
        """
        names = [str(name) for name in self.roles]
        if isinstance(role, str):
            if role not in names:
                raise ValueError(f"{self.name} has no role {role}, but {', '.join(names)}")
            return names.index(role)
        if not 0 <= role < len(names):
            raise ValueError(f"{self.name} has no role {role}, but 0 to {len(names) - 1}")
        return role

    def move_number(self, role: int | str, move: Term | str) -> int:
        """Return the number of a move, such as ``"(place 1 1)"``, of a role (`role_number`).

        Raises:
            IllegalMove: the role never has such a move.
            ValueError: there is no such role.
        """
        role = self.role_number(role)
        term = parse_term(move) if isinstance(move, str) else move
        number = self._move_numbers[role].get(term)
        if number is None:
            raise IllegalMove(f"{self.roles[role]} never has the move {term}")
        return number

    def names(self, joint_move: Sequence[int] | Moves) -> tuple[Term, ...]:
        """Return the moves of one number for each role."""
        return tuple(moves[k] for moves, k in zip(self.moves, joint_move, strict=True))

    def symmetries(self, *, most: int = 7, time_limit: float = 10.0) -> Symmetries:
        """Return the symmetries of the rules, such as the rotations of a board.

        They are all there are, unless there are more than `most` besides the one that changes
        nothing, or the time is over.

        Args:
            most: how many are looked for.
            time_limit: seconds that this may take.
        """
        circuit = self.reasoner.circuit
        found = find_symmetries(
            self.reasoner.description, circuit, most=most, time_limit=time_limit
        )
        return Symmetries.of(circuit, found)

    def close(self) -> None:
        """Release what the game holds."""
        self.reasoner.close()

    @cached_property
    def _playouts(self) -> StatePlayouts:
        return StatePlayouts(self.reasoner.circuit, cache=Cache())

    @cached_property
    def single(self) -> Single:
        """The game one state at a time, which is faster than batches of one."""
        return Single(self.reasoner.circuit, self.goal_values)

    @cached_property
    def _move_numbers(self) -> list[dict[Term, int]]:
        return [{move: i for i, move in enumerate(moves)} for moves in self.moves]

    def _joint(self, states: States, moves: ArrayLike) -> Moves:
        """Return a new array of joint moves, -1 for those that are not given."""
        given = np.asarray(moves)
        shape = (len(states), len(self.roles))
        if given.dtype.kind not in "iu" and given.size:
            raise ValueError(f"moves are integers, not {given.dtype}")
        if given.shape == shape:
            return np.array(given, np.int32, order="C")
        if given.shape != shape[:1]:
            raise ValueError(f"moves of shape {shape} or {shape[:1]}, not {given.shape}")
        players = states.current_player
        if (several := np.flatnonzero((players < 0) & ~states.terminated)).size:
            raise IllegalMove(
                f"several roles choose in state {several[0]}: give a move for each role"
            )
        joint = np.full(shape, -1, np.int32)
        joint[np.arange(len(states)), np.maximum(players, 0)] = given
        return joint

    def _checked(self, states: States, moves: Moves, seed: int | None) -> Moves:
        """Fill in what is drawn at random, and check the rest; the array is changed."""
        generator = self._generator if seed is None else np.random.default_rng(seed)
        start = np.uint64(generator.bit_generator.random_raw())
        views = states.views
        first_move = self.reasoner.kernel.first_move
        wrong = choose_moves(states.words, views.legal, views.terminal, first_move, start, moves)
        if wrong != FINE:
            raise IllegalMove(self._wrong(states, moves, wrong))
        return moves

    def _wrong(self, states: States, moves: Moves, place: int) -> str:
        """Say which move is not legal in a state."""
        legal = states[place].legal[0]
        for role, move in enumerate(moves[place].tolist()):
            if move == -1 and not legal[role].any():
                return f"{self.roles[role]} has no legal move in state {place}"
            if move != -1 and not 0 <= move < self._counts[role]:
                return f"{self.roles[role]} has no move {move}"
            if move != -1 and not legal[role, move]:
                return f"{self.roles[role]} may not do {self.moves[role][move]} in state {place}"
        raise AssertionError("all moves are legal")


class States:
    """Some states of one game: an immutable array of n states.

    What the rules say of them is computed when it is first asked for, for all at once, and kept.
    ``states[index]`` takes any index of numpy along the first axis, and gives `States` again.
    """

    def __init__(self, game: Game, words: Words, *, views: Views | None = None) -> None:
        """Hold states of a game; `Game` makes them.

        Args:
            game: the game.
            words: uint64[n, words]: fact i is bit i % 64 of word i // 64, lowest first.
            views: what the rules say of them, if it is known.
        """
        self.game, self.words = game, np.ascontiguousarray(words)
        if views is not None:
            self.views = views

    def __len__(self) -> int:
        return len(self.words)

    def __iter__(self) -> Iterator[States]:
        return (self[i : i + 1] for i in range(len(self)))

    def __getitem__(self, index: _Index) -> States:
        if isinstance(index, int | np.integer):
            place = range(len(self))[index]
            index = slice(place, place + 1)
        views = vars(self).get("views")
        part = views and Views(
            np.ascontiguousarray(views.legal[index]),
            np.ascontiguousarray(views.terminal[index]),
            views.goals[index],
        )
        return States(self.game, self.words[index], views=part)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, States):
            return NotImplemented
        return self.game is other.game and np.array_equal(self.words, other.words)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{len(self)} states of {self.game.name}>"

    def _repr_html_(self) -> str:
        """Return pictures of the first states, for notebooks; their facts, if there are none."""
        figures = []
        for number in range(min(len(self), _SHOWN)):
            state = self[number]
            facts = preformatted("\n".join(map(str, state.facts(0))))
            figures.append(figure(state._repr_svg_() or facts, self._caption(number)))
        more = f"<p>and {len(self) - _SHOWN:,} more</p>" if len(self) > _SHOWN else ""
        return "".join(figures) + more

    def _repr_svg_(self) -> str | None:
        """Return a picture of a single state; None if there are several, or nothing that draws."""
        drawing = _drawing() if len(self) == 1 else None
        return None if drawing is None else drawing(self)

    def _caption(self, number: int) -> str:
        if self.terminated[number]:
            return "goals " + " ".join(map(str, self.goals[number].tolist()))
        player = int(self.current_player[number])
        return f"{self.game.roles[player]} moves" if player >= 0 else "several roles choose"

    @cached_property
    def views(self) -> Views:
        """What the rules say of the states, packed."""
        return self.game.reasoner.kernel.views(self.words)

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """bool[n]: whether the game is over."""
        return self.views.terminal

    @cached_property
    def goals(self) -> NDArray[np.int16]:
        """int16[n, roles]: the goals from 0 to 100; -1 where a role has none, or several."""
        places = self.views.goals
        goals = np.empty_like(places)
        for role, values in enumerate(self.game.goal_values):
            goals[:, role] = values[places[:, role]]
        return goals

    @property
    def rewards(self) -> NDArray[np.float32]:
        """float32[n, roles]: goals from 0 to 1 where the game is over, otherwise 0.

        A missing goal counts as 0.
        """
        goals = np.maximum(self.goals, 0) * self.terminated[:, None]
        return goals.astype(np.float32) / np.float32(100)

    @cached_property
    def legal(self) -> NDArray[np.bool_]:
        """bool[n, roles, actions]: which moves are legal, by each role's own numbers.

        In a terminal state, it is what the rules say, which may be anything.
        """
        first = self.game.reasoner.kernel.first_move
        roles, total = len(self.game.roles), int(first[-1])
        packed = self.views.legal.view(np.uint8)
        bits = np.unpackbits(packed, axis=1, count=total, bitorder="little").view(np.bool_)
        if total == roles * self.game.num_actions:
            return bits.reshape(len(self), roles, self.game.num_actions)
        legal = np.zeros((len(self), roles, self.game.num_actions), np.bool_)
        for role in range(roles):
            own = bits[:, first[role] : first[role + 1]]
            legal[:, role, : own.shape[1]] = own
        return legal

    @cached_property
    def current_player(self) -> NDArray[np.int32]:
        """int32[n]: the number of the role that moves; -1 where several roles choose.

        It is the role that has several legal moves; if only chance (the role `random`) has, it is
        chance. Where no role has a choice, it is the first role that is not chance.
        """
        players = np.empty(len(self), np.int32)
        chance = -1 if self.game.chance is None else self.game.chance
        find_players(self.views.legal, self.game.reasoner.kernel.first_move, chance, players)
        return players

    @property
    def legal_action_mask(self) -> NDArray[np.bool_]:
        """bool[n, actions]: the legal moves of the current player.

        Where several roles choose, it is false everywhere; `legal` has the moves of each role.
        """
        players = self.current_player
        mask = self.legal[np.arange(len(self)), np.maximum(players, 0)]
        mask[players < 0] = False
        return mask

    @property
    def observation(self) -> NDArray[np.uint8]:
        """uint8[n, facts]: 1 where a fact of `Game.facts` is true."""
        count = len(self.game.facts)
        packed = np.ascontiguousarray(self.words).view(np.uint8)
        return np.unpackbits(packed, axis=1, count=count, bitorder="little")

    def facts(self, index: int) -> tuple[Term, ...]:
        """Return what is true in one of the states, sorted by printed text."""
        return self.game.reasoner.facts(self.words[range(len(self))[index]].tobytes())


@cache
def _drawing() -> Callable[[States], str] | None:
    """Return what draws a state as SVG: the entry point ``states`` of the group `ggp.displays`."""
    for point in entry_points(group="ggp.displays", name="states"):
        drawing: Callable[[States], str] = point.load()
        return drawing
    return None


def compile_kernels(_name: str) -> None:
    """Call the functions of batches, so that numba compiles them."""
    REASONER_KERNELS.wait(Deadline())  # else they would be compiled here once more
    circuit = build_circuit(Description.from_text(SMALL_GAME))
    kernel = Kernel(circuit)
    states = kernel.initial()
    views, moves = kernel.views(states), np.full((1, len(circuit.roles)), -1, np.int32)
    choose_moves(states, views.legal, views.terminal, kernel.first_move, np.uint64(0), moves)
    find_players(views.legal, kernel.first_move, -1, moves[0, :1])
    playouts, generator = StatePlayouts(circuit, cache=None), np.random.default_rng(0)
    playouts.means(states, count=1, generator=generator, max_steps=None)
    Single(circuit, [np.zeros(101, np.int16)] * len(circuit.roles))
