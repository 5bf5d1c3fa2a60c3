"""What runs learnt, as formulas of the inputs of their tasks, or why there is none."""

import json
from typing import Any

import numpy as np

from nalm.engine.run import Curves
from nalm.errors import NalmError
from nalm.networks import Composite, Model
from nalm.networks.layers import flatten, layers, unflatten
from nalm.specs import decode
from nalm.stats import Verdicts
from nalm.tasks import AnyTask, Composition, sample

UNKNOWN = (
    "none: the unit is not known here, or its file has changed since; name the file with "
    "--units FILE.py:CLASS"
)
SCALED = "none: the model sees scaled inputs, so its weights are no formula of the inputs"
CONTINUOUS = "none: it has no discrete weights"
UNDECIDED = "none: weights or gates not discrete"
NETWORK = 2
"""So many layers make a network."""
SAMPLES = 100
"""Inputs for which a gate that depends on them must be decided, of training and of the test."""


class Formulas:
    """Reads what runs learnt; runs of a task whose rounded weights are equal share a formula."""

    def __init__(self) -> None:
        self.read: dict[Any, str] = {}
        self.models: dict[str, Model | None] = {}
        self.samples: dict[str, np.ndarray] = {}
        self.tasks: dict[str, AnyTask] = {}
        self.verdicts = Verdicts()

    def model(self, text: str) -> Model | None:
        """Return the model of this JSON; None if it is not known here."""
        if text not in self.models:
            self.models[text] = _model(text)
        return self.models[text]

    def of(self, texts: dict[str, str], curves: Curves) -> str:
        """Return the formula at the best validation error, or why there is none.

        Of compositions it is that of the end of training, as `Verdicts` reads them.
        """
        model = self.model(texts["model"])
        if model is None:
            return UNKNOWN
        if json.loads(texts["recipe"])["scaling"] is not None:
            return SCALED
        if any(layer.parameters and not layer.discrete for layer in layers(model).values()):
            return CONTINUOUS
        try:
            composed = isinstance(self._task(texts["task"]), Composition)
            params = curves.final if composed else curves.best
            weights = flatten(model, model.effective(unflatten(model, params)))
        except (NalmError, KeyError):
            return UNKNOWN
        rounded = tuple((n, np.round(v, 2).tobytes()) for n, v in sorted(weights.items()))
        key = texts["model"], texts["task"], rounded
        if key not in self.read:
            self.read[key] = _formula(model, params, self._inputs(texts["task"]))
        return self.read[key]

    def equal(self, texts: dict[str, str], curves: Curves) -> bool | None:
        """Tell whether a run learnt its target by algebra; None where none is compared."""
        model = self.model(texts["model"])
        return None if model is None else self.verdicts.of(model, self._task(texts["task"]), curves)

    def _task(self, text: str) -> AnyTask:
        if text not in self.tasks:
            self.tasks[text] = decode(json.loads(text))
        return self.tasks[text]

    def _inputs(self, text: str) -> np.ndarray:
        if text not in self.samples:
            self.samples[text] = _samples(self._task(text))
        return self.samples[text]


def _samples(task: AnyTask) -> np.ndarray:
    uniform = np.random.default_rng(0).random((SAMPLES, task.inputs))
    return np.concatenate([sample(task.train, uniform), sample(task.test, uniform)])


def _model(text: str) -> Model | None:
    try:
        return decode(json.loads(text))
    except (NalmError, KeyError):
        return None


def _formula(model: Model, params: dict[str, np.ndarray], x: np.ndarray) -> str:
    try:
        (expression,) = model.formula(unflatten(model, params), x=x)
    except NalmError:
        return UNDECIDED + _nearest(model, params, x)
    return str(expression)


def _nearest(model: Model, params: dict[str, np.ndarray], x: np.ndarray) -> str:
    """Return what a network of several units would be with its weights and gates rounded."""
    if not isinstance(model, Composite) and len(layers(model)) < NETWORK:
        return ""
    try:
        (expression,) = model.formula(unflatten(model, params), tolerance=0.5, x=x)
    except NalmError:
        return ""
    weights = flatten(model, model.effective(unflatten(model, params)))
    gates = [v for n, v in weights.items() if n.endswith("gate") and np.any((v > 0.1) & (v < 0.9))]
    partial = "".join(f"; gates {np.array2string(v, precision=2)}" for v in gates)
    return f"; rounded: {expression}{partial}"
