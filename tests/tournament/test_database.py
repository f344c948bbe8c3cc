"""The file of a tournament, which several processes use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest

from ggp.tournament import database


def test_a_file_that_another_process_is_making_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes cannot both set its mode, and SQLite refuses one of them at once."""
    path = tmp_path / "tournament.sqlite"
    with (
        closing(sqlite3.connect(path, check_same_thread=False)) as other,
        closing(sqlite3.connect(path, timeout=0.0)) as ours,
    ):
        other.execute("BEGIN EXCLUSIVE")
        monkeypatch.setattr(database, "_PATIENCE", 0.0)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            database._prepare(ours, None)
        monkeypatch.setattr(database, "_PATIENCE", 60.0)
        Timer(0.1, other.rollback).start()
        database._prepare(ours, None)
        assert ours.execute("PRAGMA journal_mode").fetchone() == ("wal",)
