"""Compositions: two and more steps of arithmetic, learnt by networks of units."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod

from nalm.experiments.experiment import Cell, Experiment
from nalm.formula.operations import CUMULATIVE
from nalm.networks import Frozen, Model, Recurrent, Stack, gated, scratchpad
from nalm.networks.layers import parameters
from nalm.tasks import composition
from nalm.training import Ramp, Recipe, Schedule, Snap
from nalm.units import IMNAC, INAC, MLP, NAU, NMU, Quadratic, RealNPU, Unit

INPUTS, HIDDEN, SLOTS = 4, 5, 2
STEPS, RAMP = 200_000, (100_000, 150_000)
WEIGHTS, GATES = 10.0, 5.0
"""The scales of the penalties of weights and of the gate of the Real NPU."""

POPULATION, FITTED, APART = 128, 60, 3
"""Starts of our network; steps before the first weight is set, and between two."""


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
        recipe = Recipe(optimizer="sgd", steps=STEPS, penalties=penalties(name))
        for op in tasks(2):
            yield Cell(name, model, composition(op), recipe)


def penalised_gates() -> Iterator[Cell]:
    """The gated NAU and NMU with the penalty of iNALU for their gates, on what they can express."""
    name = "gated nau-nmu"
    model = architectures()[name]
    for scale in (1.0, WEIGHTS):
        terms = (*penalties(name), ("saturate_gate", Ramp(scale, *RAMP)))
        recipe = Recipe(optimizer="sgd", steps=STEPS, penalties=terms)
        for op in (op for op in tasks(2) if "div" not in op):
            yield Cell(name, model, composition(op), recipe, f"gate penalty {scale:g}")


def ours(model: Model, population: int = POPULATION, snapping: bool = True) -> Recipe:
    """Return how a scratchpad is trained: second-order steps, restarts, weights set one by one."""
    size = sum(prod(parameter.shape) for parameter in parameters(model).values())
    steps = FITTED + APART * size
    return Recipe(
        optimizer="lm",
        steps=steps,
        log_every=steps,
        batch=64,
        population=population,
        snap=Snap(FITTED, APART) if snapping else None,
    )


def first_order(model: Model) -> Recipe:
    """Return the same with Adam, which is given forty times the steps."""
    recipe = ours(model).stretched(40 * ours(model).steps)
    return replace(recipe, optimizer="adam", learning_rate=1e-2, log_every=recipe.steps)


def beyond() -> Iterator[Cell]:
    """Our network on the compositions of two steps, and without each part of its training."""
    model = scratchpad("MAMA", INPUTS)
    recipes = {
        "": ours(model),
        "no restarts": ours(model, population=1),
        "no snapping": ours(model, snapping=False),
        "first order": first_order(model),
    }
    for setting, recipe in recipes.items():
        for op in tasks(2):
            yield Cell("scratchpad", model, composition(op), recipe, setting)


def thesis_stack() -> Iterator[Cell]:
    """A stack of the thesis, trained as our network is."""
    name = "stack nau-real_npu"
    model = architectures()[name]
    for op in tasks(2):
        yield Cell(name, model, composition(op), ours(model))


def longer(lines: str, steps: int) -> Iterator[Cell]:
    """Our network on all compositions of more steps."""
    for op in tasks(steps):
        task = composition(op)
        model = scratchpad(lines, task.inputs)
        yield Cell("scratchpad", model, task, ours(model))


EXPERIMENTS = (
    Experiment(
        "composition", "Two-step compositions, thirteen networks",
        "mistry2023, tables 7.3 to 7.6", 25, thesis,
        "One run is published, by an unknown criterion: formulas are listed, so it is compared "
        "with how many of ours read as the target at the end of training. Unwritten slots of "
        "scratchpads hold 1, choices start equal, gates start as in iNALU and 1/0 is 0 in the "
        "frozen selector: no source says.",
    ),
    Experiment(
        "composition-gates", "Two-step compositions, gated NAU and NMU with penalised gates",
        "nalm", 25, penalised_gates,
        "Whether the successes of table 7.4 need gates that a penalty closes or opens, as in iNALU "
        "(mistry2023, equation 2.10). The source does not say whether its gates are penalised.",
    ),
    Experiment(
        "composition-beyond", "Two-step compositions, our network and its training taken apart",
        "nalm", 25, beyond,
        "A scratchpad of four lines (product, sum, product, sum), second-order steps, 128 starts "
        "of which the smallest validation error counts, weights set to -1, 0 or 1 one by one.",
    ),
    Experiment(
        "composition-stack", "Two-step compositions, a stack of the thesis under our training",
        "nalm", 25, thesis_stack,
        "NAU, Real NPU, NAU, Real NPU, published as learning none of the sixteen. Second-order "
        "steps, 128 starts and weights set one by one, as in composition-beyond.",
    ),
    Experiment(
        "composition-three", "All 64 three-step compositions, our network", "nalm", 25,
        partial(longer, "MAMA", 3),
    ),
    Experiment(
        "composition-four", "All 256 four-step compositions, our network", "nalm", 5,
        partial(longer, "MAMAMA", 4),
    ),
)  # fmt: skip
