"""The cache of compiled code: bounded, shared, and proof against damage."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest

from ggp.compiler.codegen import assemble, machine
from ggp.compiler.runtime.kernel import Kernel
from ggp.compiler.runtime.playout import Playouts
from ggp.deadline import Deadline
from ggp.native.cache import Cache, default_folder
from tests.compiler.circuits import random_circuit, tic_tac_toe


def test_keeps_what_is_put_into_it(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "new" / "folder")
    assert cache.get("a") is None
    cache.put("a", b"code")
    cache.put("b", b"")
    assert (cache.get("a"), cache.get("b")) == (b"code", b"")
    assert Cache(cache.folder).get("a") == b"code"


@pytest.mark.parametrize("damage", [b"", b"short", b"x" * 100])
def test_a_damaged_entry_counts_as_missing(tmp_path: Path, damage: bytes) -> None:
    cache = Cache(tmp_path)
    cache.put("a", b"code")
    (entry,) = tmp_path.iterdir()
    entry.write_bytes(damage)
    assert cache.get("a") is None
    cache.put("a", b"again")
    assert cache.get("a") == b"again"


def test_drops_what_has_not_been_used_for_longest(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=3500)
    for age, key in enumerate("cba"):
        cache.put(key, bytes(1000))
        os.utime(tmp_path / f"{key}.code", (1000 + age, 1000 + age))
    assert cache.get("c") is not None  # used just now
    cache.put("d", bytes(1000))
    assert [cache.get(key) is not None for key in "abcd"] == [True, False, True, True]


@pytest.mark.long
def test_it_is_trimmed_seldom_and_all_the_same_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trimmed, trim = [], Cache._trim

    def counted(cache: Cache) -> None:
        trimmed.append(cache)
        trim(cache)

    monkeypatch.setattr(Cache, "_trim", counted)
    cache = Cache(tmp_path, limit=100_000)
    for key in range(1000):
        cache.put(f"{key}", bytes(100))
    assert len(trimmed) < 250  # one in ten
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 130_000


def test_removes_what_a_killed_process_left_behind(tmp_path: Path) -> None:
    old, new = tmp_path / ".old.tmp", tmp_path / ".new.tmp"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (1, 1))
    Cache(tmp_path, limit=1000).put("a", bytes(20))
    assert not old.exists()
    assert new.exists()


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("in the way")
    cache = Cache(file / "folder")
    cache.put("a", b"code")
    assert cache.get("a") is None


def test_many_may_use_it_at_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=20_000)

    def work(number: int) -> bool:
        key = f"{number % 7}"
        cache.put(key, key.encode() * 4000)
        found = cache.get(key)
        return found is None or found == key.encode() * 4000

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(200)))


@pytest.mark.parametrize(
    ("variables", "folder"),
    [
        ({"GGP_CACHE_DIR": "/a", "XDG_CACHE_HOME": "/b"}, "/a"),
        ({"XDG_CACHE_HOME": "/b"}, "/b/ggp"),
        ({"HOME": "/c"}, "/c/.cache/ggp"),
    ],
)
def test_the_folder_is_where_the_user_wants_it(
    variables: dict[str, str], folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GGP_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert default_folder() == Path(folder)


def compiles(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gains the text of everything that is compiled from now on."""
    texts: list[str] = []

    def counted(text: str) -> bytes:
        texts.append(text)
        return machine.compile_text(text)

    monkeypatch.setattr(assemble, "compile_text", counted)
    return texts


def test_code_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = compiles(monkeypatch)
    cache = Cache(tmp_path)
    circuit = tic_tac_toe()
    for _ in range(2):
        kernel = Kernel(circuit, cache=cache)
        kernel.compile()
        Playouts(circuit, cache=cache).compile()
        # nine cells for x, and only noop, the last move of all, for o
        assert kernel.views(kernel.initial()).legal.tolist() == [[0x1FF | 1 << 19]]
    assert len(texts) == 5  # two of the step; in random play one for each turn, and the frame


def test_other_circuits_widths_and_forms_are_other_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = compiles(monkeypatch)
    cache = Cache(tmp_path)
    Kernel(tic_tac_toe(), cache=cache, words=4).compile()
    Kernel(tic_tac_toe(), cache=cache, words=8).compile()
    Kernel(tic_tac_toe(), cache=cache, words=8, form="table").compile()
    Kernel(random_circuit(1), cache=cache, words=8).compile()
    assert len(texts) == 6  # a table is no text
    assert len([*tmp_path.glob("*.code")]) == 7  # the table of the step is kept


@pytest.mark.parametrize(("form", "compiled"), [("code", 2), ("table", 0)])
def test_damaged_code_is_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: assemble.Form, compiled: int
) -> None:
    cache = Cache(tmp_path)
    circuit = random_circuit(2)
    first = Kernel(circuit, cache=cache, form=form)
    first.compile()
    done = np.zeros((1, len(circuit.roles)), np.int32)
    expected = first.steps(first.initial(), done)
    assert first.is_kept
    for entry in tmp_path.glob("*.code"):
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 1
        entry.write_bytes(data)
    texts = compiles(monkeypatch)
    again = Kernel(circuit, cache=cache, form=form)
    assert np.array_equal(again.steps(again.initial(), done), expected)
    assert len(texts) == compiled


def test_code_is_compiled_when_the_table_has_worked_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = compiles(monkeypatch)
    kernel = Kernel(tic_tac_toe(), cache=Cache(tmp_path))
    expected = kernel.views(kernel.initial()).legal
    assert not texts
    assert not kernel.is_kept
    spent = count(step=60.0)
    monkeypatch.setattr(time, "thread_time", lambda: next(spent))
    kernel.compiles_itself = False
    for compiled in (0, 0, 0, 2, 2):
        assert np.array_equal(kernel.views(kernel.initial()).legal, expected)
        assert len(texts) == compiled
        kernel.compiles_itself = kernel._worked > 150
    assert kernel.is_kept


def test_a_lock_keeps_others_out_until_it_is_left_or_their_deadline_passes(tmp_path: Path) -> None:
    entered = Event()

    def enter() -> None:
        with Cache(tmp_path).lock("key", deadline=Deadline()):
            entered.set()

    other = Thread(target=enter)
    with Cache(tmp_path).lock("key", deadline=Deadline()):
        other.start()
        assert not entered.wait(0.2)
        with Cache(tmp_path).lock("key", deadline=Deadline(0.0)):
            assert not entered.is_set()
    other.join()
    assert entered.is_set()


def test_where_nothing_can_be_written_there_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    has_entered = False
    with Cache(tmp_path / "file" / "folder").lock("key", deadline=Deadline()):
        has_entered = True
    assert has_entered
