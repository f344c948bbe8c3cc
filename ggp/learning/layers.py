"""The network as it learns, and as self-play reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ggp.compiler.circuit.circuit import Circuit
from ggp.learning.loops import round_off
from ggp.learning.partners import Partners
from ggp.learning.vectors import UNITS, aligned
from ggp.native.numba_support import aligned_zeros
from ggp.search.evaluation.value_net import HIDDEN_ONE, OUTPUT_ONE, ValueNet

__all__ = ["Layers", "Rounded"]

_Floats: TypeAlias = NDArray[np.float32]

#: The deviation of the weights before they learn, and the sum of a hidden unit without any facts.
_DEVIATION, _MIDDLE = 0.1, 0.5

#: What stands for 1 in `Rounded`: sums stop at 2**15 / 512 = 64.
_ONE = 512


@dataclass(frozen=True, slots=True, eq=False)
class Layers:
    """Two layers, as in `ValueNet`, of float32."""

    #: float32[64 * words + pairs, hidden]: a row for each bit of a packed state, and of each pair.
    weights: NDArray[np.float32]
    #: float32[hidden].
    bias: NDArray[np.float32]
    #: float32[roles, hidden] and float32[roles].
    outputs: NDArray[np.float32]
    output_bias: NDArray[np.float32]
    #: int32[pairs, 2]: the facts of each pair.
    pairs: NDArray[np.int32]

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
            np.zeros((0, 2), np.int32),
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
        facts, (known, pairs) = len(circuit.facts), net.rows_of(circuit.facts)
        weights = np.zeros((rows + len(pairs), hidden), np.float32)
        weights[:facts] = known[:facts] / np.float32(HIDDEN_ONE)
        weights[rows:] = known[facts:] / np.float32(HIDDEN_ONE)
        return cls(
            aligned(weights),
            aligned((net.bias / HIDDEN_ONE).astype(np.float32)),
            aligned((net.outputs / OUTPUT_ONE).astype(np.float32)),
            (net.output_bias / OUTPUT_ONE).astype(np.float32),
            pairs,
        )

    def grown(self, pairs: NDArray[np.int32]) -> Layers:
        """Return a copy with these pairs in the place of its own; they weigh nothing yet."""
        own = self.weights[: self.bits]
        added = np.zeros((len(pairs), self.hidden), np.float32)
        return Layers(
            aligned(np.concatenate((own, added))),
            aligned(self.bias),
            aligned(self.outputs),
            self.output_bias.copy(),
            pairs,
        )

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return len(self.bias)

    @property
    def bits(self) -> int:
        """The number of rows before those of the pairs: the bits of a packed state."""
        return len(self.weights) - len(self.pairs)

    @property
    def partners(self) -> Partners:
        """The pairs of each fact."""
        return Partners.of(self.pairs, facts=self.bits, begin=self.bits)

    def zeros(self) -> Layers:
        """Return layers of this shape that are all 0."""
        return Layers(
            aligned_zeros(self.weights.dtype, *self.weights.shape),
            aligned_zeros(self.bias.dtype, *self.bias.shape),
            aligned_zeros(self.outputs.dtype, *self.outputs.shape),
            np.zeros_like(self.output_bias),
            self.pairs,
        )

    def arrays(self) -> tuple[_Floats, _Floats, _Floats, _Floats]:
        """Return the arrays of weights, in the order of the fields, as flat views."""
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
            weights=np.concatenate(
                (self.weights[: len(circuit.facts)], self.weights[self.bits :])
            ).T,
            bias=self.bias,
            outputs=self.outputs,
            output_bias=self.output_bias,
            pairs=self.pairs,
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
    #: The pairs of each fact.
    partners: Partners

    def __setstate__(self, state: Sequence[Any]) -> None:
        """Take what another process has sent, and align it again."""
        for each, value in zip(fields(self), state, strict=True):
            object.__setattr__(self, each.name, _own(value))

    @classmethod
    def of(cls, layers: Layers) -> Self:
        """Round layers."""
        weights, bias, outputs = (
            aligned_zeros(np.dtype(np.int16), len(values)) for values in layers.arrays()[:3]
        )
        output_bias = np.zeros(len(layers.output_bias), np.int32)
        rounded = cls(weights, bias, outputs, output_bias, np.int16(_ONE), layers.partners)
        rounded.follow(layers)
        return rounded

    def follow(self, layers: Layers) -> None:
        """Take the values of layers that have learned."""
        *rows, output_bias = layers.arrays()
        for values, shorts in zip(rows, (self.weights, self.bias, self.outputs), strict=True):
            round_off(values, np.float32(_ONE), shorts)
        self.output_bias[:] = np.rint(output_bias * np.float32(_ONE * _ONE))


def _own(value: Any) -> Any:
    """Return a copy of what another process has sent, which may be read-only."""
    if isinstance(value, Partners):
        return Partners(*map(np.array, value))
    return aligned(value) if isinstance(value, np.ndarray) else value
