"""A process that never answers."""

from __future__ import annotations

import time

from ggp.workers.child import Owner


def main(owner: Owner) -> None:
    owner.receive()
    time.sleep(600)
