"""`python -m benchmarks.cluster`."""

from benchmarks.cluster.command import command

if __name__ == "__main__":
    command(prog_name="python -m benchmarks.cluster")
