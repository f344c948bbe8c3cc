"""What `make play` runs."""

from __future__ import annotations

import io
import re
import shlex
from pathlib import Path

import pytest

from ggp.cli.commands import COMMANDS
from ggp.server import demo


def test_it_plays_over_http_and_says_what_to_try_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(demo, "GAME", "nim")
    monkeypatch.setattr(demo, "PLAYERS", ("legal", "random"))
    monkeypatch.setattr(demo, "PLAY_CLOCK", 30)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert demo.main() == 0
    out = capfd.readouterr().out
    assert "recorded in matches/" in out
    *_, pages = out.splitlines()
    assert "http://127.0.0.1:8080" in pages
    tried = re.findall(r"^  \S*ggp (.*?)  ", out[out.index("Next, try:") :], re.MULTILINE)
    assert len(tried) == 3
    assert all(shlex.split(line)[0] in COMMANDS for line in tried)
