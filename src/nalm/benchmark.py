"""Run a published experiment by name."""

from collections.abc import Sequence
from pathlib import Path

from nalm.errors import unknown
from nalm.experiments import EXPERIMENTS
from nalm.experiments.single_module import OPS
from nalm.sweep import Progress, Table, sweep


def bench(
    experiment: str,
    *,
    units: Sequence[str] | None = None,
    ops: Sequence[str] | None = None,
    ranges: Sequence[str] | None = None,
    seeds: int = 25,
    steps: int | None = None,
    inputs: int = 2,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Run an experiment and return its table: rates with intervals, one row per cell.

    Results are kept in the folder `out` (`results/EXPERIMENT` if absent); runs that are there
    already are not repeated.

    >>> import nalm, tempfile
    >>> table = nalm.bench("single-module", units=["nmu"], ops=["mul"], ranges=["U[1,2)"],
    ...                    seeds=3, steps=20_000, out=tempfile.mkdtemp())
    >>> print(table)
    nmu              mul   U[1,2)           3 of 3   1.00 [0.44, 1.00]
    """
    if experiment not in EXPERIMENTS:
        raise unknown("experiment", experiment, EXPERIMENTS)
    runs = EXPERIMENTS[experiment](
        units, ops or OPS, ranges=ranges, seeds=seeds, steps=steps, inputs=inputs
    )
    folder = Path(out) if out is not None else Path("results") / experiment
    return sweep(runs, folder, workers=workers, progress=progress)
