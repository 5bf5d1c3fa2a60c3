"""What every loss promises, and a custom one in training."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.tasks import single_module
from nalm.training import LOSSES, BatchLoss, Recipe, Run, SampleLoss
from nalm.training.description import decode, encode
from nalm.training.engine.train import train_block

NUMBERS = st.lists(
    st.tuples(st.floats(-9, 9), st.floats(0.5, 9)), min_size=3, max_size=20, unique=True
)


def slow(name: str, y: list[float], t: list[float]) -> float:
    """Return a loss sample by sample, in plain Python."""
    pairs = list(zip(y, t, strict=True))
    n = len(pairs)
    if name == "mse":
        return sum((a - b) ** 2 for a, b in pairs) / n
    if name == "mae":
        return sum(abs(a - b) for a, b in pairs) / n
    if name == "mape":
        return sum(abs((b - a) / b) for a, b in pairs) / n
    if name == "huber":
        return sum(0.5 * d**2 if d < 1 else d - 0.5 for d in (abs(a - b) for a, b in pairs)) / n
    assert name == "pcc"
    return 1 - float(np.corrcoef(y, t)[0, 1])


@pytest.mark.parametrize("name", LOSSES)
class TestEvery:
    @given(pairs=NUMBERS)
    def test_it_equals_the_sum_written_out(self, name, pairs):
        y, t = ([float(v) for v in column] for column in zip(*pairs, strict=True))
        if name == "pcc" and min(np.std(y), np.std(t)) < 0.1:
            return  # a variance of almost zero is floored
        value = LOSSES[name].value(np.array(y), np.array(t))
        assert float(value) == pytest.approx(slow(name, y, t), rel=1e-5, abs=1e-5)

    def test_all_backends_agree_with_their_gradients(self, name):
        rng = np.random.default_rng(0)
        y, t, loss = rng.normal(0, 2, 30), rng.uniform(1, 2, 30), LOSSES[name]
        value, gradient = jax.value_and_grad(loss.value)(jnp.asarray(y), jnp.asarray(t))
        other = torch.tensor(y).requires_grad_()
        result = loss.value(other, torch.tensor(t))
        result.backward()
        assert float(loss.value(y, t)) == pytest.approx(float(value), rel=1e-9)
        assert float(result.detach()) == pytest.approx(float(value), rel=1e-9)
        assert other.grad is not None
        np.testing.assert_allclose(other.grad, gradient, rtol=1e-6, atol=1e-12)
        assert np.all(np.isfinite(gradient))

    def test_the_gradient_is_finite_where_predictions_are_right_or_constant(self, name):
        t = jnp.asarray([1.0, 2.0, 3.0])
        for y in (t, jnp.ones(3)):
            assert np.all(np.isfinite(jax.grad(LOSSES[name].value)(y, t)))

    def test_terms_of_samples_have_the_loss_as_their_mean(self, name):
        loss, y, t = LOSSES[name], np.array([1.0, 5.0]), np.array([2.0, 4.0])
        if loss.per_sample is not None:
            assert np.mean(loss.per_sample(y, t)) == loss.value(y, t)
        assert loss.name == name

    def test_json_gives_it_back(self, name):
        assert decode(encode(Recipe(loss=name))) == Recipe(loss=LOSSES[name])


@dataclass(frozen=True)
class Quartic(SampleLoss):
    def term(self, y, t):
        return (y - t) ** 4


@dataclass(frozen=True)
class Worst(BatchLoss):
    def value(self, y, t):
        return jnp.max((y - t) ** 2)


@pytest.mark.parametrize("loss", [Quartic(), Worst()], ids=repr)
def test_a_custom_loss_trains(loss):
    recipe = Recipe(0.01, steps=600, log_every=600, evaluation=500, loss=loss)
    (curves,) = train_block([Run(nalm.unit("nau", 2, 1), single_module("add"), recipe, 0)])
    assert curves.validation[-1] < 0.1 * curves.validation[0]


def test_what_is_no_loss_is_refused():
    with pytest.raises(UnknownNameError, match="Did you mean 'mape'"):
        Recipe(loss="mapes")
    with pytest.raises(InputError, match="A loss is a name such as 'mse' or a Loss; received 3"):
        Recipe(loss=3)  # pyright: ignore[reportArgumentType]
