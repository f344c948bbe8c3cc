"""The player that asks a language model for its moves."""

from __future__ import annotations

import logging
import os
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Literal

from ggp.deadline import Deadline
from ggp.errors import PlayerError, TooManyJointMoves
from ggp.kif import Scrambler, Term
from ggp.match import Player, PlayerContext, PossibleStates, SearchInfo
from ggp.players.llm.chat import Chat, ChatError, Message
from ggp.players.llm.prompt import Position, Prompt, chosen
from ggp.reasoner import State

__all__ = ["Llm"]

# Joint moves among which that of the last turn is looked for.
_MOST_JOINT_MOVES = 10_000
# Possible states that a model is shown where it does not know the state.
_SHOWN = 3
# Seconds below which the model is not asked once more.
_TOO_LATE = 0.1
# Characters of a wrong answer that the model is reminded of.
_REMINDED = 20_000

_AGAIN = "That is none of your legal moves. They are:\n{moves}\nChoose one of these."

_log = logging.getLogger(__name__)


class Llm(Player):
    """Asks any server with the interface of chat completions for each move.

    The model is told the rules, once, and in each turn the facts, the legal moves and the moves so
    far. An answer that names no legal move is asked for again; if none comes in time, the player
    plays a random legal move, and the log says why.
    """

    def __init__(
        self,
        *,
        url: str,
        model: str = "",
        key: str = "",
        form: Literal["text", "json"] = "text",
        rules: bool = True,
        history: bool = True,
        scramble: int | None = None,
        attempts: int = 3,
        temperature: float = 0.0,
        tokens: int = 1000,
        seed: int = 0,
    ) -> None:
        """Configure the player.

        Args:
            url: the address of the server's interface, such as ``http://127.0.0.1:8080/v1``.
            model: the name of the model, if the server has several.
            key: the name of the environment variable that holds the secret key of the server.
            form: whether positions are told as text or as JSON.
            rules: whether the rules are told.
            history: whether the moves so far are told.
            scramble: the seed with which all words of the game are replaced by made-up ones, so
                that the model cannot know the game by its words; None for the game's own.
            attempts: how often the model is asked for a move at most.
            temperature: as the server understands it.
            tokens: how long an answer may become.
            seed: of the moves at random.

        Raises:
            PlayerError: an option makes no sense, or the variable of the key is not set.
            ModuleNotFoundError: the extra `llm` is not installed.
        """
        if key and key not in os.environ:
            raise PlayerError(f"the environment has no variable {key}")
        if attempts < 1 or tokens < 1:
            raise PlayerError("attempts and tokens must be at least 1")
        self._chat = Chat(
            url=url,
            model=model,
            key=os.environ.get(key, ""),
            temperature=temperature,
            max_tokens=tokens,
        )
        self._form, self._scramble, self._attempts = form, scramble, attempts
        self._tells_rules, self._tells_history = rules, history
        self._random = random.Random(seed)

    def start(self, context: PlayerContext, deadline: Deadline) -> None:
        """Prepare what the model is told."""
        super().start(context, deadline)
        self._chat.load()
        terms = context.reasoner.description.terms
        self._prompt = Prompt(form=self._form)
        if self._scramble is not None:
            scrambler = Scrambler(terms, seed=self._scramble)
            self._prompt = Prompt(form=self._form, spell=scrambler.scramble)
        self._introduction = self._prompt.introduction(
            context.role, context.reasoner.roles, terms if self._tells_rules else ()
        )
        self._history: list[Sequence[Term]] = []
        #: The state of the last turn, and the role's move in it.
        self._last: tuple[State, Term] | None = None

    def moves(self, state: State, deadline: Deadline) -> Iterator[Term]:
        """Yield a random legal move, and then what the model answers."""
        reasoner = self.context.reasoner
        self._note_turn(state)
        legal = reasoner.legal_moves(state, self.context.role)
        position = Position(states=[reasoner.facts(state)], legal=legal, history=self._told_history)
        for move in self._asked(position, deadline):
            self._last = state, move
            yield move

    def moves_among(self, possible: PossibleStates, deadline: Deadline) -> Iterator[Term]:
        """Yield moves as `moves` does; the model is shown some of the possible states."""
        reasoner = self.context.reasoner
        states = [*dict.fromkeys(possible.sample(_SHOWN))]
        if len(possible.probabilities) == 1:
            yield from self.moves(states[0], deadline)
            return
        if self._last is not None:  # it knew the state until now
            self._history.append([self._last[1]])
            self._last = None
        position = Position(
            states=[reasoner.facts(state) for state in states],
            legal=possible.legal,
            history=self._told_history,
        )
        move: Term | None = None
        for move in self._asked(position, deadline):
            yield move
        if move is not None:
            self._history.append([move])

    @property
    def _told_history(self) -> list[Sequence[Term]]:
        return list(self._history) if self._tells_history else []

    def _note_turn(self, state: State) -> None:
        """Add the joint move that led here to the history; if it is unclear, the player's move."""
        if self._last is None:
            return
        before, own = self._last
        joint: Sequence[Term] = [own]
        with suppress(TooManyJointMoves):
            made = self.context.reasoner.expand(before, max_joint_moves=_MOST_JOINT_MOVES)
            fitting = [
                moves
                for moves, after in zip(made.joint_moves, made.successors, strict=True)
                if after == state and moves[self.context.index] == own
            ]
            if len(fitting) == 1:
                joint = fitting[0]
        self._history.append(joint)

    def _asked(self, position: Position, deadline: Deadline) -> Iterator[Term]:
        """Yield a random legal move; then the model's, if there is a choice."""
        fallback = self._random.choice(position.legal)
        yield fallback
        if len(position.legal) == 1:
            return
        moves, began = self._prompt.moves(position), time.monotonic()
        messages: list[Message] = [
            {"role": "system", "content": self._introduction},
            {"role": "user", "content": self._prompt.turn(position)},
        ]
        problem = ""
        for attempt in range(self._attempts):
            if attempt and deadline.remaining < _TOO_LATE:
                break
            try:
                answer = self._chat.answer(messages, deadline)
            except ChatError as error:
                problem = str(error)
                continue
            place = chosen(answer, moves)
            if place is not None:
                seconds = time.monotonic() - began
                self.context.report(SearchInfo(None, depth=1, nodes=attempt + 1, seconds=seconds))
                yield position.legal[place]
                return
            problem = f"no legal move in the answer {answer[:100]!r}"
            again = _AGAIN.format(moves="\n".join(moves))
            messages += [
                {"role": "assistant", "content": answer[:_REMINDED]},
                {"role": "user", "content": again},
            ]
        _log.warning("llm plays the random move %s: %s", fallback, problem)
