"""The process in which clingo grounds: ``gringo.py MEMORY_LIMIT``, the program on standard input.

It prints the ground program in aspif, clingo's format of integers.
"""

from __future__ import annotations

import ctypes
import resource
import sys
from contextlib import suppress

_SYNC_WITH_STDIO = "_ZNSt8ios_base15sync_with_stdioEb"


def main() -> None:
    """Ground. Argument: the memory limit in bytes."""
    memory_limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    from clingo.application import Application, clingo_main

    _buffer_output()
    # clingo reads standard input where no file is named.
    options = ["--mode=gringo", "--output=intermediate", "--warn=none"]
    sys.exit(clingo_main(Application(), options))


def _buffer_output() -> None:
    """Let C++ buffer what clingo prints: by default each number is a system call.

    Where the C++ library is not a shared one of this name, it is only slower.
    """
    with suppress(OSError, AttributeError):
        getattr(ctypes.CDLL("libstdc++.so.6"), _SYNC_WITH_STDIO)(ctypes.c_bool(False))


if __name__ == "__main__":
    main()
