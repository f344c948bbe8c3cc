"""The process in which clingo grounds a program.

It prints the ground program in aspif, clingo's format of integers. The program may ask
``X = @shallow(X)``; a term that nests too deep ends it.
"""

from __future__ import annotations

import ctypes
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

__all__ = ["MAX_DEPTH", "TOO_DEEP", "main"]

#: Terms that nest deeper than this do so without end.
MAX_DEPTH = 500
#: What standard error says then.
TOO_DEEP = "terms nest without end"

_SYNC_WITH_STDIO = "_ZNSt8ios_base15sync_with_stdioEb"


def main(_owner: object, text: str, max_bytes: int) -> None:
    """Ground a program, and print at most `max_bytes`: more than that ends the process."""
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    most = max_bytes if hard == resource.RLIM_INFINITY else min(max_bytes, hard)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from clingo import Control, Symbol, SymbolType
    from clingo.application import Application, clingo_main

    class Grounder(Application):
        """Grounds the text."""

        def __init__(self) -> None:
            self.nesting: dict[Symbol, int] = {}

        def main(self, control: Control, files: Sequence[str]) -> None:
            assert not files
            control.add("base", [], text)
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


def _buffer_output() -> None:
    """Let C++ buffer what clingo prints: by default each number is a system call.

    Without a shared C++ library of this name, it is only slower.
    """
    with suppress(OSError, AttributeError):
        getattr(ctypes.CDLL("libstdc++.so.6"), _SYNC_WITH_STDIO)(ctypes.c_bool(False))
