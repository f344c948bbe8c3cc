"""The process that knows one game: it checks the rules, draws states, and lists legal moves.

It receives a `Subject`: the rules, or the line of play of a record. Then it answers one question
after the other. The manager ends it if an answer takes too long. A question may bring other rules,
as an author edits them; they replace the rules before.
"""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import cached_property, singledispatchmethod
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ggp.authoring.format import format_rules
from ggp.errors import GameError, GgpError, IllegalMove, ReasonerError, RecordError, SourceError
from ggp.gdl import Description, canonical
from ggp.gdl.check import check
from ggp.kif import Source, Term, is_ground, parse_term
from ggp.match import Spelling, completed, first_mistake, joint_spelling
from ggp.reasoner import JointMove, Reasoner, State, View
from ggp.server.manager.drawing.declared import drawing_mistake
from ggp.server.manager.drawing.looks.possible import merged
from ggp.server.manager.drawing.play import Line
from ggp.server.manager.export.gif import to_gif
from ggp.server.manager.export.picture import picture_of
from ggp.server.manager.playing.profile import profile_of, shown_state
from ggp.server.manager.processes.board import Board
from ggp.server.manager.processes.consequences import decisive_facts, successors
from ggp.server.manager.processes.effort import Effort
from ggp.server.manager.processes.knowledge import Knowledge
from ggp.server.manager.processes.plain_reasoner import plain_reasoner
from ggp.server.manager.processes.questions import (
    Asked,
    Check,
    Decisive,
    Draw,
    Drawings,
    Format,
    Gif,
    Layout,
    Learned,
    Profile,
    Question,
    ReadRecord,
    Scene,
    Seen,
    Style,
    Subject,
    Successors,
    Summarise,
    Summary,
    Svg,
    Values,
    Verify,
    WalkLine,
)
from ggp.server.manager.processes.record_files import read_placed, read_summary, told_of
from ggp.workers.child import Owner

if TYPE_CHECKING:
    from ggp.server.manager.processes.lessons import Expectations

__all__ = ["Guide"]

_REASONER_TIME, _REASONER_MEMORY = 10.0, 1 << 30
#: The limit on findings of the checker in an answer.
_MAX_FINDINGS = 100


class _Step(NamedTuple):
    """A joint move, the state that it leads to, and how a page names the move."""

    joint_move: JointMove
    state: State
    label: str


@dataclass
class Guide:
    """Answers about one game. What a question's answer has is JSON values."""

    #: The rules; None if only a record is known.
    text: str | None
    #: The line of play of that record, if there are no rules.
    line: Line | None = None
    #: The drawing that the author declares, as JSON; empty without one.
    drawing: str = ""
    #: The line that was replayed last.
    _walked: list[_Step] = field(default_factory=list)
    #: Made when a question first needs them.
    _known_reasoner: Reasoner | None = None
    _known_board: Board | None = None
    _knowledge: Knowledge | None = None

    def revised(self, text: str, drawing: str = "") -> Guide:
        """Return the guide of edited rules and their drawing, and close this one.

        Rules that mean the same, such as with another comment, keep the reasoner and the board.
        """
        if (text, drawing) == (self.text, self.drawing):
            return self
        guide = Guide(text, drawing=drawing)
        with suppress(SourceError):  # broken rules keep nothing
            before, after = self._description, guide._description
            if before and after and before.rules == after.rules:
                guide._known_reasoner, self._known_reasoner = self._known_reasoner, None
                guide._walked = self._walked
                if drawing == self.drawing:
                    guide._known_board = self._known_board
        self.reopen()
        return guide

    @singledispatchmethod
    def answer(self, question: Question) -> dict[str, Any]:
        """Answer a question. A method below takes each class of questions.

        Raises:
            GgpError: there is no answer; the message says why.
        """
        raise TypeError(f"no question: {question}")

    def reopen(self) -> None:
        """Close the reasoners; the next question that needs one opens another."""
        self._walked = []
        for known in (self._knowledge, self._known_reasoner):
            if known is not None:
                known.close()
        self._knowledge = self._known_reasoner = None

    # The knowledge of the game, found when it is first needed

    @cached_property
    def _description(self) -> Description | None:
        return None if self.text is None else Description.from_text(Source(self.text, "rules"))

    @property
    def _reasoner(self) -> Reasoner | None:
        """The reasoner; None without rules."""
        if self._known_reasoner is None and self._description is not None:
            self._known_reasoner = plain_reasoner(
                self._description, time_limit=_REASONER_TIME, memory_limit=_REASONER_MEMORY
            )
        return self._known_reasoner

    def _find_board(self) -> Board:
        """Return the board, of which the first picture is found now if there is none.

        To find it may cost the reasoner: ask for `_reasoner` after it.
        """
        if self._known_board is None:
            self._known_board = Board(self._description, line=self.line, declared=self.drawing)
        self._known_board.learn_first(self._reasoner, self.reopen)
        return self._known_board

    def _find_knowledge(self) -> Knowledge:
        assert self._description is not None
        if self._knowledge is None:
            self._knowledge = Knowledge(self._description)
        return self._knowledge

    @cached_property
    def _expectations(self) -> Expectations:
        from ggp.server.manager.processes.lessons import Expectations  # takes long to load

        assert self._description is not None
        return Expectations(self._description)

    @property
    def is_settled(self) -> bool:
        """Whether the answers stay as they are: the board does not get better any more."""
        board = self._known_board
        return board is None or not board.revision or board.is_settled

    @property
    def is_complete(self) -> bool:
        """Whether another guide of the game gives the same answers."""
        board = self._known_board
        return board is None or not board.revision or board.is_complete

    def learn(self) -> None:
        """Make the board better for a moment."""
        try:
            board = self._find_board()
            if self._reasoner is not None:
                board.learn_more(self._reasoner, self.reopen)
        except GgpError:  # the next question is told why
            if self._known_board is not None:
                self._known_board.settle()

    # Questions

    @answer.register
    def _check(self, _: Check) -> dict[str, Any]:
        """Return the findings of the checker, and the roles if a reasoner can take the rules.

        Many a game has errors and can be played. `drawing` says what is wrong with the drawing
        that the author declares; None for nothing.
        """
        findings = check(Source(self.text or "", "rules"))
        errors = [finding for finding in findings if finding.severity == "error"]
        try:
            game = self._description
        except SourceError:
            game = None  # a finding says why
        return {
            "findings": [finding.to_json() for finding in findings[:_MAX_FINDINGS]],
            "more": max(0, len(findings) - _MAX_FINDINGS),
            "errors": len(errors),
            "is_hidden": game is not None and game.has_imperfect_information,
            "drawing": drawing_mistake(game, self.drawing)
            if self.drawing and game is not None
            else None,
            "roles": [] if game is None else list(map(str, game.roles)),
        }

    @answer.register
    def _format(self, _: Format) -> dict[str, Any]:
        """Return the rules in the one layout of rulesheets."""
        return {"rules": format_rules(Source(self.text or "", "rules"))}

    @answer.register
    def _layout_of_game(self, _: Layout) -> dict[str, Any]:
        return self._find_board().layout()

    @answer.register
    def _draw(self, question: Draw) -> dict[str, Any]:
        """Draw the initial state, a state given by its facts, or its successor by a joint move."""
        board = self._find_board()
        facts: Sequence[Term]
        if self._reasoner is None:
            facts = _read_facts(question.facts or (), None)
        else:
            facts = self._reasoner.facts(self._reached(self._reasoner, question))
        return {"facts": list(map(str, facts)), "scene": board.scene(facts)}

    @answer.register
    def _scene(self, question: Scene) -> dict[str, Any]:
        """Draw a state as `_draw` does, with its goals and its legal moves."""
        board = self._find_board()
        if self._reasoner is None:
            return self._draw(question)
        return self._described(board, self._reasoner, self._reached(self._reasoner, question))

    @answer.register
    def _seen(self, question: Seen) -> dict[str, Any]:
        """Draw what a role may know after a line of joint moves, in a game that hides something.

        `facts` are those of all states that are possible, `possible` counts these states, and
        `is_complete` says whether there are no others. `percepts` is what the role saw in the turn
        before. `legal` has its moves, as `_described` has those of all roles.
        """
        board, role = self._find_board(), question.role
        if self._reasoner is None:
            raise GameError("there are no rules")
        line = [tuple(canonical(parse_term(move)) for move in each) for each in question.moves]
        known = self._find_knowledge().of(role, line)
        scenes = [(board.scene(facts), probability) for facts, probability in known.states]
        example = max(known.states, key=lambda each: each[1])[0]
        state = self._reasoner.state_of(example)
        view = self._reasoner.view(state)
        legal = board.legal(self._reasoner, state, view, example) if not view.terminal else []
        sure = set(example).intersection(*(facts for facts, _ in known.states))
        return {
            "facts": sorted(map(str, sure)),
            "scene": {**merged(scenes), "revision": board.revision},
            "percepts": list(map(str, known.percepts)),
            "possible": len(known.states),
            "is_complete": known.is_complete,
            "terminal": False,
            "legal": [moves if each == role else None for each, moves in enumerate(legal)],
        }

    @answer.register
    def _successors(self, question: Successors) -> dict[str, Any]:
        """Return a part of the table of the joint moves of a state."""
        if self._reasoner is None:
            raise GameError("there are no rules")
        state = self._state(question.facts)
        return successors(self._reasoner, state, after=question.after)

    @answer.register
    def _decisive(self, question: Decisive) -> dict[str, Any]:
        """Return the spots of the facts that decide the end of a game, such as a line."""
        if self._reasoner is None:
            return {"spots": []}
        board = self._find_board()
        facts = decisive_facts(self._reasoner, _read_facts(question.facts, self._description))
        return {"spots": sorted(board.scene(facts)["cells"])}

    @answer.register
    def _values(self, question: Values) -> dict[str, Any]:
        """Return what a trusted network expects in a state, if one was learned; else None."""
        if self._description is None:
            return {"values": None}
        facts = _read_facts(question.facts, self._description)
        return {"values": self._expectations.of(facts)}

    @answer.register
    def _profile(self, _: Profile) -> dict[str, Any]:
        """Return what the game is like, see `profile_of`, and a picture of it as `svg`."""
        board = self._find_board()
        if self._description is None:
            raise GameError("there are no rules")
        first = board.lines[0].states[shown_state(board.lines)] if board.lines else ()
        return {
            **profile_of(self._description, board.lines),
            "svg": board.svg(first, title=""),
            "is_settled": board.is_settled,
        }

    @answer.register
    def _learned_before(self, _: Learned) -> dict[str, Any]:
        """Return what was learned of the game, if anything, and whether it can be learned."""
        from ggp.server.manager.processes.lessons import learned_before  # takes long to load

        description = self._description
        if description is None:
            return {"learned": None, "can_learn": False}
        return {
            "learned": learned_before(description),
            "can_learn": len(description.roles) > 1,
        }

    def _reached(self, reasoner: Reasoner, question: Draw) -> State:
        """Return the state of a question, or its successor. Raises `IllegalMove`."""
        state = self._state(question.facts)
        if question.moves is None:
            return state
        told = [canonical(parse_term(move)) for move in question.moves]
        joint_move = joint_spelling(told, reasoner.view(state).legal)
        reasoner.check_legal(state, joint_move)
        if reasoner.is_terminal(state):
            raise IllegalMove("the game is over")
        return reasoner.next_state(state, joint_move)

    @answer.register
    def _line(self, question: WalkLine) -> dict[str, Any]:
        """Replay a line of joint moves, as far as it is legal, and draw the state at a step.

        `legal` counts the moves that are legal; `reason` says why the next one is not. `labels`
        has the moves of the roles that had a choice. `here` is the state at the step, or the last
        legal one before it; `before` is how its predecessor looks.
        """
        board = self._find_board()
        if self._reasoner is None:
            raise GameError("there are no rules")
        line = [tuple(canonical(parse_term(move)) for move in each) for each in question.moves]
        legal, reason = self._walk(self._reasoner, line)
        states = [self._reasoner.initial_state(), *(each.state for each in self._walked[:legal])]
        step = min(question.step, legal)
        before = None
        if step:
            before = board.scene(self._reasoner.facts(states[step - 1]))
        return {
            "layout": board.layout(),
            "legal": legal,
            "reason": reason,
            "labels": [each.label for each in self._walked[:legal]],
            "step": step,
            "here": self._described(board, self._reasoner, states[step]),
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
            view = reasoner.view(state)
            if view.terminal:
                return step, "the game is over"
            spelled = joint_spelling(joint_move, view.legal)
            try:
                reasoner.check_legal(state, spelled)
            except IllegalMove as error:
                return step, str(error)
            after = reasoner.next_state(state, spelled)
            self._walked.append(_Step(joint_move, after, _label(spelled, view)))
        return len(line), None

    @answer.register
    def _summary(self, question: Summary) -> dict[str, Any]:
        """Return the goals of all roles in several states, and their numbers of legal moves."""
        if self._reasoner is None:
            return {"goals": [], "choices": []}
        states = [self._state(facts) for facts in question.states]
        views = self._reasoner.view_all(states)
        return {
            "goals": [list(view.goals) for view in views],
            "choices": [[len(moves) for moves in view.legal] for view in views],
        }

    @answer.register
    def _drawings(self, question: Drawings) -> dict[str, Any]:
        """Draw several states, and return the layout, too."""
        board = self._find_board()
        states = (_read_facts(facts, self._description) for facts in question.states)
        return {
            "layout": board.layout(),
            "scenes": [board.scene(facts) for facts in states],
        }

    @answer.register
    def _svg(self, question: Svg) -> dict[str, Any]:
        """Draw a state as SVG."""
        facts = _read_facts(question.facts, self._description)
        return {"svg": self._find_board().svg(facts, title=question.title)}

    @answer.register
    def _gif(self, question: Gif) -> dict[str, Any]:
        """Draw states as GIF, which is returned in base 64."""
        drawn = self._drawings(Drawings(question.states))
        pictures = [
            picture_of(drawn["layout"], scene, title=title)
            for scene, title in zip(drawn["scenes"], question.titles, strict=True)
        ]
        return {"gif": b64encode(to_gif(pictures)).decode()}

    @answer.register
    def _record(self, question: ReadRecord) -> dict[str, Any]:
        """Read a record from its file."""
        record = read_placed(question.place)
        if record.moves and not record.states:
            if self._reasoner is None:
                raise RecordError("it tells moves but no states, and its game is not known here")
            record = completed(record, self._reasoner)
        return told_of(record)

    @answer.register
    def _record_summary(self, question: Summarise) -> dict[str, Any]:
        """Read what a list of records shows of one."""
        return asdict(read_summary(question.place.path))

    @answer.register
    def _verify(self, question: Verify) -> dict[str, Any]:
        """Return the first step of a record that violates the rules."""
        if self._reasoner is None:
            return {"mistake": None}
        mistake = first_mistake(read_placed(question.place), self._reasoner)
        return {"mistake": mistake and {"step": mistake.step, "reason": mistake.reason}}

    @answer.register
    def _style(self, question: Style) -> dict[str, Any]:
        """Return the harmless part of a stylesheet."""
        from ggp.server.manager.web.stylesheet import sanitised  # few games have one

        return {"style": sanitised(question.written, scope=".scene")}

    def _state(self, facts: Sequence[str] | None) -> State:
        assert self._reasoner is not None
        if facts is None:
            return self._reasoner.initial_state()
        return self._reasoner.state_of(_read_facts(facts, self._description))

    def _described(self, board: Board, reasoner: Reasoner, state: State) -> dict[str, Any]:
        facts, view = reasoner.facts(state), reasoner.view(state)
        return {
            "facts": list(map(str, facts)),
            "scene": board.scene(facts),
            "terminal": view.terminal,
            "goals": list(view.goals),
            "legal": [] if view.terminal else board.legal(reasoner, state, view, facts),
            "joint_moves": view.joint_move_count,
        }


def _label(joint_move: JointMove, view: View) -> str:
    """Return the moves of the roles that had a choice, or else all of them."""
    chosen = [move for move, legal in zip(joint_move, view.legal, strict=True) if len(legal) > 1]
    return ", ".join(map(str, chosen or joint_move))


def _read_facts(texts: Sequence[str], description: Description | None) -> tuple[Term, ...]:
    """Parse facts that come from outside. Raises `GameError`, `KifError`."""
    facts = tuple(canonical(parse_term(text)) for text in texts)
    if description is not None and not all(map(description.domains.facts.admits, facts)):
        facts = tuple(map(Spelling(description).of, facts))
    for fact in facts:
        if not is_ground(fact):
            raise GameError(f"{fact} has a variable; a fact is ground")
        if description is not None and not description.domains.facts.admits(fact):
            raise GameError(f"{fact} can never be true in this game")
    return facts


def main(owner: Owner) -> NoReturn:
    """Answer the questions of the manager about one game.

    It receives a `Subject`, and then one `Asked` after the other.
    """
    sys.setrecursionlimit(10_000)
    guide = _guide_of(owner.receive())
    while True:
        while not owner.has_sent and not guide.is_settled:
            guide.learn()
        asked: Asked = owner.receive()
        effort, answer = Effort(), dict[str, Any]()
        try:
            if asked.draft is not None:
                guide = guide.revised(asked.draft.text, asked.draft.drawing)
            answer = {"ok": guide.answer(asked.question)}
        except SourceError as error:
            answer = {"error": error.one_line()}
        except GgpError as error:
            if isinstance(error, ReasonerError):
                guide.reopen()
            answer = {"error": str(error), "starved": effort.is_starved(error)}
        except OSError as error:
            answer = {"error": error.strerror or "a file cannot be read"}
        except (MemoryError, RecursionError):
            answer = {"error": "this is too large"}
        # On a board that gets better the answer will be another one. On one that stays as it is
        # before all was played, it may be another one in the next process.
        changes, lasts = not guide.is_settled, guide.is_complete
        owner.send({"id": asked.number, "changes": changes, "lasts": lasts, **answer})


def _guide_of(subject: Subject) -> Guide:
    """Return a guide that knows its subject. Raises `GameError`, `KifError`."""
    line = None
    if subject.line is not None:
        line = Line(
            tuple(_read_facts(facts, None) for facts in subject.line.states),
            tuple(tuple(map(parse_term, joint_move)) for joint_move in subject.line.moves),
        )
    return Guide(subject.text, line, subject.drawing)
