"""The package works when it is installed in an empty environment, away from the source tree."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

pytestmark = pytest.mark.install

ROOT = Path(__file__).parents[1]
#: Long enough for a busy machine that has to compile everything.
PATIENCE = 3600


@dataclass(frozen=True, slots=True)
class Installation:
    """A virtual environment with ggp, and an empty folder in which its commands run."""

    bin: Path
    folder: Path

    def environment(self, *, prolog: bool = True) -> dict[str, str]:
        """Nothing of the source tree, and a PATH on which SWI-Prolog is found, or is not."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        swipl = shutil.which("swipl")
        path = [str(self.bin)] + ([str(Path(swipl).parent)] if prolog and swipl else [])
        return kept | {
            "PATH": os.pathsep.join(path),
            "GGP_CACHE_DIR": str(self.folder / "cache"),
            "NUMBA_CACHE_DIR": str(self.bin.parent / "kernels"),
        }

    def run(self, *command: str, prolog: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment to its end."""
        return subprocess.run(
            [self.bin / command[0], *command[1:]],
            cwd=self.folder,
            env=self.environment(prolog=prolog),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    def json(self, *arguments: str, prolog: bool = True) -> Any:
        """Run `ggp` with success, and read what it prints."""
        done = self.run("ggp", *arguments, "--json", prolog=prolog)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


def install(folder: Path, *requirements: str) -> Installation:
    """Make an environment with what pip finds for the requirements."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    work = folder / "elsewhere"
    work.mkdir()
    installation = Installation(folder / "venv" / "bin", work)
    pip(installation.bin / "python", "install", "--no-compile", *requirements)
    return installation


def pip(python: Path, *arguments: str | Path) -> None:
    command: Sequence[str | Path] = [python, "-m", "pip", "--quiet", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The wheel and the source distribution, both built from the source tree."""
    folder = tmp_path_factory.mktemp("built")
    builder = install(folder, "hatchling")
    subprocess.run(
        [builder.bin / "hatchling", "build", "--directory", folder],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, source


@pytest.fixture(scope="module")
def plain(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The wheel without any extra."""
    return install(tmp_path_factory.mktemp("plain"), str(built[0]))


@pytest.fixture(scope="module")
def full(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Installation:
    """The source distribution with the extras of users; pip makes a wheel of it first."""
    return install(tmp_path_factory.mktemp("full"), f"{built[1]}[server,manager,tournament]")


def test_the_wheel_claims_one_import_name_and_no_file_twice(built: tuple[Path, Path]) -> None:
    names = ZipFile(built[0]).namelist()
    assert len(set(names)) == len(names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"ggp"}
    assert {"ggp/players/maxn.py", "ggp/server/player.py", "ggp/games/nim.kif"} <= set(names)


def test_both_distributions_install_the_same_files(plain: Installation, full: Installation) -> None:
    def files(installation: Installation) -> set[str]:
        (package,) = installation.bin.parent.glob("lib/python*/site-packages/ggp")
        return {
            str(path.relative_to(package)) for path in package.rglob("*") if path.suffix != ".pyc"
        }

    assert {path for path in files(plain) ^ files(full) if "__pycache__" not in path} == set()


def test_reading_games_needs_neither_a_web_server_nor_a_compiler(plain: Installation) -> None:
    loaded = "import sys, ggp.kif, ggp.gdl; print(*sys.modules)"
    modules = {name.split(".")[0] for name in plain.run("python", "-c", loaded).stdout.split()}
    assert "lark" in modules
    assert not modules & {"flask", "waitress", "numba", "llvmlite", "clingo", "pyswip"}
    assert plain.json("check", "tictactoe") == []


def test_a_missing_extra_is_named(plain: Installation) -> None:
    assert plain.run("ggp", "--help").returncode == 0
    for command, extra in (
        ("serve random", "server"),
        ("manager", "manager"),
        ("tournament random", "tournament"),
        ("lsp", "lsp"),
        ("mcp", "mcp"),
    ):
        done = plain.run("ggp", *command.split())
        assert done.returncode == 2
        assert f"pip install 'ggp[{extra}]'" in done.stderr
        assert "Traceback" not in done.stderr


@pytest.mark.parametrize("prolog", [True, False])
def test_it_plays_and_solves(full: Installation, prolog: bool) -> None:
    clocks = ("--start-clock", "60", "--play-clock", "60")
    record = full.json("match", "nim", "alphabeta", "random", *clocks, prolog=prolog)
    assert record["isCompleted"]
    assert record["errors"][0] == ["", ""]
    solved = full.json("solve", "nim", prolog=prolog)
    assert (solved["exact"], len(solved["goals"])) == (True, 2)


@pytest.mark.parametrize("prolog", [True, False])
def test_it_serves(full: Installation, prolog: bool) -> None:
    with subprocess.Popen(
        [full.bin / "ggp", "serve", "random", "--port", "0"],
        cwd=full.folder,
        env=full.environment(prolog=prolog),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().removeprefix("listening on ").strip()
            with urllib.request.urlopen(address, b"( INFO )", timeout=PATIENCE) as reply:
                assert b"available" in reply.read()
        finally:
            process.send_signal(signal.SIGTERM)
    assert process.returncode == 0


@pytest.mark.parametrize("prolog", [True, False])
def test_it_makes_table_1(full: Installation, prolog: bool) -> None:
    done = full.run("ggp", "experiment", "table1", prolog=prolog)
    assert done.returncode == 0, done.stderr
    assert "Spades" in done.stdout


def test_an_editable_installation_finds_the_linked_folders(tmp_path: Path) -> None:
    editable = install(tmp_path, "--no-deps", "--editable", str(ROOT))
    # The modules are only looked for: without its dependencies, the package cannot be imported.
    search = (
        "from importlib.machinery import PathFinder; "
        "(folder,) = PathFinder.find_spec('ggp').submodule_search_locations; "
        "print(PathFinder.find_spec('legal', [folder + '/players']).origin)"
    )
    found = editable.run("python", "-c", search).stdout.strip()
    assert Path(found).resolve() == ROOT / "players" / "legal.py"
