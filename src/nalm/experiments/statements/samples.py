"""Our runs of an experiment, as measured and as repetitions might give them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from nalm.sweeps.types import CellKey, CellSummary, Quantity

REPETITIONS = 4000


class Samples:
    """What cells came to: measured, and in random repetitions with as many runs.

    A repetition draws as many runs as there are, with replacement, from those of each cell. So 24
    of 25 successes may become 25, but 25 of 25 stay: what few runs never showed, no repetition
    shows. Cells are repeated independently, although their runs share seeds.

    Parameters
    ----------
    cells
        The cells that were trained for their published number of steps.
    repetitions
        How many repetitions are drawn.

    Examples
    --------
    >>> from nalm.sweeps import summarize
    >>> from nalm.sweeps.statistics import Outcome
    >>> key = CellKey("nmu", "mul", "U[1,2)", 2)
    >>> runs = [Outcome(i > 0, 3000, 0.0, 0.0, False) for i in range(25)]
    >>> rates = Samples([summarize(key, 50_000, runs)]).of(key, Quantity.RATE)
    >>> float(rates[0]), round(float((rates == 1).mean()), 1)
    (0.96, 0.4)
    """

    def __init__(self, cells: Iterable[CellSummary], repetitions: int = REPETITIONS) -> None:
        self.cells = {cell.key: cell for cell in cells if not cell.resized}
        self.repetitions = repetitions
        self._drawn: dict[tuple[CellKey, Quantity], np.ndarray | None] = {}

    def of(self, key: CellKey, quantity: Quantity) -> np.ndarray | None:
        """Return a quantity of a cell: as measured, then of each repetition.

        None where there is no such cell, or too little was kept of its runs.
        """
        if (key, quantity) not in self._drawn:
            cell = self.cells.get(key)
            self._drawn[key, quantity] = None if cell is None else self._draw(cell, quantity)
        return self._drawn[key, quantity]

    def runs(self, key: CellKey) -> int:
        """Return how many runs a cell has."""
        return self.cells[key].runs

    def _draw(self, cell: CellSummary, quantity: Quantity) -> np.ndarray | None:
        seed = crc32(f"{cell.key} {quantity}".encode())
        generator = np.random.default_rng(seed)
        if quantity is Quantity.RATE:
            solved = cell.successes if cell.equal is None else cell.equal
            return self._rates(generator, solved, cell.runs)
        kept: dict[Quantity, tuple[Sequence[float], Callable[..., Any]]] = {
            Quantity.MEDIAN_SOLVED_AT: (cell.solved_at_each, np.median),
            Quantity.SOLVED_AT: (cell.solved_at_each, np.mean),
            Quantity.SPARSITY: (cell.sparsity_each, np.mean),
            Quantity.TEST_ERROR: (cell.test_each, np.median),
            Quantity.VALIDATION_ERROR: (cell.validation_each, np.median),
        }
        return self._values(generator, *kept[quantity]) if quantity in kept else None

    def _rates(self, generator: np.random.Generator, solved: int, runs: int) -> np.ndarray:
        repeated = generator.binomial(runs, solved / runs, self.repetitions)
        return np.concatenate([[solved], repeated]) / runs

    def _values(
        self, generator: np.random.Generator, values: Sequence[float], of: Callable[..., Any]
    ) -> np.ndarray | None:
        if not values:
            return None
        x = np.asarray(values, float)
        chosen = generator.integers(0, x.size, (self.repetitions, x.size))
        return np.concatenate([[of(x)], of(x[chosen], axis=1)])
