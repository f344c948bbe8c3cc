"""The tests of other libraries, run on games of ours."""

from __future__ import annotations

import contextlib
import io
import time
import traceback
import unittest
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from ggp.adapters.play import load_table
from ggp.compiler.limits import DEFAULT_TIME_LIMIT
from ggp.deadline import Deadline, TimeUp
from ggp.errors import GgpError, ReasonerError, ReasonerTimeout
from ggp.requirements import advice
from ggp.workers.child import Owner
from ggp.workers.worker import DEVNULL, Worker

__all__ = ["CHECKS", "Checked", "check", "main", "run_check"]


def _openspiel_sim(file: str) -> None:
    import pyspiel
    from open_spiel.python.tests.games_sim_test import GamesSimTest

    import ggp.adapters.openspiel  # noqa: F401 - registers the game

    game = pyspiel.load_game("gdl", {"file": file})
    GamesSimTest("__init__").sim_game(game)
    pyspiel.random_sim_test(game, 1, True, False)


def _openspiel_api(file: str) -> None:
    import pyspiel
    from open_spiel.integration_tests.api_test import EnforceAPIOnPartialTreeBase

    import ggp.adapters.openspiel  # noqa: F401 - registers the game

    game = pyspiel.load_game("gdl", {"file": file})
    case = type("Api", (EnforceAPIOnPartialTreeBase,), {"game": game, "game_name": "gdl"})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    for _, trace in (*result.errors, *result.failures):
        raise AssertionError(trace.strip().splitlines()[-1])


def _pettingzoo_turns(file: str) -> None:
    from pettingzoo.test import api_test, render_test, seed_test, state_test

    from ggp.adapters.pettingzoo import ParallelGame, TurnGame

    api_test(TurnGame(file), num_cycles=50)
    seed_test(partial(TurnGame, file), num_cycles=20)
    state_test(TurnGame(file), ParallelGame(file))
    render_test(partial(TurnGame, file))


def _pettingzoo_parallel(file: str) -> None:
    from pettingzoo.test import parallel_api_test, parallel_seed_test

    from ggp.adapters.pettingzoo import ParallelGame

    parallel_api_test(ParallelGame(file), num_cycles=50)
    parallel_seed_test(partial(ParallelGame, file), num_cycles=20)


def _gymnasium(file: str) -> None:
    from gymnasium.utils.env_checker import check_env

    from ggp.adapters.gymnasium import RoleEnv

    for mode in RoleEnv.metadata["render_modes"]:
        check_env(RoleEnv(file, render_mode=mode), skip_render_check=False)


#: By name: each takes a rulesheet, and raises what is wrong.
CHECKS: dict[str, Callable[[str], None]] = {
    "openspiel-sim": _openspiel_sim,
    "openspiel-api": _openspiel_api,
    "pettingzoo-turns": _pettingzoo_turns,
    "pettingzoo-parallel": _pettingzoo_parallel,
    "gymnasium": _gymnasium,
}


def run_check(name: str, file: str) -> str:
    """Run a check on a rulesheet; return why it fails, or nothing."""
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        try:
            CHECKS[name](file)
        except ModuleNotFoundError as error:
            return advice(error) or str(error)
        except Exception as error:  # whatever the other library raises
            where = traceback.extract_tb(error.__traceback__)[-1]
            lines = str(error).strip().splitlines() or [f"{where.line} ({where.name})"]
            return f"{type(error).__name__}: {lines[0]}"
    return ""


@dataclass(slots=True)
class Checked:
    """What the checks of a rulesheet have shown."""

    game: str
    #: Why there are no checks: the game cannot be read, compiled or played.
    error: str = ""
    #: By the name of a check why it fails; an empty text if it does not.
    checks: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def passes(self) -> bool:
        """Whether all checks were made, and none failed."""
        return not self.error and not any(self.checks.values())


def check(file: str, *, seconds: float, memory_limit: int) -> Checked:
    """Run all checks on a rulesheet, in a process of its own, for some seconds at most."""
    deadline, found, began = Deadline.after(seconds), Checked(file), time.monotonic()
    streams = (DEVNULL, DEVNULL, DEVNULL)  # OpenSpiel writes whole plays to standard output
    with Worker(__name__, file, memory_limit=memory_limit, streams=streams) as worker:
        waited = "the game was being compiled, which all adapters need"
        try:
            found.error = worker.receive(deadline)
            for name in () if found.error else CHECKS:
                waited = f"{name} was being checked"
                found.checks[name] = worker.receive(deadline)
        except TimeUp:
            found.error = f"after {seconds:g} seconds, {waited}; --seconds allows more"
        except EOFError:
            most = f"it may need more than {memory_limit >> 20:,} MB"
            found.error = f"the process ended while {waited}; {most}"
    found.seconds = time.monotonic() - began
    return found


def main(owner: Owner, file: str) -> None:
    """Send why the game cannot be played, or an empty text and then the result of each check."""
    try:
        _ = load_table(file).profile
    except OSError as error:
        owner.send(f"{error.filename}: {error.strerror}")
        return
    except ReasonerTimeout:
        most = f"more than {DEFAULT_TIME_LIMIT:g} seconds"
        owner.send(f"compiling the game, which all adapters need, takes {most}")
        return
    except ReasonerError as error:
        reason = str(error).splitlines()[0]
        owner.send(f"the game cannot be compiled, which all adapters need: {reason}")
        return
    except GgpError as error:
        owner.send(str(error).splitlines()[0])
        return
    owner.send("")
    for name in CHECKS:
        owner.send(run_check(name, file))
