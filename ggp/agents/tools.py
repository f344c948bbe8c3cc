"""The tools of `ggp mcp`, without the protocol.

A client may send anything. Every tool that reasons runs a command of `ggp` in a process with limits
(`ggp.agents.calls`), files are those of one folder (`ggp.agents.workspace`), and players are built
in: a client can name no path, no address and no class.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from mcp.server.mcpserver import Image
from pydantic import Field

from ggp.agents import answers
from ggp.agents.calls import Calls, Limits, Refused, Stopped
from ggp.agents.catalogue import bundled
from ggp.agents.documents import page as page_of
from ggp.agents.documents import pages
from ggp.agents.workspace import MAX_RULES, Workspace
from ggp.authoring.new import new_rules
from ggp.errors import KifError
from ggp.gdl.bundled import bundled_drawings
from ggp.kif import Source, parse

__all__ = ["Tools"]

_Answer = TypeVar("_Answer")

# What a match may take at most: joint moves.
_MAX_STEPS = 500
# The longest play of `state`, the most states and the deepest layer that are counted.
_MAX_MOVES, _MAX_STATES, _MAX_DEPTH = 1000, 2_000_000, 1000
# Players that answer at once, whatever the clock; seconds to look how long a game is, and what the
# goals come to.
_AT_ONCE: frozenset[Player] = frozenset({"legal", "random"})
_TO_ESTIMATE = 1.0
# How `ggp match` says that it aborted a match, and that its time was over.
_ABORTED, _NO_TIME = "the match was aborted: ", "stopped before its end"
# Places of a text that are named where it occurs several times.
_PLACES = 5
# The longest condition of `prove`, in characters.
_MAX_CONDITION = 10_000

Player = Literal[
    "legal", "random", "flat", "minimax", "alphabeta", "maxn", "mcts", "planner", "auto"
]
Algorithm = Literal["mcts", "alphabeta", "maxn", "planner"]
Kind = Literal["turns", "board", "pieces", "cards", "simultaneous", "hidden", "puzzle"]

Game = Annotated[
    str,
    Field(description="the name of a saved or bundled game, such as nim, or a rulesheet as text"),
]
Name = Annotated[
    str,
    Field(
        description="a name of up to 48 small letters, digits and _, such as my_game, without .kif"
    ),
]
File = Annotated[
    str,
    Field(
        description="NAME.playthrough.json, NAME.WORD.playthrough.json, NAME.perft.json, or the "
        "drawing NAME.json, where NAME is that of a game"
    ),
]
Moves = Annotated[
    list[list[str]] | None,
    Field(
        description="joint moves from the initial state: for each step a list with one move of "
        'every role, in the roles\' order, such as [["(take 1)", "wait"], ["wait", "(take 2)"]]; '
        f"at most {_MAX_MOVES}"
    ),
]


def _seconds(what: str) -> Any:
    return Field(
        gt=0, description=f"seconds {what}; more than 0, and at most what the instructions say"
    )


class Tools:
    """What a client can ask for. Each public method is a tool, and its docstring tells the client.

    They raise `Refused`, whose message the client gets.
    """

    def __init__(self, workspace: Workspace, limits: Limits) -> None:
        """Take the folder of the games, and the limits of each call."""
        self._workspace = workspace
        self._calls = Calls(limits)

    @property
    def most_seconds(self) -> float:
        """The most seconds that a client may ask for."""
        return self._calls.most_seconds

    def list_games(self) -> dict[str, Any]:
        """List the saved games, and the bundled ones, from which to learn.

        Of each bundled game it tells what it shows, its roles, the forms of its moves, its length
        in lines, and whether it has a board, simultaneous moves, and hidden information. A saved
        game hides the bundled one of its name.
        """
        saved = self._workspace.names()
        return {
            "saved": saved,
            "bundled": {name: like for name, like in bundled().items() if name not in saved},
        }

    def read_rules(self, game: Game) -> str:
        """Return the rulesheet of a saved or bundled game."""
        return self._rules(game).text

    def new_game(
        self, name: Name, kind: Annotated[Kind, Field(description="what the game is like")]
    ) -> str:
        """Save a small complete game to begin from, with comments that teach GDL; return its rules.

        `turns` is a pile of stones, `board` three in a row, `pieces` a board with pieces that move
        and capture, `cards` tricks with open hands, `simultaneous` rock, paper, scissors, `hidden`
        a bet on a card, and `puzzle` has one role.
        """
        if self._workspace.path(name).exists():
            raise Refused(f"{name} is saved already; read_rules shows it, delete_game removes it")
        rules = new_rules(name.replace("_", " ").capitalize(), kind=kind)
        self._workspace.save(name, rules)
        return rules

    def save_game(
        self,
        name: Name,
        rules: Annotated[str, Field(description="the rulesheet, of at most 500,000 characters")],
    ) -> str:
        """Save a rulesheet, in place of the saved game of its name; tell how many errors it has."""
        self._workspace.save(name, rules)
        told = [f"saved as {name}"]
        try:
            counts = Counter(each["severity"] for each in self._findings(self._rules(name)))
        except Refused as error:
            told.append(f"not checked: {error}")
        else:
            told.append(_counted(counts) + ("; call check" if counts else ""))
        if name in bundled():
            told.append(f"it hides the bundled game {name} until it is deleted")
        return "; ".join(told)

    def edit_game(
        self,
        name: Name,
        old: Annotated[
            str,
            Field(description="text that occurs exactly once in the rules, with its blanks"),
        ],
        new: Annotated[str, Field(description="what stands there afterwards; may be empty")],
    ) -> str:
        """Replace a text in a saved game by another; tell how many errors the game has then.

        Nothing is changed where `old` does not occur, or occurs several times.
        """
        self._workspace.saved(name)
        rules = self._rules(name).text
        count = rules.count(old) if old else 0
        if count != 1:
            raise Refused(_no_place(rules, old, count))
        return self.save_game(name, rules.replace(old, new))

    def delete_game(self, name: Name) -> str:
        """Delete a saved game, with its playthroughs and counts. Bundled games stay."""
        return f"deleted {', '.join(self._workspace.delete(name))}"

    def read_file(self, file: File = "") -> str:
        """Return a file beside a saved or bundled game; without a name, list these files.

        What test_game compares a game with: playthroughs and perft counts (read_docs("authoring")).
        What draw takes a board from: a drawing (read_docs("drawing")).
        """
        if file.strip():
            return self._workspace.file(file.strip())
        saved = self._workspace.files()
        drawings = (path.name for path in bundled_drawings())
        return "\n".join([*saved, *(f"{each} (bundled)" for each in drawings if each not in saved)])

    def save_file(
        self,
        file: File,
        text: Annotated[str, Field(description="JSON, of at most 500,000 characters")],
    ) -> str:
        """Save a file beside a saved game, in place of the file of its name.

        A playthrough may be written by hand, with the moves of its steps alone: test_game with
        `update` adds the rest. A file that has not the form that it should have is refused.
        """
        if len(text) > MAX_RULES:
            raise Refused(f"a file has at most {MAX_RULES:,} characters")
        self._workspace.beside(file)
        rules = self._workspace.saved(file.partition(".")[0]).name
        files = {rules: self._rules(rules.removesuffix(".kif")).text, file: text}
        self._calls.run("ggp.agents.beside", [rules, file], files=files)
        self._workspace.save_file(file, text)
        return f"saved as {file}"

    def delete_file(self, file: File) -> str:
        """Delete a file beside a saved game."""
        self._workspace.delete_file(file)
        return f"deleted {file}"

    def read_docs(
        self,
        page: Annotated[
            str, Field(description="the name of a page, such as gdl; none for the list of pages")
        ] = "",
    ) -> str:
        """Return a page of the documentation; without a name, list the pages and their headings.

        Begin with gdl, the language of the rules. `write-a-game` and `authoring` tell how to write
        a game, `checks` what check finds, `drawing` how draw finds the board. Pages such as
        `reference/rules` describe the classes and functions of the library in Python.
        """
        return page_of(page) if page.strip() else pages()

    def check(self, game: Game) -> dict[str, Any]:
        """Find what is wrong with a rulesheet: place, code, message and fix of each mistake."""
        findings = self._findings(self._rules(game))
        counts = Counter(each["severity"] for each in findings)
        return {"summary": _counted(counts), "findings": findings}

    def format(
        self,
        game: Game,
        save: Annotated[
            bool, Field(description="save the result in place of a saved game, and return no text")
        ] = False,
    ) -> str:
        """Return a rulesheet in the usual layout, or save it; meaning and comments stay."""
        rules = self._rules(game)
        if save and "(" in game:
            raise Refused("rules that are no saved game cannot be saved here; save_game saves them")
        if save:
            self._workspace.saved(game.strip())
        text = self._calls.ggp("format", "--stdout", rules.name, files={rules.name: rules.text})
        return self.save_game(game.strip(), text) if save else text

    def show(self, game: Game) -> dict[str, Any]:
        """Tell what a game is: roles, sizes, properties, symmetries, factors, proofs, relations.

        A summary comes first, then what is missing, and why. Symmetries and factors have examples,
        proofs a line each: prove tells more of them. `seen` is what random play has seen. A call
        takes up to half a minute.
        """
        options = ["--compile-seconds", self._calls.seconds(15)]
        for option in ("--seconds", "--structure-seconds", "--proof-seconds"):
            options += [option, self._calls.seconds(2)]
        return answers.show_told(self._asked("show", self._rules(game), *options))

    def prove(
        self,
        game: Game,
        never: Annotated[
            str,
            Field(
                description="a condition on a state that never holds: one or several terms, such "
                'as "(true (cell ?x ?y x)) (true (cell ?x ?y o))"'
            ),
        ] = "",
        seconds: Annotated[float, _seconds("for each question")] = 2.0,
    ) -> dict[str, Any]:
        """Prove what holds in every state, or show a play that refutes it.

        It asks whether each role always has a move, the game ends, each role has one goal then, and
        each cell of a board has one content; and whether `never` holds in no state. The summary
        comes first. `fault` says that something is refuted which holds in every correct game; the
        others tell what the game is like. A fault has the play (`witness`) with its last state, the
        `lines` to look at, and `advice` where no change heals it; `repairs` lists changes of the
        rules, each with the faults that it heals. Where a question stays open, `why` and `next` say
        what to do. With the default `seconds` a call takes from 10 to 35 s; `never` is asked
        together with the other questions.
        """
        rules, used = self._rules(game), float(self._calls.seconds(seconds))
        options = ["--seconds", f"{used:g}"]
        if never.strip():
            options.append(f"--never={_conjunction(never)}")
        try:
            answer = self._asked("prove", rules, *options, codes=(0, 1))
        except Stopped as error:
            raise Stopped(f"{error}; give each question fewer seconds than {used:g}") from None
        except Refused as error:
            raise Refused(str(error).replace("--never: condition", "never")) from None
        found = answer["questions"]
        told = answers.proofs_told(
            found, error=self._why_open(rules, found), seconds=used, most=self.most_seconds
        )
        for each in told["questions"]:
            if each["name"] == "goals" and each["fault"] and each.get("witness"):
                reached = self._position(rules, each["witness"])
                each["goals"] = answers.goals_told(reached.get("wrong_goals", {}))
            each.pop("repair", None)
        told["repairs"] = answer["repairs"]
        told["took_seconds"] = answer["seconds"]
        return self._limited(told, seconds)

    def perft(
        self,
        game: Game,
        depth: Annotated[
            int, Field(ge=0, le=_MAX_DEPTH, description=f"joint moves, from 0 to {_MAX_DEPTH}")
        ] = 5,
    ) -> dict[str, Any]:
        """Count the states and the paths of a game at each depth, up to `depth` joint moves.

        At most 2,000,000 states are counted, in half a minute. `states` are the different states at
        each depth, `paths` the ways to come there, and `layers` tell of each depth what else is
        counted, such as the goals of the states that are an end. `stop` says why it ended.
        """
        limits = ("--depth", str(depth), "--max-states", str(_MAX_STATES))
        seconds = self._calls.seconds(30)
        counts = self._asked("perft", self._rules(game), *limits, "--seconds", seconds)
        return answers.perft_told(counts, depth=depth)

    def playouts(
        self, game: Game, seconds: Annotated[float, _seconds("to play")] = 2.0
    ) -> dict[str, Any]:
        """Play a game at random again and again; tell how long it is, and how it ends.

        `mean_steps` is the mean number of joint moves of a play. For each role it tells the mean,
        the least and the greatest goal. `playouts_per_second` says how fast the rules are, and
        `played_by` whether they were compiled to machine code.
        """
        options = ("--seconds", self._calls.seconds(seconds))
        found = self._asked("playouts", self._rules(game), *options)
        return self._limited(answers.playouts_told(found), seconds)

    def state(self, game: Game, moves: Moves = None) -> dict[str, Any]:
        """Play joint moves from the initial state; tell facts, legal moves, goals and the board."""
        return self._position(self._rules(game), moves or [])

    def draw(self, game: Game, moves: Moves = None) -> list[Image | str]:
        """Draw the state after some joint moves, as a PNG; the board is found in the rules.

        What cannot be found there is taken from the drawing beside the game (save_file).
        A text says what the picture shows, for a client that sees no pictures.
        """
        rules, declared = self._rules(game), self._workspace.drawing(game)
        told = self._position(rules, moves or [], declared=declared)
        text = [told["board"]] if told["board"] else []
        text += ["below the picture: " + "; ".join(told["below"])] if told["below"] else []
        text.append("all facts: " + " ".join(told["facts"]))
        return [Image(data=base64.b64decode(told["png"]), format="png"), "\n".join(text)]

    def best_move(
        self,
        game: Game,
        moves: Moves = None,
        role: Annotated[
            str, Field(description="for whom to search; by default the first that has a choice")
        ] = "",
        algorithm: Annotated[
            Algorithm,
            Field(
                description="mcts: any game; alphabeta: proofs in games of two roles; maxn: of "
                "more; planner: puzzles"
            ),
        ] = "mcts",
        seconds: Annotated[float, _seconds("to search")] = 5.0,
    ) -> dict[str, Any]:
        """Search the state after some joint moves for the best move of a role.

        The answer has the move, the goals that the roles are expected to get, whether that is
        proven (`exact`), and the line of play that the search expects (`variation`). A role whose
        goal is not known is left out of the goals: `alphabeta` asks for that of `role` alone, and
        the other follows only where all goals come to the same sum at each end. `depth` is the
        length of the longest line that was looked at, `states` how many were expanded.
        """
        rules = self._rules(game)
        reached = self._position(rules, moves or [])
        if reached["terminal"]:
            raise Refused(f"the game is over, with the goals {json.dumps(reached['goals'])}")
        legal = reached["legal"]
        choosing = (name for name in legal if len(legal[name]) > 1 and name.lower() != "random")
        role = role or next(choosing, next(iter(legal)))
        options = ["--algorithm", algorithm, "--seconds", self._calls.seconds(seconds)]
        options.append(f"--role={role}")
        if moves:
            options.append(f"--state=( {' '.join(reached['facts'])} )")
        found = self._asked("solve", rules, *options)
        total = None
        if None in found["goals"] and any(goal is not None for goal in found["goals"]):
            total = self._sum(rules)
        return self._limited(answers.move_told(found, role, total=total), seconds)

    def run_match(
        self,
        game: Game,
        players: Annotated[
            list[Player],
            Field(description='one for each role but `random`, such as ["mcts", "random"]'),
        ],
        play_clock: Annotated[float, _seconds("for each move")] = 1.0,
        start_clock: Annotated[float, _seconds("before the first move")] = 2.0,
        seed: Annotated[
            int, Field(ge=0, le=2**31 - 1, description="the same seed, the same chance")
        ] = 0,
    ) -> dict[str, Any]:
        """Play a match; tell the goals, why it ended, the errors of the players and the moves.

        The whole match has to fit into the time that a tool may work. Where a play of the usual
        length, that of random play, does not fit, the play clock is shortened, and a `note` says
        so. A match that is longer all the same is stopped, and the moves so far are told; it is
        stopped after 500 joint moves, too.
        """
        rules = self._rules(game)
        clock, note = self._clock(rules, players, play_clock, start_clock)
        # What `auto` learns would be kept for other matches.
        named = ["auto:keep=false" if player == "auto" else player for player in players]
        clocks = ("--start-clock", self._calls.seconds(start_clock),
                  "--play-clock", self._calls.seconds(clock),
                  "--seconds", f"{self.most_seconds:g}")  # fmt: skip
        limits = ("--max-steps", str(_MAX_STEPS), "--seed", str(seed), "--record", "match.json")
        said: list[str] = []
        try:
            record = self._asked("match", rules, *named, *clocks, *limits, codes=(0, 1), said=said)
        except Stopped as error:
            raise Stopped(f"{error}; choose a play_clock shorter than {clock:g}") from None
        except Refused as error:
            # The players that the command names besides are not for clients.
            raise Refused(str(error).partition("; a player is")[0]) from None
        roles = list(self._position(rules, [])["legal"])
        why = self._why(said, record, clock=clock, start_clock=start_clock)
        told = answers.match_told(record, roles, list(players), most_steps=_MAX_STEPS, why=why)
        told = {"note": note, **told} if note else told
        return self._limited(told, max(0 if note else play_clock, start_clock))

    def test_game(
        self,
        name: Name,
        update: Annotated[
            bool, Field(description="record a playthrough and perft counts anew first")
        ] = False,
    ) -> dict[str, Any]:
        """Test a saved game: the checker, proofs, and the playthrough and counts that are recorded.

        The result is passed, failed, or incomplete, with what was left out. `passed` lists the
        tests that passed, `tests` what there is to say of the others. Record a playthrough by
        `update` when the rules are as you want them: later tests compare the game with it;
        `recorded` says what was recorded, and which faults of the game are known. A call takes
        from 10 to 35 s.
        """
        path = self._workspace.saved(name).resolve()
        updated = self._tested(path, "--update") if update else None
        return answers.outcome_told(name, self._tested(path), updated=updated)

    def _tested(self, path: Path, *options: str) -> dict[str, Any]:
        """Return what `ggp test` says of a saved game, without the folder where that is."""
        said = self._calls.ggp("test", str(path), *options, "--json", codes=(0, 1))
        for place, name in ((str(path), path.name), (f"{path.parent}{os.sep}", "")):
            said = said.replace(json.dumps(place)[1:-1], name)
        (tested,) = json.loads(said)["games"]
        return dict(tested)

    def _clock(
        self, rules: Source, players: list[Player], wished: float, start_clock: float
    ) -> tuple[float, str]:
        """Return the play clock of a match, and what to say of it if it is not the one wished for.

        Raises:
            Refused: no clock is short enough.
        """
        if set(players) <= _AT_ONCE:
            return wished, ""
        usual = ("--seconds", self._calls.seconds(_TO_ESTIMATE))
        try:
            steps = self._asked("playouts", rules, *usual)["mean_steps"]
        except Stopped:
            raise
        except Refused:
            steps = None  # the match itself will tell what is wrong
        start, most = min(start_clock, self.most_seconds), self.most_seconds
        clock = answers.clock_for(wished, steps=steps, start_clock=start, seconds=most)
        why = "" if steps is None else (
            f"a random play has {steps:.0f} joint moves in the mean, and a match may take "
            f"{most:g} s with its start_clock of {start:g} s"
        )  # fmt: skip
        if clock is None:
            raise Refused(f"the match does not fit: {why}; take the players legal and random")
        if clock == wished:
            return wished, ""
        return clock, f"play_clock is {clock:g}, not {wished:g}: {why}"

    def _why(
        self, said: list[str], record: dict[str, Any], *, clock: float, start_clock: float
    ) -> str:
        """Return why a match was aborted, as far as that is known; empty for one that was not."""
        reasons = [line.partition(_ABORTED)[2] for line in said if _ABORTED in line]
        if not reasons:
            return ""
        (reason, *_) = reasons
        if reason != _NO_TIME:
            return reason
        # The game may be twice as long as what was played, for all that is known.
        shorter = answers.clock_for(
            clock / 2,
            steps=2 * len(record["moves"]),
            start_clock=min(start_clock, self.most_seconds),
            seconds=self.most_seconds,
        )
        advice = f"play_clock={shorter:g}" if shorter else "the players legal and random"
        return f"{self.most_seconds:g} s were over; try {advice}"

    def _sum(self, rules: Source) -> int | None:
        """Return what the goals of all roles come to at each end; None if that is not known."""
        try:
            limit = ("--seconds", self._calls.seconds(_TO_ESTIMATE))
            return answers.constant_sum(self._asked("lvt", rules, *limit))
        except Refused:
            return None

    def _rules(self, game: str) -> Source:
        return self._workspace.rules(game)

    def _asked(
        self,
        command: str,
        rules: Source,
        *arguments: str,
        codes: tuple[int, ...] = (0,),
        said: list[str] | None = None,
    ) -> Any:
        """Return the JSON that a command of `ggp` prints about a game. Raises `Refused`."""
        return self._explaining(
            rules,
            lambda: self._calls.ggp_json(
                command,
                rules.name,
                *arguments,
                files={rules.name: rules.text},
                codes=codes,
                said=said,
            ),
        )

    def _explaining(self, rules: Source, ask: Callable[[], _Answer]) -> _Answer:
        """Return an answer about a game.

        Raises:
            Stopped: it took too long, and the rules have no error that is to blame.
            Refused: the rules have one, which the message names; or there is no answer.
        """
        try:
            return ask()
        except Stopped as stopped:
            findings = [f for f in self._findings(rules) if f["severity"] == "error"]
            if not findings:
                raise
            first = findings[0]
            raise Refused(
                f"{stopped}; the rules are to blame: line {first['line']}: {first['code']}: "
                f"{first['message']}; {first['hint']}; see check"
            ) from None

    def _findings(self, rules: Source) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._calls.ggp_json(
            "check", rules.name, files={rules.name: rules.text}, codes=(0, 1)
        )
        return found

    def _why_open(self, rules: Source, found: list[dict[str, Any]]) -> str | None:
        """Return why a game with open questions could not be compiled; None if it could."""
        if all(each["verdict"] != "open" for each in found):
            return None
        options = ["--compile-seconds", self._calls.seconds(20)]
        for option in ("--seconds", "--structure-seconds", "--proof-seconds"):
            options += [option, "0"]
        try:
            shown = self._asked("show", rules, *options)
        except Stopped as error:
            return f"compiling: {error}"
        except Refused:
            return None
        if shown["circuit"] and shown["circuit"]["loops"]:
            return "the rules depend on themselves in loops, which proofs do not follow"
        reason: str | None = shown["circuit_error"]
        return reason

    def _position(
        self, rules: Source, moves: list[list[str]], *, declared: str | None = None
    ) -> dict[str, Any]:
        """Return what `ggp.agents.position` tells; a picture, too, with a drawing, be it empty."""
        if len(moves) > _MAX_MOVES:
            raise Refused(f"at most {_MAX_MOVES} joint moves are played")
        asked = json.dumps(
            {"name": rules.name, "rules": rules.text, "moves": moves, "draw": declared}
        )
        told: dict[str, Any] = self._explaining(
            rules, lambda: json.loads(self._calls.run("ggp.agents.position", told=asked))
        )
        return told

    def _limited(self, told: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Return an answer, with a note if it was given less time than was asked for."""
        if seconds <= self.most_seconds:
            return told
        return {"note": f"{self.most_seconds:g} s were used, the most that is allowed", **told}


def _counted(counts: Counter[str]) -> str:
    """Return how many findings there are.

    >>> _counted(Counter(error=1, warning=2))
    '1 error, 2 warnings'
    """
    kinds = ("error", "warning")
    return ", ".join(f"{counts[kind]} {kind}{'s' * (counts[kind] != 1)}" for kind in kinds)


def _no_place(rules: str, old: str, count: int) -> str:
    """Return why a text cannot be replaced that does not occur exactly once.

    >>> _no_place("(role a) (role b)", "role", 2)
    'old occurs 2 times, in the lines 1: give more of the text around it; nothing was changed'
    """
    if not old:
        return "old is empty: give a text that occurs exactly once; nothing was changed"
    if count:
        places, start = list[int](), 0
        while (start := rules.find(old, start)) >= 0 and len(places) < _PLACES:
            places.append(rules.count("\n", 0, start) + 1)
            start += len(old)
        lines = ", ".join(str(line) for line in dict.fromkeys(places))
        more = " and more" * (count > _PLACES)
        return (
            f"old occurs {count} times, in the lines {lines}{more}: give more of the text around "
            "it; nothing was changed"
        )
    words = old.split()
    spaced = re.search(r"\s+".join(map(re.escape, words)), rules) if words else None
    if spaced:
        line = rules.count("\n", 0, spaced.start()) + 1
        return f"old occurs with other blanks, in line {line}: copy them; nothing was changed"
    return "old does not occur in the rules; read_rules shows them; nothing was changed"


def _conjunction(text: str) -> str:
    """Return a condition as one term. Raises `Refused` if it is no KIF, or too long."""
    if len(text) > _MAX_CONDITION:
        raise Refused(f"never has at most {_MAX_CONDITION:,} characters")
    try:
        terms = parse(Source(text, "never"))
    except KifError as error:
        raise Refused(error.one_line()) from None
    return text if len(terms) == 1 else f"(and {' '.join(map(str, terms))})"
