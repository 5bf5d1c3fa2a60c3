"""The recipes of the single module benchmark, one for each unit that was published with one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nalm.errors import InputError
from nalm.training.recipe import Recipe
from nalm.training.rules import Reinitialize
from nalm.training.schedules import Growth, Late, Ramp, Schedule

UNPUBLISHED = {
    "inac": "it was not benchmarked alone",
    "imnac": "it was not benchmarked alone",
    "stgnmu": "the scale of its penalty is in no source",
}
"""Units without a published recipe, and why."""


@dataclass(frozen=True)
class Size:
    """What a recipe takes from the size of its task."""

    steps: int
    ramp: tuple[int, int]
    """When the penalty for weights that are not discrete grows, in steps."""


SMALL, LARGE = Size(50_000, (20_000, 35_000)), Size(100_000, (50_000, 75_000))
"""The settings for two inputs, and for more."""
GROWTH, GROWTH_OF_QUOTIENTS, GROWN = 1e-7, 1e-9, 100
"""The first scale of the L1 penalty of power units, and by how much the last is larger."""
QUOTIENTS = {"div", "reciprocal"}


@dataclass(frozen=True)
class Published:
    """What the recipe of a unit changes of the common one."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    discretise: float | None = None
    """The scale of the penalty for weights that are not discrete."""
    l1: bool = False
    """Whether the L1 penalty grows."""
    large: Mapping[str, Any] = field(default_factory=dict)
    """What is different for more than two inputs."""


RECIPES: dict[str, Published] = {
    "nau": Published(discretise=0.01),
    "nmu": Published(discretise=10.0),
    "snmu": Published(discretise=10.0),
    "nac_mul_nmu": Published(discretise=10.0),
    "npu": Published({"learning_rate": 5e-3}, l1=True),
    "real_npu": Published({"learning_rate": 5e-3}, l1=True),
    "nru": Published({"learning_rate": 1.0}, discretise=10.0, large={"learning_rate": 1e-3}),
    "nmru": Published({"learning_rate": 1e-2, "clip_norm": 1.0}, discretise=10.0),
    "inalu": Published(
        {
            "steps": 50_000,
            "penalties": (("saturate", Late(1.0, after=10_000, below=1.0)),),
            "clip_value": 0.1,
            "reinitialize": Reinitialize(),
        }
    ),
}
"""The units whose recipe is not the common one."""


def published_recipe(unit: str, op: str, inputs: int = 2) -> Recipe:
    """Return the published recipe of a unit for an operation on so many inputs.

    Parameters
    ----------
    unit
        The name of a unit, such as "nmu".
    op
        The name of an operation, such as "mul".
    inputs
        The number of inputs of the unit.

    Returns
    -------
    Recipe

    Examples
    --------
    >>> from nalm.training import published_recipe
    >>> published_recipe("nmu", "mul").penalties
    (('discretise', Ramp(scale=10.0, start=20000, end=35000)),)
    """
    if unit in UNPUBLISHED:
        raise InputError(f"There is no published recipe for {unit} yet: {UNPUBLISHED[unit]}.")
    size = LARGE if inputs > 2 else SMALL
    chosen = RECIPES.get(unit, Published())
    penalties: tuple[tuple[str, Schedule], ...] = ()
    if chosen.discretise is not None:
        penalties = (("discretise", Ramp(chosen.discretise, *size.ramp)),)
    if chosen.l1:
        first = GROWTH_OF_QUOTIENTS if op in QUOTIENTS else GROWTH
        penalties = (("l1", Growth(first, GROWN * first)),)
    options: dict[str, Any] = {"steps": size.steps, "penalties": penalties, **chosen.fields}
    return Recipe(**options | dict(chosen.large if inputs > 2 else {}))
