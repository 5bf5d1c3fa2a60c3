"""What a unit refuses: inputs and parameters it cannot compute with, each with the fix."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj

from nalm._internal.checks import shown
from nalm._internal.ops import is_known_true, to_numpy
from nalm._internal.types import Array, Namespace, Params
from nalm.errors import InputError, ZeroDivisorError
from nalm.units._declare import Dividing, DividingInside, Noise, Stochastic

if TYPE_CHECKING:
    from nalm.units._contract import Contract


def namespace(unit: "Contract", x: Array) -> Namespace:
    """Return the array namespace of an input that fits the unit."""
    if not is_array_api_obj(x):
        raise InputError(
            f"{type(unit).__name__} takes an array of floating-point numbers; "
            f"received {type(x).__name__}. Convert it, for example with numpy.asarray(x)."
        )
    if isinstance(x, np.ma.MaskedArray):
        raise InputError("Masked values have no meaning here; leave those rows out with x[~mask].")
    xp = array_namespace(x)
    check_input(unit, xp, x)
    return xp


def check_input(unit: "Contract", xp: Namespace, x: Array) -> None:
    """Raise unless `x` holds floating-point numbers, the unit's number along the last axis."""
    if not _is_real_floating(xp, x):
        raise InputError(
            f"{type(unit).__name__} takes floating-point numbers; received {x.dtype}. "
            "Convert the input, for example with x.astype('float32') or x.float()."
        )
    if x.ndim == 0 or x.shape[-1] != unit.in_features:
        raise InputError(
            f"{type(unit).__name__}(in_features={unit.in_features}) takes inputs whose last "
            f"axis has length {unit.in_features}; received shape {tuple(x.shape)}."
        )


def _is_real_floating(xp: Namespace, x: Array) -> bool:
    try:
        return xp.isdtype(x.dtype, "real floating")
    except TypeError:  # NumPy does not know bfloat16, nor floating-point numbers of 8 bits
        return False


def parameters(unit: "Contract", params: Params) -> dict[str, Array]:
    """Return the parameters, in declared order, if they are those of the unit."""
    declared = unit.parameters
    if not isinstance(params, Mapping) or set(params) != set(declared):
        received = sorted(params) if isinstance(params, Mapping) else type(params).__name__
        raise InputError(
            f"{type(unit).__name__} takes a dictionary of the parameters {sorted(declared)}; "
            f"received {received}. unit.init(key) makes one."
        )
    arrays = {name: _array(name, params[name]) for name in declared}
    for name, array in arrays.items():
        if tuple(array.shape) != declared[name].shape:
            raise InputError(
                f"{name} of {unit!r} has shape {declared[name].shape}; "
                f"received {tuple(array.shape)}."
            )
    return arrays


def _array(name: str, values: Any) -> Array:
    """Return numbers as an array; those of an array library stay as they are."""
    if is_array_api_obj(values) and not isinstance(values, np.ndarray):
        return values
    try:
        array = np.asarray(values)
        if array.dtype.kind in "OUSMm":
            raise ValueError
    except ValueError:
        raise InputError(f"{name} is an array of numbers; received {shown(values)}.") from None
    return array


def parameters_like(unit: "Contract", xp: Namespace, params: Params, x: Array) -> dict[str, Array]:
    """Return the parameters as arrays of the library and the dtype of `x`."""
    return {
        name: xp.astype(value, x.dtype, copy=False)
        if array_namespace(value) is xp
        else xp.asarray(to_numpy(value), dtype=x.dtype)
        for name, value in parameters(unit, params).items()
    }


def noise(unit: "Contract", xp: Namespace, params: Params, x: Array, drawn: Array | None) -> None:
    """Raise unless the noise is the drawn array that a stochastic unit declares."""
    if not isinstance(unit, Stochastic):
        return
    shape = tuple(unit.draws(xp, params, x)[0])
    if isinstance(drawn, Noise) or drawn is None or tuple(drawn.shape) != shape:
        received = "none" if drawn is None else f"shape {tuple(drawn.shape)}"
        received = "its declaration" if isinstance(drawn, Noise) else received
        raise InputError(
            f"{type(unit).__name__} trains with noise of shape {shape} that the caller draws; "
            f"received {received}. Pass key=..., a JAX key or a NumPy generator, or the noise "
            "itself, noise=unit.noise(params, x).draw(key)."
        )


def refuse_zero_divisors(unit: "Contract", xp: Namespace, params: Params, x: Array) -> None:
    """Raise if the unit would divide by a zero of `x`; while tracing nothing is known."""
    if isinstance(unit, DividingInside) and is_known_true(xp.all((x == 0) | (x != 0))):
        unit.check_divisors(xp, params, x)
    if not isinstance(unit, Dividing) or not is_known_true(xp.any(x == 0)):
        return
    divided = (x == 0) & unit.divisors(xp, params, x)
    if is_known_true(xp.any(divided)):
        *row, column = (int(i[0]) for i in np.nonzero(np.asarray(divided)))
        where = f" (row {', '.join(map(str, row))})" if row else ""
        raise ZeroDivisorError(
            f"{type(unit).__name__} divides by input {column}, which is 0{where}. "
            "A divisor must not be zero: leave that row out or replace its zero. "
            "In training (train=True) the equation is computed as it stands."
        )
