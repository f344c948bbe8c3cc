"""Matches between two networks, in lanes: one ply of look-ahead, some seconds for hundreds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.runtime.kernel import Kernel
from ggp.deadline import Deadline
from ggp.learning.layers import Rounded
from ggp.learning.selfplay import Lanes, SelfPlaySettings

__all__ = ["play_contest"]

#: Joint moves that are drawn at random at the beginning of each match.
_OPENING = 2
#: One over the temperature of soft-max: of moves that are worth much the same, any is chosen.
_SHARPNESS = 300.0


def play_contest(
    kernel: Kernel,
    first: Rounded,
    second: Rounded,
    *,
    matches: int,
    plies: int,
    settings: SelfPlaySettings,
    deadline: Deadline,
    seed: int,
) -> float | None:
    """Let two networks play against each other; return the first one's share of their goals.

    The roles of each match are divided at random. Another match has them the other way round. What
    has not ended after the longest match of self-play, or after `plies`, counts for neither.

    Args:
        kernel: views and steps states, for these matches alone while they are played.
        first: the network whose share is returned.
        second: the other one.
        matches: how many, an even number.
        plies: the joint moves of all matches together after which they end.
        settings: of self-play.
        deadline: when there is no time for the rest.
        seed: of the divisions, openings and moves.

    Returns:
        None if no match has ended with a goal, or the deadline came first.

    Raises:
        GameError: a role has no legal move in a state that is not terminal.
    """
    lanes = Lanes(kernel, settings=replace(settings, lanes=matches), seed=seed)
    is_player = np.arange(len(kernel.circuit.roles)) != lanes.chance
    is_first = _divisions(matches, is_player, lanes.generator)
    is_over, won, total, made = np.zeros(matches, np.bool_), 0.0, 0.0, 0
    for ply in range(settings.longest):
        states, views = lanes.states, kernel.views(lanes.states)
        ending = np.flatnonzero(views.terminal & ~is_over)
        goals = np.take_along_axis(lanes.worth.T, views.goals[ending].astype(np.int64), axis=0)
        goals *= is_player
        won += float((goals * is_first[ending]).sum())
        total += float(goals.sum())
        is_over |= views.terminal
        made += int((~is_over).sum())
        if is_over.all() or made > plies:
            break
        if deadline.is_over:
            return None
        lanes.look(is_over, views)
        of_second = lanes.estimate(second).copy()
        of_first = lanes.estimate(first)
        np.copyto(of_first, of_second, where=~is_first[lanes.parents])
        lanes.step(explore=1.0 if ply < _OPENING else 0.0, sharpness=_SHARPNESS)
        lanes.states[is_over] = states[is_over]
    return won / total if total else None


def _divisions(
    matches: int, is_player: NDArray[np.bool_], generator: np.random.Generator
) -> NDArray[np.bool_]:
    """Return bool[matches, roles]: the first network's roles. Each has one where there are two."""
    half = generator.random((matches // 2, len(is_player))) < 0.5
    players = np.tile(np.flatnonzero(is_player), (matches // 2, 1))
    sure = generator.permuted(players, axis=1)[:, :2]
    np.put_along_axis(half, sure, np.array([True, False])[: sure.shape[1]], axis=1)
    return np.concatenate((half, ~half))
