"""A program that adds results to a tournament as fast as it can, and reports each stored one."""

from __future__ import annotations

import sys
from pathlib import Path

from ggp.tournament import Store, fixtures
from tests.match.records.test_record import RECORD
from tests.tournament.plans import plan, result

#: Far more matches than can be added before the program is killed.
CUP = plan(100, rounds=10)


def main() -> None:
    folder, server = Path(sys.argv[1]), sys.argv[2] or None
    if Store.exists(folder, server):
        store = Store.open(folder, server)
    else:
        store = Store.create(folder, CUP, server)
    kept = len(store.results())
    for fixture in fixtures(CUP, ())[kept:]:
        store.add(result(fixture, (100, 0)), RECORD)
        print(fixture.number, flush=True)


if __name__ == "__main__":
    main()
