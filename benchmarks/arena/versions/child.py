"""The process of another version: it imports that version's `ggp`, and runs its players.

It is loaded as a file, so that nothing of this version's `ggp` is imported before.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any, NoReturn


def main(owner: Any, folder: str, clock_file: str) -> NoReturn:
    """Answer the owner's messages: each a name and arguments; an answer, or an error's text."""
    sys.path.insert(0, folder)
    os.environ["PYTHONPATH"] = folder  # for processes that this one starts
    version = _Version(clock_file)
    while True:
        name, *arguments = owner.receive()
        try:
            owner.send((getattr(version, name)(*arguments), None))
        except Exception as error:
            owner.send((None, f"{type(error).__name__}: {error}"))


class _Version:
    """The players of the version, by numbers that the owner gives them."""

    def __init__(self, clock_file: str) -> None:
        from ggp.deadline import Deadline

        spec = spec_from_file_location("clock", clock_file)
        assert spec is not None
        assert spec.loader is not None
        clock = sys.modules[spec.name] = module_from_spec(spec)
        spec.loader.exec_module(clock)
        self._clocks = {
            "processor": (clock.ProcessorDeadline.after, time.process_time),
            "wall": (Deadline.after, time.perf_counter),
        }
        self._reasoners: dict[str, Any] = {}
        self._players: dict[int, Any] = {}

    def warm_up(self) -> None:
        """Compile and load the functions that all games share, where the version can do so."""
        with suppress(ImportError):
            from ggp.deadline import Deadline
            from ggp.engine.kernels import KERNELS, load, warm_up

            warm_up(Deadline())
            for kernels in set(KERNELS.values()):
                load(kernels, Deadline())

    def start(
        self, number: int, spec: str, seed: int, rules: str, role: int, times: tuple[Any, ...]
    ) -> None:
        """Make a player, and let it prepare; the times are those of a `Timing`."""
        from ggp.deadline import TimeUp
        from ggp.gdl import Description
        from ggp.match import PlayerContext, make_player, with_seed
        from ggp.reasoner.compiled import CompiledReasoner

        if rules not in self._reasoners:
            self._reasoners[rules] = CompiledReasoner(Description.from_text(rules))
        reasoner = self._reasoners[rules]
        move, start, clock = times
        player = make_player(with_seed(spec, seed))
        told: list[Any] = []
        context = PlayerContext(reasoner.roles[role], reasoner, move, told.append)
        self._players[number] = (player, reasoner, role, move, clock, told)
        with suppress(TimeUp), _cores(clock):
            player.start(context, self._clocks[clock][0](start))

    def move(self, number: int, facts: list[str]) -> tuple[str, float, int, int]:
        """Return the move of a player in a state, seconds spent, states and playouts."""
        from ggp.deadline import TimeUp
        from ggp.kif import parse_term

        player, reasoner, role, seconds, clock, told = self._players[number]
        after, now = self._clocks[clock]
        state = reasoner.state_of(map(parse_term, facts))
        chosen = reasoner.view(state).legal[role][0]
        told.clear()
        began, deadline = now(), after(seconds)
        with suppress(TimeUp), _cores(clock):
            for better in player.moves(state, deadline):
                chosen = better
                deadline.check()
        spent = now() - began
        if not told:
            return str(chosen), spent, 0, 0
        simulations = getattr(told[-1], "simulations", None)  # older versions do not report them
        return str(chosen), spent, told[-1].nodes, simulations or 0

    def stop(self, number: int, goals: tuple[int | None, ...]) -> None:
        """Tell a player that the match is over."""
        self._players.pop(number)[0].stop(goals)


def _cores(clock: str) -> AbstractContextManager[None]:
    """Limit a player as `Timing.cores` does. Older versions have a single thread."""
    if clock == "processor":
        with suppress(ImportError):
            from ggp.workers.cores import limited

            return limited(1)
    return nullcontext()
