"""Division by one unit: the experiments of Mistry's division papers, two and ten inputs."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nalm.experiments.experiment import Cell, Experiment
from nalm.experiments.single_module import FIXED
from nalm.tasks import (
    RANGES,
    Benford,
    Distribution,
    Halves,
    Subsets,
    Task,
    TruncatedNormal,
    Uniform,
    Union,
    single_module,
)
from nalm.training import Growth, Ramp, Recipe
from nalm.training.published import published_recipe
from nalm.units import NMRU, NPU, NRU, RealNPU, Unit

SIZES = (2, 10)
PLUS, MINUS = Uniform(2, 6), Uniform(-6, -2)
MIXED: dict[str, tuple[Distribution, Distribution]] = {
    "1": (Halves(Uniform(-2, -0.1), Uniform(0.1, 2)), Halves(MINUS, PLUS)),
    "2": (Halves(Uniform(-2, -1), Uniform(1, 2)), Halves(MINUS, PLUS)),
    "3": (Uniform(-2, 2), Union(MINUS, PLUS)),
    "4": (Halves(Uniform(0.1, 2), Uniform(-2, -0.1)), Halves(PLUS, MINUS)),
    "5": (Halves(Uniform(1, 2), Uniform(-2, -1)), Halves(PLUS, MINUS)),
}
"""The sets of operands with different signs, by their number: training and test."""
OTHERS: tuple[tuple[Distribution, Distribution], ...] = (
    (Benford(10, 100), Benford(100, 1000)),
    (TruncatedNormal(-1.0, 3.0, -5.0, 10.0), TruncatedNormal(-10.0, 3.0, -15.0, -5.0)),
    (TruncatedNormal(0.0, 1.0, -5.0, 5.0), TruncatedNormal(10.0, 1.0, 5.0, 15.0)),
    (TruncatedNormal(1.0, 3.0, -10.0, 5.0), TruncatedNormal(10.0, 3.0, 5.0, 15.0)),
    (Uniform(-50, 50), Union(Uniform(-100, -50), Uniform(50, 100))),
    (Uniform(-100, 100), Union(Uniform(-200, -100), Uniform(100, 200))),
)
BETAS = (
    (1e-11, 1e-9),
    (1e-9, 1e-7),
    (1e-8, 1e-6),
    (1e-7, 1e-5),
    (1e-5, 1e-3),
    (1e-3, 1e-1),
    (1e-1, 10.0),
)
SMALL = (1e-4, 1e-3, 1e-2, 1e-1, 1.0)


def gold_threshold(model: Unit, target: Subsets, inputs: Distribution) -> float:
    """Return the error of exact weights in float32, plus its rounding: what can be reached."""
    u = np.random.default_rng(0).random((10_000, model.in_features))
    x = inputs.sample(u).astype(np.float32)
    params = {n: np.asarray(v, np.float32) for n, v in model.exact(target.op).items()}
    y = model.forward(np, params, x, False, None)[:, 0]
    exact = target.values(x, target.subsets(model.in_features, 0).astype(np.float32))
    return float(np.mean((y - exact) ** 2) + np.finfo(np.float32).eps)


def tasks(inputs: int) -> list[Task]:
    """Return division over the nine ranges."""
    return [single_module("div", r, inputs) for r in RANGES]


def modified_recipe(inputs: int) -> Recipe:
    """Return the recipe of the modified Real NPU: sparse, then discrete."""
    ramp = (50_000, 75_000) if inputs > 2 else (40_000, 50_000)
    discrete = (("discretise", Ramp(1.0, *ramp)), ("discretise_gate", Ramp(1.0, *ramp)))
    recipe = published_recipe("real_npu", "div", inputs)
    return replace(recipe, penalties=(*recipe.penalties, *discrete))


def contenders(inputs: int) -> list[tuple[str, Unit, Recipe]]:
    """Return the three units for division with their recipes."""
    return [
        ("real_npu modified", RealNPU(inputs, 1, modified=True), modified_recipe(inputs)),
        ("nru", NRU(inputs, 1), published_recipe("nru", "div", inputs)),
        ("nmru", NMRU(inputs, 1), published_recipe("nmru", "div", inputs)),
    ]


def uniform() -> Iterator[Cell]:
    """The nine ranges."""
    for inputs in SIZES:
        baseline = ("real_npu", RealNPU(inputs, 1), published_recipe("real_npu", "div", inputs))
        for name, model, recipe in (baseline, *contenders(inputs)):
            for task in tasks(inputs):
                yield Cell(name, model, task, recipe, threshold=FIXED)


def mixed_signs() -> Iterator[Cell]:
    """Dividend and divisor of different signs."""
    for inputs in SIZES:
        for number, (train, test) in MIXED.items():
            task = Task("div", inputs, train, test)
            for name, model, recipe in contenders(inputs):
                yield Cell(name, model, task, recipe, f"set {number}", FIXED)


def distributions() -> Iterator[Cell]:
    """Benford numbers, truncated normal numbers, large ranges."""
    for inputs in SIZES:
        for train, test in OTHERS:
            for name, model, recipe in contenders(inputs):
                yield Cell(name, model, Task("div", inputs, train, test), recipe, threshold=FIXED)


def small_magnitudes() -> Iterator[Cell]:
    """Inputs near zero: 1/a from a, 1/a from a and b, a/b."""
    for width in SMALL:
        near = Uniform(0, width)
        for op, inputs in (("reciprocal", 1), ("reciprocal", 2), ("div", 2)):
            target = Subsets(op)
            task = Task(target, inputs, near, near)
            for name, model, recipe in contenders(inputs):
                if inputs == 1:
                    recipe = replace(recipe, steps=5000, penalties=())  # noqa: PLW2901
                yield Cell(name, model, task, recipe, threshold=gold_threshold(model, target, near))


def real_npu() -> Iterator[Cell]:
    """The Real NPU's modifications one by one, and the sweep of its L1 penalty."""
    recipe = published_recipe("real_npu", "div")
    modified = modified_recipe(2)
    (l1,) = recipe.penalties
    l2 = ("l2", Growth(1e-7, 1e-5))
    of_gate = tuple(term for term in modified.penalties if term[0] != "discretise")
    variants = [
        ("no penalty", RealNPU(2, 1), replace(recipe, penalties=())),
        ("l1", RealNPU(2, 1), recipe),
        ("l2", RealNPU(2, 1), replace(recipe, penalties=(l2,))),
        ("clip weight", RealNPU(2, 1, clip="w"), recipe),
        ("clip gate", RealNPU(2, 1, clip="g"), recipe),
        ("clip both", RealNPU(2, 1, clip="wg"), recipe),
        ("discretise gate", RealNPU(2, 1, clip="wg"), replace(modified, penalties=of_gate)),
        ("discretise", RealNPU(2, 1, clip="wg"), modified),
        ("constrained init", RealNPU(2, 1, clip="wg", initial="constrained"), recipe),
        (
            "all, no l1",
            RealNPU(2, 1, modified=True),
            replace(modified, penalties=modified.penalties[1:]),
        ),
        ("all", RealNPU(2, 1, modified=True), modified),
        ("all, {-1,0,1}", RealNPU(2, 1, modified=True, discretise="ternary"), modified),
    ]
    variants += [
        (f"all, rate {r:g}", RealNPU(2, 1, modified=True), replace(modified, learning_rate=r))
        for r in (5e-4, 5e-3, 5e-2, 5e-1)
    ]
    for first, last in BETAS:
        changed = replace(recipe, penalties=((l1[0], Growth(first, last)),))
        variants.append((f"β {first:g} to {last:g}", RealNPU(2, 1), changed))
    for setting, model, of_variant in variants:
        for task in tasks(2):
            yield Cell("real_npu", model, task, of_variant, setting, FIXED)
    redundant = (
        ("all", RealNPU(10, 1, modified=True)),
        ("all, {-1,0,1}", RealNPU(10, 1, modified=True, discretise="ternary")),
    )
    for setting, model in redundant:
        for task in tasks(10):
            yield Cell("real_npu", model, task, modified_recipe(10), setting, FIXED)


def nru() -> Iterator[Cell]:
    """The NRU's learning rate, the scale of its tanh, its sign apart."""
    for inputs in SIZES:
        recipe = published_recipe("nru", "div", inputs)
        variants = [
            *((f"rate {r:g}", NRU(inputs, 1), r) for r in (1e-3, 1e-2, 1e-1, 1.0)),
            *(
                (f"tanh scale {s:g}", NRU(inputs, 1, tanh_scale=s), recipe.learning_rate)
                for s in (1.0, 10.0, 100.0)
            ),
            ("separate sign", NRU(inputs, 1, sign="separate"), recipe.learning_rate),
        ]
        for setting, model, rate in variants:
            for task in tasks(inputs):
                changed = replace(recipe, learning_rate=rate)
                yield Cell("nru", model, task, changed, setting, FIXED)


def nmru() -> Iterator[Cell]:
    """What of the NMRU matters: its sign, clipping, a gate; its learning rate and optimizer."""
    recipe = published_recipe("nmru", "div", 10)
    plain, unsigned, gated = NMRU(10, 1), NMRU(10, 1, sign=False), NMRU(10, 1, gate=True)
    free = replace(recipe, clip_norm=None)
    (discretise,) = recipe.penalties
    of_gate = ("discretise_gate", Ramp(1.0, 50_000, 75_000))
    variants = [
        ("none", unsigned, free),
        ("sign only", plain, free),
        ("clip only", unsigned, recipe),
        ("sign and clip", plain, recipe),
        ("sign, clip and gate", gated, replace(recipe, penalties=(discretise, of_gate))),
        *((f"rate {r:g}", plain, replace(recipe, learning_rate=r)) for r in (1e-3, 1e-2, 1e-1)),
        *(
            (f"SGD, rate {r:g}", plain, replace(recipe, optimizer="sgd", learning_rate=r))
            for r in (1e-3, 1e-2, 1e-1)
        ),
    ]
    for setting, model, of_variant in variants:
        for task in tasks(10):
            yield Cell("nmru", model, task, of_variant, setting, FIXED)


def npu() -> Iterator[Cell]:
    """The NPU with complex weights, free or clipped and penalised, against the Real NPU."""
    recipe = modified_recipe(10)
    imaginary = ("imaginary", dict(recipe.penalties)["discretise"])
    penalised = replace(recipe, penalties=(*recipe.penalties, imaginary))
    free, clipped = (NPU(10, 1, clip=clip, initial="constrained") for clip in ("wg", "wig"))
    for task in tasks(10):
        yield Cell("npu", free, task, recipe, "no constraints", FIXED)
        yield Cell("npu", clipped, task, penalised, "clip and penalty", FIXED)
        yield Cell("real_npu modified", RealNPU(10, 1, modified=True), task, recipe, "", FIXED)


def losses() -> Iterator[Cell]:
    """Other losses than the mean squared error, with redundant inputs."""
    changes = {
        "MSE": {},
        "PCC": {"loss": "pcc"},
        "MAPE": {"loss": "mape"},
        "PCC-MSE": {"loss": "pcc", "mse_from": 50_000},
    }
    for setting, change in changes.items():
        for name, model, recipe in contenders(10):
            for task in tasks(10):
                yield Cell(name, model, task, replace(recipe, **change), setting, FIXED)


EXPERIMENTS = (
    Experiment(
        "division", "Division over nine ranges, 2 and 10 inputs", "mistry2022division, section 5",
        25, uniform,
    ),
    Experiment(
        "division-mixed-signs", "Division of operands with different signs",
        "mistry2023, table 5.2", 25, mixed_signs,
    ),
    Experiment(
        "division-distributions", "Division of Benford, truncated normal and large numbers",
        "mistry2023, table 5.3", 25, distributions,
    ),
    Experiment(
        "division-small", "Division near zero: 1/a, 1/a beside b, a/b", "mistry2023, section 5.8",
        25, small_magnitudes,
    ),
    Experiment(
        "division-real-npu", "Real NPU: each modification, L1 sweep, learning rates",
        "mistry2023, sections 5.4 and 5.9, appendix G.3", 25, real_npu,
    ),
    Experiment(
        "division-nru", "NRU: learning rate, tanh scale, separate sign",
        "mistry2023, appendices G.2, G.4 and G.7", 25, nru,
    ),
    Experiment(
        "division-nmru", "NMRU: ablation, learning rate, optimizer", "mistry2023, appendix G.6",
        25, nmru,
    ),
    Experiment(
        "division-npu", "NPU with complex weights, free or clipped and penalised",
        "mistry2023, appendix G.5", 25, npu,
    ),
    Experiment(
        "division-losses", "Division with the losses MSE, PCC, MAPE and PCC then MSE",
        "mistry2023, section 6.3.3", 25, losses,
        "The published switch from PCC to MSE is unknown; here half of the steps.",
    ),
)  # fmt: skip
