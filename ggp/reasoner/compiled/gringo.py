"""The process in which clingo grounds: ``gringo.py MEMORY_LIMIT``, the program on standard input.

It prints the ground program in aspif, clingo's format of integers.
"""

from __future__ import annotations

import resource
import sys


def main() -> None:
    """Ground. Argument: the memory limit in bytes."""
    memory_limit = int(sys.argv[1])
    resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
    from clingo.application import Application, clingo_main

    # clingo reads standard input where no file is named.
    options = ["--mode=gringo", "--output=intermediate", "--warn=none"]
    sys.exit(clingo_main(Application(), options))


if __name__ == "__main__":
    main()
