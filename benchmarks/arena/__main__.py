"""`python -m benchmarks.arena`."""

from benchmarks.arena.command import command

if __name__ == "__main__":
    command(prog_name="python -m benchmarks.arena")
