"""The documentation: the first steps run, and the reference has every public name."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ggp

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def blocks(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_first_steps_run() -> None:
    printed = io.StringIO()
    code = "\n".join(blocks("tutorial.md"))
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "tutorial.md", "exec"), {"__name__": "tutorial"})
    lines = printed.getvalue().splitlines()
    assert lines[1] == "first (take 1) (take 2) (take 3)"
    assert "100 True (take 1) noop" in lines
    assert "(take 1)" in lines


def test_every_public_name_is_in_the_reference() -> None:
    pages = "\n".join(page.read_text() for page in (DOCS / "reference").glob("*.md"))
    named = re.findall(r"^::: (\S+)$", pages, re.MULTILINE)
    aliases = {"State": "ggp.reasoner.base.State", "Term": "ggp.kif.terms.Term"}
    for name in ggp.__all__:
        value = getattr(ggp, name)
        full = aliases.get(name) or f"{value.__module__}.{value.__qualname__}"
        assert any(f"{full}.".startswith(f"{each}.") for each in named), full


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
    assert "In the order of joint moves and goals." in (
        tmp_path / "reference" / "batches.html"
    ).read_text(encoding="utf-8")
