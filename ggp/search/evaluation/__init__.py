"""Estimates of the value of a state, for searches that end before the game does."""

from __future__ import annotations

from ggp.search.evaluation.mixed import MARGIN, Estimator, Evaluation
from ggp.search.evaluation.value_net import ValueNet

__all__ = ["MARGIN", "Estimator", "Evaluation", "ValueNet"]
