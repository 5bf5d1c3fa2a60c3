"""Arithmetic on 100 inputs with 100 hidden units: the set-up of the paper of the power units."""

from collections.abc import Iterator
from dataclasses import replace

from nalm.experiments.experiment import Cell, Experiment
from nalm.experiments.operands import RMSPROP
from nalm.experiments.single_module import FIXED
from nalm.networks import Stack
from nalm.tasks import Distribution, Uniform, arithmetic_dataset
from nalm.training import Growth, Recipe
from nalm.units import NALU, NAU, NMU, NPU, RealNPU

INPUTS, HIDDEN, STEPS = 100, 100, 100_000
SET_UPS: dict[str, tuple[Distribution, Distribution, float, Growth]] = {
    "add": (Uniform(-1, 1), Uniform(-4, 4), 1e-2, Growth(1e-5, 1e-4)),
    "mul": (Uniform(-1, 1), Uniform(-4, 4), 5e-3, Growth(1e-5, 1e-4)),
    "reciprocal": (Uniform(0, 0.5), Uniform(-0.5, 0.5), 5e-3, Growth(1e-9, 1e-7)),
    "root": (Uniform(0, 2), Uniform(0, 4), 5e-3, Growth(1e-6, 1e-4)),
}
"""Training and test range, learning rate and L1 penalty, by operation."""


def models() -> dict[str, Stack]:
    """Return the five networks of the paper."""
    second = {
        "npu": NPU(HIDDEN, 1),
        "real_npu": RealNPU(HIDDEN, 1),
        "naive npu": NPU(HIDDEN, 1, gate=False),
        "nmu": NMU(HIDDEN, 1),
    }
    found = {name: Stack((NAU(INPUTS, HIDDEN), unit)) for name, unit in second.items()}
    return found | {"nalu": Stack((NALU(INPUTS, HIDDEN), NALU(HIDDEN, 1)))}


def large_scale() -> Iterator[Cell]:
    """Four operations on subsets of half of the inputs that share a quarter."""
    for op, (train, test, rate, l1) in SET_UPS.items():
        task = arithmetic_dataset(op, inputs=INPUTS, subset_ratio=0.5, overlap_ratio=0.25)
        plain = Recipe(rate, steps=STEPS, optimizer=RMSPROP)
        penalised = replace(plain, penalties=(("l1", l1),))
        for name, model in models().items():
            recipe = penalised if "npu" in name else plain
            yield Cell(name, model, replace(task, train=train, test=test), recipe, "", FIXED)


EXPERIMENTS = (
    Experiment(
        "power-units-large", "100 inputs and 100 hidden units: power units, NMU and NALU",
        "heim2020, table 1; mistry2023, table 3.1", 10, large_scale,
        "Uniform samples instead of Sobol sequences; batches of 128, which no source states; L1 on "
        "the power units only. Published are medians of ten runs with their median absolute "
        "deviation, which is taken as the interval. Our criterion of success is 1e-5. The paper's "
        "simple task is not here: its network has four results (benchmarks/simple_arithmetic.py).",
    ),
)  # fmt: skip
