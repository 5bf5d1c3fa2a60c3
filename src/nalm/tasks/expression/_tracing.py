"""From a Python function to an expression, through JAX."""

import inspect
from collections.abc import Callable
from math import isfinite
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from nalm.errors import InputError, NalmError
from nalm.tasks.expression._expression import Expression
from nalm.tasks.expression._primitives import PRIMITIVES

CALLS = {"jit", "pjit", "closed_call", "custom_jvp_call", "custom_vjp_call", "checkpoint", "remat2"}
SAME = {"copy", "copy_p", "stop_gradient", "reshape", "squeeze", "broadcast_in_dim"}
"""Primitives that leave a single number as it is."""
SUPPORTED = (
    "arithmetic, roots, powers, exponential and trigonometric functions, comparisons and "
    "numpy.where"
)


def trace(function: Callable[..., Any], inputs: int | None = None) -> Expression:
    """Return a function of numbers as data.

    Parameters
    ----------
    function
        Takes one number per argument and returns one. It may use Python operators, and functions
        of `numpy` or of `jax.numpy`. Arguments that have a default keep it; `*args` are all inputs.
    inputs
        How many numbers there are; by default as many as it has arguments.

    Returns
    -------
    Expression
        What it computes.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm.tasks import trace
    >>> trace(lambda a, b: np.sqrt(a) - b / 2).text
    'sqrt(a) - b/2'
    """
    names = _names(function, inputs)
    first, second = _traced(function, names), _traced(function, names)
    if first != second:
        raise InputError(
            f"{_title(function)} computes something else each time it is called. A task is a "
            "function of its inputs alone, without random numbers."
        )
    return first


def _title(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "The function" if name == "<lambda>" else f"The function {name}"


def _names(function: Callable[..., Any], inputs: int | None) -> tuple[str, ...]:
    """Return the names of the arguments that take inputs."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        count = getattr(function, "nin", inputs)
        if count is None:
            raise InputError(
                f"{_title(function)} does not say its arguments; pass inputs=."
            ) from None
        return tuple(f"x{i + 1}" for i in range(count))
    kinds = inspect.Parameter
    if any(p.kind is kinds.KEYWORD_ONLY and p.default is kinds.empty for p in parameters):
        raise InputError(
            f"{_title(function)} has a keyword argument without a default. Give it one."
        )
    places = (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    taken = [p.name for p in parameters if p.kind in places and p.default is kinds.empty]
    if any(p.kind is kinds.VAR_POSITIONAL for p in parameters):
        if inputs is None:
            raise InputError(f"{_title(function)} takes any number of arguments; pass inputs=.")
        taken += [f"x{i + 1}" for i in range(len(taken), inputs)]
    if inputs is not None and len(taken) > inputs:
        raise InputError(
            f"{_title(function)} takes {len(taken)} arguments ({', '.join(taken)}), but the task "
            f"has {inputs} inputs. Pass inputs={len(taken)} or more."
        )
    if not taken:
        raise InputError(
            f"{_title(function)} takes no argument, so there is nothing to learn from."
        )
    return tuple(taken)


def _traced(function: Callable[..., Any], names: tuple[str, ...]) -> Expression:
    import jax

    zeros = [np.float64(0)] * len(names)
    with _float64():
        try:
            closed = jax.make_jaxpr(lambda *x: _one(function, function(*x)))(*zeros)
        except jax.errors.TracerArrayConversionError:
            closed = _with_numpy(function, zeros)
        except Exception as error:
            raise _explained(function, error) from None
    return _Reader(_title(function), len(names)).read(closed, names)


def _float64() -> Any:
    """Return a context in which constants keep all their digits."""
    import jax
    import jax.experimental

    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    return jax.experimental.enable_x64()  # pyright: ignore[reportAttributeAccessIssue]


def _with_numpy(function: Callable[..., Any], zeros: list[Any]) -> Any:
    """Trace a function that calls NumPy: its arguments pass what is asked of them on to JAX."""
    import jax

    def called(*x: Any) -> Any:
        result = function(*(_Number(v) for v in x))
        return _one(function, result.value if isinstance(result, _Number) else result)

    try:
        return jax.make_jaxpr(called)(*zeros)
    except Exception as error:
        raise _explained(function, error) from None


class _Number(NDArrayOperatorsMixin):
    """A traced number that functions of NumPy accept."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __array_ufunc__(self, ufunc: Any, method: str, *args: Any, **options: Any) -> Any:
        if method != "__call__":
            return NotImplemented
        return _passed("numpy", ufunc.__name__, args, options)

    def __array_function__(self, called: Any, _types: Any, args: Any, options: Any) -> Any:
        return _passed(called.__module__, called.__name__, args, options)

    def __bool__(self) -> bool:
        raise InputError("branch")

    def __float__(self) -> float:
        raise InputError("float")

    __int__ = __index__ = __float__  # pyright: ignore[reportAssignmentType]


def _passed(module: str, name: str, args: Any, options: Any) -> Any:
    import jax.numpy as jnp

    function = getattr(jnp, name, None) if module == "numpy" else None
    if function is None:
        raise InputError(f"{module}.{name} is not supported in a task; use {SUPPORTED}.")
    own = [arg.value if isinstance(arg, _Number) else arg for arg in args]
    return _Number(function(*own, **options))


def _one(function: Any, result: Any) -> Any:
    """Return the result, if it is one number."""
    import jax.numpy as jnp

    kind = type(result).__name__
    if result is None or isinstance(result, tuple | list | dict | set | str):
        kind = "None" if result is None else f"a {kind}"
        raise InputError(f"{_title(function)} returns one number; it returned {kind}.")
    try:
        value = jnp.asarray(result)
    except Exception:
        raise InputError(f"{_title(function)} returns one number; it returned {kind}.") from None
    if value.shape != () or value.dtype.kind not in "fiub":
        raise InputError(
            f"{_title(function)} returns one real number; it returned shape {value.shape} of "
            f"{value.dtype}."
        )
    return value


def _explained(function: Any, error: Exception) -> Exception:
    """Return the sentence about what went wrong in a function."""
    import jax

    title, text = _title(function), str(error)
    if isinstance(error, jax.errors.TracerBoolConversionError) or text == "branch":
        return InputError(
            f"{title} branches on a value (if, and, or, max, min). Use numpy.where, "
            "numpy.maximum or numpy.minimum instead."
        )
    if isinstance(error, jax.errors.JAXTypeError) or text == "float" or "_Number" in text:
        return InputError(
            f"{title} asks for the value of an input, as functions of math do. Use those of numpy "
            "or of jax.numpy, one of the two in one function."
        )
    if isinstance(error, NalmError):
        vars(error).pop("__notes__", None)  # JAX's note on its frames would end the message
        return error.with_traceback(None)
    first = text.splitlines()[0] if text else ""
    return InputError(f"{title} cannot be computed: {type(error).__name__}: {first}")


class _Reader:
    """Turns equations of JAX into steps; equal steps are one."""

    def __init__(self, title: str, inputs: int) -> None:
        self.title, self.inputs = title, inputs
        self.steps: dict[tuple[Any, ...], int] = {}

    def read(self, closed: Any, names: tuple[str, ...]) -> Expression:
        """Return the expression of a function of so many numbers."""
        (result,) = self._equations(closed.jaxpr, closed.consts, list(range(self.inputs)))
        if closed.out_avals[0].dtype == bool:
            result = self._step("truth", result)
        return Expression(names, tuple(self.steps), result)

    def _step(self, *step: Any) -> int:
        return self.steps.setdefault(step, self.inputs + len(self.steps))

    def _constant(self, value: Any) -> int:
        if np.shape(value) != ():
            raise InputError(
                f"{self.title} works with an array of shape {np.shape(value)}; a task is a "
                "function of single numbers."
            )
        number = float(value)
        return self._step("number", number if isfinite(number) else repr(number))

    def _equations(self, jaxpr: Any, consts: Any, leaves: list[int]) -> list[int]:
        from jax.extend.core import Literal

        known: dict[Any, int] = {}

        def number_of(atom: Any) -> int:
            return self._constant(atom.val) if isinstance(atom, Literal) else known[atom]

        known.update(zip(jaxpr.constvars, map(self._constant, consts), strict=True))
        known.update(zip(jaxpr.invars, leaves, strict=True))
        for equation in jaxpr.eqns:
            operands = [number_of(atom) for atom in equation.invars]
            known.update(zip(equation.outvars, self._equation(equation, operands), strict=True))
        return [number_of(atom) for atom in jaxpr.outvars]

    def _equation(self, equation: Any, operands: list[int]) -> list[int]:
        name, params = equation.primitive.name, equation.params
        for inner in ("jaxpr", "call_jaxpr"):
            if name in CALLS and inner in params:
                body = params[inner]
                return self._equations(
                    getattr(body, "jaxpr", body), getattr(body, "consts", ()), operands
                )
        if any(out.aval.shape != () for out in equation.outvars):
            raise InputError(
                f"{self.title} makes an array ({name}); a task is a function of single numbers."
            )
        step = self._special(equation, operands)
        if step is None and name in PRIMITIVES:
            step = self._step(name, *operands)
        if step is not None:
            return [step]
        raise InputError(
            f"{self.title} uses {name}, which a task cannot have. It may use {SUPPORTED}."
        )

    def _special(self, equation: Any, operands: list[int]) -> int | None:
        """Return the value of an equation that is not a step by its own name."""
        name = equation.primitive.name
        step = None
        if name in SAME:
            step = operands[0]
        elif name == "convert_element_type":
            step = self._converted(equation, operands[0])
        elif name == "integer_pow":
            step = self._step("pow", operands[0], self._constant(equation.params["y"]))
        elif name == "select_n":
            which, other, chosen = operands
            step = self._step("where", which, chosen, other)
        elif name == "clamp":
            low, x, high = operands
            step = self._step("min", self._step("max", x, low), high)
        elif name == "add" and (zero := self.steps.get(("number", 0.0))) in operands:
            step = next((operand for operand in operands if operand != zero), operands[0])
        return step

    def _converted(self, equation: Any, operand: int) -> int:
        before, after = equation.invars[0].aval.dtype, equation.outvars[0].aval.dtype
        if before.kind == "b" and after.kind != "b":
            return self._step("truth", operand)
        if before.kind == "f" and after.kind in "iu":
            return self._step("trunc", operand)
        return operand
