"""Table 7.3 of the thesis: mean squared errors of networks, averaged over compositions.

One run of each composition is published. So ours is an interval: one run is drawn of each
composition and their errors are averaged; 95 % of 4,000 such draws are within it.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nalm.experiments.composition import tasks
from nalm.sweeps.statistics import Interval, Verdict
from nalm.sweeps.types import CellSummary, Quantity

SOURCE = "mistry2023, table 7.3"
DRAWS = 4000
PRINTED: dict[str, tuple[str, str]] = {
    "mlp": ("0.002", "233.012"),
    "quadratic 5": ("0.001", "724.276"),
    "quadratic 2": ("0.001", "558.707"),
    "stack inac-imnac": ("4.071", "140.695"),
    "gated inac-imnac": ("0.148", "832.505"),
    "stack nau-real_npu": ("0.39", "2320.03"),
    "gated nau-real_npu": ("0.031", "189.576"),
    "stack nau-nmu": ("2.815", "574.419"),
    "gated nau-nmu": ("0.067", "32.491"),
    "recurrent inac-imnac": ("4.071", "416.987"),
    "recurrent nau-real_npu": ("3.891", "396.292"),
    "recurrent nau-nau-nmu": ("0.196", "136.472"),
    "frozen": ("0.891", "99.76"),
}
"""Errors inside and outside the training range, by network."""
WITHOUT_DIVISION = {"stack nau-nmu", "gated nau-nmu", "recurrent nau-nau-nmu"}
"""Networks whose print averages the nine compositions that they can express."""


@dataclass(frozen=True)
class CompositionError:
    """A printed mean error of a network beside ours."""

    network: str
    quantity: Quantity
    printed: float
    rounding: float
    """Half of the last printed digit."""
    ours: Interval | None
    """None where a composition was not run, or its errors were not kept."""
    source: str = SOURCE

    @property
    def verdict(self) -> Verdict:
        """Whether the printed one is within ours."""
        if self.ours is None:
            return Verdict.INCOMPARABLE
        low, high = self.ours
        within = low - self.rounding <= self.printed <= high + self.rounding
        return Verdict.AGREES if within else Verdict.DIFFERS


def composition_errors(cells: Iterable[CellSummary]) -> list[CompositionError]:
    """Return the 26 printed errors beside ours.

    Parameters
    ----------
    cells
        The cells of the experiment `composition`.
    """
    found = {(cell.key.unit, cell.key.op): cell for cell in cells if not cell.resized}
    errors = []
    for network, printed in PRINTED.items():
        ops = [op for op in tasks(2) if network not in WITHOUT_DIVISION or "div" not in op]
        mine = [found.get((network, op)) for op in ops]
        quantities = (Quantity.VALIDATION_ERROR, Quantity.TEST_ERROR)
        for quantity, text in zip(quantities, printed, strict=True):
            kept = [_each(cell, quantity) for cell in mine]
            ours = _interval([values for values in kept if values]) if all(kept) else None
            rounding = 0.5 * 10.0 ** -len(text.partition(".")[2])
            errors.append(CompositionError(network, quantity, float(text), rounding, ours))
    return errors


def _each(cell: CellSummary | None, quantity: Quantity) -> tuple[float, ...]:
    if cell is None:
        return ()
    return cell.test_each if quantity is Quantity.TEST_ERROR else cell.validation_each


def _interval(errors: list[tuple[float, ...]]) -> Interval:
    """Return where the mean of one run of each composition is, 95 % of the time."""
    generator = np.random.default_rng(0)
    drawn = [generator.choice(values, DRAWS) for values in errors]
    low, high = np.quantile(np.mean(drawn, axis=0), [0.025, 0.975])
    return Interval(float(low), float(high))
