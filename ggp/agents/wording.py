"""What the program says of its commands, in words for a client that has tools instead."""

from __future__ import annotations

import re
from typing import Any

__all__ = ["for_client"]

# A command with its options, such as `ggp test --update`; the file that it names says nothing here.
_COMMAND = re.compile(r"`ggp (?P<command>[a-z]+)(?P<rest>[^`\n]*)`")
# What is asked by another name than that of the command.
_TOOLS = {
    "games": "list_games",
    "match": "run_match",
    "new": "new_game",
    "solve": "best_move",
    "test": "test_game",
}
_UPDATE = "test_game(name, update=true)"
# The options that messages name, and the arguments that they are here.
_OPTION = re.compile(
    r"`?--(?P<option>algorithm|never|seconds|depth|role|play-clock|start-clock|update)\b`?"
    r"(?:[ =](?P<value>mcts|alphabeta|maxn|planner)\b)?"
)


def for_client(told: Any) -> Any:
    """Return a message, or all texts of an answer, with tools and arguments in place of commands.

    >>> for_client("see `ggp check nim.kif`; --algorithm planner solves games of one role")
    'see check; algorithm="planner" solves games of one role'
    """
    if isinstance(told, str):
        return _OPTION.sub(_argument, _COMMAND.sub(_tool, told))
    if isinstance(told, dict):
        return {name: for_client(each) for name, each in told.items()}
    if isinstance(told, list):
        return [for_client(each) for each in told]
    return told


def _tool(found: re.Match[str]) -> str:
    command = found["command"]
    if command == "test" and "--update" in found["rest"]:
        return _UPDATE
    return _TOOLS.get(command, command)


def _argument(found: re.Match[str]) -> str:
    option, value = found["option"], found["value"]
    if option == "update":
        return "update=true"
    name = option.replace("-", "_")
    return f'{name}="{value}"' if value else name
