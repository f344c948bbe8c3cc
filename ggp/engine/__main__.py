"""`python -m ggp.engine`: compiles the functions that all games share, unless they are on disk."""

from ggp.deadline import Deadline
from ggp.engine.kernels import warm_up

if __name__ == "__main__":
    warm_up(Deadline())
