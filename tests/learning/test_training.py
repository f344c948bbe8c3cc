"""The training follows the slope of the cross entropy."""

from __future__ import annotations

import numpy as np
import pytest

from ggp.learning.layers import Layers
from ggp.learning.samples import Samples
from ggp.learning.trainee import Trainee
from ggp.learning.training import add_slopes, descend

ROWS, HIDDEN, ROLES = 64, 32, 2


def an_example() -> tuple[Layers, dict[str, np.ndarray]]:
    generator = np.random.default_rng(5)
    layers = Layers.new(rows=ROWS, hidden=HIDDEN, roles=ROLES, generator=generator)
    layers = layers.grown(np.array([[0, 3], [1, 3], [2, 5]], np.int32))
    layers.weights[ROWS:] = generator.normal(0, 0.1, (3, HIDDEN))
    swapped = np.arange(ROWS + 3, dtype=np.int32)
    swapped[[0, 1, ROWS, ROWS + 1]] = [1, 0, ROWS + 1, ROWS]
    return layers, {
        "samples": np.array([0, 2, 2, 1]),
        "images": np.array([0, 1, 0, 0]),
        "symmetries": np.stack([np.arange(ROWS + 3, dtype=np.int32), swapped]),
        "kept": generator.integers(1 << 9, size=(3, 1), dtype=np.uint64),
        "targets": generator.random((3, ROLES)).astype(np.float32),
    }


def slopes_of(layers: Layers, example: dict[str, np.ndarray]) -> tuple[float, Layers]:
    slopes = layers.zeros()
    scratch, rows = np.zeros(3 * HIDDEN, np.float32), np.zeros(ROWS + 3, np.int64)
    loss, inputs = add_slopes(
        example["samples"], example["images"], example["symmetries"], example["kept"],
        example["targets"], layers.partners, *layers.arrays(), *slopes.arrays(), scratch, rows,
    )  # fmt: skip
    assert inputs == inputs_of(layers, example).sum(axis=1).mean()
    return loss, slopes


def inputs_of(layers: Layers, example: dict[str, np.ndarray]) -> np.ndarray:
    """Which facts and pairs are true in each sample."""
    kept = example["kept"][example["samples"]]
    bits = np.unpackbits(kept.view(np.uint8), axis=1, bitorder="little")
    pairs = bits[:, layers.pairs[:, 0]] & bits[:, layers.pairs[:, 1]]
    return np.concatenate((bits, pairs), axis=1).astype(float)


def test_the_slopes_are_those_of_the_loss() -> None:
    layers, example = an_example()
    _, slopes = slopes_of(layers, example)
    size = np.float32(1e-2)
    for values, slope in zip(layers.arrays(), slopes.arrays(), strict=True):
        # the steepest are the least blurred by float32
        for place in np.argsort(-np.abs(slope))[:5]:
            around = []
            for step in (-size, size):
                values[place] += step
                around.append(slopes_of(layers, example)[0])
                values[place] -= step
            # the slope is that of the sum over the roles, the loss their mean
            measured = ROLES * (around[1] - around[0]) / (2 * float(size))
            assert slope[place] == pytest.approx(measured, rel=0.15, abs=2e-3)


def test_the_loss_is_the_mean_cross_entropy() -> None:
    layers, example = an_example()
    example["images"] = np.zeros(4, np.int64)
    hidden = np.clip(inputs_of(layers, example) @ layers.weights + layers.bias, 0, 1)
    values = 1 / (1 + np.exp(-(hidden @ layers.outputs.T + layers.output_bias)))
    wanted = example["targets"][example["samples"]]
    expected = -(wanted * np.log(values) + (1 - wanted) * np.log(1 - values)).mean()
    assert slopes_of(layers, example)[0] == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("beyond", [-2.0, 3.0])
def test_what_leads_away_from_0_to_1_is_not_learned(beyond: float) -> None:
    """Sums of which the output does not depend would grow without end, and so would weights."""
    layers, example = an_example()
    layers.weights[:] = 0
    layers.bias[:] = beyond
    _, slopes = slopes_of(layers, example)
    leads_back = slopes.bias < 0 if beyond < 0 else slopes.bias > 0  # a descent takes them off
    assert leads_back.any()
    assert (slopes.bias[~leads_back] == 0).all()
    layers.bias[:] = 0.5
    _, within = slopes_of(layers, example)
    assert (np.abs(slopes.bias) < 0.1 * np.abs(within.bias).max()).all()


def test_steps_are_those_of_adam() -> None:
    generator = np.random.default_rng(2)
    values = generator.random(20).astype(np.float32)
    expected = values.astype(float)
    means, squares = np.zeros(20, np.float32), np.zeros(20, np.float32)
    first, second = np.zeros(20), np.zeros(20)
    for step in range(1, 6):
        slopes = generator.normal(size=20).astype(np.float32)
        first = 0.9 * first + 0.1 * slopes
        second = 0.999 * second + 0.001 * slopes.astype(float) ** 2
        expected -= 0.01 * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        descend(values, slopes, means, squares, 0.01, step)
        assert (slopes == 0).all()
    assert values == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize(("facts", "share"), [(8, 1.0), (64, 40 / 64)])
def test_weights_take_shorter_steps_where_states_have_many_inputs(facts: int, share: float) -> None:
    layers = Layers.new(rows=ROWS, hidden=HIDDEN, roles=ROLES, generator=np.random.default_rng(3))
    before = [values.copy() for values in layers.arrays()]
    trainee, samples = Trainee(layers, []), Samples(size=4, words=1, roles=ROLES)
    samples.states[:] = (1 << facts) - 1
    chosen, images = np.arange(4), np.zeros(4, np.int64)
    losses = [trainee.add_slopes(half, samples, chosen, images) for half in (0, 1)]
    trainee.step(0.01, sum(losses) / 2)
    # the first step of Adam is as long for all that have a slope
    steps = [np.abs(new - old).max() for new, old in zip(layers.arrays(), before, strict=True)]
    assert steps == pytest.approx([0.01 * share, 0.01, 0.01, 0.01], rel=1e-3)
