"""The base class of all players, and how players are found and made."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import ClassVar

from ggp import plugins
from ggp.deadline import Deadline, TimeUp
from ggp.errors import PlayerError
from ggp.kif import Symbol, Term
from ggp.match.possible_states import DEFAULT_MAX_STATES, PossibleStates
from ggp.match.search_info import SearchInfo
from ggp.reasoner import Reasoner, State
from ggp.requirements import advice

__all__ = ["Player", "PlayerContext", "make_player", "player_names", "with_seed"]

#: How many possible states a player votes in if it does not know the state.
_VOTES = 8

#: The group of entry points in which players are found by name. Any package can add players.
ENTRY_POINTS = "ggp.players"


@dataclass(frozen=True, slots=True)
class PlayerContext:
    """What a player is told when a match starts."""

    role: Symbol
    #: A reasoner for the player alone, until the match ends.
    reasoner: Reasoner
    #: Seconds for each move.
    play_clock: float
    #: Takes what the player thinks, as often as the player likes; some reports may be dropped.
    report: Callable[[SearchInfo], None] = field(default=lambda _: None, compare=False, repr=False)
    #: Takes a line that says what the player has done to prepare, such as what it has learned; the
    #: last one counts.
    note: Callable[[str], None] = field(default=lambda _: None, compare=False, repr=False)

    @property
    def index(self) -> int:
        """The place of the role in joint moves and goal vectors."""
        return self.reasoner.roles.index(self.role)


class Player(ABC):
    """A strategy for any game. One instance plays one match.

    Options are keyword arguments of the constructor, as in ``maxn:depth=4``; their annotations
    (`int`, `float`, `bool`, `str`, a `Literal` of some words, each perhaps `| None`) say how they
    are read. A constructor that takes ``**options`` also takes those of its base class.
    """

    #: How many possible states it wants to know of in a game of GDL-II.
    max_states: ClassVar[int] = DEFAULT_MAX_STATES
    #: Whether it thinks in its start clock. If not, a match with a person begins on a page before
    #: the player has read the rules.
    uses_start_clock: ClassVar[bool] = True

    def start(self, context: PlayerContext, deadline: Deadline) -> None:  # noqa: ARG002 - for subclasses
        """Prepare for the match until the deadline at most."""
        self.context = context

    @abstractmethod
    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield legal moves, each at least as good as the one before; the last one is played.

        Yield early and often: at the deadline, the move that was yielded last is the answer. Until
        the first one comes, it is the first legal move. `TimeUp` may be raised at any point. A
        player that returns early answers early.
        """

    def moves_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        """Yield moves as `moves` does, in a game of GDL-II that may hide something.

        Where the role has known the state after each turn so far, `moves` is called instead.

        By default the player calls `moves` in some of the possible states, and yields the move that
        it would play most often. If there is one state, these are the moves that `moves` yields.
        """
        drawn = possible.sample(_VOTES)
        if len(possible.probabilities) == 1:
            yield from (move for move in self.moves(drawn[0], deadline) if move in possible.legal)
            return
        votes: Counter[Term] = Counter()
        for number, state in enumerate(drawn):
            voted, part = None, deadline.part(1 / (_VOTES - number))
            try:
                for move in self.moves(state, part):
                    voted = move
                    deadline.check()
            except TimeUp:
                if deadline.is_over or not part.is_over:
                    raise
            if voted in possible.legal:
                votes[voted] += 1
                yield votes.most_common(1)[0][0]

    def policy(self) -> Mapping[Term, float]:
        """Return how much the player favours each move of the turn that `moves` was last asked for.

        These are weights, not negative, of any sum. By default there are none: the player favours
        the move that it yielded last.
        """
        return {}

    def ponder(self, state: State, move: Term, deadline: Deadline) -> None:  # noqa: B027 - optional
        """Go on thinking while the other players think, after the move was answered in the state.

        It is called after each answer. The deadline is cancelled when the next turn or the end of
        the match comes: return at once then.
        """

    def stop(self, goals: tuple[int | None, ...] | None) -> None:  # noqa: B027 - optional
        """Note that the match is over; `goals` is None if the goals are not known."""


def player_names() -> list[str]:
    """Return the names of the players that are installed."""
    return plugins.entry_point_names(ENTRY_POINTS)


def make_player(spec: str) -> Player:
    """Make a player from its name and options, such as ``alphabeta`` or ``maxn:depth=4``.

    Instead of a name, the path of a class may be given, such as ``package.module.Class``; the
    current folder is searched first.

    Raises:
        PlayerError: there is no such player or option, or the player cannot be made.
    """
    from ggp.match.options import keyword_options

    name, _, options = spec.partition(":")
    try:
        player_class = _load_class(name)
        if not (isinstance(player_class, type) and issubclass(player_class, Player)):
            raise PlayerError(f"{name} is not a subclass of ggp.match.Player")
        return player_class(**keyword_options(player_class, options))
    except PlayerError as error:
        raise PlayerError(f"{spec}: {error}") from None
    except ModuleNotFoundError as error:
        reason = advice(error) or f"{type(error).__name__}: {error}"
        raise PlayerError(f"{spec}: {reason}") from error
    except Exception as error:
        raise PlayerError(f"{spec}: {type(error).__name__}: {error}") from error


def with_seed(spec: str, seed: int) -> str:
    """Return the spec with the seed, if the player takes a seed and the spec gives none.

    Examples:
        >>> with_seed("random", 7), with_seed("random:seed=1", 7), with_seed("legal", 7)
        ('random:seed=7', 'random:seed=1', 'legal')
    """
    name, _, options = spec.partition(":")
    player_class = _load_class(name)
    if not callable(player_class) or "seed" not in signature(player_class).parameters:
        return spec
    given = [option for option in options.split(",") if option]
    if any(option.partition("=")[0].strip() == "seed" for option in given):
        return spec
    return f"{name}:{','.join([*given, f'seed={seed}'])}"


def _load_class(name: str) -> object:
    found = plugins.find(ENTRY_POINTS, name)
    if found is None:
        raise PlayerError(f"no such player; there are {', '.join(player_names())}")
    return found
