"""`ggp mcp` as the client of the protocol's own SDK uses it."""

from __future__ import annotations

import asyncio
import base64
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs the extra ggp[mcp]")

from mcp import Client, StdioServerParameters

from tests.cli.command import ggp
from tests.test_readme import block

Use = Callable[[Any], Awaitable[None]]

#: The game of the README, whose roles may take one stone or two of three.
STONES = block("lisp", "(role left)")


def with_client(folder: Path, use: Use, *options: str) -> None:
    """Start the server as a client does, and use it."""
    command = ["-m", "ggp", "mcp", "--folder", str(folder), *options]

    async def run() -> None:
        async with Client(StdioServerParameters(command=sys.executable, args=command)) as client:
            await use(client)

    asyncio.run(run())


async def call(client: Any, tool: str, **arguments: object) -> Any:
    """Return what a tool answers."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def refusal(client: Any, tool: str, **arguments: object) -> str:
    """Return why a tool does not answer."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return str(result.content[0].text)


def test_every_tool_explains_itself(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {
            "list_games", "read_rules", "save_game", "read_docs", "check", "format", "show",
            "prove", "perft", "state", "draw", "best_move", "run_match", "test_game",
        }  # fmt: skip
        assert all(len(tool.description or "") > 30 for tool in tools.values())
        assert "GDL" in client.instructions
        games = await call(client, "list_games")
        assert games["saved"] == []
        assert "tictactoe" in games["bundled"]
        page = (await call(client, "read_docs", page="authoring"))["result"]
        assert "ggp check" in page

    with_client(tmp_path, use)


@pytest.mark.long
def test_an_agent_writes_checks_proves_and_plays_a_game(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    broken = STONES.replace("(true (stones ?m))", "(true (stone ?m))", 1)
    assert broken != STONES

    async def use(client: Any) -> None:
        await call(client, "save_game", name="stones", rules=broken)
        (finding, *_) = (await call(client, "check", game="stones"))["findings"]
        assert "stone" in finding["message"]
        await call(client, "save_game", name="stones", rules=STONES)
        assert (await call(client, "check", game="stones"))["findings"] == []
        laid_out = (await call(client, "format", game="stones"))["result"]
        await call(client, "save_game", name="stones", rules=laid_out)
        assert (await call(client, "read_rules", game="stones"))["result"] == laid_out
        asked = (await call(client, "prove", game="stones", seconds=2))["questions"]
        expected = [each["verdict"] for each in asked if each["expected"]]
        assert expected == ["proved"] * len(expected) != []
        assert (await call(client, "perft", game="stones"))["states"] == [1, 2, 2, 1]
        told = await call(client, "state", game="stones", moves=[["(take 1)", "wait"]])
        assert told["legal"]["right"] == ["(take 1)", "(take 2)"]
        assert told["facts"] == ["(control right)", "(stones 2)"]
        found = await call(
            client, "best_move", game="stones", moves=[["(take 1)", "wait"]], role="right",
            algorithm="alphabeta", seconds=20,
        )  # fmt: skip
        assert (found["move"], found["exact"]) == ("(take 2)", True)
        match = await call(client, "run_match", game="stones", players=["legal", "random"])
        assert match["isCompleted"]
        assert (await call(client, "show", game="stones"))["roles"] == ["left", "right"]
        tested = await call(client, "test_game", name="stones", update=True)
        assert tested["passed"]

    with_client(folder, use)
    assert ggp("test", folder / "stones.kif", "--json").json["passed"]


@pytest.mark.long
def test_a_state_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")

    async def use(client: Any) -> None:
        moves = [["(place 2 2)", "noop"]]
        drawn = await client.call_tool("draw", {"game": "tictactoe", "moves": moves})
        (image,) = drawn.content
        assert image.mime_type == "image/png"
        assert base64.b64decode(image.data).startswith(b"\x89PNG")

    with_client(tmp_path, use)


def test_no_file_outside_the_folder_is_reached(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    (tmp_path / "secret.kif").write_text("(role secret)")
    (folder / "link.kif").symlink_to(tmp_path / "secret.kif")

    async def use(client: Any) -> None:
        names = ("../secret", str(tmp_path / "secret.kif"), "link", "-", "", "a" * 60, "x\0y")
        for name in names:
            assert "secret)" not in await refusal(client, "read_rules", game=name)
            assert "saved" not in await refusal(client, "save_game", name=name, rules=STONES)
            await refusal(client, "test_game", name=name)
        assert "no page" in await refusal(client, "read_docs", page="../README")

    with_client(folder, use)
    assert (tmp_path / "secret.kif").read_text() == "(role secret)"
    assert [path.name for path in folder.iterdir()] == ["link.kif"]


def test_players_that_load_code_or_call_others_are_refused(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        for player in ("os.system", "http://127.0.0.1:1", "llm", "random:seed=1"):
            said = await refusal(client, "run_match", game="nim", players=[player, "legal"])
            assert "players" in said
        few = await refusal(client, "run_match", game="nim", players=["legal"])
        assert few.endswith("need as many players, not 1")

    with_client(tmp_path, use)


#: A game that no reasoner can ground or play through: fifty bits that change as their role likes.
ENDLESS = "(role r) (init z) " + " ".join(
    f"(<= (next (b {n})) (does r (flip ?s))) (legal r (flip {n}))" for n in range(60)
) + "(<= (next z) (true z)) (goal r 0) (<= terminal (true never))"  # fmt: skip


def test_a_call_ends_when_its_time_is_over(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        said = await refusal(client, "perft", game=ENDLESS, depth=1000)
        assert said.endswith("stopped after 0.2 s; ask for less")
        assert "(role" not in said

    with_client(tmp_path, use, "--seconds", "0.2")


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("state", {"game": "nim", "moves": [["(take 9)", "wait"]]}, "joint move 1: "),
        ("state", {"game": "nim", "moves": [["(take 1)"]]}, "1 moves for 2 roles"),
        ("state", {"game": "(role"}, "never closed"),
        ("check", {"game": "x" * 600_000}, "at most 500,000 characters"),
        ("prove", {"game": "nim", "never": "(true"}, "never closed"),
        ("prove", {"game": "nim", "never": "\0"}, "null byte"),
        ("best_move", {"game": "nim", "role": "--help"}, "--help"),
        ("save_game", {"name": "big", "rules": ""}, "between 1 and"),
        ("perft", {"game": "no_such_game"}, "no game is called no_such_game"),
    ],
)
def test_wrong_use_is_explained(
    tool: str, arguments: dict[str, object], said: str, tmp_path: Path
) -> None:
    async def use(client: Any) -> None:
        told = await refusal(client, tool, **arguments)
        assert said in told
        assert "Traceback" not in told

    with_client(tmp_path, use)


def test_calls_that_are_too_many_are_refused(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        calls = (client.call_tool("check", {"game": "nim"}) for _ in range(30))
        results = await asyncio.gather(*calls)
        refused = [result.content[0].text for result in results if result.is_error]
        assert refused
        assert all("too many calls" in text for text in refused)
        assert len(refused) < 30

    with_client(tmp_path, use)
