"""`ggp mcp` as the client of the protocol's own SDK uses it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="needs the extra ggp[mcp]")

from mcp import Client, StdioServerParameters

from ggp.agents.calls import Limits, Refused
from ggp.agents.server import make_server
from ggp.agents.tools import Tools
from ggp.agents.workspace import Workspace
from ggp.kif import Source
from tests.cli.command import ggp
from tests.test_readme import block

Use = Callable[[Any], Awaitable[None]]

#: The game of the README, whose roles may take one stone or two of three.
STONES = block("lisp", "(role left)")


def with_client(folder: Path, use: Use) -> None:
    """Use a server in this process, which takes no second to start."""

    async def run() -> None:
        async with Client(make_server(folder.resolve())) as client:
            await use(client)

    asyncio.run(run())


def with_process(
    folder: Path, use: Use, *options: str, env: Mapping[str, str] | None = None
) -> None:
    """Start the server as a client does, and use it."""
    command = ["-m", "ggp", "mcp", "--folder", str(folder), *options]
    told = StdioServerParameters(
        command=sys.executable, args=command, env=None if env is None else {**os.environ, **env}
    )

    async def run() -> None:
        async with Client(told) as client:
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
            "prove", "perft", "state", "draw", "best_move", "run_match", "test_game", "new_game",
            "edit_game", "delete_game", "read_file", "save_file", "delete_file", "playouts",
        }  # fmt: skip
        assert all(len(tool.description or "") > 30 for tool in tools.values())
        parameters = [
            each for t in tools.values() for each in t.input_schema["properties"].values()
        ]
        assert all(len(each["description"]) > 10 for each in parameters)
        writing = {name for name, tool in tools.items() if not tool.annotations.read_only_hint}
        assert writing == {
            "save_game", "new_game", "edit_game", "delete_game", "test_game", "save_file",
            "delete_file", "format",
        }  # fmt: skip
        assert 'read_docs("gdl")' in client.instructions
        assert "at most 42 s" in client.instructions

    with_process(tmp_path, use)


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
        checked = await call(client, "check", game="stones")
        assert checked == {"summary": "0 errors, 0 warnings", "findings": []}
        laid_out = (await call(client, "format", game="stones"))["result"]
        said = (await call(client, "format", game="stones", save=True))["result"]
        assert said == "saved as stones; 0 errors, 0 warnings"
        assert (await call(client, "read_rules", game="stones"))["result"] == laid_out
        proved = await call(client, "prove", game="stones", seconds=4)
        assert next(iter(proved)) == "summary"
        verdicts = {each["name"]: each["verdict"] for each in proved["questions"]}
        assert {verdicts[name] for name in ("begins", "ends", "goals", "playable")} == {"proved"}
        assert (await call(client, "perft", game="stones"))["states"] == [1, 2, 2, 1]
        played = await call(client, "playouts", game="stones", seconds=4)
        assert played["min_goals"] == {"left": 0, "right": 0}
        assert played["max_goals"] == {"left": 100, "right": 100}
        told = await call(client, "state", game="stones", moves=[["(take 1)", "wait"]])
        assert told["legal"]["right"] == ["(take 1)", "(take 2)"]
        assert told["facts"] == ["(control right)", "(stones 2)"]
        found = await call(
            client, "best_move", game="stones", moves=[["(take 1)", "wait"]], role="right",
            algorithm="alphabeta", seconds=20,
        )  # fmt: skip
        assert (found["move"], found["exact"]) == ("(take 2)", True)
        assert found["goals"] == {"left": 0, "right": 100}
        assert "note" not in found
        match = await call(client, "run_match", game="stones", players=["legal", "random"])
        assert match["ended"].startswith("the game was over after")
        assert match["players"] == {"left": "legal", "right": "random"}
        assert sorted(match["goals"].values()) == [0, 100]
        shown = await call(client, "show", game="stones")
        assert (shown["file"], shown["roles"]) == ("stones.kif", ["left", "right"])
        tested = await call(client, "test_game", name="stones")
        assert tested["result"] == "incomplete"
        assert any("test_game(name, update=true)" in text for text in tested["left_out"])
        tested = await call(client, "test_game", name="stones", update=True)
        assert tested["result"] == "passed"
        assert "stones.perft.json recorded: " in tested["recorded"]
        assert "proof ends" in tested["passed"]
        assert str(folder) not in str(tested)

    with_process(folder, use)
    assert ggp("test", folder / "stones.kif", "--json").json["passed"]


@pytest.mark.long
def test_a_state_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")

    async def use(client: Any) -> None:
        moves = [["(place 2 2)", "noop"]]
        drawn = await client.call_tool("draw", {"game": "tictactoe", "moves": moves})
        image, text = drawn.content
        assert image.mime_type == "image/png"
        assert base64.b64decode(image.data).startswith(b"\x89PNG")
        assert "below the picture: control o" in text.text
        assert "(mark 2 2 x)" in text.text

    with_client(tmp_path, use)


def test_no_file_outside_the_folder_is_reached(tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    (tmp_path / "secret.kif").write_text("(role secret)")
    (folder / "link.kif").symlink_to(tmp_path / "secret.kif")
    (folder / "link.json").symlink_to(tmp_path / "secret.kif")

    async def use(client: Any) -> None:
        names = ("../secret", str(tmp_path / "secret.kif"), "link", "-", "", "a" * 60, "x\0y")
        for name in names:
            assert "secret)" not in await refusal(client, "read_rules", game=name)
            assert "saved" not in await refusal(client, "save_game", name=name, rules=STONES)
            await refusal(client, "test_game", name=name)
            await refusal(client, "read_file", file=f"{name}.json")
            await refusal(client, "save_file", file=f"{name}.json", text="{}")
        assert "no page" in await refusal(client, "read_docs", page="../README")

    with_client(folder, use)
    assert (tmp_path / "secret.kif").read_text() == "(role secret)"
    assert sorted(path.name for path in folder.iterdir()) == ["link.json", "link.kif"]


def test_players_that_load_code_or_call_others_are_refused(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        for player in ("os.system", "http://127.0.0.1:1", "llm", "random:seed=1"):
            said = await refusal(client, "run_match", game="nim", players=[player, "legal"])
            assert said.startswith("run_match: players cannot be ")
            assert "one of legal, random" in said
        few = await refusal(client, "run_match", game="nim", players=["legal"])
        assert few.endswith("need as many players, not 1")

    with_client(tmp_path, use)


def test_an_answer_is_laid_out_in_few_lines(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        moves = [["(take 1)", "noop"]]
        told = await client.call_tool("state", {"game": "nim", "moves": moves})
        (text,) = told.content
        assert json.loads(text.text) == told.structured_content
        assert len(text.text.splitlines()) < 12

    with_client(tmp_path, use)


#: Hundreds of joint moves, and always two to choose from.
LONG = """
(role r) (index 0) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(succ 7 8) (succ 8 9) (init (n 0 0)) (legal r a) (legal r b)
(<= (next (n ?x ?z)) (true (n ?x ?y)) (succ ?y ?z))
(<= (next (n ?z 0)) (true (n ?x 9)) (succ ?x ?z))
(<= (next (seen ?m)) (does r ?m)) (<= terminal (true (n 9 9))) (goal r 50)
"""


@pytest.mark.long
def test_a_play_clock_that_does_not_fit_is_shortened(tmp_path: Path) -> None:
    tools = Tools(Workspace(tmp_path), Limits())
    clock, note = tools._clock(Source(LONG, "long.kif"), ["mcts"], 30.0, 2.0)
    assert clock == 0.3
    assert note.startswith("play_clock is 0.3, not 30: a random play has 99 joint moves")
    said = "the match does not fit: a random play has 99 joint moves"
    with pytest.raises(Refused, match=said):
        tools.run_match(LONG, ["mcts"], start_clock=40.0)


@pytest.mark.long
def test_a_match_that_is_stopped_tells_its_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = Tools(Workspace(tmp_path), Limits(seconds=40))
    monkeypatch.setattr(tools, "_clock", lambda *_: (3.0, ""))
    told = tools.run_match(LONG, ["mcts"], play_clock=3.0)
    assert told["goals"] is None
    assert 3 < len(told["moves"]) < 20
    assert "28 s were over; try play_clock=" in told["ended"]


#: A game that no reasoner can ground or play through: fifty bits that change as their role likes.
ENDLESS = "(role r) (init z) " + " ".join(
    f"(<= (next (b {n})) (does r (flip ?s))) (legal r (flip {n}))" for n in range(60)
) + "(<= (next z) (true z)) (goal r 0) (<= terminal (true never))"  # fmt: skip


def test_a_call_ends_when_its_time_is_over(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        said = await refusal(client, "perft", game=ENDLESS, depth=1000)
        assert said.endswith("stopped after 0.2 s")
        assert "(role" not in said

    with_process(tmp_path, use, "--seconds", "0.2")


#: Wrong calls: a tool, its arguments, and what the answer says.
WRONG: tuple[tuple[str, dict[str, object], str], ...] = (
    (
        "state",
        {"game": "nim", "moves": [["(take 9)", "wait"]]},
        "joint move 1: first may not do (take 9); its legal moves are (take 1), (take 2)",
    ),
    (
        "state",
        {"game": "nim", "moves": [["(take 1)"]]},
        '1 moves for 2 roles; write one of each of first, second, such as ["(take 1)", "noop"]',
    ),
    ("state", {"game": "nim", "moves": "(take 1)"}, 'such as [["(take 1)", "wait"]'),
    (
        "state",
        {"game": "nim", "moves": ["noop"]},
        "state: moves[0] is a text, not a list of one move of each role: give joint moves",
    ),
    ("state", {"game": "nim", "moves": [["noop", 3]]}, "moves[0][1] is a number, not a text"),
    (
        "state",
        {"game": "nim", "moves": [["take 1", "noop"]]},
        "joint move 1: the move 'take 1' of first is no term: parentheses are missing: "
        "write (take 1)",
    ),
    (
        "state",
        {"game": "nim", "moves": [["(take 1)", "(no"]]},
        "joint move 1: the move '(no' of second is no term: ",
    ),
    (
        "best_move",
        {"game": "nim", "algorithm": "planner"},
        'algorithm="planner" solves games of one role; the roles are first, second',
    ),
    ("format", {"game": "nim", "save": True}, "no saved game is called nim"),
    ("format", {"game": "(role a)", "save": True}, "rules that are no saved game cannot be saved"),
    ("edit_game", {"name": "nim", "old": "a", "new": "b"}, "no saved game is called nim"),
    ("state", {"game": "(role"}, "never closed"),
    ("state", {"gam": "nim"}, "did you mean game?"),
    ("state", {}, "state: game is missing: give the name of"),
    ("check", {"game": "x" * 600_000}, "at most 500,000 characters"),
    ("check", {"game": "nim.kif"}, "write nim"),
    ("check", {"game": "nimm"}, "did you mean nim?"),
    ("prove", {"game": "nim", "never": "(true"}, "never:1:1: "),
    ("prove", {"game": "nim", "never": "(true (heaps ?x))"}, "never:1:1: "),
    ("prove", {"game": "nim", "seconds": -1}, "prove: seconds cannot be -1"),
    ("perft", {"game": "nim", "depth": -3}, "depth cannot be -3: give joint moves, from 0 to"),
    ("best_move", {"game": "nim", "role": "--help"}, "--help"),
    ("save_game", {"name": "big", "rules": ""}, "between 1 and"),
    ("perft", {"game": "no_such_game"}, "no game is called no_such_game"),
    ("read_docs", {"page": "drawin"}, "did you mean drawing?"),
    ("delete_game", {"name": "nim"}, "no saved game is called nim"),
    ("read_file", {"file": "../secret.json"}, "is no file beside a game: these are NAME.play"),
    ("read_file", {"file": "montyhal.json"}, "did you mean montyhall.json?"),
    ("save_file", {"file": "nim.perft.json", "text": "{}"}, "no saved game is called nim"),
    ("save_file", {"file": "nim.kif", "text": "(role a)"}, "is no file beside a game"),
    ("delete_file", {"file": "nim.perft.json"}, "nim.perft.json cannot be removed: No such file"),
    ("provee", {"game": "nim"}, "there is no tool provee; did you mean prove?"),
)


def test_wrong_use_is_explained(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        for tool, arguments, said in WRONG:
            told = await refusal(client, tool, **arguments)
            assert said in told
            assert not any(word in told for word in ("Traceback", "pydantic", "https:", "Error ex"))

    with_client(tmp_path, use)


def test_games_are_begun_saved_and_deleted(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        rules = (await call(client, "new_game", name="mine", kind="puzzle"))["result"]
        assert (await call(client, "read_rules", game="mine"))["result"] == rules
        assert "is saved already" in await refusal(client, "new_game", name="mine", kind="board")
        saved = (await call(client, "save_game", name="nim", rules="(role a"))["result"]
        assert saved.startswith("saved as nim; 1 error, 0 warnings; call check; it hides")
        (tmp_path / "mine.playthrough.json").write_text("{}")
        games = await call(client, "list_games")
        assert games["saved"] == ["mine", "nim"]
        assert "nim" not in games["bundled"]
        assert games["bundled"]["tron"] | {"shows": "", "lines": 0} == {
            "shows": "", "roles": ["red", "blue"], "lines": 0, "board": True,
            "simultaneous": True, "hidden": False,
        }  # fmt: skip
        deleted = await call(client, "delete_game", name="mine")
        assert deleted["result"] == "deleted mine.kif, mine.playthrough.json"
        assert "no game is called mine" in await refusal(client, "read_rules", game="mine")

    with_client(tmp_path, use)
    assert [path.name for path in tmp_path.iterdir()] == ["nim.kif"]


def test_pages_are_listed_and_found_as_they_name_each_other(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        listed = (await call(client, "read_docs"))["result"].splitlines()
        assert listed == sorted(listed)
        assert any(line.startswith("checks: What the checker finds (") for line in listed)
        page = (await call(client, "read_docs", page="authoring.md#proofs-ggp-prove"))["result"]
        assert "ggp prove FILE" in page
        assert "| tictactoe |" not in page  # a table of measurements

    with_client(tmp_path, use)


def test_pages_of_the_reference_tell_what_they_describe(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        listed = (await call(client, "read_docs"))["result"]
        assert "\nreference/errors: Errors (ggp.errors)\n" in listed
        page = (await call(client, "read_docs", page="reference/rules"))["result"]
        assert "def parse(source: Source | str) -> tuple[Term, ...]:" in page
        assert "::: " not in page

    with_client(tmp_path, use)


#: A line of play in the game of the README; `ggp test --update` adds the states.
LINE = """{"game": "stones", "roles": "left right", "steps": [
{"joint_move": "(take 1) wait"},
{"joint_move": "wait (take 2)"}
]}"""

#: Files beside it that have a mistake, and what the answer says.
MISTAKES: tuple[tuple[str, str, str], ...] = (
    ("stones.playthrough.json", LINE.replace("joint_move", "move"), "a step has no 'move'; it has"),
    ("stones.playthrough.json", "[" * 100_000, "stones.playthrough.json: no playthrough: "),
    ("stones.playthrough.json", "x" * 600_000, "a file has at most 500,000 characters"),
    ("stones.perft.json", "[]", "stones.perft.json: no perft counts: there are no layers"),
    ("stones.json", '{"table": ["stone"]}', "drawing:1:12: table"),
)


def test_files_beside_a_game_are_written_and_read(tmp_path: Path) -> None:
    file = "stones.short.playthrough.json"

    async def use(client: Any) -> None:
        await call(client, "save_game", name="stones", rules=STONES)
        said = (await call(client, "save_file", file=file, text=LINE))["result"]
        assert said == f"saved as {file}"
        assert (await call(client, "read_file", file=file))["result"] == f"{LINE}\n"
        for wrong, text, told in MISTAKES:
            assert told in await refusal(client, "save_file", file=wrong, text=text)
        await call(client, "save_file", file="stones.json", text='{"table": ["stones"]}')
        listed = (await call(client, "read_file"))["result"].splitlines()
        assert listed[:3] == ["stones.json", file, "dotsandboxes.json (bundled)"]
        assert '"boards"' in (await call(client, "read_file", file="montyhall.json"))["result"]
        await call(client, "delete_file", file="stones.json")
        assert "there is no file" in await refusal(client, "read_file", file="stones.json")

    with_client(tmp_path, use)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stones.kif", file]


@pytest.mark.long
def test_a_line_of_play_by_hand_is_completed_and_tested(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        await call(client, "save_game", name="stones", rules=STONES)
        file = "stones.playthrough.json"
        await call(client, "save_file", file=file, text=LINE)
        tested = await call(client, "test_game", name="stones", update=True)
        assert tested["result"] == "passed"
        recorded = (await call(client, "read_file", file=file))["result"]
        assert "(control right) (stones 2)" in recorded

    with_client(tmp_path, use)


@pytest.mark.long
def test_a_game_is_drawn_as_its_author_declares(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")

    async def use(client: Any) -> None:
        rules = (await call(client, "read_rules", game="tictactoe"))["result"]
        await call(client, "save_game", name="mine", rules=rules)
        drawn: dict[str, Any] = {"game": "mine", "moves": [["(place 2 2)", "noop"]]}
        _, before = (await client.call_tool("draw", drawn)).content
        await call(client, "save_file", file="mine.json", text='{"table": ["mark"]}')
        _, after = (await client.call_tool("draw", drawn)).content
        assert "below the picture: control o" in before.text
        assert "mark 2 2 x" in after.text.partition("all facts")[0]
        await call(client, "save_game", name="montyhall", rules=rules)  # hides the bundled drawing
        image, _ = (await client.call_tool("draw", {"game": "montyhall"})).content
        assert image.mime_type == "image/png"

    with_client(tmp_path, use)


@pytest.mark.long
def test_a_game_that_no_cache_has_is_proved(tmp_path: Path) -> None:
    """The limits of a call let a game be compiled."""
    impossible = "(true (stones ?m)) (true (stones ?n)) (distinct ?m ?n)"

    async def use(client: Any) -> None:
        await call(client, "save_game", name="stones", rules=STONES)
        proved = await call(client, "prove", game="stones", never=impossible, seconds=4)
        assert "circuit_error" not in proved
        assert " 0 open" in proved["summary"]
        (never,) = [each for each in proved["questions"] if each["name"] == "never"]
        assert never["verdict"] == "proved"
        assert (await call(client, "show", game="stones"))["circuit"]["gates"] > 0
        passed = (await call(client, "test_game", name="stones"))["passed"]
        assert set(passed) > {"proof begins", "proof ends"}

    with_process(tmp_path / "games", use, env={"GGP_CACHE_DIR": str(tmp_path / "cache")})
    assert list((tmp_path / "cache").iterdir())


#: Every play ends after one move, and then the role has two goals, or none.
TWO_GOALS = """
(role r) (init (n 1)) (<= (legal r (go ?x)) (true (n 1)) (way ?x)) (way a) (way b)
(<= (next (at ?x)) (does r (go ?x))) (<= terminal (not (true (n 1))))
(<= (goal r 0) (true (at a))) (<= (goal r 100) (true (at a)))
"""


@pytest.mark.long
def test_wrong_goals_are_told(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        proved = await call(client, "prove", game=TWO_GOALS)
        (goals,) = [each for each in proved["questions"] if each["name"] == "goals"]
        assert goals["fault"]
        assert goals["goals"] in (["r has the goals 0 and 100"], ["r has no goal"])
        assert "fault" in proved["summary"]
        reached = await call(client, "state", game=TWO_GOALS, moves=[["(go a)"]])
        assert (reached["goals"], reached["wrong_goals"]) == ({"r": None}, {"r": ["0", "100"]})
        reached = await call(client, "state", game=TWO_GOALS, moves=[["(go b)"]])
        assert reached["wrong_goals"] == {"r": []}

    with_client(tmp_path, use)


#: Numbers without end: no state can be computed.
COUNTING = """
(role r) (init (n z)) (<= (number (s ?n)) (number ?n)) (number z)
(<= (legal r (say ?n)) (number ?n)) (<= (next (n ?n)) (does r (say ?n)))
(<= terminal (true (n (s z)))) (goal r 0)
"""


@pytest.mark.long
def test_a_call_that_is_stopped_names_the_error_of_the_rules(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        said = await refusal(client, "state", game=COUNTING)
        assert "line 2: recursion-restriction: " in said

    with_process(tmp_path, use, "--seconds", "15")


def test_calls_that_are_too_many_are_refused(tmp_path: Path) -> None:
    async def use(client: Any) -> None:
        calls = (client.call_tool("check", {"game": "nim"}) for _ in range(30))
        results = await asyncio.gather(*calls)
        refused = [result.content[0].text for result in results if result.is_error]
        assert refused
        assert all("too many calls" in text for text in refused)
        assert len(refused) < 30

    with_process(tmp_path, use)
