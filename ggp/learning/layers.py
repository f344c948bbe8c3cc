"""The network as it learns, and as self-play reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.learning.loops import round_off
from ggp.learning.vectors import UNITS, aligned
from ggp.native.numba_support import aligned_zeros
from ggp.search.evaluation.value_net import HIDDEN_ONE, OUTPUT_ONE, ValueNet

__all__ = ["Layers", "Rounded"]

_Floats: TypeAlias = NDArray[np.float32]

#: The deviation of the weights before they learn, and the sum of a hidden unit without any facts.
_DEVIATION, _MIDDLE = 0.1, 0.5

#: The largest number that stands for 1 in `Rounded`: sums may be up to 2**15 / 512 = 64.
_ONE = 512


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """Two layers, as in `ValueNet`, of float32."""

    #: float32[64 * words, hidden]: a row for each bit of a packed state.
    weights: NDArray[np.float32]
    #: float32[hidden].
    bias: NDArray[np.float32]
    #: float32[roles, hidden] and float32[roles].
    outputs: NDArray[np.float32]
    output_bias: NDArray[np.float32]

    @classmethod
    def new(cls, *, rows: int, hidden: int, roles: int, generator: np.random.Generator) -> Self:
        """Return a network that has learned nothing.

        Raises:
            ValueError: the hidden units are no multiple of `UNITS`.
        """
        if hidden % UNITS or hidden < UNITS:
            raise ValueError(f"the hidden units are no multiple of {UNITS}: {hidden}")
        return cls(
            aligned(generator.normal(0, _DEVIATION, (rows, hidden)).astype(np.float32)),
            aligned(np.full(hidden, _MIDDLE, np.float32)),
            aligned(generator.normal(0, _DEVIATION, (roles, hidden)).astype(np.float32)),
            np.zeros(roles, np.float32),
        )

    @classmethod
    def of(cls, net: ValueNet, circuit: Circuit, *, rows: int) -> Self:
        """Return the layers of a network, to go on learning.

        Facts that the network does not know weigh nothing.

        Raises:
            ValueError: the hidden units are no multiple of `UNITS`.
        """
        hidden = len(net.bias)
        if hidden % UNITS:
            raise ValueError(f"the hidden units are no multiple of {UNITS}: {hidden}")
        weights = np.zeros((rows, hidden), np.float32)
        weights[: len(circuit.facts)] = net.rows_of(circuit.facts) / np.float32(HIDDEN_ONE)
        return cls(
            aligned(weights),
            aligned((net.bias / HIDDEN_ONE).astype(np.float32)),
            aligned((net.outputs / OUTPUT_ONE).astype(np.float32)),
            (net.output_bias / OUTPUT_ONE).astype(np.float32),
        )

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return len(self.bias)

    def zeros(self) -> Layers:
        """Return layers of this shape that are all 0."""
        layers = self.weights, self.bias, self.outputs, self.output_bias
        return Layers(*(aligned_zeros(each.dtype, *each.shape) for each in layers))

    def arrays(self) -> tuple[_Floats, _Floats, _Floats, _Floats]:
        """Return the four arrays, in the order of the fields, as flat views."""
        return (
            self.weights.reshape(-1),
            self.bias.reshape(-1),
            self.outputs.reshape(-1),
            self.output_bias.reshape(-1),
        )

    def net(self, circuit: Circuit) -> ValueNet:
        """Return the network of a game for searches."""
        return ValueNet.of_layers(
            circuit.roles,
            circuit.facts,
            weights=self.weights[: len(circuit.facts)].T,
            bias=self.bias,
            outputs=self.outputs,
            output_bias=self.output_bias,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Rounded:
    """The layers in whole numbers, flat, as `loops.evaluate` reads them."""

    weights: NDArray[np.int16]
    bias: NDArray[np.int16]
    outputs: NDArray[np.int16]
    output_bias: NDArray[np.int32]
    #: What stands for 1 in them; in the bias of the output, its square does.
    one: np.int16

    def __setstate__(self, state: Sequence[Any]) -> None:
        """Take what another process has sent, and align it again."""
        for each, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, each.name, aligned(value) if value.ndim else value)

    @classmethod
    def of(cls, layers: Layers) -> Self:
        """Round layers."""
        weights, bias, outputs = (
            aligned_zeros(np.dtype(np.int16), len(values)) for values in layers.arrays()[:3]
        )
        output_bias = np.zeros(len(layers.output_bias), np.int32)
        rounded = cls(weights, bias, outputs, output_bias, np.int16(_ONE))
        rounded.follow(layers)
        return rounded

    def follow(self, layers: Layers) -> None:
        """Take the values of layers that have learned."""
        *rows, output_bias = layers.arrays()
        for values, shorts in zip(rows, (self.weights, self.bias, self.outputs), strict=True):
            round_off(values, np.float32(_ONE), shorts)
        self.output_bias[:] = np.rint(output_bias * np.float32(_ONE * _ONE))
