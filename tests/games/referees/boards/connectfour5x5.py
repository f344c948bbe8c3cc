"""Connect four on a board of 5x5."""

from __future__ import annotations

from tests.games.referees.boards.connectfour import ConnectFour

referee = ConnectFour(columns=5, rows=5)
