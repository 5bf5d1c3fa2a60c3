"""The single module task: one unit, one operation, nine ranges, 25 seeds.

Reference: Mistry, An Investigation into Neural Arithmetic Logic Modules, 2023, section 3.3.
"""

from collections.abc import Sequence
from dataclasses import replace

from nalm.engine.recipe import UNPUBLISHED, published
from nalm.engine.run import Run
from nalm.errors import InputError, UnknownNameError, unknown
from nalm.operations import operation
from nalm.tasks import RANGES, single_module
from nalm.units import REGISTRY, unit, unit_class

OPS = ("add", "sub", "mul", "div")
LEFT_OUT = {*UNPUBLISHED, "linear", "mlp", "quadratic", "product", "gated_nau_nmu"}
"""Units that the published benchmark does not have, or that need what the engine has not."""


def single_module_runs(
    units: Sequence[str] | None = None,
    ops: Sequence[str] = OPS,
    *,
    ranges: Sequence[str] | None = None,
    seeds: int = 25,
    steps: int | None = None,
    inputs: int = 2,
) -> list[Run]:
    """Return the runs of the benchmark: all units that can, unless some are named."""
    if seeds < 1:
        raise InputError(f"A benchmark has at least 1 seed; received {seeds}.")
    for name in ranges or ():
        if name not in RANGES:
            raise unknown("range", name, RANGES)
    runs = []
    for op in ops:
        for name in units if units is not None else _able(op, inputs):
            if op not in unit(name, inputs, 1).ops:
                raise UnknownNameError(
                    f"{name} cannot represent {operation(op).name}; these can: "
                    f"{', '.join(_able(op, inputs))}."
                )
            recipe = published(name, op, inputs)
            recipe = recipe if steps is None else replace(recipe, steps=steps)
            runs += [
                Run(unit_class(name)(inputs, 1), single_module(op, r, inputs), recipe, seed)
                for r in ranges or RANGES
                for seed in range(seeds)
            ]
    return runs


def _able(op: str, inputs: int) -> list[str]:
    operation(op)
    names = sorted(set(REGISTRY) - LEFT_OUT)
    return [name for name in names if op in unit(name, inputs, 1).ops]
