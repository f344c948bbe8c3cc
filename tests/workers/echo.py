"""A program for children: it does what the tests ask for."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from typing import NoReturn

from ggp.workers.child import Owner
from ggp.workers.fork_server import own_fork_server
from ggp.workers.worker import Worker


def main(owner: Owner, *arguments: object) -> None:
    """Send the arguments back, then answer messages; "stop" ends it, and "hang" takes forever."""
    owner.send(arguments)
    stack = ExitStack()
    while (message := owner.receive()) != "stop":
        match message:
            case "hang":
                owner.send(Path("/proc/self/comm").read_text())
                _hang()
            case "limits":
                owner.send((resource.getrlimit(resource.RLIMIT_AS)[0], os.nice(0)))
            case "allocate":
                try:
                    owner.send(len(bytearray(1 << 30)))
                except MemoryError:
                    owner.send("no memory")
            case "leave":
                sleep = subprocess.Popen(["sleep", "600"], start_new_session=True)
                owner.send(sleep.pid)
            case "fork" | "fork without":
                server = own_fork_server()
                assert server is not None
                if message == "fork without":
                    server.close()
                stack.enter_context(server)
                child = Worker("tests.workers.echo", "hello", start=server.fork)
                stack.enter_context(child)
                owner.send((child.pid, child.receive()))
            case "babble":
                os.write(owner._channel.fileno(), (4).to_bytes(8, "big") + b"blah")
            case "exit":
                os._exit(3)
            case _:
                owner.send(message)


def _hang() -> NoReturn:
    while True:
        time.sleep(600)
