"""The arithmetic dataset task: two layers, an operation on two subset sums of many inputs."""

from collections.abc import Callable, Iterator
from dataclasses import replace

from nalm.experiments.experiment import Cell, Experiment
from nalm.experiments.single_module import BEST_GATE_SCALE, BEST_GRADIENT_NOISE, NOISE_RANGES
from nalm.networks import Stack
from nalm.tasks import RANGES, Subsets, Task, Uniform, arithmetic_dataset
from nalm.tasks.published import subset_sizes
from nalm.training import Optimizer, Ramp, Recipe, Schedule
from nalm.units import MLP, NALU, NAU, NMU, SNMU, STGNMU, Unit, unit_class

STEPS, INPUTS = 5_000_000, 100
Penalties = tuple[tuple[str, Schedule], ...]


def discretised(scale: float) -> Penalties:
    """Return the penalty of the NMU."""
    return (("discretise", Ramp(scale, 1_000_000, 2_000_000)),)


LATE = discretised(10.0)
EARLY: Penalties = (("discretise", Ramp(0.01, 5000, 50_000)),)
SIX_OPS = ("mul", "div", "add", "sub", "root", "square")
PLAIN = Recipe(steps=STEPS)
MODELS: dict[str, tuple[str, str, Recipe]] = {
    "nmu": ("nau", "nmu", replace(PLAIN, penalties=LATE)),
    "nau": ("nau", "nau", replace(PLAIN, penalties=EARLY)),
    "nac": ("nac", "nac", PLAIN),
    "nac_mul": ("nac", "nac_mul", PLAIN),
    "nac_mul_sigma": ("nac", "nac_mul_sigma", PLAIN),
    "nac_mul_nmu": ("nau", "nac_mul_nmu", replace(PLAIN, penalties=LATE)),
    "nalu": ("nalu", "nalu", PLAIN),
    "gated_nau_nmu": ("gated_nau_nmu", "gated_nau_nmu", replace(PLAIN, penalties=LATE)),
    "linear": ("linear", "linear", PLAIN),
}
"""First layer, second layer and recipe of the models of the paper, by their name there."""
SWEPT = ("nac_mul", "nac_mul_sigma", "nalu", "nmu", "nac_mul_nmu", "gated_nau_nmu")
FIVE = ("nac_mul", "nac_mul_sigma", "nalu", "nmu", "nac_mul_nmu")
SIX_RANGES = ("U[-2,-1)", "U[-2,2)", "U[0.1,0.2)", "U[1,2)", "U[1.1,1.2)", "U[10,20)")
LENGTHS = {
    **dict.fromkeys((4, 10, 25, 50, 75, 100), STEPS),
    **dict.fromkeys((125, 150, 175, 200), 2 * STEPS),
    **dict.fromkeys((225, 250, 275, 300), 3 * STEPS),
}
"""Steps by the number of inputs."""
OPTIMISERS: dict[str, Recipe] = {
    "Adam": PLAIN,
    "SGD": replace(PLAIN, optimizer="sgd"),
    "SGD momentum 0.9": replace(PLAIN, optimizer=Optimizer("sgd", momentum=0.9)),
}
SUBSETS = ((2, 2), (3, 3), (4, 4), (5, 5), (2, 4), (3, 6), (4, 8), (5, 10))
"""How many subsets are multiplied, and how many hidden units there are."""


def two_layers(name: str, inputs: int = 100, hidden: int = 2) -> Stack:
    """Return a model of the paper."""
    first, second, _ = MODELS[name]
    return Stack((unit_class(first)(inputs, hidden), unit_class(second)(hidden, 1)))


def nau_then(second: Unit, inputs: int = 100) -> Stack:
    """Return a NAU that feeds a unit."""
    return Stack((NAU(inputs, second.in_features), second))


def table() -> Iterator[Cell]:
    """All models on six operations."""
    for op in SIX_OPS:
        task = arithmetic_dataset(op)
        for name, (_, _, recipe) in MODELS.items():
            yield Cell(name, two_layers(name), task, recipe)
        for activation in ("relu", "relu6"):
            model = MLP(100, 1, hidden=(2,), activation=activation)
            yield Cell(activation, model, task, PLAIN)


def ten_parameters() -> Iterator[Cell]:
    """(a + b)(a + b + c + d), which two layers have ten parameters for."""
    task = Task(Subsets("mul", spans=((0, 4), (0, 2))), 4, *RANGES["U[1,2)"])
    for name in ("nac_mul", "nalu", "nmu"):
        yield Cell(name, two_layers(name, 4), task, Recipe(steps=200_000))


def swept(
    values: dict[str, Task], steps: Callable[[Task], int] = lambda _: STEPS
) -> Iterator[Cell]:
    """The six models of the sweeps on several tasks."""
    for setting, task in values.items():
        for name in SWEPT:
            recipe = replace(MODELS[name][2], steps=steps(task))
            yield Cell(name, two_layers(name, task.inputs), task, recipe, setting)


def ranges() -> Iterator[Cell]:
    """Seven training ranges."""
    tasks = [arithmetic_dataset("mul", r) for r in SIX_RANGES]
    unit_range = replace(tasks[0], train=Uniform(0, 1), test=Uniform(1, 5))
    for task in [*tasks, unit_range]:
        yield from swept({"": task})


def hidden_sizes() -> Iterator[Cell]:
    """Two to ten hidden units."""
    for hidden in range(2, 11):
        for name in SWEPT:
            model = two_layers(name, hidden=hidden)
            yield Cell(name, model, arithmetic_dataset("mul"), MODELS[name][2], f"hidden {hidden}")


def regularisation() -> Iterator[Cell]:
    """The scale of the penalty."""
    for scale in (0.0, 0.01, 0.1, 1.0, 10.0, 100.0):
        for op, name, span in (
            ("add", "nau", (5000, 50_000)),
            ("sub", "nau", (5000, 50_000)),
            ("mul", "nmu", (1_000_000, 2_000_000)),
        ):
            recipe = replace(PLAIN, penalties=(("discretise", Ramp(scale, *span)),))
            yield Cell(name, two_layers(name), arithmetic_dataset(op), recipe, f"λ = {scale:g}")


def ablation() -> Iterator[Cell]:
    """The NMU without its clamp, its penalty, or both."""
    task = arithmetic_dataset("mul")
    for hidden in (2, 5, 10):
        free = Stack((NAU(100, hidden, clamp="forward"), NMU(hidden, 1, clamp="forward")))
        clamped = two_layers("nmu", hidden=hidden)
        for clamp, model in (("clamp", clamped), ("no clamp", free)):
            for penalty, scale in (("penalty", 10.0), ("no penalty", 0.0)):
                recipe = replace(PLAIN, penalties=discretised(scale))
                yield Cell("nmu", model, task, recipe, f"hidden {hidden}, {clamp}, {penalty}")


def gating() -> Iterator[Cell]:
    """A gate that is to choose between sum and product."""
    for op in ("add", "mul"):
        task = arithmetic_dataset(op)
        for weights in ("shared", "separate"):
            model = Stack((unit_class("nac")(100, 2), NALU(2, 1, weights=weights)))
            yield Cell(f"nalu {weights}", model, task, PLAIN)
        gated = nau_then(unit_class("gated_nau_nmu")(2, 1))
        yield Cell("gated_nau_nmu", gated, task, MODELS["nmu"][2])


def stochastic() -> Iterator[Cell]:
    """Noise for the NMU, nine ranges."""
    recipe = MODELS["nmu"][2]
    short = replace(recipe, steps=2_000_000)
    gates = replace(PLAIN, penalties=(*LATE, ("active", Ramp(BEST_GATE_SCALE, 0, 1))))
    noisy = replace(recipe, gradient_noise=BEST_GRADIENT_NOISE)
    for r in RANGES:
        task = arithmetic_dataset("mul", r)
        yield Cell("nmu", nau_then(NMU(2, 1)), task, recipe)
        yield Cell("snmu", nau_then(SNMU(2, 1)), task, short)
        yield Cell("snmu batch", nau_then(SNMU(2, 1, noise_range="batch")), task, short)
        yield Cell("stgnmu", nau_then(STGNMU(2, 1)), task, gates)
        yield Cell("nmu gradient noise", nau_then(NMU(2, 1)), task, noisy)


def noise_ranges() -> Iterator[Cell]:
    """The range of the sNMU's noise, nine ranges of inputs."""
    recipe = replace(MODELS["nmu"][2], steps=2_000_000)
    for r in RANGES:
        task = arithmetic_dataset("mul", r)
        for low, high in NOISE_RANGES:
            model = nau_then(SNMU(2, 1, noise_range=(low, high)))
            yield Cell("snmu", model, task, recipe, f"U[{low:g},{high:g}]")
        batch = nau_then(SNMU(2, 1, noise_range="batch"))
        yield Cell("snmu batch", batch, task, recipe)


def losses() -> Iterator[Cell]:
    """Other losses than the mean squared error, nine ranges."""
    changes = {
        "MSE": {},
        "PCC": {"loss": "pcc"},
        "MAPE": {"loss": "mape"},
        "PCC-MSE": {"loss": "pcc", "mse_from": 750_000},
    }
    for setting, change in changes.items():
        recipe = replace(MODELS["nmu"][2], **change)
        for r in RANGES:
            task = arithmetic_dataset("mul", r)
            yield Cell("nmu", nau_then(NMU(2, 1)), task, recipe, setting)
            yield Cell(
                "snmu", nau_then(SNMU(2, 1)), task, replace(recipe, steps=2_000_000), setting
            )


def input_sizes() -> Iterator[Cell]:
    """Four to 300 inputs."""
    tasks = {f"{n} inputs": arithmetic_dataset("mul", inputs=n) for n in LENGTHS}
    return swept(tasks, lambda task: LENGTHS[task.inputs])


def overlaps() -> Iterator[Cell]:
    """How much of a subset the two share."""
    ratios = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
    return swept({f"overlap {r:g}": arithmetic_dataset("mul", overlap_ratio=r) for r in ratios})


def subsets() -> Iterator[Cell]:
    """How many of the inputs a subset has."""
    ratios = (0.05, 0.1, 0.25, 0.5)
    return swept({f"subset {r:g}": arithmetic_dataset("mul", subset_ratio=r) for r in ratios})


def learning_rates() -> Iterator[Cell]:
    """Three optimizers at five rates, four operations."""
    for op in ("add", "sub", "mul", "div"):
        task = arithmetic_dataset(op)
        for optimizer, recipe in OPTIMISERS.items():
            for rate in (1e-5, 1e-4, 1e-3, 1e-2, 1e-1):
                changed, setting = replace(recipe, learning_rate=rate), f"{optimizer}, {rate:g}"
                for name in ("nac", "nac_mul", "nalu"):
                    yield Cell(name, two_layers(name), task, changed, setting)


def subset_counts() -> Iterator[Cell]:
    """Products of two to five subset sums, with as many hidden units or twice as many.

    They begin at the first input: which inputs they are is the same to a model that draws all
    weights alike.
    """
    size, overlap = subset_sizes(INPUTS, 0.25, 0.5)
    for count, hidden in SUBSETS:
        starts = [k * (size - overlap) for k in range(count)]
        spans = tuple((start, start + size) for start in starts)
        task = Task(Subsets("mul", spans=spans), INPUTS, *RANGES["U[1,2)"])
        for name in FIVE:
            model = two_layers(name, hidden=hidden)
            setting = f"{count} subsets, hidden {hidden}"
            yield Cell(name, model, task, MODELS[name][2], setting)


EXPERIMENTS = (
    Experiment("ten-parameters", "The function of ten parameters", "madsen2020, table 1", 100,
               ten_parameters),
    Experiment("arithmetic-dataset", "Arithmetic dataset task: all models, six operations",
               "madsen2020, tables 2 and 6", 100, table),
    Experiment("arithmetic-dataset-ranges", "Arithmetic dataset task: seven ranges",
               "madsen2020, figure 3", 50, ranges),
    Experiment("arithmetic-dataset-hidden", "Arithmetic dataset task: hidden size",
               "madsen2020, figure 3", 50, hidden_sizes),
    Experiment("arithmetic-dataset-inputs", "Arithmetic dataset task: number of inputs",
               "madsen2020, figure 8", 50, input_sizes),
    Experiment("arithmetic-dataset-subset", "Arithmetic dataset task: size of the subsets",
               "madsen2020, figure 8", 50, subsets),
    Experiment("arithmetic-dataset-overlap", "Arithmetic dataset task: overlap of the subsets",
               "madsen2020, figure 8", 50, overlaps),
    Experiment("arithmetic-dataset-regularisation", "Arithmetic dataset task: scale of the penalty",
               "madsen2020, appendix C.6", 25, regularisation),
    Experiment("arithmetic-dataset-ablation", "NMU without clamp or penalty",
               "madsen2020, figure 7", 50, ablation),
    Experiment("gating", "Can a gate choose between sum and product?", "madsen2020, table 5",
               100, gating),
    Experiment("arithmetic-dataset-stochastic", "Arithmetic dataset task: noise for the NMU",
               "mistry2023, section 4.5", 20, stochastic,
               "λ and η are the best of stochastic-alternatives, as published; the published lists "
               "are only in figures."),
    Experiment("arithmetic-dataset-noise-ranges", "Arithmetic dataset task: sNMU noise ranges",
               "mistry2022robust, figure 5; mistry2023, figure 4.8", 25, noise_ranges,
               "The nine training ranges are those of the single module task, as the text implies; "
               "the noise ranges are those of the authors' code."),
    Experiment("arithmetic-dataset-losses", "Arithmetic dataset task: losses",
               "mistry2023, section 6.3.1", 20, losses),
    Experiment("arithmetic-dataset-learning", "Arithmetic dataset task: optimizer and rate",
               "madsen2020, authors' code", 25, learning_rates),
    Experiment("arithmetic-dataset-subset-count", "Arithmetic dataset task: number of subsets",
               "madsen2020, authors' code, unpublished", 25, subset_counts,
               "All models have the hidden size listed; the script leaves nac_mul_nmu at 2."),
)  # fmt: skip
