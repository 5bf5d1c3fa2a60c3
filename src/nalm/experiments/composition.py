"""Compositions: two and more steps of arithmetic, learnt by networks of units."""

from collections.abc import Iterator
from itertools import product

from nalm.engine.recipe import Ramp, Recipe, Schedule
from nalm.experiments.experiment import Cell, Experiment
from nalm.networks import Frozen, Model, Recurrent, Stack, gated
from nalm.operations import CUMULATIVE
from nalm.tasks import composition
from nalm.units import IMNAC, INAC, MLP, NAU, NMU, Quadratic, RealNPU, Unit

INPUTS, HIDDEN, SLOTS = 4, 5, 2
STEPS, RAMP = 200_000, (100_000, 150_000)
WEIGHTS, GATES = 10.0, 5.0
"""The scales of the penalties of weights and of the gate of the Real NPU."""


def npu(inputs: int, outputs: int) -> Unit:
    """Return the modified Real NPU."""
    return RealNPU(inputs, outputs, modified=True)


PAIRS = {"inac-imnac": (INAC, IMNAC), "nau-real_npu": (NAU, npu), "nau-nmu": (NAU, NMU)}


def architectures() -> dict[str, Model]:
    """Return the thirteen networks of the thesis, by name."""
    seen = INPUTS + SLOTS
    models: dict[str, Model] = {"mlp": MLP(INPUTS, 1, hidden=(16,) * 5)}
    for width in (HIDDEN, 2):
        layers = Quadratic(INPUTS, width), Quadratic(width, 1)
        models[f"quadratic {width}"] = Stack(layers)
    for name, (a, m) in PAIRS.items():
        models[f"stack {name}"] = Stack(
            (a(INPUTS, HIDDEN), m(HIDDEN, HIDDEN), a(HIDDEN, HIDDEN), m(HIDDEN, 1))
        )
        first, second = ((a(i, o), m(i, o)) for i, o in ((INPUTS, HIDDEN), (HIDDEN, 1)))
        models[f"gated {name}"] = Stack((gated(*first), gated(*second)))
    for name in ("inac-imnac", "nau-real_npu"):
        parts = tuple(make(seen, 1) for make in PAIRS[name])
        models[f"recurrent {name}"] = Recurrent(INPUTS, 1, parts * 2)
    parts = NAU(seen, 1), NAU(seen, 1), NMU(seen, 1)
    models["recurrent nau-nau-nmu"] = Recurrent(INPUTS, 1, parts)
    models["frozen"] = Frozen(INPUTS, 1)
    return models


def penalties(name: str) -> tuple[tuple[str, Schedule], ...]:
    """Return the penalties of a network: of its weights, and of gates where it has them."""
    terms: dict[str, tuple[tuple[str, Schedule], ...]] = {
        "imnac": (("saturate", Ramp(WEIGHTS, *RAMP)),),
        "nmu": (("discretise", Ramp(WEIGHTS, *RAMP)),),
        "npu": (("discretise", Ramp(WEIGHTS, *RAMP)), ("discretise_gate", Ramp(GATES, *RAMP))),
    }
    return next((found for unit, found in terms.items() if name.endswith(unit)), ())


def tasks(steps: int) -> list[str]:
    """Return the names of all compositions of so many steps."""
    return ["-".join(ops) for ops in product(CUMULATIVE, repeat=steps)]


def thesis() -> Iterator[Cell]:
    """The thirteen networks on the sixteen compositions of two steps."""
    for name, model in architectures().items():
        recipe = Recipe(optimiser="sgd", steps=STEPS, penalties=penalties(name))
        for op in tasks(2):
            yield Cell(name, model, composition(op), recipe)


EXPERIMENTS = (
    Experiment(
        "composition", "Two-step compositions, thirteen networks",
        "mistry2023, tables 7.3 to 7.6", 25, thesis,
        "In print is one run, its number of seeds and its criterion unknown; ours is the test "
        "error. Unwritten slots of scratchpads hold 1, choices start equal, gates start as in "
        "iNALU: no source says.",
    ),
)  # fmt: skip
