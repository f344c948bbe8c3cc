"""Which commands there are, what they need, and what a shell completes after a Tab."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

from ggp.cli.commands import COMMANDS
from ggp.requirements import Requirement, advice, requirements
from tests.cli.command import ggp
from tests.cli.conftest import Here

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())


def missing(module: str) -> ModuleNotFoundError:
    return ModuleNotFoundError(f"No module named {module!r}", name=module)


def test_requirements_are_read_with_their_versions_and_extras() -> None:
    found = requirements()
    assert {each.name for each in found if each.extra is None} >= {"lark", "numba", "rich"}
    (numba,) = [each for each in found if each.name == "numba"]
    assert "<" in numba.versions
    assert {each.name for each in found if each.extra == "server"} >= {"flask", "waitress"}


@pytest.mark.parametrize(
    ("module", "command"),
    [
        ("openskill.models", "pip install 'ggp[tournament]'"),
        ("prometheus_client", "pip install 'ggp[server]'"),
        ("flask", "pip install 'ggp[all]'"),
        ("lark", None),
        ("unheard_of", None),
    ],
)
def test_a_missing_module_of_an_extra_is_explained(
    module: str, command: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = [
        Requirement("lark", ">=1.2", None),
        *(Requirement("flask", ">=3.0", extra) for extra in ("manager", "server", "all")),
        Requirement("tinycss2", "", "manager"),
        Requirement("ray", "", "cluster"),
        *(Requirement("prometheus-client", "", extra) for extra in ("server", "all")),
        *(Requirement("openskill", "", extra) for extra in ("cluster", "tournament", "all")),
    ]
    monkeypatch.setattr("ggp.requirements.requirements", lambda: listed)
    said = advice(missing(module))
    assert said is None if command is None else (said or "").endswith(command)


def without(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a package look as if it were not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "ggp.cli.commands.find_spec", lambda name: None if name == package else find(name)
    )


def test_a_command_without_its_extra_is_listed_and_says_what_to_install(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("openskill", monkeypatch)
    shown = here("--help")
    assert shown.code == 0
    assert "Needs: pip install 'ggp[tournament]'" in " ".join(shown.out.split())
    called = here("tournament", "cup", "--rounds", "3")
    assert (called.code, called.out) == (2, "")
    assert called.err == "ggp: openskill is not installed: pip install 'ggp[tournament]'\n"


def test_a_server_without_flask_names_the_extra_of_the_command(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    without("flask", monkeypatch)
    assert here("serve", "random").err == "ggp: flask is not installed: pip install 'ggp[server]'\n"
    assert here("manager").err == "ggp: flask is not installed: pip install 'ggp[manager]'\n"


def test_a_package_that_is_missing_later_is_explained(
    here: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    for name in [name for name in sys.modules if name.startswith("ggp.server.")]:
        monkeypatch.delitem(sys.modules, name)
    finished = here("serve", "random", "--port", "0")
    assert finished.code == 2
    assert finished.err == ("ggp: prometheus-client is not installed: pip install 'ggp[server]'\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_needs_is_in_its_extra(name: str) -> None:
    command = COMMANDS[name]
    assert find_spec(f"ggp.cli.{command.module}") is not None
    listed = PROJECT["project"]["optional-dependencies"].get(command.extra, [])
    packages = {re.match(r"[\w-]+", each)[0] for each in listed}  # type: ignore[index]
    assert command.package in packages | {""}
    assert bool(command.package) == bool(command.extra)


def test_help_imports_no_command_and_fits_a_terminal() -> None:
    code = (
        "import sys; from ggp import cli; sys.argv = ['ggp', '--help']\n"
        "try: cli.main()\n"
        "finally: print(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert all(f"  {name} " in done.stdout and each.summary in done.stdout
               for name, each in COMMANDS.items())  # fmt: skip
    loaded = set(done.stderr.split())
    assert "ggp.cli.commands" in loaded
    assert not loaded & {"ggp.gdl", "ggp.cli.common", "numpy", "rich", "lark"}


def completed(line: str) -> list[str]:
    """Return what bash is told to complete at the end of a line."""
    words = line.split(" ")
    finished = ggp(
        env={
            "_GGP_COMPLETE": "bash_complete",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(words) - 1),
        }
    )
    return finished.out.split()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ggp per", ["plain,perft"]),
        ("ggp show connectfour5", ["file,connectfour5", "plain,connectfour5x5"]),
        ("ggp step figure4", ["file,figure4", "plain,figure4"]),
        ("ggp check nim tictac", ["file,tictac", "plain,tictactoe"]),
        ("ggp match nim alpha", ["plain,alphabeta"]),
        ("ggp match nim alphabeta rand", ["plain,random"]),
        ("ggp tournament cup --game hexa", ["file,hexa", "plain,hexapawn"]),
        ("ggp tournament cup --player leg", ["plain,legal"]),
        ("ggp selfplay nim mct", ["plain,mcts"]),
    ],
)
def test_names_are_completed(line: str, expected: list[str]) -> None:
    assert completed(line) == expected


def test_options_are_completed() -> None:
    assert completed("ggp --ver") == ["plain,--version"]
    assert "plain,--play-clock" in completed("ggp match --p")
