"""What runs learnt, as formulas of the inputs of their tasks, or why there is none."""

from typing import TYPE_CHECKING, Any

import numpy as np

from nalm.errors import NalmError
from nalm.networks import Composite, Model
from nalm.networks.layers import flatten, layers, unflatten
from nalm.tasks import Task
from nalm.training import Recipe
from nalm.training.run import Curves

if TYPE_CHECKING:
    import sympy

UNKNOWN = "none: the custom code of this model is not defined here, or it has changed since"
SCALED = "none: the model sees scaled inputs, so its weights are no formula of the inputs"
CONTINUOUS = "none: it has no discrete weights"
UNDECIDED = "none: weights or gates not discrete"
Names = tuple[str, ...] | None
"""The names of inputs; None for x1, x2, ..."""
NETWORK = 2
"""So many layers make a network."""
LONG = 60
"""Formulas of more operations are left as they are."""
SAMPLES = 100
"""Inputs for which a gate that depends on them must be decided, of training and of the test."""


class Formulas:
    """Reads what runs learnt; runs of a task whose rounded weights are equal share a formula."""

    def __init__(self) -> None:
        self._read: dict[Any, str] = {}
        self._samples: dict[Task, np.ndarray] = {}

    def text(self, model: Model | None, task: Task, recipe: Recipe, curves: Curves) -> str:
        """Return the formula at the best validation error, or why there is none.

        Targets that are compared by algebra are read at the end of training, as `Verdicts` does.
        """
        if model is None:
            return UNKNOWN
        if recipe.scaling is not None:
            return SCALED
        if not has_formula(model):
            return CONTINUOUS
        params = weights_read(task, curves)
        try:
            weights = flatten(model, model.effective(unflatten(model, params)))
        except (NalmError, KeyError):
            return UNKNOWN
        rounded = tuple((n, np.round(v, 2).tobytes()) for n, v in sorted(weights.items()))
        key = model, task, rounded
        if key not in self._read:
            self._read[key] = _formula(model, params, task.input_names, self._inputs(task))
        return self._read[key]

    def expression(self, model: Model, task: Task, curves: Curves) -> "sympy.Basic | None":
        """Return the formula as a sympy expression; None if the weights are not discrete."""
        params = unflatten(model, weights_read(task, curves))
        try:
            (expression,) = model.formula(params, task.input_names, x=self._inputs(task))
        except NalmError:
            return None
        return simplest(expression)

    def _inputs(self, task: Task) -> np.ndarray:
        if task not in self._samples:
            self._samples[task] = _samples(task)
        return self._samples[task]


def has_formula(model: Model) -> bool:
    """Tell whether the weights of a model can be read as a formula: all layers are discrete."""
    return all(layer.discrete or not layer.parameters for layer in layers(model).values())


def weights_read(task: Task, curves: Curves) -> dict[str, np.ndarray]:
    """Return the parameters that the formula of a run is read from."""
    return curves.final if task.compared else curves.best


def _samples(task: Task) -> np.ndarray:
    uniform = np.random.default_rng(0).random((SAMPLES, task.inputs))
    parts = (task.train, task.test)
    return np.concatenate([part.sample(uniform)[:, : task.inputs] for part in parts])


def _formula(model: Model, params: dict[str, np.ndarray], names: Names, x: np.ndarray) -> str:
    try:
        (expression,) = model.formula(unflatten(model, params), names, x=x)
    except NalmError:
        return UNDECIDED + _nearest(model, params, names, x)
    return str(simplest(expression))


def simplest(expression: Any) -> Any:
    """Return the shorter of an expression and its factors, so that equal formulas look alike.

    >>> from sympy.abc import a, b, c
    >>> simplest(-c * (-a - b)), simplest(a + b)
    (c*(a + b), a + b)
    """
    import sympy

    if expression.count_ops() > LONG:
        return expression
    try:
        factored = sympy.factor(expression)
    except sympy.PolynomialError:
        return expression
    return min(expression, factored, key=lambda e: e.count_ops())


def _nearest(model: Model, params: dict[str, np.ndarray], names: Names, x: np.ndarray) -> str:
    """Return what a network of several units would be with its weights and gates rounded."""
    if not isinstance(model, Composite) and len(layers(model)) < NETWORK:
        return ""
    try:
        (expression,) = model.formula(unflatten(model, params), names, tolerance=0.5, x=x)
    except NalmError:
        return ""
    weights = flatten(model, model.effective(unflatten(model, params)))
    gates = [v for n, v in weights.items() if n.endswith("gate") and np.any((v > 0.1) & (v < 0.9))]
    partial = "".join(f"; gates {np.array2string(v, precision=2)}" for v in gates)
    return f"; rounded: {simplest(expression)}{partial}"
