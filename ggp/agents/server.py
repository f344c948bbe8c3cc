"""The server of `ggp mcp`, on the SDK of the Model Context Protocol. Needs the extra `ggp[mcp]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from importlib.metadata import version
from inspect import signature
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ValidationError

from ggp.agents.calls import Limits, Refused
from ggp.agents.layout import laid_out
from ggp.agents.tools import Tools
from ggp.agents.wording import for_client
from ggp.agents.workspace import Workspace
from ggp.gdl.check import closest

__all__ = ["make_server"]

_INSTRUCTIONS = """\
General game playing: games are rulesheets in GDL, the Game Description Language.
To write a game: read_docs("gdl") teaches the language on one page; list_games tells which bundled
game is like yours, and read_rules shows it; new_game saves one to begin from. Then repeat
save_game or edit_game, check, prove, and play (state, best_move, run_match) until test_game says
passed.
`game` is the text of a rulesheet, or the name of a saved or bundled game.
A call ends after {seconds:g} s; a tool that takes seconds works for at most {most:g} s.
"""

_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)
_REPLACES = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=True, open_world_hint=False
)
_EDITS = ToolAnnotations(
    read_only_hint=False, destructive_hint=True, idempotent_hint=False, open_world_hint=False
)
# What a part of an argument should be. The only lists in lists are the moves.
_WANTED = {"list_type": "a list of one move of each role", "string_type": "a text"}
# The longest argument that an error repeats, in characters.
_SHOWN = 60


class _Server(MCPServer[Any]):
    """Tells in its own words which arguments are wrong."""

    #: The parameters of each tool.
    parameters: Mapping[str, frozenset[str]]

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Call a tool. Raises `ToolError`, whose message the client gets."""
        known = self.parameters.get(name)
        if known is None:
            raise ToolError(f"there is no tool {name[:_SHOWN]}{_hint(name, self.parameters)}")
        for argument in arguments:
            if argument not in known:
                has = ", ".join(sorted(known)) or "no arguments"
                hint = _hint(argument, known)
                raise ToolError(f"{name} has no argument {argument[:_SHOWN]}{hint}; it has {has}")
        try:
            return _readable(await super().call_tool(name, arguments, context))
        except ToolError as error:
            cause = error.__cause__
            if isinstance(cause, ValidationError):
                schemas = {tool.name: tool.input_schema for tool in await self.list_tools()}
                raise ToolError(_wrong(name, cause, schemas[name])) from None
            if isinstance(cause, ToolError):
                raise ToolError(str(cause)) from None
            raise


def _readable(result: Any) -> Any:
    """Return an answer whose text, if it is JSON, has what belongs together on one line."""
    if not isinstance(result, CallToolResult) or result.structured_content is None:
        return result
    told = result.structured_content
    if set(told) == {"result"} and isinstance(told["result"], str):
        return result
    text = TextContent(type="text", text=laid_out(told))
    return result.model_copy(update={"content": [text]})


def _hint(word: str, candidates: Mapping[str, Any] | frozenset[str]) -> str:
    close = closest(word, candidates)
    return f"; did you mean {close}?" if close else ""


def _wrong(tool: str, error: ValidationError, schema: Mapping[str, Any]) -> str:
    """Return which arguments of a tool are missing or wrong, and what they should be."""
    told = dict[str, str]()
    for each in error.errors(include_url=False):
        name = str(each["loc"][0])
        parameter = schema["properties"].get(name, {})
        choices = parameter.get("enum") or parameter.get("items", {}).get("enum", ())
        wanted = parameter.get("description", "")
        wanted += f" (one of {', '.join(choices)})" if choices else ""
        given = repr(each["input"])
        given = given if len(given) <= _SHOWN else f"{given[:_SHOWN]}..."
        said = f"{name} is missing" if each["type"] == "missing" else f"{name} cannot be {given}"
        if (place := _place(each["loc"])) != name and each["type"] in _WANTED:
            said = f"{place} is {_kind(each['input'])}, not {_WANTED[each['type']]}"
        told.setdefault(name, f"{said}: give {wanted}")
    return f"{tool}: {'; '.join(told.values())}"


def _place(loc: Sequence[int | str]) -> str:
    """Return where in an argument something is wrong.

    >>> _place(["moves", 0, 1])
    'moves[0][1]'
    """
    return "".join(f"[{each}]" if isinstance(each, int) else str(each) for each in loc)


def _kind(value: object) -> str:
    """Return what kind of JSON a value is."""
    kinds = {str: "a text", bool: "true or false", int: "a number", float: "a number",
             list: "a list", dict: "an object"}  # fmt: skip
    return kinds.get(type(value), "null")


def _telling(tool: Callable[..., Any]) -> Callable[..., Any]:
    """Return a tool that tells the client what was refused, as an error of the tool.

    What it tells is in words for a client, but for texts, which are rules and pages.
    """

    @wraps(tool)
    def called(*arguments: Any, **options: Any) -> Any:
        try:
            told = tool(*arguments, **options)
        except Refused as error:
            raise ToolError(for_client(str(error))) from None
        return for_client(told) if isinstance(told, dict) else told

    return called


def make_server(folder: Path, *, limits: Limits | None = None) -> MCPServer[Any]:
    """Return the server.

    Args:
        folder: where games are saved; it is made with the first one.
        limits: of each call.
    """
    limits = limits or Limits()
    tools = Tools(Workspace(folder), limits)
    server = _Server(
        "ggp",
        instructions=_INSTRUCTIONS.format(seconds=limits.seconds, most=tools.most_seconds),
        version=version("ggp"),
        log_level="WARNING",
    )
    offered: dict[Callable[..., Any], ToolAnnotations] = {
        **dict.fromkeys((tools.list_games, tools.read_rules, tools.read_docs), _READS),
        tools.read_file: _READS,
        tools.new_game: _ADDS,
        **dict.fromkeys((tools.save_game, tools.delete_game), _REPLACES),
        tools.edit_game: _EDITS,
        **dict.fromkeys((tools.save_file, tools.delete_file), _REPLACES),
        **dict.fromkeys((tools.check, tools.show, tools.prove), _READS),
        tools.format: _REPLACES,
        **dict.fromkeys((tools.perft, tools.playouts), _READS),
        **dict.fromkeys((tools.state, tools.draw, tools.best_move, tools.run_match), _READS),
        tools.test_game: _REPLACES,
    }
    for tool, hints in offered.items():
        server.add_tool(_telling(tool), annotations=hints)
    server.parameters = {tool.__name__: frozenset(signature(tool).parameters) for tool in offered}
    return server
