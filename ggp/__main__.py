"""Lets `python -m ggp` do what the command `ggp` does."""

from ggp.cli import main

if __name__ == "__main__":
    main()
