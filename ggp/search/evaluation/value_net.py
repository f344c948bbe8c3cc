"""A value network that is small enough for every leaf of a search.

As in NNUE (Y. Nasu 2018, "Efficiently updatable neural-network-based evaluation functions for
computer Shogi"), the first layer is the sum of one row of weights for each fact that is true, and
all numbers are whole: so a search can take the sums of one state, add what the next one has more,
and subtract what it has less, and gets exactly the sums of the next one. Pairs of facts may have
rows, too, which count where both facts are true.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import exp
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ggp.errors import GgpError
from ggp.files import read_file, replace_file
from ggp.gdl import HIGHEST_GOAL

__all__ = ["HIDDEN_ONE", "OUTPUT_ONE", "ValueNet"]

#: What stands for 1 in a unit of the hidden layer, and in a weight of the output.
HIDDEN_ONE, OUTPUT_ONE = 1024, 1024

#: The most pairs of a network.
_MAX_PAIRS = 1 << 20
#: The types of the weights, and of the pairs.
_TYPES = {
    "weights": np.int16, "bias": np.int32, "outputs": np.int16, "output_bias": np.int32,
    "pairs": np.int32,
}  # fmt: skip
#: Bytes of the largest network that is read.
_MAX_BYTES = 1 << 28


@dataclass(frozen=True, eq=False)
class ValueNet:
    """Estimates from the facts of a state what goal each role will get.

    The goal is 100 times the logistic function of a weighted sum of the hidden units, each of which
    is a sum of weights of the facts that are true, and of pairs of them, cut to the range from 0
    to 1.
    """

    #: The names of the roles, in their order, and of the facts.
    roles: tuple[str, ...]
    facts: tuple[str, ...]
    #: int16[facts + pairs, hidden] and int32[hidden], in units of 1 / HIDDEN_ONE.
    weights: NDArray[np.int16]
    bias: NDArray[np.int32]
    #: int16[roles, hidden] and int32[roles], in units of 1 / OUTPUT_ONE.
    outputs: NDArray[np.int16]
    output_bias: NDArray[np.int32]
    #: int32[pairs, 2]: numbers of facts.
    pairs: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 2), np.int32))

    def __post_init__(self) -> None:
        """Check shapes and types, and the facts of the pairs."""
        roles, facts, hidden = len(self.roles), len(self.facts), len(self.bias)
        shapes = {
            "pairs": (len(self.pairs), 2),
            "weights": (facts + len(self.pairs), hidden),
            "bias": (hidden,),
            "outputs": (roles, hidden),
            "output_bias": (roles,),
        }
        for name, shape in shapes.items():
            if (found := getattr(self, name).shape) != shape:
                raise ValueError(f"{name} has the shape {found}, and not {shape}")
        for name, kind in _TYPES.items():
            if (given := getattr(self, name).dtype) != kind:
                raise ValueError(f"{name} is of {given}, and not of {np.dtype(kind)}")
        if len(self.pairs) > _MAX_PAIRS:
            raise ValueError(f"there are more than {_MAX_PAIRS:,} pairs")
        first, second = np.sort(self.pairs, axis=1).T
        if (first < 0).any() or (second >= facts).any() or (first == second).any():
            raise ValueError(f"a pair is not of two of the {facts} facts")
        if len(np.unique(first.astype(np.int64) * facts + second)) < len(self.pairs):
            raise ValueError("a pair is there twice")

    @classmethod
    def of_layers(
        cls,
        roles: Iterable[object],
        facts: Iterable[object],
        *,
        weights: ArrayLike,
        bias: ArrayLike,
        outputs: ArrayLike,
        output_bias: ArrayLike,
        pairs: Sequence[tuple[int, int]] | NDArray[np.int32] = (),
    ) -> Self:
        """Return the network of two trained layers, rounded to whole numbers.

        Args:
            roles: the roles of the game.
            facts: the facts, as of `ggp.Game`.
            weights: float[hidden, facts + pairs], as `torch.nn.Linear` has them, like the rest.
            bias: float[hidden].
            outputs: float[roles, hidden].
            output_bias: float[roles].
            pairs: the numbers of two facts for each pair that has weights.

        Raises:
            ValueError: the shapes do not fit together, or a pair is not of two facts.
        """
        return cls(
            roles=tuple(map(str, roles)),
            facts=tuple(map(str, facts)),
            weights=_rounded(np.transpose(weights), HIDDEN_ONE, np.int16),
            bias=_rounded(bias, HIDDEN_ONE, np.int32),
            outputs=_rounded(outputs, OUTPUT_ONE, np.int16),
            output_bias=_rounded(output_bias, OUTPUT_ONE, np.int32),
            pairs=_numbered(pairs),
        )

    @classmethod
    def load(cls, path: Path | str) -> Self:
        """Read a file that `save` has written.

        Raises:
            GgpError: it cannot be read, or is no such file.
        """
        try:
            content = io.BytesIO(read_file(path, most=_MAX_BYTES))
            with zipfile.ZipFile(content) as parts:
                # A file of some bytes can hold as many zeros as there is memory.
                if sum(part.file_size for part in parts.infolist()) > _MAX_BYTES:
                    raise GgpError(f"{path}: the network is larger than {_MAX_BYTES:,} bytes")
            with np.load(content, allow_pickle=False) as file:
                # a file that was written before there were pairs has none
                names = (each.name for each in fields(cls))
                values = {name: file[name] for name in names if name != "pairs" or name in file}
            for name in ("roles", "facts"):
                values[name] = tuple(values[name].tolist())
            return cls(**values)
        except OSError as error:
            raise GgpError(f"{path}: {error.strerror or error}") from None
        except (KeyError, TypeError, ValueError, EOFError, MemoryError, zipfile.BadZipFile):
            raise GgpError(f"{path} is no file of a value network (`ValueNet.save`)") from None

    def save(self, path: Path | str) -> None:
        """Write the network to a file (npz). Raises `OSError`."""
        file = io.BytesIO()
        np.savez(file, **{each.name: getattr(self, each.name) for each in fields(self)})
        replace_file(path, file.getvalue())

    def check_game(self, roles: Sequence[object], facts: Iterable[object]) -> None:
        """Check that the network is of a game with these roles and (some) facts.

        Raises:
            GgpError: it is of another game.
        """
        if (names := tuple(map(str, roles))) != self.roles:
            raise GgpError(
                f"the network is of a game with the roles {' '.join(self.roles)}, "
                f"and not {' '.join(names)}"
            )
        for fact in facts:
            if str(fact) not in self._numbers:
                raise GgpError(f"the network is of another game: it does not know the fact {fact}")

    def rows_of(self, facts: Iterable[object]) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        """Return the weights of some facts and of the pairs of them.

        Returns:
            int16[facts + pairs, hidden]: the weights, 0 for facts that the network does not know;
            and int32[pairs, 2]: the places that the facts of each pair have among those given.
        """
        numbers = np.array([self._numbers.get(str(fact), -1) for fact in facts], np.int64)
        known = np.flatnonzero(numbers >= 0)
        rows = np.zeros((len(numbers), len(self.bias)), np.int16)
        rows[known] = self.weights[numbers[known]]
        places = np.full(len(self.facts), -1, np.int32)
        places[numbers[known]] = known
        pairs = places[self.pairs]
        is_there = (pairs >= 0).all(axis=1)
        return np.concatenate((rows, self.weights[len(self.facts) :][is_there])), pairs[is_there]

    def goal(self, facts: Iterable[object], role: int) -> float:
        """Return the goal, from 0 to 100, that a role is likely to get from a state."""
        sums = self.bias + self.rows_of(facts)[0].sum(axis=0, dtype=np.int64)
        total = int(np.clip(sums, 0, HIDDEN_ONE) @ self.outputs[role].astype(np.int64))
        scaled = (total / HIDDEN_ONE + int(self.output_bias[role])) / OUTPUT_ONE
        return HIGHEST_GOAL / (1 + exp(-scaled))

    def goals(self, observations: NDArray[np.uint8]) -> NDArray[np.float64]:
        """Return the goals that all roles are likely to get: float64[n, roles], from 0 to 100.

        Args:
            observations: uint8[n, facts], which facts are true, such as `States.observation`.

        Raises:
            ValueError: there are other facts.
        """
        if observations.shape[1:] != (len(self.facts),):
            raise ValueError(f"the network has {len(self.facts)} facts, not {observations.shape}")
        pairs = observations[:, self.pairs[:, 0]] * observations[:, self.pairs[:, 1]]
        inputs = np.concatenate((observations, pairs), axis=1)
        sums = self.bias + inputs.astype(np.float64) @ self.weights
        totals = np.clip(sums, 0, HIDDEN_ONE) @ self.outputs.T / HIDDEN_ONE + self.output_bias
        return HIGHEST_GOAL / (1 + np.exp(-totals / OUTPUT_ONE))

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.facts)}


_Int = TypeVar("_Int", np.int16, np.int32)


def _numbered(pairs: ArrayLike) -> NDArray[np.int32]:
    """Return int32[pairs, 2]; a number that is none of a fact becomes -1."""
    given = np.asarray(pairs)
    if given.size == 0:
        return np.zeros((0, 2), np.int32)
    if given.dtype.kind not in "iu":
        raise ValueError("the numbers of the facts of a pair are no whole numbers")
    return np.where((given >= 0) & (given < 1 << 31), given, -1).astype(np.int32)


def _rounded(values: ArrayLike, one: int, kind: type[_Int]) -> NDArray[_Int]:
    limits = np.iinfo(kind)
    scaled = np.rint(np.asarray(values, np.float64) * one)
    return np.ascontiguousarray(np.clip(scaled, limits.min, limits.max).astype(kind))
