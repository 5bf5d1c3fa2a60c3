"""The theorems that hold for every unit, over the whole registry."""

from dataclasses import fields

import array_api_compat.torch
import array_api_strict
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

from cases import (
    BACKENDS,
    CASES,
    DEFAULTS,
    MODES,
    noise_for,
    random_input,
    random_params,
    tie_params,
)
from nalm.units import REGISTRY, Unit

DTYPES = ["float32", "float64"]
over_cases = pytest.mark.parametrize("unit", CASES, ids=repr)
over_defaults = pytest.mark.parametrize("unit", DEFAULTS, ids=lambda unit: unit.name)
over_modes = pytest.mark.parametrize(("unit", "train"), MODES, ids=repr)


def assert_close(actual, expected, dtype: str, message: str = "") -> None:
    rtol, atol = {"float32": (2e-4, 2e-5), "float64": (1e-9, 1e-11)}[dtype]
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol, err_msg=message)


def as_backend(backend: str, params: dict, *arrays):
    make = BACKENDS[backend]
    converted = [None if a is None else make(a) for a in arrays]
    return {name: make(value) for name, value in params.items()}, *converted


def test_class_names_are_unique():
    assert len({cls.__name__ for cls in REGISTRY.values()}) == len(REGISTRY)


@pytest.mark.parametrize("dtype", DTYPES)
@over_modes
def test_every_backend_gives_the_same_values(unit: Unit, dtype: str, train: bool):
    x = random_input(unit).astype(dtype)
    params = {name: value.astype(dtype) for name, value in random_params(unit).items()}
    noise = noise_for(unit, params, x)
    results = {}
    for backend in BACKENDS:
        p, x_b, n = as_backend(backend, params, x, noise)
        y = unit(p, x_b, train=train, noise=n)
        assert str(y.dtype).endswith(dtype)
        assert tuple(y.shape) == (4, unit.out_features)
        results[backend] = np.asarray(y)
    assert np.all(np.isfinite(results["numpy"]))
    for backend in BACKENDS:
        assert_close(results[backend], results["numpy"], dtype)


@over_cases
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_backend_gives_the_same_penalties_and_sparsity(unit: Unit, dtype: str):
    x = random_input(unit).astype(dtype)
    for make_params in (random_params, tie_params):
        params = {name: value.astype(dtype) for name, value in make_params(unit).items()}
        expected = unit.penalties(params, x)
        for backend in BACKENDS:
            p, x_b = as_backend(backend, params, x)
            terms = unit.penalties(p, x_b)
            assert terms.keys() == expected.keys()
            for name, value in terms.items():
                assert value.shape == ()
                np.testing.assert_allclose(float(value), float(expected[name]), rtol=1e-4)
            np.testing.assert_allclose(
                float(unit.sparsity_error(p)), float(unit.sparsity_error(params)), rtol=1e-4
            )


def jax_gradients(unit, params, x, noise, train):
    def loss(p, x_):
        y = unit(p, x_, train=train, noise=noise)
        return jnp.sum(y * jnp.arange(1.0, y.size + 1).reshape(y.shape))

    p, x_j = as_backend("jax", params, x)
    dp, dx = jax.jit(jax.grad(loss, argnums=(0, 1)))(p, x_j)
    return {**{k: np.asarray(v) for k, v in dp.items()}, "x": np.asarray(dx)}


def torch_gradients(unit, params, x, noise, train):
    p, x_t, n = as_backend("torch", params, x, noise)
    leaves = [*p.values(), x_t]
    for leaf in leaves:
        leaf.requires_grad_()
    y = unit.forward(array_api_compat.torch, p, x_t, train, n)
    value = (y * torch.arange(1.0, y.numel() + 1, dtype=y.dtype).reshape(y.shape)).sum()
    grads = torch.autograd.grad(value, leaves, allow_unused=True)
    arrays = [
        np.zeros(leaf.shape) if g is None else g.numpy()
        for g, leaf in zip(grads, leaves, strict=True)
    ]
    return dict(zip([*p, "x"], arrays, strict=True))


@over_modes
def test_jax_and_torch_give_the_same_gradients(unit: Unit, train: bool):
    x, params = random_input(unit), random_params(unit)
    noise = noise_for(unit, params, x)
    expected = jax_gradients(unit, params, x, noise, train)
    actual = torch_gradients(unit, params, x, noise, train)
    for name in expected:
        scale = np.max(np.abs(expected[name])) + 1e-12
        assert_close(actual[name] / scale, expected[name] / scale, "float64", name)


@over_modes
@pytest.mark.parametrize("seed", range(1))
def test_gradients_agree_exactly_on_the_kinks(unit: Unit, train: bool, seed: int):
    params = tie_params(unit, seed)
    x = np.random.default_rng(seed).choice([0.0, 1.0, -1.0, 0.5, 2.0], (12, unit.in_features))
    x[0] = 0.0
    x = np.clip(np.abs(x), 0.0, 1.0) if unit.domain.high == 1 else x
    noise = noise_for(unit, params, x, seed)
    p, x_j = as_backend("jax", params, x)

    # While tracing, the zero divisors of these random weights are computed instead of refused.
    y = jax.jit(lambda p_, x_: unit(p_, x_, train=train, noise=noise))(p, x_j)
    defined = np.all(np.isfinite(y), axis=1)
    if noise is not None and noise.shape == x.shape:
        noise = noise[defined]
    expected = jax_gradients(unit, params, x[defined], noise, train)
    actual = torch_gradients(unit, params, x[defined], noise, train)
    for name in expected:
        assert np.all(np.isfinite(expected[name])), name
        np.testing.assert_allclose(
            actual[name], expected[name], rtol=1e-8, atol=1e-10, err_msg=name
        )


@over_cases
def test_penalty_gradients_agree_exactly_on_the_kinks(unit: Unit):
    params = tie_params(unit)
    x = random_input(unit)
    for term in unit.penalties(params, x):
        p, x_j = as_backend("jax", params, x)
        expected = jax.grad(lambda q, term=term, x_j=x_j: unit.penalties(q, x_j)[term])(p)
        p_t, x_t = as_backend("torch", params, x)
        for leaf in p_t.values():
            leaf.requires_grad_()
        grads = torch.autograd.grad(
            unit.penalties(p_t, x_t)[term], list(p_t.values()), allow_unused=True
        )
        for name, g in zip(p_t, grads, strict=True):
            actual = np.zeros(p_t[name].shape) if g is None else g.numpy()
            np.testing.assert_allclose(actual, expected[name], rtol=1e-10, atol=1e-12)


@over_modes
def test_strict_arrays_have_the_same_slope(unit: Unit, train: bool):
    """array-api-strict does not differentiate; its central differences must match JAX."""
    x = random_input(unit)
    params = random_params(unit)
    noise = noise_for(unit, params, x)
    gradients = jax_gradients(unit, params, x, noise, train)

    def strict_value(p, x_):
        p_s, x_s, n = as_backend("strict", p, x_, noise)
        y = np.asarray(unit(p_s, x_s, train=train, noise=n))
        return float(np.sum(y * np.arange(1.0, y.size + 1).reshape(y.shape)))

    rng = np.random.default_rng(3)
    step = 1e-6 if getattr(unit, "tanh_scale", 1.0) < 100 else 1e-8
    direction = {name: rng.normal(size=value.shape) for name, value in params.items()}
    ends = [
        strict_value({k: v + s * step * direction[k] for k, v in params.items()}, x)
        for s in (1, -1)
    ]
    slope = sum(float(np.sum(gradients[k] * direction[k])) for k in params)
    assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(slope, rel=1e-4, abs=1e-5)


@over_modes
def test_jit_equals_eager_and_vmap_equals_a_loop(unit: Unit, train: bool):
    x = jnp.asarray(random_input(unit))
    noise = noise_for(unit, random_params(unit), np.asarray(x))
    runs = [as_backend("jax", random_params(unit, seed))[0] for seed in range(3)]

    def apply(p, x_):
        return unit(p, x_, train=train, noise=noise)

    stacked = {name: jnp.stack([p[name] for p in runs]) for name in runs[0]}
    loop = jnp.stack([apply(p, x) for p in runs])
    np.testing.assert_allclose(jax.jit(apply)(runs[0], x), loop[0], rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(
        jax.vmap(apply, in_axes=(0, None))(stacked, x), loop, rtol=1e-12, atol=1e-14
    )
    if not train:
        t_stacked = {k: torch.from_numpy(np.array(v)) for k, v in stacked.items()}
        over_runs = torch.func.vmap(lambda p: unit(p, torch.from_numpy(np.array(x))))
        np.testing.assert_allclose(over_runs(t_stacked), loop, rtol=1e-10, atol=1e-12)


@over_cases
def test_a_second_call_does_not_recompile(unit: Unit):
    traces = []

    @jax.jit
    def apply(p, x):
        traces.append(1)
        return unit(p, x)

    for seed in range(2):
        apply(*as_backend("jax", random_params(unit, seed), random_input(unit, seed=seed)))
    assert len(traces) == 1


@over_modes
def test_a_gradient_reaches_every_parameter(unit: Unit, train: bool):
    x = random_input(unit, (16,))
    params = random_params(unit)
    gradients = jax_gradients(unit, params, x, noise_for(unit, params, x), train)
    for name in params:
        assert np.all(np.isfinite(gradients[name]))
        assert np.any(gradients[name] != 0), f"no gradient reaches {name}"


@over_cases
def test_constrain_is_idempotent_and_keeps_what_is_allowed(unit: Unit):
    rng = np.random.default_rng(0)
    wild = {name: rng.normal(0, 3, p.shape) for name, p in unit.parameters.items()}
    once = unit.constrain(wild)
    for name, parameter in unit.parameters.items():
        low, high = parameter.bounds or (-np.inf, np.inf)
        assert np.all((once[name] >= low) & (once[name] <= high))
        inside = (wild[name] >= low) & (wild[name] <= high)
        np.testing.assert_array_equal(once[name][inside], wild[name][inside])
    twice = unit.constrain(once)
    for name, value in once.items():
        np.testing.assert_array_equal(twice[name], value)


@over_cases
def test_leading_axes_are_free(unit: Unit):
    x = random_input(unit, (2, 3))
    params = random_params(unit)
    y = unit(params, x)
    assert y.shape == (2, 3, unit.out_features)
    for index in np.ndindex(2, 3):
        np.testing.assert_allclose(unit(params, x[index]), y[index], rtol=1e-12)
    assert unit(params, x[:0]).shape == (0, 3, unit.out_features)


@over_defaults
def test_initial_parameters_follow_their_declared_distribution(unit: Unit):
    big = type(unit)(40, 30)
    key_source = {"jax": jax.random.key(0), "numpy": np.random.default_rng(0)}
    for backend, key in key_source.items():
        drawn = big.init(key)
        assert drawn.keys() == big.parameters.keys()
        for name, parameter in big.parameters.items():
            values = np.asarray(drawn[name])
            assert values.shape == parameter.shape
            expected = parameter.init.draw(_Quantiles(), (100_000,))
            spread = np.std(expected) + 1e-9
            error = 6 * spread / np.sqrt(values.size) + 1e-6
            assert abs(values.mean() - expected.mean()) < error, (backend, name)
            if values.size > 500:
                assert np.std(values) == pytest.approx(np.std(expected), rel=0.15, abs=1e-6)
            if parameter.bounds:
                assert values.min() >= parameter.bounds[0]
                assert values.max() <= parameter.bounds[1]


class _Quantiles:
    """A source that returns evenly spread quantiles instead of random draws."""

    def uniform(self, shape):
        return (np.arange(shape[0]) + 0.5) / shape[0]

    def normal(self, shape):
        from scipy.stats import norm

        return norm.ppf(self.uniform(shape))

    def full(self, shape, value):
        return np.full(shape, value)

    def detach(self, x):
        return x

    def split(self, count):
        return [self] * count


@over_defaults
def test_the_same_key_gives_the_same_parameters_and_parameters_differ(unit: Unit):
    first, second, other = (unit.init(jax.random.key(seed)) for seed in (1, 1, 2))
    for name, value in first.items():
        np.testing.assert_array_equal(value, second[name])
    random = [n for n, p in unit.parameters.items() if type(p.init).__name__ != "Constant"]
    assert all(np.any(first[n] != other[n]) for n in random)
    drawn = [np.asarray(first[n]).ravel()[0] for n in random]
    assert len(set(drawn)) == len(drawn)


@over_cases
def test_units_are_values(unit: Unit):
    again = type(unit)(**{f.name: getattr(unit, f.name) for f in fields(unit)})
    assert again == unit
    assert hash(again) == hash(unit)
    with pytest.raises(AttributeError):
        unit.in_features = 5  # pyright: ignore[reportAttributeAccessIssue]


@over_cases
def test_parameters_that_are_declared_are_used_in_32_bit_without_x64(unit: Unit):
    params = unit.init(jax.random.key(0), "float32")
    assert all(value.dtype == np.float32 for value in params.values())


def test_strict_arrays_are_strict():
    with pytest.raises(TypeError):
        _ = array_api_strict.asarray([1.0]) + np.asarray([1.0])
