"""What a player learns of a game: it looks it up in the store, or learns it in the start clock.

It may go on while the others think, for the matches that come.
"""

from __future__ import annotations

import gc
import logging
from math import inf
from typing import Any

from ggp.deadline import Deadline
from ggp.engine import machine_code
from ggp.errors import GgpError
from ggp.learning import Knowledge, Learned, Progress, Store, Study, TrialResult
from ggp.match import PlayerContext
from ggp.players.alphabeta import AlphaBeta
from ggp.players.learning.short_matches import try_net
from ggp.players.proving import Proving
from ggp.players.searching import Searching
from ggp.search import ValueNet
from ggp.workers.child import memory_left
from ggp.workers.cores import available, limited

__all__ = ["Learning"]

#: Seconds left of a start clock with which it is worth to learn: 8 seconds less what the player
#: server reserves for its answer, and what a process takes to start. And the address space that
#: must be left then, as a multiple of the memory of a search: compiled code and threads take some.
_LEAST, _ROOM = 6.0, 6
# The shares of the start clock for learning, of what is left then for the trial, and of the time of
# the learning for the machine code, and for the search of a player without a network.
_LEARNING, _TRIAL, _COMPILING, _SEARCHING = 0.75, 0.8, 0.5, 0.4
# The share of what is left after the search in which the learning must have ended.
_WAITING = 0.85
# The share of it in which the store must find a game, twice.
_FINDING = 0.1

# Seconds for the learning to end after a match.
_PARTING = 0.3

#: The share of the play clock for a move of a trial at most.
_MOVE = 0.5

_log = logging.getLogger(__name__)


class Learning:
    """Looks a game up, or learns it, for a player that otherwise plays by `Proving`."""

    def __init__(
        self, context: PlayerContext, *, keeps: bool, goes_on: bool, options: dict[str, Any]
    ) -> None:
        """Take a match.

        Args:
            context: of the player.
            keeps: whether to look the game up in the store, and keep there what is learned.
            goes_on: whether to `go_on` learning in the match.
            options: for the players: `memory` in megabytes, `ponder` and `seed`.
        """
        self._context, self._options = context, options
        self._description = context.reasoner.description
        self._store = Store() if keeps else None
        self._goes_on = goes_on and keeps and available() > 1
        self._known: Knowledge | None = None
        self._study: Study | None = None

    def started(self, deadline: Deadline) -> Searching:
        """Return a player that was started: with a network, if that plays better.

        It learns for the most part of the time, while `Proving` searches; then it plays short
        matches between the two.
        """
        if deadline.remaining == inf:
            return self._without_net(deadline)
        self._known = self._found(deadline)
        clock = deadline.remaining
        is_long = clock >= _LEAST
        if self._known is not None and self._is_trusted(self._known.learned, is_long=is_long):
            self._context.note(f"plays by {_told(self._known.learned)}")
            player = self._player(self._known.learned.search)
            player.use(self._known.net)
            player.start(self._context, deadline)
            return player
        learned: Searching | None = None
        if is_long:
            try:
                learned = self._learned(deadline)
            except MemoryError:
                _log.warning("there is too little memory to learn this game")
                self._note_nothing("there is too little memory")
            finally:
                self._free()
        else:
            self._note_nothing(f"it has {clock:.1f} s to prepare, and {_LEAST:g} s are the least")
        return learned or self._without_net(deadline)

    def go_on(self, deadline: Deadline) -> None:
        """Begin to learn on one core until a deadline, in the background, if that was asked for."""
        compiled = machine_code(self._context.reasoner)
        if not self._goes_on or compiled is None:
            return
        if self._study is None:
            if memory_left() < _ROOM * (self._options["memory"] << 20):
                self._goes_on = False
                return
            self._study = Study(
                compiled,
                memory=self._options["memory"] << 20,
                net=None if self._known is None else self._known.net,
                grows=False,
                threads=1,
                seed=self._options["seed"],
            )
        self._study.begin(deadline)

    def stop(self) -> None:
        """Keep what was learned in the match."""
        study = self._study
        if study is not None:
            net, progress = study.result(Deadline.after(_PARTING)), study.progress
            if net is not None and progress is not None:
                self._keep(net, progress, None)
            self._free()

    @staticmethod
    def _is_trusted(learned: Learned, *, is_long: bool) -> bool:
        """Return whether to play by a network at once, and not to try it again first."""
        return learned.is_trusted and not (learned.untried and is_long)

    def _learned(self, deadline: Deadline) -> Searching | None:
        """Return a player that was started; None if the game cannot be learned."""
        until = deadline.part(_LEARNING)
        reasoner = self._context.reasoner
        reasoner.warm_up(until.part(_COMPILING))
        compiled = machine_code(reasoner)
        if compiled is None:
            self._note_nothing("the game's machine code was not there in time")
            return None
        if memory_left() < _ROOM * (self._options["memory"] << 20):
            self._note_nothing("there is too little memory")
            return None
        study = self._study = Study(
            compiled,
            memory=self._options["memory"] << 20,
            net=None if self._known is None else self._known.net,
            seed=self._options["seed"],
        )
        study.begin(until)
        searching = until.part(_SEARCHING)
        with limited(1):
            proving = self._without_net(searching)
        if not searching.is_over:  # it has proven the game
            self._note_nothing("a search was through with the game")
            return proving
        net, progress = study.result(deadline.part(_WAITING)), study.progress
        search: str | None = None
        if net is not None and progress is not None:
            search = self._better_search(proving, net, progress, deadline)
        else:
            self._note_nothing(study.trouble, uses=self._trusted is not None)
            if self._trusted is not None:
                net, search = self._trusted.net, self._trusted.learned.search
        if net is None or search is None:
            self._free()
            proving.prepare(deadline)
            return proving
        player = self._player(search)
        player.use(net, after=proving)
        del proving, study
        self._free()  # two players and a learner may be more than a match may have
        player.start(self._context, deadline)
        return player

    def _free(self) -> None:
        """End the learning, and give its memory back, with that of players that were dropped."""
        if self._study is not None:
            self._study.end()
            self._study = None
            gc.collect()

    def _better_search(
        self, proving: Proving, net: ValueNet, progress: Progress, deadline: Deadline
    ) -> str | None:
        """Keep a network, and return the search with which it wins a trial; None for none."""
        context = self._context
        trial = try_net(
            context.reasoner, net, progress, proving.leaf_values,
            most=_MOVE * context.play_clock, deadline=deadline.part(_TRIAL),
            seed=self._options["seed"],
        )  # fmt: skip
        kept = self._keep(net, progress, trial)
        search = trial.search if trial.is_won else None
        if not trial.matches and self._trusted is not None:
            search = self._trusted.learned.search
        done = f"learned from {progress.plies:,} joint moves in {progress.seconds:.0f} s"
        verdict = _judged(trial, search)
        if search is not None and self._description.has_imperfect_information:
            verdict += " as long as it knows the state"
        self._context.note(f"{done}; {verdict}; {'kept' if kept else 'not kept'}")
        return search

    @property
    def _trusted(self) -> Knowledge | None:
        """The knowledge of the game, if its net has won its trial; else None."""
        return self._known if self._known is not None and self._known.learned.is_trusted else None

    def _note_nothing(self, reason: str, *, uses: bool = False) -> None:
        """Note why nothing is learned in this start clock, and whether it uses what it knows."""
        known, does = self._known, "plays by" if uses else "does not use"
        before = "" if known is None else f"; it {does} {_told(known.learned)}"
        self._context.note(f"learned nothing: {reason}{before}")

    def _player(self, search: str) -> Searching:
        if search == "mcts":
            return Proving(**self._options)
        own = {name: self._options[name] for name in ("memory", "ponder")}
        return AlphaBeta(**own)

    def _without_net(self, deadline: Deadline) -> Proving:
        player = Proving(**self._options)
        player.start(self._context, deadline)
        return player

    def _found(self, deadline: Deadline) -> Knowledge | None:
        """Return what the store has of the game, if it suits the facts of the reasoner."""
        if self._store is None:
            return None
        limit = _FINDING * deadline.remaining
        known = self._store.find(self._description, time_limit=limit)
        if known is not None:
            reasoner = self._context.reasoner
            try:
                known.net.check_game(reasoner.roles, reasoner.facts(reasoner.initial_state()))
            except GgpError as error:
                _log.warning("what was learned of the game is not used: %s", error)
                return None
        return known

    def _keep(self, net: ValueNet, progress: Progress, trial: TrialResult | None) -> bool:
        """Keep a network in the store, and return whether it is there."""
        if self._store is None:
            return False
        before = Learned() if self._known is None else self._known.learned
        learned = before.after(progress, trial)
        self._known = Knowledge(net, self._description.source.text, learned)
        return self._store.keep(self._description, self._known) is not None


def _told(learned: Learned) -> str:
    """Return what a network comes from that was learned before."""
    score = "" if learned.score is None else f", {learned.score:.0%} of {learned.trial} matches"
    return f"a network of {learned.plies:,} joint moves{score}"


def _judged(trial: TrialResult, search: str | None) -> str:
    """Return how a trial ended, and which search plays by the network; None for none."""
    if not trial.matches:
        used = f"{search} plays by it as before" if search else "it is not used"
        return f"there was no time to try it: {used}"
    scored = f"scored {trial.score:.0%} of {trial.matches} short matches"
    if search is not None:
        return f"{scored}: {search} plays by it"
    return f"{scored}: it is not used ({trial.least:.0%} would do)"
