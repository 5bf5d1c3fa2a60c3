"""How far plain networks and NALUs carry: identity, sums of many operands, a signed sum.

The report this is from leaves learning rates, steps and the criterion open; these are ours.
"""

from collections.abc import Iterator
from dataclasses import replace

from nalm.experiments.experiment import Cell, Experiment
from nalm.tasks import Subsets, Task, Uniform
from nalm.training import Optimizer, Recipe, Reinitialize
from nalm.units import MLP, NAC, NALU

ACTIVATIONS = (
    "relu", "sigmoid", "tanh", "relu6", "leaky_relu", "elu", "selu", "prelu", "swish",
)  # fmt: skip
TRAIN, TEST = Uniform(20, 40), Uniform(0, 60)
RMSPROP = Optimizer("rmsprop", eps_in_sqrt=False)
"""As in PyTorch: epsilon is added to the root."""
RECIPE = Recipe(1e-3, steps=100_000, optimizer=RMSPROP, loss="huber")
SIGNS = (1, 1, -1, 1, -1, 1, -1, -1)
CLOSE = 1e-4
"""The test error of a success: within 0.01 of the target, root mean square."""


def each(signs: tuple[int, ...]) -> Task:
    """Return the signed sum of as many inputs as there are signs."""
    spans = tuple((i, i + 1) for i in range(len(signs)))
    return Task(Subsets("add", spans=spans, signs=signs), len(signs), TRAIN, TEST)


def identity() -> Iterator[Cell]:
    """A network that is to repeat its input, with nine activations."""
    task = Task(Subsets("add", spans=((0, 1),)), 1, Uniform(-10, 10), Uniform(-10, 20))
    for activation in ACTIVATIONS:
        model = MLP(1, 1, hidden=(8, 8), activation=activation)
        recipe = Recipe(1e-3, steps=50_000, optimizer="sgd")
        yield Cell("mlp", model, task, recipe, activation, CLOSE)


def sums() -> Iterator[Cell]:
    """NAC with one to ten operands, added or subtracted, and one signed sum of eight."""
    for count in range(1, 11):
        for setting, signs in (("sum", (1,) * count), ("difference", (1, *(-1,) * (count - 1)))):
            if count > 1 or setting == "sum":
                recipe = replace(RECIPE, learning_rate=1e-2)
                yield Cell(
                    "nac", NAC(count, 1), each(signs), recipe, f"{setting} of {count}", CLOSE
                )
    recipe = replace(RECIPE, learning_rate=1e-2)
    yield Cell("nac", NAC(8, 1), each(SIGNS), recipe, "signed sum of 8", CLOSE)


def nalu() -> Iterator[Cell]:
    """NALU with two and five operands, with and without reinitialisation."""
    ranges = Uniform(1, 2), Uniform(2, 6)
    spans = tuple((i, i + 1) for i in range(5))
    changed = replace(RECIPE, learning_rate=1e-2, reinitialize=Reinitialize())
    for setting, recipe in (("", replace(RECIPE, learning_rate=1e-2)), ("reinitialised", changed)):
        for op in ("add", "sub", "mul", "div", "root", "square"):
            yield Cell("nalu", NALU(2, 1), Task(op, 2, *ranges), recipe, setting, CLOSE)
        for op in ("add", "mul"):
            task = Task(Subsets(op, spans=spans), 5, *ranges)
            yield Cell("nalu", NALU(5, 1), task, recipe, setting, CLOSE)
        quotient = Task(lambda a, b, c, d, e: a / (b * c * d * e), 5, *ranges)
        yield Cell("nalu", NALU(5, 1), quotient, recipe, setting, CLOSE)
        signed = Subsets("add", spans=spans, signs=(1, -1, -1, -1, -1))
        difference = Task(signed, 5, *ranges)
        named = f"difference, {setting}" if setting else "difference"
        yield Cell("nalu", NALU(5, 1), difference, recipe, named, CLOSE)


EXPERIMENTS = (
    Experiment(
        "identity", "MLPs that repeat their input, nine activations", "student report, section 2",
        25, identity, "Rates, steps and the criterion (RMS error below 0.01) are ours.",
    ),
    Experiment(
        "nac-operands", "NAC with one to ten operands", "student report, section 3", 25, sums,
        "Rates, steps and the criterion (RMS error below 0.01) are ours. Published are "
        "accuracies of samples, 100 %, by a criterion that is not given: nothing to compare.",
    ),
    Experiment(
        "nalu-operands", "NALU with two and five operands, and reinitialisation",
        "student report, sections 4 and 5.1", 25, nalu,
        "Ranges, rates, steps and the criterion (RMS error below 0.01) are ours. "
        "Published are accuracies of samples, 18.7 to 100 %, by a criterion that is not given: "
        "nothing to compare. The quotient of five operands is a/(bcde), which the report does not "
        "define.",
    ),
)  # fmt: skip
