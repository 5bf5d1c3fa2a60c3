"""Logic: boolean and fuzzy functions of two truth values, comparisons of two numbers.

A run succeeds when its root mean squared test error is below 0.005 (`nalm.tasks.TRUTH`).
"""

from collections.abc import Iterator
from dataclasses import replace

from nalm.experiments.experiment import Cell, Experiment
from nalm.networks import Model, Stack
from nalm.tasks import TRUTH, Grid, Near, Subsets, Task, Tied, Uniform, Union
from nalm.training import Decay, Recipe
from nalm.units import MLP, NLRL, NSR

FUNCTIONS: tuple[tuple[str, str, tuple[tuple[int, int], ...]], ...] = (
    ("and", "", ()),
    ("or", "", ()),
    ("not", "x, ", ((0, 1),)),
    ("not", "y, ", ((1, 2),)),
    ("xor", "", ()),
    ("mean", "", ()),
    ("and_not", "", ()),
    ("identity", "x, ", ((0, 1),)),
    ("identity", "y, ", ((1, 2),)),
    ("constant", "", ((0, 1),)),
)
"""The published functions of x and y: the operation, its operand where it has one, and where."""
COMPARISONS = ("gt", "ge", "lt", "le", "eq", "ne")
FUZZY = Recipe(0.1, batch=20, decay=Decay(10_000), input_noise=0.0025)
CONNECTED = Recipe(1e-3, batch=20, decay=Decay(10_000), input_noise=0.0025)
"""100 epochs of 500 batches; the rate is divided by 10 every 20 epochs."""
COMPARE = Recipe(loss="mae")
SCALES = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0)
SPACINGS = (1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5)


def rules(layers: int, hidden: int) -> Stack:
    """Return layers of logic rules with as many hidden units each."""
    inner = [NLRL(hidden, hidden)] * (layers - 2)
    return Stack((NLRL(2, hidden), *inner, NLRL(hidden, 1)))


def networks(hidden: int) -> Iterator[tuple[str, str, Model, Recipe]]:
    """Name, size, model and recipe of the networks with as many hidden units."""
    if hidden < 100:
        for layers in (2, 3):
            yield "nlrl", f"{layers} layers of {hidden}", rules(layers, hidden), FUZZY
    for layers in (2, 3, 4):
        model = MLP(2, 1, hidden=(hidden,) * (layers - 1))
        yield "mlp", f"{layers} layers of {hidden}", model, CONNECTED


def functions(*widths: int) -> Iterator[Cell]:
    """Logic rules and plain networks on ten functions of two truth values.

    Large networks are judged on 1000 samples, as published; 10,000 would take longer than training.
    """
    truths = Uniform(0, 1)
    for op, operand, spans in FUNCTIONS:
        task = Task(Subsets(op, spans=spans), 2, truths, truths)
        for hidden in widths:
            for name, size, model, recipe in networks(hidden):
                judged = recipe if hidden == 5 else replace(recipe, evaluation=1000)
                yield Cell(name, model, task, judged, operand + size, TRUTH**2)


def pairs(op: str, numbers: Grid) -> Grid | Tied:
    """Return two numbers, equal half of the time where equality is to be learnt."""
    if op not in {"eq", "ne"}:
        return numbers
    by_chance = numbers.step / (numbers.high - numbers.low + numbers.step)
    return Tied(numbers, (0.5 - by_chance) / (1 - by_chance))


def neighbours(op: str, first: Grid, step: float) -> Near:
    """Return a number and one at most five steps away, equal half of the time for equality."""
    if op not in {"eq", "ne"}:
        return Near(first, Grid(-5 * step, 5 * step, step))
    apart = Union(Grid(-5 * step, -step, step), Grid(step, 5 * step, step))
    return Near(first, Union(Grid(0.0, 0.0, step), apart))


def compare(op: str, numbers: Grid, magnitude: int) -> Task:
    """Return a comparison that is tested from 10^magnitude to 10^(magnitude + 1)."""
    step = numbers.step
    large = Grid(10.0**magnitude, 10.0 ** (magnitude + 1) - step, step)
    return Task(op, 2, pairs(op, numbers), neighbours(op, large, step))


def comparisons() -> Iterator[Cell]:
    """Six comparisons of whole numbers and of numbers with one decimal, tested ever farther out."""
    inputs = ((Grid(1.0, 9.0), 1.0, range(1, 6)), (Grid(1.0, 9.0, 0.1), 10.0, range(1, 5)))
    for numbers, scale, magnitudes in inputs:
        for op in COMPARISONS:
            for redundancy in (1, 10):
                model = NSR(2, 1, redundancy=redundancy, scale=scale)
                for magnitude in magnitudes:
                    setting = f"redundancy {redundancy}, test from 1e{magnitude}"
                    yield Cell("nsr", model, compare(op, numbers, magnitude), COMPARE, setting)


def scales() -> Iterator[Cell]:
    """The factor λ of the NSR against the distance δ of neighbouring numbers."""
    for op in ("gt", "eq"):
        for step in SPACINGS:
            train = pairs(op, Grid(step, float(f"{9 * step:g}"), step))
            task = Task(op, 2, train, neighbours(op, Grid(10.0, 99.0), step))
            for scale in SCALES:
                yield Cell("nsr", NSR(2, 1, scale=scale), task, COMPARE, f"λ = {scale:g}")


APART = (
    "One network per function; published ones learn all at once. Fresh samples instead of "
    "10,000 fixed ones. The MLP has a linear output and no dropout."
)
EXPERIMENTS = (
    Experiment(
        "nlrl-functions", "NLRL and MLP on ten boolean and fuzzy functions, 5 hidden units",
        "reimann2019, table of functions", 10, lambda: functions(5), APART,
    ),
    Experiment(
        "nlrl-functions-hidden", "NLRL and MLP on the ten functions: 25, 50, 100 hidden units",
        "reimann2019, table of functions", 10, lambda: functions(25, 50, 100), APART,
    ),
    Experiment(
        "nsr-comparisons", "NSR on six comparisons, far outside the training range",
        "faber2020, comparisons", 10, comparisons,
        "128 random pairs per step instead of all 81. Tests end where float32 rounds the "
        "difference of two numbers: whole numbers at 1e6, one decimal at 1e5; published ones at "
        "1e19 in float64.",
    ),
    Experiment(
        "nsr-scales", "NSR: factor of the difference against the spacing of the numbers",
        "faber2020, scaling", 10, scales,
        "128 random pairs per step instead of all 81.",
    ),
)  # fmt: skip
