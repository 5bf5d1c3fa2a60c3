"""Plan, execute, store, judge: the same call continues where it stopped."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from nalm.engine.plan import blocks
from nalm.engine.run import Curves, Run
from nalm.errors import InputError
from nalm.networks.layers import title
from nalm.stats import Outcome, judge, wilson
from nalm.store import Store, identity
from nalm.sweep.local import execute
from nalm.tasks import RANGES, Task, threshold


class Progress(Protocol):
    """Who is told how far a sweep is."""

    def plan(self, runs: int, steps: int) -> None:
        """Take how many runs and run-steps are to be done; those in the folder are not counted."""

    def report(self, runs: int, steps: int, solved: int) -> None:
        """Take how many were done since the last call, and how many of the runs were solved."""


@dataclass(frozen=True)
class Table:
    """One row per unit, operation and range: rates with their intervals, counts of failures."""

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
        lines = [
            f"{r['unit']:<16} {r['op']:<5} {r['range']:<14} {r['successes']:>3} of {r['runs']:<3} "
            f"{r['rate']:.2f} [{r['low']:.2f}, {r['high']:.2f}]"
            for r in self.rows
        ]
        return "\n".join(lines)


def sweep(
    runs: Sequence[Run],
    out: str | Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Carry out the runs that the folder does not have yet, and judge all of them."""
    if not runs:
        raise InputError("A sweep has at least one run; the selection left none.")
    with Store(out) as store:
        done = store.known()
        missing = [run for run in runs if identity(run) not in done]
        if progress:
            progress.plan(len(missing), sum(run.recipe.steps for run in missing))

        def on_steps(steps: int) -> None:
            if progress:
                progress.report(0, steps, 0)

        with closing(execute(blocks(missing), workers, on_steps)) as finished:
            for block, curves in finished:
                store.add(block, curves)
                if progress:
                    progress.report(len(block), 0, sum(map(_solved, block, curves)))
        judged = [
            (run, judge(curves, threshold(run.task)))
            for run, curves in store.results([identity(run) for run in runs])
        ]
    return Table(_rows(judged), notes_on(runs))


def _solved(run: Run, curves: Curves) -> bool:
    return judge(curves, threshold(run.task)).success


def notes_on(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return what should be said of these runs, once each."""
    found = {
        f"{run.task.op} over {_range_name(run.task)}: a divisor comes as near to zero as numbers "
        "are, so single targets are huge and may decide the errors."
        for run in runs
        if run.task.divides_by_zero
    }
    return tuple(sorted(found))


def _range_name(task: Task) -> str:
    return next(
        (name for name, (train, _) in RANGES.items() if train == task.train), str(task.train)
    )


def _rows(judged: Sequence[tuple[Run, Outcome]]) -> list[dict[str, Any]]:
    cells: dict[tuple[str, str, str], list[Outcome]] = {}
    for run, outcome in judged:
        place = title(run.model), run.task.op, _range_name(run.task)
        cells.setdefault(place, []).append(outcome)
    return [_row(*place, outcomes) for place, outcomes in cells.items()]


def _row(unit: str, op: str, range_name: str, outcomes: Sequence[Outcome]) -> dict[str, Any]:
    solved = [o for o in outcomes if o.success]
    low, high = wilson(len(solved), len(outcomes))
    return {
        "unit": unit,
        "op": op,
        "range": range_name,
        "runs": len(outcomes),
        "successes": len(solved),
        "rate": len(solved) / len(outcomes),
        "low": low,
        "high": high,
        "diverged": sum(o.diverged for o in outcomes),
        "median_solved_at": median(o.solved_at or 0 for o in solved) if solved else None,
        "median_sparsity": median(o.sparsity for o in solved) if solved else None,
    }
