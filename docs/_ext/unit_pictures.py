"""A picture for each unit: its loss over two of its weights; of a baseline, what it predicts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import nalm
from nalm import plots
from nalm.tasks import Task, Uniform
from nalm.units import REGISTRY, Unit

ENDS, POINTS = (-2.0, 2.0), 41
SQUARE = Task(lambda x: x * x, train=Uniform(1, 3), test=Uniform(3, 9), name="x²")
"""What networks fit in their training range only."""
DRAWN_FROM = ("units", "plots", "_internal")
"""The folders of the package whose code decides how a picture looks."""


@dataclass(frozen=True)
class Drawn:
    """What the picture of a unit shows."""

    unit: Unit
    op: str
    weights: tuple[str, str]
    low: float
    high: float

    def picture(self) -> plots.Picture:
        """Return the loss over the two weights."""
        task = Task(self.op, train=Uniform(self.low, self.high))
        title = f"{type(self.unit).__name__}: loss of {self.op}"
        return plots.landscape(
            self.unit, task, weights=self.weights, first=ENDS, points=POINTS, title=title
        )

    def caption(self) -> str:
        """Return what it shows, in sentences."""
        first, second = self.weights
        others = sum(map(_size, self.unit.exact(self.op).values())) > len(self.weights)
        return (
            f"The loss of {self.op} over `{first}` and `{second}`, for inputs between {self.low:g} "
            f"and {self.high:g}{', with the other parameters exact' * others}. Darker is lower; "
            f"the arrows point downhill. {self._exact()}"
        )

    def _exact(self) -> str:
        params = self.unit.exact(self.op)
        values = [_element(params, name) for name in self.weights]
        if all(ENDS[0] <= value <= ENDS[1] for value in values):
            return "The mark is at exact weights; there can be others."
        return (
            f"The parameters that we call exact, {values[0]:.3g} and {values[1]:.3g}, are beyond "
            "the axes: what this unit computes comes close to the operation as they grow."
        )


def _size(value: object) -> int:
    return int(getattr(value, "size", 1))


def _element(params: Mapping[str, object], name: str) -> float:
    """Return a number such as `weight[0,1]` of some parameters."""
    found = re.fullmatch(r"(\w+)\[([\d,]+)\]", name)
    assert found is not None
    return float(params[found[1]][tuple(map(int, found[2].split(",")))])  # type: ignore[index]


@dataclass(frozen=True)
class Choice:
    """How the picture of a unit differs from the others."""

    weights: tuple[str, str] | None = None
    low: float = 1.0
    high: float = 2.0
    options: Mapping[str, int] = field(default_factory=dict)


CHOICES = {
    "gated_nau_nmu": Choice(("mul_weight[0,0]", "mul_weight[0,1]")),
    "inalu": Choice(("mul_w_hat[0,0]", "mul_w_hat[0,1]")),
    "nlrl": Choice(("weight[0,0]", "weight[0,1]"), low=0.0, high=1.0),
    "nsr": Choice(("sign_weight[0,0]", "bias[0]"), low=-5.0, high=5.0, options={"redundancy": 1}),
}


def drawn(name: str) -> Drawn | None:
    """Return what is drawn of a unit; None of a baseline that computes no operation."""
    choice = CHOICES.get(name, Choice())
    unit = REGISTRY[name](2, 1, **choice.options)
    if not unit.ops:
        return None
    first = next(iter(unit.parameters))
    weights = choice.weights or (f"{first}[0,0]", f"{first}[0,1]")
    op = "mul" if "mul" in unit.ops else unit.ops[0]
    return Drawn(unit, op, weights, choice.low, choice.high)


def caption(name: str) -> str:
    """Return what the picture of a unit shows."""
    found = drawn(name)
    if found is not None:
        return found.caption()
    return "One run, trained on the square of the numbers in the shaded range: it is wrong outside."


def picture(name: str) -> plots.Picture:
    """Return the picture of a unit."""
    found = drawn(name)
    if found is not None:
        return found.picture()
    return square(name)


def square(*names: str) -> plots.Picture:
    """Return what units predict that were trained on the square of small numbers, one run each."""
    return plots.predictions(
        names,
        SQUARE,
        changes={"steps": 5000},
        labels=[REGISTRY[name].__name__ for name in names],
        ends=(0.5, 9.0),
        workers=1,
        title="Trained on x² between 1 and 3",
    )


def draw(folder: Path) -> None:
    """Write the pictures that are missing or older than the code that draws them."""
    source = Path(nalm.__file__).parent
    code = [Path(__file__), *(p for room in DRAWN_FROM for p in (source / room).rglob("*.py"))]
    newest = max(path.stat().st_mtime for path in code)
    made = {folder / "units" / f"{name}.svg": partial(picture, name) for name in REGISTRY}
    made[folder / "square.svg"] = partial(square, "mlp", "real_npu")
    for path, drawing in made.items():
        if not path.exists() or path.stat().st_mtime < newest:
            drawing().save(path)
