"""The entry point of the command `ggp`, and of `python -m ggp`.

It sets up the handling of Ctrl-C before it imports anything that takes time, so that Ctrl-C never
shows a traceback.
"""

from __future__ import annotations

import os

__all__ = ["main"]


def main() -> None:
    """Run the command line. Exit codes: 0 done, 1 the answer is no, 2 wrong use, 130 Ctrl-C."""
    try:
        import signal

        signal.signal(signal.SIGINT, _exit_at_once)
        from ggp import cli

        try:
            cli.main()
        finally:
            # What was printed is flushed; the interpreter's own end may take a moment.
            signal.signal(signal.SIGINT, _exit_at_once)
    except KeyboardInterrupt:
        _exit_at_once()


def _exit_at_once(*_: object) -> None:
    os.write(2, b"ggp: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
