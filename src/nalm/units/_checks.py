"""What a unit refuses: inputs and parameters it cannot compute with, each with the fix."""

from typing import TYPE_CHECKING

import numpy as np
from array_api_compat import array_namespace, is_array_api_obj

from nalm._ops import is_known_true
from nalm._types import Array, Namespace, Params
from nalm.errors import InputError, ZeroDivisorError
from nalm.units._declare import Dividing

if TYPE_CHECKING:
    from nalm.units._unit import Unit


def namespace(unit: "Unit", x: Array) -> Namespace:
    """Return the array namespace of an input that fits the unit."""
    if not is_array_api_obj(x):
        raise InputError(
            f"{type(unit).__name__} takes an array of floating-point numbers; "
            f"received {type(x).__name__}. Convert it, for example with numpy.asarray(x)."
        )
    xp = array_namespace(x)
    check_input(unit, xp, x)
    return xp


def check_input(unit: "Unit", xp: Namespace, x: Array) -> None:
    """Raise unless `x` holds floating-point numbers, the unit's number along the last axis."""
    if not xp.isdtype(x.dtype, "real floating"):
        raise InputError(
            f"{type(unit).__name__} takes floating-point numbers; received {x.dtype}. "
            "Convert the input, for example with x.astype('float32') or x.float()."
        )
    if x.ndim == 0 or x.shape[-1] != unit.in_features:
        raise InputError(
            f"{type(unit).__name__}(in_features={unit.in_features}) takes inputs whose last "
            f"axis has length {unit.in_features}; received shape {tuple(x.shape)}."
        )


def parameters_like(unit: "Unit", xp: Namespace, params: Params, x: Array) -> Params:
    """Return the parameters as arrays of the library and the dtype of `x`."""
    declared = unit.parameters
    if set(params) != set(declared):
        raise InputError(
            f"{type(unit).__name__} has the parameters {sorted(declared)}; "
            f"received {sorted(params)}."
        )
    arrays = {name: _array_like(xp, params[name], x) for name in declared}
    for name, array in arrays.items():
        if tuple(array.shape) != declared[name].shape:
            raise InputError(
                f"{name} of {unit!r} has shape {declared[name].shape}; "
                f"received {tuple(array.shape)}."
            )
    return arrays


def _array_like(xp: Namespace, value: Array, x: Array) -> Array:
    if is_array_api_obj(value) and array_namespace(value) is xp:
        return xp.astype(value, x.dtype, copy=False)
    return xp.asarray(value, dtype=x.dtype)


def refuse_zero_divisors(unit: "Unit", xp: Namespace, params: Params, x: Array) -> None:
    """Raise if the unit would divide by a zero of `x`; while tracing nothing is known."""
    if not isinstance(unit, Dividing) or not is_known_true(xp.any(x == 0)):
        return
    divided = (x == 0) & unit.divisors(xp, params, x)
    if is_known_true(xp.any(divided)):
        *row, column = (int(i[0]) for i in np.nonzero(np.asarray(divided)))
        where = f" (row {', '.join(map(str, row))})" if row else ""
        raise ZeroDivisorError(
            f"{type(unit).__name__} divides by input {column}, which is 0{where}. "
            "A divisor must not be zero: leave that row out or replace its zero."
        )
