"""The process that knows one game: it checks the rules, draws states, and lists legal moves.

It receives the rules, or None with the line of play of a record. Then it answers one request after
the other. The manager ends it if an answer takes too long. A request may bring other rules, as an
author edits them; they replace the rules before.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

from ggp.authoring.format import format_rules
from ggp.deadline import Deadline
from ggp.errors import (
    GameError,
    GgpError,
    IllegalMove,
    ReasonerError,
    ReasonerUnavailable,
    SourceError,
)
from ggp.gdl import Description, canonical
from ggp.gdl.check import check
from ggp.kif import Source, Term, is_ground, parse_term
from ggp.match import MatchRecord, first_mistake
from ggp.reasoner import JointMove, Reasoner, State, View, open_reasoner
from ggp.server.manager.drawing.clicks import Clicks
from ggp.server.manager.drawing.declared import find_drawing
from ggp.server.manager.drawing.layout import Layout
from ggp.server.manager.drawing.pieces import Looks, role_tones
from ggp.server.manager.drawing.play import Line, random_lines
from ggp.server.manager.drawing.scene import cards_of, scene_of
from ggp.workers.child import Owner

__all__ = ["Guide"]

#: Seconds of random play, which shows how facts behave.
_LEARNING = 2.0
_REASONER_TIME, _REASONER_MEMORY = 10.0, 1 << 30
#: The limit on findings of the checker in an answer.
_MAX_FINDINGS = 100
#: The limit on moves of a role whose effects are computed to find the places to click.
_MAX_TRIED = 300
#: The limit on the joint moves that are listed with their results.
_MAX_JOINT_MOVES = 400


class _Step(NamedTuple):
    """A joint move, the state that it leads to, and how a page names the move."""

    joint_move: JointMove
    state: State
    label: str


@dataclass
class Guide:
    """Answers about one game. Requests and answers are JSON values."""

    #: The rules; None if only a record is known.
    text: str | None
    #: The line of play of that record, if there are no rules.
    line: Line | None = None
    #: The drawing that the author declares, as JSON; empty without one.
    drawing: str = ""
    #: The line that was replayed last.
    _walked: list[_Step] = field(default_factory=list)

    def revised(self, text: str) -> Guide:
        """Return the guide of edited rules, and close this one.

        Rules that mean the same, such as with another comment, keep the reasoner and the board.
        """
        if text == self.text:
            return self
        guide = Guide(text, drawing=self.drawing)
        with suppress(SourceError):  # broken rules keep nothing
            before, after = self._description, guide._description
            if before and after and before.rules == after.rules:
                known = {"_reasoner", "_drawing"} & self.__dict__.keys()
                guide.__dict__.update({name: self.__dict__.pop(name) for name in known})
                guide._walked = self._walked
        self.reopen()
        return guide

    def answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Answer a request; its `do` names the question.

        Raises:
            GgpError: there is no answer; the message says why.
        """
        methods: dict[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
            "check": self._check,
            "format": self._format,
            "layout": self._layout_of_game,
            "scene": self._scene,
            "line": self._line,
            "goals": self._goals,
            "record": self._record,
            "verify": self._verify,
        }
        return methods[request["do"]](request)

    def reopen(self) -> None:
        """Close the reasoner; the next request that needs one opens another."""
        self._walked = []
        if (reasoner := self.__dict__.pop("_reasoner", None)) is not None:
            reasoner.close()

    # The knowledge of the game, computed once

    @cached_property
    def _description(self) -> Description | None:
        return None if self.text is None else Description.from_text(Source(self.text, "rules"))

    @cached_property
    def _reasoner(self) -> Reasoner | None:
        if self._description is None:
            return None
        for kind in ("prolog", "compiled"):
            try:
                return open_reasoner(
                    self._description,
                    kind=kind,
                    time_limit=_REASONER_TIME,
                    memory_limit=_REASONER_MEMORY,
                )
            except ReasonerUnavailable:
                continue
        raise ReasonerUnavailable("there is no reasoner; `ggp doctor` says how to get one")

    @cached_property
    def _drawing(self) -> tuple[Layout, Looks, Clicks]:
        if self._reasoner is None:
            lines: Sequence[Line] = () if self.line is None else (self.line,)
        else:
            lines = random_lines(self._reasoner, deadline=Deadline.after(_LEARNING))
        layout, looks = find_drawing(self._description, lines, self.drawing)
        return layout, looks, Clicks(layout, self._description)

    # Requests

    def _check(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Return the findings of the checker, and the roles if there are no errors."""
        findings = check(Source(self.text or "", "rules"))
        errors = [finding for finding in findings if finding.severity == "error"]
        return {
            "findings": [finding.to_json() for finding in findings[:_MAX_FINDINGS]],
            "more": max(0, len(findings) - _MAX_FINDINGS),
            "errors": len(errors),
            "is_hidden": not errors
            and bool(self._description and self._description.has_imperfect_information),
            "roles": []
            if errors or not self._description
            else list(map(str, self._description.roles)),
        }

    def _format(self, _: Mapping[str, Any]) -> dict[str, Any]:
        """Return the rules in the one layout of rulesheets."""
        return {"rules": format_rules(Source(self.text or "", "rules"))}

    def _layout_of_game(self, _: Mapping[str, Any]) -> dict[str, Any]:
        layout, _looks, _clicks = self._drawing
        return {**layout.to_json(), "tones": list(role_tones(layout.roles))}

    def _scene(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Draw the initial state, a state given by its facts, or its successor by a joint move."""
        if self._reasoner is None:
            layout, looks, _ = self._drawing
            facts = _read_facts(request["facts"], None)
            return {"facts": list(map(str, facts)), "scene": scene_of(facts, layout, looks)}
        state = self._state(request.get("facts"))
        if request.get("moves") is not None:
            joint_move = tuple(canonical(parse_term(move)) for move in request["moves"])
            self._reasoner.check_legal(state, joint_move)
            if self._reasoner.is_terminal(state):
                raise IllegalMove("the game is over")
            state = self._reasoner.next_state(state, joint_move)
        return self._described(self._reasoner, state, successors=bool(request.get("successors")))

    def _line(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Replay a line of joint moves, as far as it is legal, and draw the state at a step.

        `legal` counts the moves that are legal; `reason` says why the next one is not. `labels`
        has the moves of the roles that had a choice. `here` is the state at the step, or the last
        legal one before it; `before` is how its predecessor looks.
        """
        if self._reasoner is None:
            raise GameError("there are no rules")
        line = [tuple(canonical(parse_term(move)) for move in each) for each in request["moves"]]
        legal, reason = self._walk(self._reasoner, line)
        states = [self._reasoner.initial_state(), *(each.state for each in self._walked[:legal])]
        step = min(request["step"], legal)
        before = None
        if step:
            layout, looks, _ = self._drawing
            before = scene_of(self._reasoner.facts(states[step - 1]), layout, looks)
        return {
            "layout": self._layout_of_game({}),
            "legal": legal,
            "reason": reason,
            "labels": [each.label for each in self._walked[:legal]],
            "step": step,
            "here": self._described(self._reasoner, states[step], successors=False),
            "before": before,
        }

    def _walk(self, reasoner: Reasoner, line: Sequence[JointMove]) -> tuple[int, str | None]:
        """Play a line of joint moves; return how many are legal, and what is wrong with the next.

        What was walked before is not played again.
        """
        for step, joint_move in enumerate(line):
            if step < len(self._walked) and self._walked[step].joint_move == joint_move:
                continue
            del self._walked[step:]
            state = self._walked[-1].state if step else reasoner.initial_state()
            if reasoner.is_terminal(state):
                return step, "the game is over"
            try:
                reasoner.check_legal(state, joint_move)
            except IllegalMove as error:
                return step, str(error)
            label = _label(joint_move, reasoner.view(state))
            self._walked.append(_Step(joint_move, reasoner.next_state(state, joint_move), label))
        return len(line), None

    def _goals(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the goals of all roles in several states."""
        if self._reasoner is None:
            return {"goals": []}
        states = [self._state(facts) for facts in request["states"]]
        return {"goals": [list(view.goals) for view in self._reasoner.view_all(states)]}

    def _record(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Read a record from its file."""
        record = MatchRecord.read(request["path"])
        return {
            "match_id": record.match_id,
            "game_url": record.game_meta_url,
            "players": list(record.player_names),
            "start_clock": record.start_clock,
            "play_clock": record.play_clock,
            "start_time": record.start_time,
            "completed": record.is_completed,
            "states": [list(map(str, facts)) for facts in record.states],
            "moves": [list(map(str, joint_move)) for joint_move in record.moves],
            "errors": [list(errors) for errors in record.errors],
            "goals": list(record.goal_values),
        }

    def _verify(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Return the first step of a record that violates the rules."""
        if self._reasoner is None:
            return {"mistake": None}
        mistake = first_mistake(MatchRecord.read(request["path"]), self._reasoner)
        return {"mistake": mistake and {"step": mistake.step, "reason": mistake.reason}}

    def _state(self, facts: Sequence[str] | None) -> State:
        assert self._reasoner is not None
        if facts is None:
            return self._reasoner.initial_state()
        return self._reasoner.state_of(_read_facts(facts, self._description))

    def _described(self, reasoner: Reasoner, state: State, *, successors: bool) -> dict[str, Any]:
        layout, looks, _ = self._drawing
        facts, view = reasoner.facts(state), reasoner.view(state)
        return {
            "facts": list(map(str, facts)),
            "scene": scene_of(facts, layout, looks),
            "terminal": view.terminal,
            "goals": list(view.goals),
            "legal": [] if view.terminal else self._legal(reasoner, state, view, facts),
            "joint_moves": view.joint_move_count,
            "successors": _successors(reasoner, state, view) if successors else [],
        }

    def _legal(
        self, reasoner: Reasoner, state: State, view: View, facts: Sequence[Term]
    ) -> list[list[dict[str, Any]]]:
        """Return the legal moves of each role, each with the places to click."""
        layout, _, clicks = self._drawing
        cards = cards_of(facts, layout)
        legal = []
        for role, moves in enumerate(view.legal):
            named = {move: clicks.named(move, cards) for move in moves}
            unnamed = [move for move in moves if not named[move]][:_MAX_TRIED]
            if len(moves) > 1 and all(view.legal):
                for move, step in self._changes(reasoner, state, view, role, unnamed).items():
                    named[move] = (step,) if step else ()
            legal.append([{"move": str(move), "clicks": named[move]} for move in moves])
        return legal

    def _changes(
        self, reasoner: Reasoner, state: State, view: View, role: int, moves: Sequence[Term]
    ) -> dict[Term, tuple[str, ...]]:
        """Return the places that each move changes, except those that all moves change.

        The other roles make their first legal moves.
        """
        first = [legal[0] for legal in view.legal]
        joint_moves = [(*first[:role], move, *first[role + 1 :]) for move in moves]
        after = [
            frozenset(reasoner.facts(successor))
            for successor in reasoner.step_all([state] * len(moves), joint_moves)
        ]
        before = frozenset(reasoner.facts(state))
        always = frozenset.intersection(*after) if len(after) > 1 else frozenset[Term]()
        never = before - frozenset().union(*after) if len(after) > 1 else frozenset[Term]()
        _, _, clicks = self._drawing
        return {
            move: clicks.changed(
                sorted(facts - before - always, key=str), sorted(before - facts - never, key=str)
            )
            for move, facts in zip(moves, after, strict=True)
        }


def _label(joint_move: JointMove, view: View) -> str:
    """Return the moves of the roles that had a choice, or else all of them."""
    chosen = [move for move, legal in zip(joint_move, view.legal, strict=True) if len(legal) > 1]
    return ", ".join(map(str, chosen or joint_move))


def _successors(reasoner: Reasoner, state: State, view: View) -> list[dict[str, Any]]:
    """Return the joint moves; each tells whether it ends the game, and the goals after it."""
    if not 0 < view.joint_move_count <= _MAX_JOINT_MOVES:
        return []
    joint_moves = list(view.joint_moves)
    after = reasoner.step_all([state] * len(joint_moves), joint_moves)
    return [
        {"moves": list(map(str, moves)), "terminal": found.terminal, "goals": list(found.goals)}
        for moves, found in zip(joint_moves, reasoner.view_all(after), strict=True)
    ]


def _read_facts(texts: Sequence[str], description: Description | None) -> tuple[Term, ...]:
    """Parse facts that come from outside. Raises `GameError`, `KifError`."""
    facts = tuple(canonical(parse_term(text)) for text in texts)
    for fact in facts:
        if not is_ground(fact):
            raise GameError(f"{fact} has a variable; a fact is ground")
        if description is not None and not description.domains.facts.admits(fact):
            raise GameError(f"{fact} can never be true in this game")
    return facts


def main(owner: Owner) -> NoReturn:
    """Answer the requests of the manager about one game."""
    sys.setrecursionlimit(10_000)
    first = owner.receive()
    line = first.get("line")
    guide = Guide(
        first["text"],
        None
        if line is None
        else Line(
            tuple(_read_facts(facts, None) for facts in line["states"]),
            tuple(tuple(map(parse_term, joint_move)) for joint_move in line["moves"]),
        ),
        first.get("drawing", ""),
    )
    while True:
        request = owner.receive()
        answer: dict[str, Any]
        try:
            if "rules" in request:
                guide = guide.revised(request["rules"])
            answer = {"ok": guide.answer(request)}
        except SourceError as error:
            answer = {"error": error.one_line()}
        except GgpError as error:
            if isinstance(error, ReasonerError):
                guide.reopen()
            answer = {"error": str(error)}
        except OSError as error:
            answer = {"error": error.strerror or str(error)}
        except (MemoryError, RecursionError):
            answer = {"error": "this is too large"}
        owner.send({"id": request["id"], **answer})
