"""What is checked of a custom distribution before anything is drawn from it."""

from dataclasses import fields

import numpy as np

from nalm._internal.custom import is_custom
from nalm._internal.traced import shapes_of
from nalm.errors import InputError, NalmError
from nalm.tasks.distributions._distribution import Distribution

EXAMPLE = np.array([[0.1, 0.5, 0.9], [0.2, 0.4, 0.6]])
"""Uniform numbers."""


def check_custom(distribution: Distribution, inputs: int) -> None:
    """Raise unless custom distributions, parts too, run with JAX and NumPy and keep the shape."""
    for field in fields(distribution):  # pyright: ignore[reportArgumentType]
        part = getattr(distribution, field.name)
        if isinstance(part, Distribution):
            check_custom(part, inputs)
    if is_custom(type(distribution)):
        _check(distribution, inputs)


def _check(distribution: Distribution, inputs: int) -> None:
    import jax.numpy as jnp

    what = f"{distribution.written} of {type(distribution).__name__}"
    u = [EXAMPLE.astype(np.float32)] * inputs
    traced = shapes_of(what, lambda u: distribution.inputs(jnp, u), u)
    try:
        with np.errstate(all="ignore"):
            computed = distribution.inputs(np, [EXAMPLE] * inputs)
    except NalmError:
        raise
    except Exception as error:
        raise InputError(f"{what} cannot be computed: {type(error).__name__}: {error}") from None
    for x in (*traced, *computed):
        if np.shape(x) != EXAMPLE.shape:
            raise InputError(
                f"{what} gives one input for each number of u, in the shape of u; for u of shape "
                f"{EXAMPLE.shape} it gave {np.shape(x)}."
            )
    if bad := [x[~np.isfinite(x)][0] for x in computed if not np.isfinite(x).all()]:
        raise InputError(
            f"{what} gives a finite number for every u in [0, 1); it gave {bad[0]} for some. "
            "Correct its formula."
        )
