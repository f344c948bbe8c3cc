"""How matches end where the machine has nothing left."""

from __future__ import annotations

from threading import Thread

import pytest

from tests.server.fakes import Table, start


def test_without_another_thread_a_match_ends_before_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Refused(Thread):
        def start(self) -> None:
            raise RuntimeError("can't start new thread")

    table = Table()
    table.ask_all(start(), "(PLAY m1 NIL)")
    monkeypatch.setattr("ggp.server.protocol.Thread", Refused)
    assert table.ask("(ABORT m1)") == "aborted"
    assert table.session.is_closed
    table.protocol.close()
