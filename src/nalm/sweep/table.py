"""Cells with their statistics: rates with intervals, never without the number of runs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan
from statistics import median
from typing import Any

from nalm.errors import InputError
from nalm.stats import Outcome, gamma_mean, median_interval, sparsity_mean, wilson
from nalm.stats.intervals import known

Place = tuple[str, str, str, int, str]


@dataclass(frozen=True)
class Table:
    """One row per model, operation, range and setting."""

    rows: list[dict[str, Any]]
    notes: tuple[str, ...] = ()
    """What a reader of the rows should know."""

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as plain dictionaries."""
        return [dict(row) for row in self.rows]

    def to_pandas(self) -> Any:
        """Return the rows as a pandas DataFrame, where pandas is installed."""
        try:
            import pandas as pd  # pyright: ignore[reportMissingImports]
        except ModuleNotFoundError:
            raise InputError("to_pandas needs pandas: pip install pandas.") from None
        return pd.DataFrame(self.rows)

    def __str__(self) -> str:
        return "\n".join([*map(_line, self.rows), *self.notes])


def _line(row: dict[str, Any]) -> str:
    setting = f" {row['setting']}" if row["setting"] else ""
    setting += f" {row['inputs']} inputs" if row["inputs"] != 2 else ""
    return (
        f"{row['unit']:<16} {row['op']:<5} {row['range']:<14} {row['successes']:>3} of "
        f"{row['runs']:<3} {row['rate']:.2f} [{row['low']:.2f}, {row['high']:.2f}]{setting}"
    )


def rows_of(judged: Iterable[tuple[Place, Outcome]]) -> list[dict[str, Any]]:
    """Return a row per place, in the order of their first runs."""
    cells: dict[Place, list[Outcome]] = {}
    for place, outcome in judged:
        cells.setdefault(place, []).append(outcome)
    return [_row(place, outcomes) for place, outcomes in cells.items()]


def _row(place: Place, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    unit, op, range_name, inputs, setting = place
    solved = [o for o in outcomes if o.success]
    low, high = wilson(len(solved), len(outcomes))
    steps = [float(o.solved_at or 0) for o in solved]
    sparsity = [o.sparsity for o in solved if not isnan(o.sparsity)]
    solved_at, (sparse, kind) = gamma_mean(steps), sparsity_mean(sparsity)
    middle = median_interval(steps)
    equal = _equal(outcomes)
    return {
        "unit": unit,
        "op": op,
        "range": range_name,
        "inputs": inputs,
        "setting": setting,
        "runs": len(outcomes),
        "successes": len(solved),
        "rate": len(solved) / len(outcomes),
        "low": low,
        "high": high,
        "equal": equal,
        "equal_low": None if equal is None else wilson(equal, len(outcomes)).low,
        "equal_high": None if equal is None else wilson(equal, len(outcomes)).high,
        "solved_equal": None if equal is None else sum(bool(o.equal) for o in solved),
        "diverged": sum(o.diverged for o in outcomes),
        "median_solved_at": median(steps) if steps else None,
        "median_solved_at_low": known(middle.low),
        "median_solved_at_high": known(middle.high),
        "solved_at": known(solved_at.mean),
        "solved_at_low": known(solved_at.interval.low),
        "solved_at_high": known(solved_at.interval.high),
        "median_sparsity": median(sparsity) if sparsity else None,
        "sparsity": known(sparse.mean),
        "sparsity_low": known(sparse.interval.low),
        "sparsity_high": known(sparse.interval.high),
        "sparsity_interval": kind if sparsity else None,
        "solved_at_each": steps,
        "sparsity_each": sparsity,
    }


def _equal(outcomes: Sequence[Outcome]) -> int | None:
    """Return how many runs learnt their target by algebra; None where none is compared."""
    if all(o.equal is None for o in outcomes):
        return None
    return sum(bool(o.equal) for o in outcomes)
