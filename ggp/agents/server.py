"""The tools of `ggp mcp`, on the SDK of the Model Context Protocol. Needs the extra `ggp[mcp]`.

A client may send anything. Every tool that reasons runs a command of `ggp` in a process with limits
(`ggp.agents.calls`), files are those of one folder (`ggp.agents.workspace`), and players are built
in: a client can name no path, no address and no class.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from mcp.server import MCPServer
from mcp.server.mcpserver import Image
from mcp.server.mcpserver.exceptions import ToolError

from ggp.agents.calls import Calls, Limits, Refused
from ggp.agents.workspace import Workspace
from ggp.gdl.bundled import bundled_games, introduction

__all__ = ["Tools", "make_server"]

Player = Literal[
    "legal", "random", "flat", "minimax", "alphabeta", "maxn", "mcts", "planner", "auto"
]
Algorithm = Literal["mcts", "alphabeta", "maxn", "planner"]

_INSTRUCTIONS = """\
General game playing: games are rulesheets in GDL, the Game Description Language.
`game` is the text of a rulesheet, or the name of a saved or bundled game (list_games).
To write a game: read_docs("authoring"), look at a bundled game with read_rules, then repeat
save_game, check, prove, and play (state, best_move, run_match) until test_game passes.
`moves` are joint moves: for each step a list with one move of every role, in the roles' order.
"""

# What a match may take at most: joint moves.
_MAX_STEPS = 500
# The longest play of `state`, and the most states that are counted.
_MAX_MOVES, _MAX_STATES = 1000, 2_000_000


class Tools:
    """What a client can ask for. Each public method is a tool, and its docstring tells the client.

    They raise `Refused`, whose message the client gets.
    """

    def __init__(self, workspace: Workspace, limits: Limits) -> None:
        """Take the folder of the games, and the limits of each call."""
        self._workspace = workspace
        self._calls = Calls(limits)
        self._docs = {
            Path(page.name).stem: page
            for page in (files("ggp") / "docs").iterdir()
            if page.name.endswith(".md")
        }

    def list_games(self) -> dict[str, Any]:
        """List the saved games, and the bundled ones with the first sentence of their rules."""
        bundled = {
            path.stem: introduction(path.read_text(encoding="utf-8"))[1] for path in bundled_games()
        }
        return {"saved": self._workspace.names(), "bundled": bundled}

    def read_rules(self, game: str) -> str:
        """Return the rulesheet of a saved or bundled game."""
        return self._rules(game)

    def save_game(self, name: str, rules: str) -> str:
        """Save a rulesheet under a name of small letters, digits and _; it replaces the old one."""
        return f"saved as {self._workspace.save(name, rules).name}"

    def read_docs(self, page: str = "index") -> str:
        """Return a page of the documentation, such as authoring, checks, tutorial or drawing."""
        if page not in self._docs:
            raise Refused(f"there is no page {page[:50]!r}; the pages are {', '.join(self._docs)}")
        return self._docs[page].read_text(encoding="utf-8")

    def check(self, game: str) -> dict[str, Any]:
        """Find what is wrong with a rulesheet: place, code, message and fix of each mistake."""
        rules = self._rules(game)
        findings = self._calls.ggp_json("check", "-", rules=rules, codes=(0, 1))
        return {"findings": findings}

    def format(self, game: str) -> str:
        """Return a rulesheet in the usual layout; its meaning and its comments stay."""
        rules = self._rules(game)
        return self._calls.ggp("format", "-", rules=rules)

    def show(self, game: str) -> dict[str, Any]:
        """Tell what a game is: roles, sizes, properties, symmetries, invariants."""
        rules, options = self._rules(game), []
        for option in ("--seconds", "--compile-seconds", "--structure-seconds", "--proof-seconds"):
            options += [option, self._calls.seconds(2)]
        told: dict[str, Any] = self._calls.ggp_json("show", "-", *options, rules=rules)
        return told

    def prove(self, game: str, never: str = "", seconds: float = 2.0) -> dict[str, Any]:
        """Prove what holds in every state, or show a play that refutes it.

        It asks whether each role always has a move, the game ends, each role has one goal then, and
        each cell of a board has one content; and whether the condition `never`, a conjunction in
        GDL such as "(true (cell ?x ?y x)) (true (cell ?x ?y o))", holds in no state. `seconds` are
        for each question. Where something is refuted, also tell the last state of the play, the
        lines to look at and, if one is found, a change (`repair`) that heals the rules.
        """
        rules = self._rules(game)
        options = ["--seconds", self._calls.seconds(seconds)]
        if never:
            options.append(f"--never={never}")
        told: dict[str, Any] = self._calls.ggp_json(
            "prove", "-", *options, rules=rules, codes=(0, 1)
        )
        return told

    def perft(self, game: str, depth: int = 5) -> dict[str, Any]:
        """Count the states and the paths of a game at each depth, up to `depth` joint moves."""
        limits = ("--depth", str(max(0, min(depth, 1000))), "--max-states", str(_MAX_STATES))
        rules, seconds = self._rules(game), self._calls.seconds(30)
        told: dict[str, Any] = self._calls.ggp_json(
            "perft", "-", *limits, "--seconds", seconds, rules=rules
        )
        return told

    def state(self, game: str, moves: list[list[str]] | None = None) -> dict[str, Any]:
        """Play joint moves from the initial state; tell facts, legal moves, goals and the board."""
        return self._position(game, moves or [])

    def draw(self, game: str, moves: list[list[str]] | None = None) -> Image:
        """Draw the state after some joint moves, as a PNG; the board is found in the rules."""
        told = self._position(game, moves or [], is_drawn=True)
        return Image(data=base64.b64decode(told["png"]), format="png")

    def best_move(
        self,
        game: str,
        moves: list[list[str]] | None = None,
        role: str = "",
        algorithm: Algorithm = "mcts",
        seconds: float = 5.0,
    ) -> dict[str, Any]:
        """Search the state after some joint moves, for a role (the first one by default).

        The answer has the move, the goals that all roles are expected to get, whether that is
        proven (`exact`), and the line of play that the search expects (`variation`). `mcts` takes
        any game, `alphabeta` finds proofs in games of two roles, `maxn` in those of more, and
        `planner` solves puzzles.
        """
        rules = self._rules(game)
        options = ["--algorithm", algorithm, "--seconds", self._calls.seconds(seconds)]
        if role:
            options.append(f"--role={role}")
        if moves:
            facts = self._position(game, moves)["facts"]
            options.append(f"--state=( {' '.join(facts)} )")
        told: dict[str, Any] = self._calls.ggp_json("solve", "-", *options, rules=rules)
        return told

    def run_match(
        self,
        game: str,
        players: list[Player],
        play_clock: float = 1.0,
        start_clock: float = 2.0,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Play a match, with one player for each role but `random`; tell its moves and goals."""
        rules = self._rules(game)
        # What `auto` learns would be kept for other matches.
        named = ["auto:keep=false" if player == "auto" else player for player in players]
        clocks = ("--start-clock", self._calls.seconds(start_clock),
                  "--play-clock", self._calls.seconds(play_clock))  # fmt: skip
        limits = ("--max-steps", str(_MAX_STEPS), "--seed", str(seed), "--record", "match.json")
        try:
            record = self._calls.ggp_json(
                "match", "-", *named, *clocks, *limits, rules=rules, codes=(0, 1)
            )
        except Refused as error:
            # The players that the command names besides are not for clients.
            raise Refused(str(error).partition("; a player is")[0]) from None
        wanted = ("moves", "goalValues", "errors", "isCompleted")
        return {name: record[name] for name in wanted if name in record}

    def test_game(self, name: str, update: bool = False) -> dict[str, Any]:
        """Test a saved game as `ggp test` does: the checker, proofs, what is recorded beside it.

        With `update`, record a playthrough and perft counts anew first.
        """
        path = str(self._workspace.path(name).resolve())
        if not Path(path).is_file():
            raise Refused(f"no saved game is called {name}; save_game saves one")
        if update:
            self._calls.ggp("test", path, "--update", codes=(0, 1))
        told: dict[str, Any] = self._calls.ggp_json("test", path, codes=(0, 1))
        (tested,) = told["games"]
        return {**tested, "file": f"{name}.kif"}

    def _rules(self, game: str) -> str:
        return self._workspace.rules(game)

    def _position(
        self, game: str, moves: list[list[str]], *, is_drawn: bool = False
    ) -> dict[str, Any]:
        if len(moves) > _MAX_MOVES:
            raise Refused(f"at most {_MAX_MOVES} joint moves are played")
        asked = {"rules": self._rules(game), "moves": moves, "draw": is_drawn}
        said = self._calls.run("ggp.agents.position", (), json.dumps(asked))
        told: dict[str, Any] = json.loads(said)
        return told


def _telling(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool that tells the client what was refused, as an error of the tool."""

    @wraps(tool)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            return tool(*arguments, **options)
        except Refused as error:
            raise ToolError(str(error)) from None

    return called


def make_server(folder: Path, *, limits: Limits | None = None) -> MCPServer[Any]:
    """Return the server.

    Args:
        folder: where games are saved; it is made with the first one.
        limits: of each call.
    """
    tools = Tools(Workspace(folder), limits or Limits())
    server: MCPServer[Any] = MCPServer(
        "ggp", instructions=_INSTRUCTIONS, version=version("ggp"), log_level="WARNING"
    )
    for tool in (
        tools.list_games, tools.read_rules, tools.save_game, tools.read_docs, tools.check,
        tools.format, tools.show, tools.prove, tools.perft, tools.state, tools.draw,
        tools.best_move, tools.run_match, tools.test_game,
    ):  # fmt: skip
        server.add_tool(_telling(tool))
    return server
