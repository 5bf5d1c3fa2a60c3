"""Every unit in every option: the cases that the common suite runs over.

Cases come from the registry and the annotations of the options, so a new unit is covered by
its registry line alone.
"""

from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import array_api_strict
import jax.numpy as jnp
import numpy as np
import torch

from nalm.units import REGISTRY, Unit

SIZES = (3, 2)
BACKENDS = {
    "numpy": np.asarray,
    "jax": jnp.asarray,
    "torch": lambda array: torch.from_numpy(np.array(array)),
    "strict": array_api_strict.asarray,
}
TIES = np.array([0.0, 0.5, -0.5, 1.0, -1.0])

# Options that annotations cannot enumerate.
EXTRA: dict[str, list[dict[str, Any]]] = {
    "snmu": [{"noise_range": (0.1, 0.5)}],
    "stgnmu": [{"sigma": 0.2}],
    "nru": [{"tanh_scale": 10.0}],
    "nsr": [{"redundancy": 1}, {"scale": 5.0}],
    "mlp": [{"hidden": (4, 5)}],
}


def variants(cls: type[Unit]) -> list[dict[str, Any]]:
    """Return the default options, then each enumerable option at each other value."""
    hints = get_type_hints(cls)
    found: list[dict[str, Any]] = [{}]
    for declared in fields(cls)[2:]:
        values = words(hints[declared.name])
        found += [{declared.name: value} for value in values if value != declared.default]
        if isinstance(declared.default, float | int) and not isinstance(declared.default, bool):
            tiny = 0 < declared.default < 1e-3
            found.append({declared.name: declared.default * 2 if tiny else declared.default + 1})
    return found + EXTRA.get(cls.name, [])


def words(hint: Any) -> tuple[Any, ...]:
    if hint is bool:
        return (True, False)
    if get_origin(hint) is Literal:
        return get_args(hint)
    return tuple(word for arg in get_args(hint) for word in words(arg))


def cases(sizes: tuple[int, int] = SIZES) -> list[Unit]:
    return [cls(*sizes, **options) for cls in REGISTRY.values() for options in variants(cls)]


CASES = cases()
DEFAULTS = [cls(*SIZES) for cls in REGISTRY.values()]
COMPILED = ("nau", "snmu", "npu", "nlrl")
"""Units that together have what others are made of: sums, products, noise, powers, logarithms."""


def random_params(unit: Unit, seed: int = 0) -> dict[str, np.ndarray]:
    """Return generic parameters: inside the bounds, away from every kink."""
    rng = np.random.default_rng(seed)
    params = {}
    for name, parameter in unit.parameters.items():
        low, high = parameter.bounds or (-1.0, 1.0)
        middle, radius = (low + high) / 2, (high - low) / 2
        params[name] = middle + radius * rng.uniform(-0.9, 0.9, parameter.shape)
    return params


def tie_params(unit: Unit, seed: int = 0) -> dict[str, np.ndarray]:
    """Return parameters that sit exactly on the kinks."""
    rng = np.random.default_rng(seed)
    return {name: rng.choice(TIES, p.shape) for name, p in unit.parameters.items()}


def random_input(unit: Unit, shape: tuple[int, ...] = (4,), seed: int = 0) -> np.ndarray:
    """Return inputs of both signs, or of [0, 1] for a unit that lives there."""
    rng = np.random.default_rng(100 + seed)
    low, high = (0.05, 0.95) if unit.domain.high == 1 else (-3.0, 3.0)
    return rng.uniform(low, high, (*shape, unit.in_features))


def noise_for(unit: Unit, params: Any, x: np.ndarray, seed: int = 0) -> np.ndarray | None:
    declared = unit.noise(params, x)
    return None if declared is None else declared.draw(np.random.default_rng(seed))


def trains_otherwise(unit: Unit) -> bool:
    """Tell whether a unit computes something else in training than outside of it."""
    params, x = random_params(unit), random_input(unit)
    noise = noise_for(unit, params, x)
    outputs = [unit.forward(np, params, x, train, noise) for train in (False, True)]
    return not np.array_equal(*outputs)


MODES = [(unit, False) for unit in CASES]
MODES += [(unit, True) for unit in CASES if trains_otherwise(unit)]
"""Every case, and those that compute something else in training once more."""
