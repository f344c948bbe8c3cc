"""The classifiers, filters and rules of max-n, compared: on random games, or on one game."""

from __future__ import annotations

from ggp.experiments.classifiers.comparison import command

__all__ = ["command"]
