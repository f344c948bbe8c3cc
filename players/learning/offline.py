"""Learning a game outside of a match: self-play, then short matches that say what it is worth."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace

from ggp.cluster import Pool
from ggp.deadline import Deadline
from ggp.errors import GgpError
from ggp.learning import (
    InTasks,
    Knowledge,
    Learned,
    Learner,
    LearningSettings,
    Progress,
    TrialResult,
)
from ggp.players.learning.short_matches import try_net
from ggp.reasoner.compiled import CompiledReasoner
from ggp.search import LeafValueTable
from ggp.workers.cores import available

__all__ = ["Course", "learn_offline"]

#: The share of the time of the learning that the short matches take, and seconds at least and at
#: most.
_TRIAL, _TRIAL_LEAST, _TRIAL_MOST = 0.2, 1.0, 30.0
#: Seconds for a move in them at most, and seconds to enumerate the leaf values.
_MOVE, _LEAF_VALUES = 0.1, 5.0
#: How many states are kept to learn from where tasks bring them, those of seconds at once.
_KEPT = 1 << 20


@dataclass(frozen=True, slots=True)
class Course:
    """What was done and learned."""

    progress: Progress
    trial: TrialResult
    #: With what was known before.
    knowledge: Knowledge
    #: What ended the self-play of a pool, if it did not end well.
    failure: GgpError | None = None


def learn_offline(
    reasoner: CompiledReasoner,
    *,
    until: Deadline,
    deadline: Deadline,
    plies: int | None = None,
    known: Knowledge | None = None,
    settings: LearningSettings | None = None,
    pool: Pool | None = None,
    threads: int | None = None,
    seed: int = 0,
    report: Callable[[Progress], None] = lambda _progress: None,
    name: str | None = None,
) -> Course:
    """Learn a game.

    Args:
        reasoner: of the game.
        until: when self-play ends.
        deadline: when all ends.
        plies: how many joint moves to make; None for as many as there is time for.
        known: to go on with.
        settings: of the learner; None for the defaults.
        pool: whose tasks play; None to play in this process. On this machine, by default as many
            play at once as leave a core for the training.
        threads: how many play and learn together in this process; None for one on each core that
            the tasks leave.
        seed: of the learner, and of the openings of the short matches.
        report: called now and then during self-play, and at its end.
        name: of the game, if it has not been learned before.

    Raises:
        ValueError: the network that is known does not suit the settings.
        ModuleNotFoundError: the pool needs Ray, which is not installed.
        GgpError: the game cannot be learned, nothing was played in time, or there is no such
            cluster.
    """
    description, kernel = reasoner.description, reasoner.kernel
    settings, cores = settings or LearningSettings(), available()
    failure, source = None, None
    with ExitStack() as stack:
        if pool is not None:
            if pool.is_local:
                pool = replace(pool, jobs=pool.jobs or max(1, cores - 1))
                cores -= pool.jobs or 0
            memory = int(pool.memory * (1 << 30))
            settings = replace(settings, samples=_KEPT).within(memory, kernel)
            source = stack.enter_context(
                InTasks(reasoner.circuit, pool=pool, settings=settings, seed=seed)
            )
        learner = Learner.of_rules(
            description,
            kernel,
            settings=settings,
            net=None if known is None else known.net,
            source=source,
            threads=threads or max(1, cores),
            seed=seed,
        )
        try:
            learner.learn(deadline=until, plies=plies, report=report)
        except GgpError as error:
            if pool is None or not learner.progress.steps:
                raise
            failure = error
    progress, net = learner.progress, learner.net
    report(progress)
    if not progress.plies:
        raise GgpError("nothing was learned: the time was over before a match began")
    table = LeafValueTable.enumerate(description, time_limit=_LEAF_VALUES, deadline=deadline)
    seconds = min(_TRIAL_MOST, max(_TRIAL_LEAST, _TRIAL * progress.seconds))
    trial = try_net(
        reasoner, net, progress, table, most=_MOVE, deadline=deadline, seconds=seconds, seed=seed
    )
    before = Learned(name=name) if known is None else known.learned
    learned = before.after(progress, trial)
    return Course(progress, trial, Knowledge(net, description.source.text, learned), failure)
