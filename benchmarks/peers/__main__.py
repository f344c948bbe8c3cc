"""`python -m benchmarks.peers`."""

from benchmarks.peers.command import command

if __name__ == "__main__":
    command(prog_name="python -m benchmarks.peers")
