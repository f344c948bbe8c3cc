"""A network on its way: its weights, and the steps that it has taken."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.symmetry import Symmetry
from ggp.learning.layers import Layers, Rounded
from ggp.learning.samples import Samples
from ggp.learning.training import add_slopes, descend
from ggp.native.numba_support import aligned_zeros

__all__ = ["Trainee"]

#: The share of the last steps' mean loss that a step leaves.
_MEMORY = 0.99

#: The most inputs of a state with which weights take steps of full length. A step moves as many
#: terms of a hidden unit's sum as there are inputs, so with more of them the steps are shorter.
_INPUTS = 40


class Trainee:
    """A network that follows the slopes of its loss, by the steps of Adam (Kingma & Ba 2015)."""

    def __init__(self, layers: Layers, symmetries: Sequence[Symmetry]) -> None:
        """Take a network; the images of a state under these symmetries are worth what it is."""
        self.layers = layers
        #: The same in whole numbers, after the last step.
        self.rounded = Rounded.of(layers)
        self.steps = 0
        #: The mean cross entropy of the last steps, in nats; nan before the first. And the same
        #: earlier on, each with the joint moves made until then.
        self.loss = nan
        self.curve: list[tuple[int, float]] = []
        #: int32[1 + symmetries, rows]: the row that each becomes in an image; at first, itself.
        self.images = _images(symmetries, layers)
        self._symmetries = symmetries
        self._means, self._squares = layers.zeros(), layers.zeros()
        self._halves = _Half(layers), _Half(layers)

    def grown(self, pairs: NDArray[np.int32]) -> Trainee:
        """Return a copy that has weights for pairs of facts, too, and begins its steps anew."""
        return Trainee(self.layers.grown(pairs), self._symmetries)

    def add_slopes(
        self, half: int, samples: Samples, chosen: NDArray[np.int64], images: NDArray[np.int64]
    ) -> float:
        """Find the slopes of the mean loss over some samples, which are half of a step's.

        Args:
            half: 0 or 1; two threads may do both at once.
            samples: of the game.
            chosen: int64[n]: the numbers of those that count.
            images: int64[n]: the number of the image of each.

        Returns:
            The mean loss.
        """
        own = self._halves[half]
        loss, own.inputs = add_slopes(
            chosen, images, self.images, samples.states, samples.targets, self.rounded.partners,
            *self.layers.arrays(), *own.slopes.arrays(), own.scratch, own.rows,
        )  # fmt: skip
        return loss

    def step(self, rate: float, loss: float) -> None:
        """Take a step of a length along the mean of the slopes that both halves have found.

        The weights of the inputs take a shorter one where states have many. `loss` is the mean of
        the losses that both halves have returned.
        """
        self.loss = _MEMORY * self.loss + (1 - _MEMORY) * loss if self.steps else loss
        self.steps += 1
        one, other = (half.slopes for half in self._halves)
        inputs = sum(half.inputs for half in self._halves) / 2
        rates = rate * (_INPUTS / max(_INPUTS, inputs)), rate, rate, rate
        for length, values, slopes, more, means, squares in zip(
            rates,
            *(each.arrays() for each in (self.layers, one, other, self._means, self._squares)),
            strict=True,
        ):
            np.add(slopes, more, out=slopes)
            np.multiply(slopes, np.float32(0.5), out=slopes)
            more.fill(0)
            descend(values, slopes, means, squares, length, self.steps)
        self.rounded.follow(self.layers)


class _Half:
    """Where a thread puts the slopes that it finds."""

    def __init__(self, layers: Layers) -> None:
        self.slopes = layers.zeros()
        self.scratch = aligned_zeros(np.dtype(np.float32), 3 * layers.hidden)
        self.rows = np.zeros(len(layers.weights), np.int64)
        #: How many inputs counted in a sample on average.
        self.inputs = 0.0


def _images(symmetries: Sequence[Symmetry], layers: Layers) -> NDArray[np.int32]:
    """Return what `Trainee.images` says, without the symmetries that do not keep the pairs."""
    bits, rows = layers.bits, len(layers.weights)
    pairs = np.sort(layers.pairs, axis=1)
    number = {pair: bits + place for place, pair in enumerate(map(tuple, pairs.tolist()))}
    images = [np.arange(rows, dtype=np.int32)]
    for symmetry in symmetries:
        image = images[0].copy()
        image[: len(symmetry.facts)] = symmetry.facts
        moved = np.sort(image[pairs], axis=1).tolist()
        if all(tuple(pair) in number for pair in moved):
            image[bits:] = [number[tuple(pair)] for pair in moved]
            images.append(image)
    return np.array(images)
