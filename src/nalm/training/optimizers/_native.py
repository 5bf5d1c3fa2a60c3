"""The optimizers that are not optax's, as data; the engine has the code of their steps."""

from collections.abc import Mapping
from dataclasses import dataclass

from nalm.training.losses import LOSSES


@dataclass(frozen=True)
class Native:
    """An optimizer of nalm.

    Parameters
    ----------
    stepper
        Where its steps are computed, as `module:class`; see `nalm.training.engine.steps`.
    only
        Fields of a recipe that it can train with at these values alone.
    why
        A sentence that says so.
    """

    stepper: str
    only: Mapping[str, object]
    why: str


NATIVE: dict[str, Native] = {
    "lm": Native(
        "nalm.training.engine.second_order:SecondOrder",
        only={
            "loss": LOSSES["mse"],
            "scaling": None,
            "input_noise": 0.0,
            "penalties": (),
            "clip_norm": None,
            "clip_value": None,
            "gradient_noise": 0.0,
            "decay": None,
        },
        why="Second-order steps (lm) minimize the mean squared error of the model alone",
    ),
}
"""The optimizers of nalm, by name."""
