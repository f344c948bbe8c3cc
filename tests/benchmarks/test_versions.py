"""Players of other versions of this framework, in a process with the files of a commit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.arena.contenders import Timing
from benchmarks.arena.matches import divisions
from benchmarks.arena.measuring import makes
from benchmarks.arena.position import Position
from benchmarks.arena.versions.checkout import resolved
from ggp.errors import PlayerError
from ggp.gdl import Description
from ggp.reasoner.compiled import CompiledReasoner

needs_git = pytest.mark.skipif(
    not (Path(__file__).parents[2] / ".git").exists(), reason="not a checkout of git"
)


@needs_git
def test_a_commit_is_named_by_its_hash() -> None:
    assert re.fullmatch(r"git:[0-9a-f]{12}:maxn:depth=4", resolved("git:HEAD:maxn:depth=4"))
    assert resolved("maxn:depth=4") == "maxn:depth=4"
    with pytest.raises(PlayerError, match="no commit 'nowhere'"):
        resolved("git:nowhere:maxn")
    with pytest.raises(PlayerError, match="git:COMMIT:PLAYER"):
        resolved("git:HEAD")


@needs_git
@pytest.mark.long
def test_a_player_of_a_commit_plays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    begin = Position.initial(CompiledReasoner(Description.load("nim")))
    timing = Timing(0.05)
    spec = resolved("git:HEAD:random:seed=1")
    sides = {"a": makes(spec, timing, seed=1), "b": makes("legal", timing, seed=1)}
    played = [*divisions(begin, sides)]
    assert [each.sides for each in played] == [("a", "b"), ("b", "a")]
    for each in played:
        assert sum(each.goals) == 100
        assert each.thinking["a"].moves >= 1
        assert each.thinking["a"].seconds > 0
    (folder,) = (tmp_path / "ggp-versions").iterdir()
    assert (folder / "ggp" / "players" / "random.py").is_file()
    strange = makes(spec.replace("random:seed=1", "no_such"), timing, seed=1)()
    with pytest.raises(PlayerError, match=r"no_such of \w{12}: .*no such player"):
        strange.start(begin, 0)
