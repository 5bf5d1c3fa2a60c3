"""A law in PyTorch and JAX computes what `predict` computes, also at 0 and far from 1."""

from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from nalm.errors import InputError
from nalm.fitting.named_formula import NamedFormula
from nalm.fitting.tree import HALF, ONE, Column, PowerProduct, WeightedSum

A, B, C = (Column(i) for i in range(3))
ROOTED = PowerProduct(
    (
        (PowerProduct(((A, -ONE),)), -HALF),
        (B, ONE),
        (WeightedSum(((ONE, C),), ONE), -ONE),
    )
)
"""sqrt(a)*b/(c + 1), written with 1/a."""
powers = st.sampled_from(
    [Fraction(p) for p in ("1", "-1", "2", "-2", "3", "1/2", "-1/2", "1/3", "-2/3")] + [1.7]
)
weights = st.one_of(st.fractions(-3, 3, max_denominator=4), st.floats(0.25, 3))
trees = st.recursive(
    st.builds(Column, st.integers(0, 2)),
    lambda inner: st.one_of(
        st.builds(
            lambda terms, c: WeightedSum(tuple(terms), c),
            st.lists(st.tuples(weights, inner), max_size=3),
            st.fractions(-2, 2, max_denominator=3),
        ),
        st.builds(
            lambda factors: PowerProduct(tuple(factors)),
            st.lists(st.tuples(inner, powers), max_size=2),
        ),
    ),
    max_leaves=5,
)
numbers = st.one_of(
    st.sampled_from([0.0, -0.0, 1e6, 1e-6, -1e4, -1e-4, 1.0, -1.0]),
    st.floats(-100, 100, width=32, allow_subnormal=False),
)
tables = st.lists(st.tuples(numbers, numbers, numbers), min_size=1, max_size=6).map(np.array)


def _assert_same(got, law, x, epsilon):
    """Compare but where an operand of an operation is rounding error, or leaves the range."""
    expected = law.predict(x)
    sure = np.ones(len(x), bool)
    for node in law.tree.walk():
        value, error = node.evaluate_with_rounding(x, 4 * epsilon)
        small = (np.abs(value) < 1e-30) & (value != 0)
        lost = (error > 1e-2 * np.abs(value)) & np.isfinite(value) & (value != 0)
        cancelled = (value == 0) & ~(error == 0) & isinstance(node, WeightedSum)
        sure &= ~small & ~lost & ~cancelled & ~((np.abs(value) > 1e30) & np.isfinite(value))
    _, error = law.tree.evaluate_with_rounding(x, 4 * epsilon)
    bound = np.where(np.isfinite(error), 8 * error, 0.0) + 1e-35
    with np.errstate(invalid="ignore"):
        close = np.abs(got - expected) <= bound + 16 * epsilon * np.abs(expected)
    same = (got == expected) | (np.isnan(got) & np.isnan(expected)) | close
    assert np.all(same[sure]), (law.text(), x[sure & ~same], got, expected)


def test_a_root_of_a_large_number_and_of_zero():
    law = NamedFormula(ROOTED, ("a", "b", "c"))
    x = np.array([[1e6, 2.0, 1.0], [0.0, 2.0, 1.0]])
    assert law.predict(x).tolist() == [1000.0, 0.0]
    assert law.to_torch()(torch.tensor(x))[:, 0].tolist() == pytest.approx([1000.0, 0.0], rel=1e-6)
    model, params = law.to_jax()
    values = model(params, jnp.asarray(x, jnp.float32))
    assert values[:, 0].tolist() == pytest.approx([1000.0, 0.0], rel=1e-6)


@settings(deadline=None)
@given(trees, tables)
def test_torch_computes_what_predict_computes(tree, x):
    law = NamedFormula(tree, ("a", "b", "c"))
    for dtype, real in ((torch.float32, np.float32), (torch.float64, np.float64)):
        rounded = x.astype(real).astype(np.float64)
        got = law.to_torch(dtype)(torch.tensor(x))
        assert (got.dtype, got.shape) == (dtype, (len(x), 1))
        _assert_same(got[:, 0].numpy().astype(np.float64), law, rounded, float(np.finfo(real).eps))


@settings(deadline=None, max_examples=25)
@given(trees, tables)
def test_jax_and_numpy_compute_what_predict_computes(tree, x):
    law = NamedFormula(tree, ("a", "b", "c"))
    model, params = law.to_jax()
    np.testing.assert_array_equal(model(params, x)[:, 0], law.predict(x))
    single = x.astype(np.float32)
    got = np.asarray(model(params, jnp.asarray(single)), np.float64)[:, 0]
    _assert_same(got, law, single.astype(np.float64), float(np.finfo(np.float32).eps))


@pytest.mark.parametrize("shape", [(4, 2), (4, 4), ()])
def test_rows_of_another_width_are_explained(shape):
    law = NamedFormula(ROOTED, ("a", "b", "c"))
    with pytest.raises(InputError, match="one value per column of the fit, 3; received shape"):
        law.to_torch()(torch.ones(shape))


def test_whole_numbers_are_rows_too():
    law = NamedFormula(WeightedSum(((Fraction(5, 2), A),), HALF), ("a",))
    model, params = law.to_jax()
    assert model(params, np.array([[1], [2]])).tolist() == [[3.0], [5.5]]
    assert law.to_torch()(torch.tensor([[1], [2]])).tolist() == [[3.0], [5.5]]


def test_the_numbers_of_a_law_have_gradients_in_jax():
    law = NamedFormula(WeightedSum(((Fraction(5, 2), A),), HALF), ("a",))
    model, params = law.to_jax()
    slope = jax.grad(lambda p: model(p, jnp.array([[3.0]])).sum())(params)
    assert slope["coefficients"].tolist() == [3.0, 1.0]
