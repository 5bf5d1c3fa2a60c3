"""How the single module benchmark trains each unit."""

from dataclasses import replace
from typing import Any

from nalm.engine.recipe import Growth, Late, Ramp, Recipe, Reinitialise, Schedule
from nalm.errors import InputError

UNPUBLISHED = {
    "inac": "it was not benchmarked alone",
    "imnac": "it was not benchmarked alone",
    "stgnmu": "the scale of its penalty is in no source",
}


def published(unit: str, op: str, inputs: int = 2) -> Recipe:
    """Return the settings of the single module benchmark for a unit, an operation and a size."""
    if unit in UNPUBLISHED:
        raise InputError(f"There is no published recipe for {unit} yet: {UNPUBLISHED[unit]}.")
    long = inputs > 2
    steps = 100_000 if long else 50_000
    ramp = (50_000, 75_000) if long else (20_000, 35_000)
    growth = 1e-9 if op in {"div", "reciprocal"} else 1e-7
    l1 = (("l1", Growth(growth, 100 * growth)),)

    def discretise(scale: float) -> tuple[tuple[str, Schedule], ...]:
        return (("discretise", Ramp(scale, *ramp)),)

    settings: dict[str, dict[str, Any]] = {
        "nau": {"penalties": discretise(0.01)},
        "nmu": {"penalties": discretise(10.0)},
        "snmu": {"penalties": discretise(10.0)},
        "nac_mul_nmu": {"penalties": discretise(10.0)},
        "npu": {"learning_rate": 5e-3, "penalties": l1},
        "real_npu": {"learning_rate": 5e-3, "penalties": l1},
        "nru": {"learning_rate": 1e-3 if long else 1.0, "penalties": discretise(10.0)},
        "nmru": {"learning_rate": 1e-2, "penalties": discretise(10.0), "clip_norm": 1.0},
        "inalu": {
            "steps": 50_000,
            "penalties": (("saturate", Late(1.0, after=10_000, below=1.0)),),
            "clip_value": 0.1,
            "reinitialise": Reinitialise(),
        },
    }
    return replace(Recipe(steps=steps), **settings.get(unit, {}))
