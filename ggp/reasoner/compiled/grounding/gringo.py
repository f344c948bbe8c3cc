"""The process in which clingo grounds: ``gringo.py MEMORY_LIMIT OWNER``, the program on stdin.

It prints the ground program in aspif, clingo's format of integers. The program may ask
``X = @shallow(X)``; a term that nests too deep ends it.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

#: Terms that nest deeper than this do so without end.
MAX_DEPTH = 500
#: What is told then, on standard error.
TOO_DEEP = "terms nest without end"

#: Of Linux: a signal for us when our owner's thread ends.
_PR_SET_PDEATHSIG = 1

_SYNC_WITH_STDIO = "_ZNSt8ios_base15sync_with_stdioEb"


def main() -> None:
    """Ground. Arguments: the memory limit in bytes, and the number of the process that asks."""
    memory_limit, owner = map(int, sys.argv[1:])
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    _leave_with(owner)
    from clingo import Control, Symbol, SymbolType
    from clingo.application import Application, clingo_main

    class Grounder(Application):
        """Grounds what stands on standard input."""

        def __init__(self) -> None:
            self.nesting: dict[Symbol, int] = {}

        def main(self, control: Control, files: Sequence[str]) -> None:
            assert not files  # so it reads standard input
            control.load("-")
            control.ground([("base", [])], context=self)
            control.solve()

        def shallow(self, term: Symbol) -> Symbol:
            """Return the term. Raises `RecursionError` if it nests too deep."""
            if self._depth(term) > MAX_DEPTH:
                raise RecursionError(TOO_DEEP)
            return term

        def _depth(self, term: Symbol) -> int:
            if term.type != SymbolType.Function:
                return 0
            found = self.nesting.get(term)
            if found is None:
                found = 1 + max(map(self._depth, term.arguments), default=0)
                self.nesting[term] = found
            return found

    _buffer_output()
    sys.exit(clingo_main(Grounder(), ["--mode=gringo", "--output=intermediate", "--warn=none"]))


def _leave_with(owner: int) -> None:
    """Be killed when the process that asks ends: nobody would read what we find.

    Where the system is not Linux, the owner's time limit has to do.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != owner:
        sys.exit("the process that asked has gone")


def _buffer_output() -> None:
    """Let C++ buffer what clingo prints: by default each number is a system call.

    Where the C++ library is not a shared one of this name, it is only slower.
    """
    with suppress(OSError, AttributeError):
        getattr(ctypes.CDLL("libstdc++.so.6"), _SYNC_WITH_STDIO)(ctypes.c_bool(False))


if __name__ == "__main__":
    main()
