"""Custom code that JAX traces: what is wrong with it, in one sentence."""

import linecache
import re
from collections.abc import Callable
from traceback import walk_tb
from typing import Any

from nalm.errors import InputError, NalmError

LIBRARIES = {"jax", "jaxlib", "numpy", "nalm", "array_api_compat"}
OUTSIDE = re.compile(r"\b(np|numpy|math)\.([\w.]+)\(")
"""A call of a function that is not one of xp."""


def shapes_of(what: str, function: Callable[..., Any], *examples: Any) -> Any:
    """Return the shapes of what a function of user code gives, by tracing it with JAX.

    Parameters
    ----------
    what
        What the code is, for messages: "quantile of Power".
    function
        The function.
    *examples
        Arrays like those that it will be called with, or dictionaries of them.
    """
    import jax

    try:
        return jax.eval_shape(function, *examples)
    except NalmError as error:
        vars(error).pop("__notes__", None)
        raise error.with_traceback(None) from None
    except jax.errors.TracerBoolConversionError:
        message = f"{what} branches on a value; use xp.where instead of if."
    except Exception as error:
        instead = _instead(error) if isinstance(error, TypeError) else None
        if isinstance(error, jax.errors.JAXTypeError):
            instead = instead or "use xp.sqrt, for example, not numpy.sqrt"
        first = str(error).partition("\n")[0]
        message = (
            f"{what} also runs with JAX, so it uses functions of xp only; {instead}."
            if instead
            else f"{what} cannot be computed: {type(error).__name__}: {first}"
        )
    raise InputError(message)


def _instead(error: Exception) -> str | None:
    """Say what to write instead of the function of NumPy or math that failed, if one did."""
    for frame, line in reversed(list(walk_tb(error.__traceback__))):
        if frame.f_globals.get("__name__", "").partition(".")[0] in LIBRARIES:
            continue
        found = OUTSIDE.search(linecache.getline(frame.f_code.co_filename, line))
        if found:
            module, name = found.groups()
            module = "numpy" if module == "np" else module
            return f"use xp.{name}, not {module}.{name}"
    return None
