"""The documentation: the first steps run, and the reference has every public name."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import inspect
import io
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from ggp.match import option_parameters, player_names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_first_steps_print_what_stands_below_them() -> None:
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    found = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", text, re.DOTALL)
    names: dict[str, object] = {"__name__": "tutorial"}
    for code, shown in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "tutorial.md", "exec"), names)
        assert printed.getvalue() == shown, code
    assert len(found) == len(blocks("tutorial.md"))
    assert sum(bool(shown) for _, shown in found) >= 5


#: The five pages for a reader with a purpose: each block stands above what it prints.
PURPOSES = ("enter-a-match", "write-a-game", "write-a-player", "learn", "research")
#: Pages of whose commands only those run that stand above what they print; all Python runs.
OTHERS = ("../README", "authoring", "batches", "learning", "teaching", "tournaments")
_BLOCK = re.compile(r"```(sh|python)\n(.*?)```(?:\n\n```text\n(.*?)```)?", re.DOTALL)


def test_each_block_of_the_five_pages_shows_its_output() -> None:
    for page in PURPOSES:
        text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
        assert text.count("```") == 4 * len(_BLOCK.findall(text)), page
        assert all(shown for _, _, shown in _BLOCK.findall(text)), page


@pytest.mark.long
@pytest.mark.parametrize("page", [*PURPOSES, *OTHERS])
def test_the_blocks_of_a_page_print_what_stands_below_them(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = tmp_path / "bin" / "ggp"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ggp "$@"\n')
    command.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "GGP_KNOWLEDGE_DIR": str(tmp_path / "knowledge"),
    }
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": page}
    checker = doctest.OutputChecker()
    for kind, code, shown in _BLOCK.findall((DOCS / f"{page}.md").read_text(encoding="utf-8")):
        if kind == "python":
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(code, page, "exec"), names)
            output = printed.getvalue()
        elif not shown:
            continue
        else:
            done = subprocess.run(
                ["bash", "-c", code], env=environment, capture_output=True, text=True, check=False
            )
            output = done.stdout
        # Three dots stand for what differs from run to run.
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        assert checker.check_output(shown, output, flags), f"{code}\n{output}"


@pytest.mark.long
def test_the_blocks_for_notebooks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py")
    monkeypatch.chdir(tmp_path)
    players = ("random", "random", "--record", "match.json")
    command = [sys.executable, "-m", "ggp", "match", "breakthrough", *players]
    subprocess.run(command, check=True, capture_output=True)
    names: dict[str, object] = {"__name__": "notebooks"}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in blocks("notebooks.md"):
            exec(compile(block, "notebooks.md", "exec"), names)


#: Packages all of whose names are for users, except constants.
PUBLIC = (
    "ggp", "ggp.authoring", "ggp.batch", "ggp.display", "ggp.errors", "ggp.graph", "ggp.match",
    "ggp.prove", "ggp.reasoner", "ggp.search", "ggp.selfplay",
)  # fmt: skip


def public_names() -> set[str]:
    names = {name for package in PUBLIC for name in importlib.import_module(package).__all__}
    return {name for name in names if not name.isupper()}


def described_by(entry: str) -> set[str]:
    """The names that an entry of the reference describes: those of a module, or one."""
    try:
        return set(importlib.import_module(entry).__all__)
    except ModuleNotFoundError:
        return {entry.rpartition(".")[2]}


def test_every_public_name_is_in_the_reference() -> None:
    pages = "\n".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    entries = re.findall(r"^::: (\S+)$", pages, re.MULTILINE)
    assert not public_names() - set().union(*map(described_by, entries))


def test_the_page_of_the_players_lists_their_options() -> None:
    text = (DOCS / "players.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)` \| (`\w+=.*`|)\s*\|$", text, re.MULTILINE))
    found = {}
    for name in player_names():
        (point,) = entry_points(group="ggp.players", name=name)
        options = option_parameters(point.load())
        found[name] = ", ".join(f"`{each}={_shown(options[each].default)}`" for each in options)
    assert listed == found


def _shown(default: object) -> str:
    return "…" if default is inspect.Parameter.empty else str(default).lower()


def test_each_page_says_once_that_commands_need_a_checkout() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = "|".join(re.findall(r"^([a-z-]+):.*##", makefile, re.MULTILINE))
    command = re.compile(
        rf"python -m (benchmarks|tests)\.|`benchmarks\.\w+`|python examples/|\]\(\.\./examples/"
        rf"|(`|^ +)make ({targets})\b",
        re.MULTILINE,
    )
    said = (
        "Commands of `make`, and what is in `benchmarks` and `examples`, need a checkout of the "
        "project: the package does not have them."
    )
    pages = {page: page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md")}
    assert {page: text.count(said) for page, text in pages.items()} == {
        page: int(command.search(text) is not None) for page, text in pages.items()
    }


def test_examples_of_yaml_are_valid() -> None:
    yaml = pytest.importorskip("yaml")  # mkdocs needs it
    parsed = {
        page.name: list(map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)))
        for page in DOCS.rglob("*.md")
        if "```yaml" in (text := page.read_text(encoding="utf-8"))
    }
    (manifest,) = parsed["cluster.md"]
    assert manifest["kind"] == "RayCluster"
    spec = manifest["spec"]
    for group in (spec["headGroupSpec"], *spec["workerGroupSpecs"]):
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
        (container,) = group["template"]["spec"]["containers"]
        assert container["resources"]["limits"] == container["resources"]["requests"]


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r": ([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    assert listed == {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}


@pytest.mark.long
def test_the_site_is_built_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocstrings")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pages = {page: page.read_text(encoding="utf-8") for page in tmp_path.rglob("*.html")}
    batches = pages[tmp_path / "reference" / "batches.html"]
    assert "In the order of joint moves and goals." in batches
    described = re.findall(r'id="ggp\.[\w.]+\.(\w+)"', "\n".join(pages.values()))
    assert not public_names() - set(described)  # only what has a docstring is described
    for page, text in pages.items():
        foreign = re.findall(r'(?:src|href)="https?://[^"]*\.(?:js|css|woff2?)"', text)
        assert not foreign, page  # all that a page needs is part of the site
        assert "<blockquote>\n<blockquote>" not in text, page  # an example that is no code: >>>
