"""Published worked examples: units with given weights, computed beside the printed numbers.

Mistry 2023, tables 6.1 and 6.2, and those of `worked_steps`. Nothing is trained; every outcome is
what our units compute from the printed weights.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from nalm.experiments.worked_steps import steps
from nalm.networks import Stack, between_affine
from nalm.units import NAU, NMU

Numbers = Mapping[str, np.ndarray]
Printed = Mapping[str, tuple[str, ...]]
"""Numbers by name, each with the digits it is printed with."""

FEYN = {
    "scale": ("0.649115", "0.261765"),
    "mean": ("2.15035", "5.67394"),
    "y_scale": ("11.9184",),
}
"""2 / (max x - min x), the mean of x, and (max y - min y) / 2 of the batch of table 6.1."""
SCALED: dict[str, Printed] = {
    "fixed NMU": {
        **FEYN,
        "w_in": ("0.784557", "0.669749"),
        "b_in": ("1.09510", "0.994739"),
        "weight": ("1", "1"),
        "w_out": ("0.939748",),
        "b_out": ("1.46041e-8",),
    },
    "learnt NMU": {
        **FEYN,
        "w_in": ("1.46126", "2.13898"),
        "b_in": ("0.631827", "0.765059"),
        "weight": ("0.415312", "0.293096"),
        "w_out": ("1.29786",),
        "b_out": ("-1.29726e-8",),
    },
}
"""Table 6.1: the scaling parameters and weights with which an NMU multiplies scaled inputs."""
QUANTITIES = (
    "x̂1: factor of x1",
    "x̂1: constant",
    "x̂2: factor of x2",
    "x̂2: constant",
    "z: factor of x1 x2",
    "ŷ: factor of x1 x2",
    "ŷ: factor of x1",
    "ŷ: factor of x2",
    "ŷ: constant",
)
COEFFICIENTS = {
    "fixed NMU": (
        "0.509268", "-1.19209e-7", "0.175317", "-1.19209e-7", "0.0892834",
        "1", "1.74057e-7", "2.3408e-7", "1.74057e-7",
    ),
    "learnt NMU": (
        "0.948526", "-1.40783", "0.559912", "-2.41185", "0.0646477",
        "1", "-1.81602e-7", "-3.02613e-7", "-1.54613e-7",
    ),
}  # fmt: skip
"""What the text beside table 6.1 prints of them; the sign of two constants is printed both ways."""
SELECTIONS = {
    "selection right, weights right": ((0, 1, 1, 0), (0, 0, 1, 1)),
    "selection right, one weight 0.9": ((0, 0.9, 1, 0), (0, 0, 1, 1)),
    "selection wrong, one weight 0.9": ((0, 0, 1, 0.9), (0, 0, 1, 1)),
}
"""Table 6.2: weights of the NAU that should give (x2 + x3)(x3 + x4) with an NMU."""
INPUTS = ((1.0, 2.0, 3.0, 4.0), (1.11, 1.12, 1.13, 1.14))
OUTPUTS = {
    "selection right, weights right": (("35", "0"), ("5.1075", "0")),
    "selection right, one weight 0.9": (("33.6", "1.4"), ("4.85326", "0.25424")),
    "selection wrong, one weight 0.9": (("46.2", "11.2"), ("4.89412", "0.21338")),
}
"""Output and absolute error that table 6.2 prints for each of the inputs."""


@dataclass(frozen=True)
class WorkedExample:
    """One number of a worked example."""

    table: str
    case: str
    quantity: str
    computed: float
    printed: float
    rounding: float
    """How far the two may be apart, because all printed numbers are rounded."""

    @property
    def agrees(self) -> bool:
        """Whether they are no further apart than rounding explains."""
        return abs(self.computed - self.printed) <= self.rounding


def worked_examples() -> tuple[WorkedExample, ...]:
    """Return every printed number: computed, printed, and how far apart they may be.

    >>> example = [e for e in worked_examples() if e.table == "table 6.2"][-1]
    >>> example.quantity, round(example.computed, 9), example.printed, example.agrees
    ('absolute error at (1.11, 1.12, 1.13, 1.14)', 0.21338, 0.21338, True)
    """
    stepwise = (
        _example(step.table, step.case, step.quantity, step.computed, printed=step.printed)
        for step in steps()
    )
    return (*_scaled_products(), *_selections(), *stepwise)


def scaled_product(p: Numbers, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the scaled inputs, the output of the NMU and the prediction of table 6.1's model."""
    model = between_affine(NMU(2, 1))
    params = (
        {"weight": p["w_in"], "bias": p["b_in"]},
        {"weight": p["weight"][None, :]},
        {"weight": p["w_out"], "bias": p["b_out"]},
    )
    scaled = (x - p["mean"]) * p["scale"]
    first, product, _ = model.layers
    inputs = first(params[0], scaled)
    return inputs, product(params[1], inputs), model(params, scaled) * p["y_scale"]


def _scaled_products() -> Iterator[WorkedExample]:
    for case, printed in SCALED.items():
        computed, rounding = _propagated(_coefficients, printed)
        for row in zip(QUANTITIES, computed, COEFFICIENTS[case], rounding, strict=True):
            quantity, value, text, bound = row
            yield _example(
                "table 6.1", case, quantity, float(value), printed=text, rounding=float(bound)
            )


def _coefficients(p: Numbers) -> np.ndarray:
    """Return the coefficients that `QUANTITIES` names, from the model's values at four corners."""
    inputs, z, y = scaled_product(p, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    origin, right, up, corner = y[:, 0]
    return np.array(
        [
            inputs[1, 0] - inputs[0, 0],
            inputs[0, 0],
            inputs[2, 1] - inputs[0, 1],
            inputs[0, 1],
            z[3, 0] - z[1, 0] - z[2, 0] + z[0, 0],
            corner - right - up + origin,
            right - origin,
            up - origin,
            origin,
        ]
    )


def _selections() -> Iterator[WorkedExample]:
    model = Stack((NAU(4, 2), NMU(2, 1)))
    for case, rows in SELECTIONS.items():
        params = ({"weight": np.array(rows, float)}, {"weight": np.ones((1, 2))})
        for x, (output, error) in zip(INPUTS, OUTPUTS[case], strict=True):
            y = float(model(params, np.array(x))[0])
            off = abs(y - (x[1] + x[2]) * (x[2] + x[3]))
            yield _example("table 6.2", case, f"output at {x}", y, printed=output)
            yield _example("table 6.2", case, f"absolute error at {x}", off, printed=error)


def _example(
    table: str, case: str, quantity: str, computed: float, *, printed: str, rounding: float = 1e-12
) -> WorkedExample:
    bound = rounding + _half_digit(printed)
    return WorkedExample(table, case, quantity, computed, float(printed), bound)


def _propagated(
    f: Callable[[Numbers], np.ndarray], printed: Printed
) -> tuple[np.ndarray, np.ndarray]:
    """Return `f` of the printed numbers, and how far rounding each of them may move it."""
    numbers = {name: np.array([float(text) for text in texts]) for name, texts in printed.items()}
    value = f(numbers)
    moved = np.zeros_like(value)
    for name, texts in printed.items():
        for i, text in enumerate(texts):
            step = np.zeros(len(texts))
            step[i] = _half_digit(text)
            ends = [f(numbers | {name: numbers[name] + sign * step}) for sign in (-1, 1)]
            moved += np.max(np.abs(np.stack(ends) - value), axis=0)
    return value, moved


def _half_digit(text: str) -> float:
    """Return half of the last printed digit; whole numbers are exact."""
    exponent = Decimal(text).as_tuple().exponent
    return 0.5 * 10.0 ** int(exponent) if exponent else 0.0
