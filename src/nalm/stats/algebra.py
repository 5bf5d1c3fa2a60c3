"""Whether a run learnt its target: read as a formula and compared by algebra, not by numbers."""

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from nalm.engine.run import Curves
from nalm.errors import InputError, NalmError
from nalm.networks import Model
from nalm.networks.layers import flatten, unflatten
from nalm.tasks import AnyTask, Composition

if TYPE_CHECKING:
    import sympy

POINT = (1.37, 2.11, 3.53, 1.73, 4.19, 2.87, 3.01, 1.09)
CLOSE = 1e-9
"""Where two expressions are compared, and how closely, before they are simplified."""


def same_function(a: "sympy.Basic", b: "sympy.Basic") -> bool:
    """Tell whether two expressions are equal for all positive values of their symbols.

    Positive, for that is what networks are trained on here: |x| and x are the same function.

    >>> from sympy.abc import x, y
    >>> same_function((x + y) ** 2 / (x + y), x + y), same_function(abs(x), x)
    (True, True)
    >>> same_function(x + y, x * y)
    False
    """
    import sympy

    for expression in (a, b):
        if not isinstance(expression, sympy.Expr):
            raise InputError(
                "Functions are compared as sympy expressions of numbers; received "
                f"{expression!r} ({type(expression).__name__}). Use sympy.sympify of a formula."
            )
    symbols: list[Any] = sorted(a.free_symbols | b.free_symbols, key=str)
    positive: Any = {s: sympy.Symbol(f"p{i}", positive=True) for i, s in enumerate(symbols)}
    first, second = (cast("sympy.Expr", expression.subs(positive)) for expression in (a, b))
    point: Any = {p: POINT[i % len(POINT)] + i for i, p in enumerate(positive.values())}
    there, wanted = (complex(expression.subs(point).evalf()) for expression in (first, second))
    if not abs(there - wanted) < CLOSE * abs(wanted):
        return False
    difference = first - second
    return sympy.cancel(sympy.together(difference)) == 0 or sympy.simplify(difference) == 0


class Verdicts:
    """Compares what runs learnt with their targets; runs with equal rounded weights share one."""

    def __init__(self) -> None:
        self.known: dict[Any, bool] = {}

    def of(self, model: Model, task: AnyTask, curves: Curves) -> bool | None:
        """Tell whether the formula of the weights at the end of training is the target.

        None where the task has no target to compare with; False where the run has no formula.
        Penalties that make weights discrete are at full scale in the end, so that is when a
        network is read, wherever its validation error was smallest.
        """
        if not isinstance(task, Composition):
            return None
        try:
            weights = flatten(model, model.effective(unflatten(model, curves.final)))
        except (NalmError, KeyError):
            return None
        rounded = tuple((name, np.round(v, 1).tobytes()) for name, v in sorted(weights.items()))
        key = model, task.ops, rounded
        if key not in self.known:
            self.known[key] = _is_target(model, task, curves.final)
        return self.known[key]


def _is_target(model: Model, task: Composition, params: dict[str, np.ndarray]) -> bool:
    try:
        (expression,) = model.formula(unflatten(model, params))
    except NalmError:
        return False
    return same_function(expression, task.expression())
