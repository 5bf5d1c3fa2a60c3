"""Errors of exact weights near zero, published and ours."""

import numpy as np
import pytest

from nalm.experiments.gold import GoldError, gold_error, gold_errors
from nalm.tasks import Uniform
from nalm.units import NMRU, NRU, RealNPU

ERRORS = gold_errors()


def of(model: object, op: str, width: float, kind: str = "gold") -> GoldError:
    return next(
        e for e in ERRORS if (e.model, e.op, e.width, e.kind) == (model, op, width, kind)
    )  # fmt: skip


def test_every_published_error_is_of_a_unit_that_can():
    assert len(ERRORS) == 183
    assert {e.kind for e in ERRORS} == {"gold", "threshold"}
    assert all(e.op in e.model.ops for e in ERRORS)
    assert any(e.model == RealNPU(2, 1, epsilon=0.0) for e in ERRORS)


@pytest.mark.parametrize("model", [NRU(2, 1), RealNPU(2, 1), RealNPU(2, 1, epsilon=0.0)])
def test_published_errors_are_among_ours(model):
    found = of(model, "div", 1e-4)
    assert found.agrees
    low, high = found.ours
    assert low < found.published < high


def test_without_epsilon_the_error_is_smaller():
    generator = np.random.default_rng(0)
    errors = [
        gold_error(RealNPU(1, 1, epsilon=epsilon), "reciprocal", Uniform(0, 0.01), generator)
        for epsilon in (2.0**-23, 0.0)
    ]
    assert errors[1] < 1e-6 * errors[0]


def test_the_published_nmru_rounds_because_it_adds_one_before_it_subtracts_the_weight():
    """The twelve errors that differ: (w c + 1) - w loses what is small in c; w c + (1 - w) not."""
    published = of(NMRU(2, 1), "div", 1e-4)
    assert not published.agrees
    generator, errors = np.random.default_rng(0), []
    for _ in range(100):
        x = generator.random((10_000, 2)) * 1e-4
        c = np.stack([x[:, 0].astype("float32"), 1 / x[:, 1].astype("float32")])
        factors = (c + np.float32(1)) - np.float32(1)
        errors.append(np.mean((np.prod(factors, axis=0) - x[:, 0] / x[:, 1]) ** 2))
    low, high = np.quantile(errors, [0.025, 0.975])
    assert low < published.published < high
