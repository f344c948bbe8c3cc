"""What has been learned of a game: to tell it, to add to it, and to use it in an analysis."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any

from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.gdl import Description
from ggp.kif import Term
from ggp.learning import LEARNING_KERNELS, Knowledge, LearningSettings, Progress, Store
from ggp.players.learning import learn_offline
from ggp.reasoner import Reasoner, open_reasoner
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import AlphaBeta, Evaluation, LeafValueTable, TreeSearch, ValueNet

__all__ = ["Expectations", "learned_before", "learned_evaluation", "lesson"]

#: The share of the time in which the machine code must be there, and that of self-play.
_COMPILING, _SELF_PLAY = 0.25, 0.75
#: Bytes that self-play may take, roughly.
_MEMORY = 512 << 20
#: The searches that use a network. Seconds to look it up, and until it is looked up again.
_WITH_NET, _LOOKING, _FRESH = (AlphaBeta.algorithm, TreeSearch.algorithm), 1.0, 10.0


def learned_before(description: Description) -> dict[str, Any] | None:
    """Return what there is to say of the network of a game; None if there is none."""
    known = Store().find(description)
    return None if known is None else _told(known)


def lesson(
    description: Description,
    deadline: Deadline,
    tell: Callable[[dict[str, Any]], None],
    *,
    name: str | None = None,
) -> dict[str, Any]:
    """Learn a game, and keep what was learned.

    Args:
        description: the game.
        deadline: when it ends.
        tell: called with what has been done so far.
        name: of the game, if it has not been learned before.

    Returns:
        What there is to say of the network, and whether it is kept.

    Raises:
        GgpError: the game cannot be learned, or the code for it is not there yet.
    """
    LEARNING_KERNELS.request()
    store = Store()
    known = store.find(description)
    with open_reasoner(description, kind="compiled", deadline=deadline) as reasoner:
        assert isinstance(reasoner, CompiledReasoner)
        if not LEARNING_KERNELS.wait(deadline.part(_COMPILING)):
            raise GgpError("the code that learns is still being compiled; try again in a minute")

        def report(progress: Progress) -> None:
            rate = progress.plies / progress.seconds if progress.seconds else 0.0
            loss = progress.loss if progress.steps else None
            tell({"plies": progress.plies, "matches": progress.matches, "rate": rate, "loss": loss})

        course = learn_offline(
            reasoner,
            until=deadline.part(_SELF_PLAY),
            deadline=deadline,
            known=known,
            settings=LearningSettings().within(_MEMORY, reasoner.kernel),
            report=report,
            name=name,
        )
    is_kept = store.keep(description, course.knowledge) is not None
    return {"learned": _told(course.knowledge), "kept": is_kept}


def learned_evaluation(
    reasoner: Reasoner, algorithm: str, table: LeafValueTable
) -> Evaluation | None:
    """Return an estimate of states by what was learned of a game.

    Returns:
        None if nothing was, if it is not trusted, or if the search has no use for it.
    """
    if algorithm not in _WITH_NET or len(reasoner.roles) == 1:
        return None
    net = _trusted(reasoner.description)
    if net is None:
        return None
    net.check_game(reasoner.roles, reasoner.facts(reasoner.initial_state()))
    return Evaluation(leaf_values=table, net=net)


class Expectations:
    """What a trusted network expects in the states of one game.

    The network is looked up again from time to time, because the game may be learned meanwhile.
    """

    def __init__(self, description: Description) -> None:
        """Take the game."""
        self._description = description
        self._net: ValueNet | None = None
        #: When to look again, on the scale of `time.monotonic`.
        self._until = -inf

    def of(self, facts: Sequence[Term]) -> list[float] | None:
        """Return the goals that are expected for the roles; None without a trusted network.

        Raises:
            GgpError: the network is one of another game.
        """
        if time.monotonic() >= self._until:
            self._net = _trusted(self._description)
            self._until = time.monotonic() + _FRESH
        net = self._net
        if net is None:
            return None
        net.check_game(self._description.roles, facts)
        return [round(net.goal(facts, role), 1) for role in range(len(self._description.roles))]


def _trusted(description: Description) -> ValueNet | None:
    """Return the network of a game if it has won its short matches; else None."""
    known = Store().find(description, time_limit=_LOOKING)
    return known.net if known is not None and known.learned.is_trusted else None


def _told(known: Knowledge) -> dict[str, Any]:
    learned = known.learned
    return {
        "plies": learned.plies,
        "matches": learned.matches,
        "score": learned.score,
        "trial": learned.trial,
        "trusted": learned.is_trusted,
    }
