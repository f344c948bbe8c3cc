"""General game playing: games are given as rules, and programs play them legally and well.

    >>> from ggp import Description, open_reasoner
    >>> with open_reasoner(Description.load("nim")) as reasoner:
    ...     state = reasoner.initial_state()
    ...     [str(move) for move in reasoner.legal_moves(state, reasoner.roles[0])]
    ['(take 1)', '(take 2)', '(take 3)']

The layers, each of which knows only those before it:

- `ggp.kif`: text to terms.
- `ggp.gdl`: terms to the description of a game, and the checker.
- `ggp.workers`: child processes with limits.
- `ggp.reasoner`: the states and moves of a game, by Prolog or by machine code.
- `ggp.batch`: many states at once, as arrays.
- `ggp.graph`: the states, numbered and cached.
- `ggp.search`: the values of states; `ggp.engine`: the same searches as machine code.
- `ggp.match`: players, referees and records; `ggp.players`: the built-in players.
- `ggp.tournament`, `ggp.experiments`: many matches and measurements.
- `ggp.selfplay`: players that play themselves, as data.
- `ggp.prove`: what holds in all states of a game.
- `ggp.authoring`: what authors of rulesheets use: the layout, regression tests.
- `ggp.server`: the player server and the match manager.
- `ggp.display`: pictures of states.
- `ggp.adapters`: rulesheets in the interfaces of other libraries.
- `ggp.agents`: a server by which agents write and play games.
- `ggp.cli`: the command `ggp`.

The names below are loaded when they are first used, so that `import ggp` takes no time.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ggp.batch import Game, States
    from ggp.deadline import Deadline
    from ggp.errors import GgpError
    from ggp.gdl import Description
    from ggp.graph import GameGraph
    from ggp.kif import Compound, Symbol, Term
    from ggp.match import Player, PlayerContext, SearchInfo
    from ggp.reasoner import Reasoner, State, open_reasoner

__all__ = [
    "Compound",
    "Deadline",
    "Description",
    "Game",
    "GameGraph",
    "GgpError",
    "Player",
    "PlayerContext",
    "Reasoner",
    "SearchInfo",
    "State",
    "States",
    "Symbol",
    "Term",
    "open_reasoner",
]

_HOMES = {
    "ggp.batch": ("Game", "States"),
    "ggp.deadline": ("Deadline",),
    "ggp.errors": ("GgpError",),
    "ggp.gdl": ("Description",),
    "ggp.graph": ("GameGraph",),
    "ggp.kif": ("Compound", "Symbol", "Term"),
    "ggp.match": ("Player", "PlayerContext", "SearchInfo"),
    "ggp.reasoner": ("Reasoner", "State", "open_reasoner"),
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
