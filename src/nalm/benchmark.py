"""Run a published experiment by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nalm.errors import InputError, unknown
from nalm.experiments import EXPERIMENTS, Cell, Experiment, runs_of, select
from nalm.experiments.compare import compared
from nalm.experiments.own import own_cells
from nalm.sweep import Entry, Progress, Table, sweep
from nalm.tasks import threshold
from nalm.units import Unit
from nalm.units.own import is_own, load_unit, register


def bench(
    experiment: str,
    *,
    units: Sequence[str | type[Unit]] | None = None,
    ops: Sequence[str] | None = None,
    ranges: Sequence[str] | None = None,
    seeds: int | None = None,
    steps: int | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Run an experiment and return its table: rates with intervals, one row per cell.

    Results are kept in the folder `out` (`results/EXPERIMENT` if absent); runs that are there
    already are not repeated. With fewer `steps` than published, schedules keep their proportion.
    `units` may name a unit of your own, `"my_file.py:MyUnit"`, or be its class.

    >>> import nalm, tempfile
    >>> table = nalm.bench("single-module", units=["nmu"], ops=["mul"], ranges=["U[1,2)"],
    ...                    seeds=3, steps=20_000, out=tempfile.mkdtemp())
    >>> print(table)
    nmu              mul   U[1,2)           3 of 3   1.00 [0.44, 1.00]
    """
    if experiment not in EXPERIMENTS:
        raise unknown("experiment", experiment, EXPERIMENTS)
    chosen = EXPERIMENTS[experiment]
    units, ops, ranges = (_listed(names) for names in (units, ops, ranges))
    seeds = chosen.seeds if seeds is None else seeds
    for name, value in (("seed", seeds), ("worker", 1 if workers is None else workers)):
        if not isinstance(value, int) or value < 1:
            raise InputError(f"A benchmark has at least 1 {name}; received {value!r}.")
    cells = chosen_cells(chosen, units, ops, ranges)
    entries = [entry for cell in cells for entry in entries_of(experiment, cell, seeds, steps)]
    folder = Path(out) if out is not None else Path("results") / experiment
    table = sweep(entries, folder, workers=workers, progress=progress)
    shortened = {cell.place for cell in cells if steps is not None and steps < cell.recipe.steps}
    return Table(compared(experiment, table.rows, shortened), table.notes)


def chosen_cells(
    experiment: Experiment,
    units: Sequence[str | type[Unit]] | None,
    ops: Sequence[str] | None,
    ranges: Sequence[str] | None,
) -> list[Cell]:
    """Return the cells of these units; units of one's own get cells for every task that fits."""
    cells = experiment.cells()
    if units is None:
        return select(cells, None, ops, ranges)
    own = [
        load_unit(unit) if isinstance(unit, str) else register(unit)
        for unit in units
        if not isinstance(unit, str) or is_own(unit)
    ]
    named = [unit for unit in units if isinstance(unit, str) and not is_own(unit)]
    found = select(cells, named, ops, ranges) if named else []
    for cls in own:
        found += select(_mine(cls, cells, ops), None, None, ranges)
    return found


def _listed(names: Any) -> Any:
    """Return one name as a list of it."""
    return [names] if isinstance(names, str) else names


def _mine(cls: type[Unit], cells: Sequence[Cell], ops: Sequence[str] | None) -> list[Cell]:
    asked = cells if ops is None else select(cells, None, ops, None)
    return own_cells(cls, asked)


def entries_of(experiment: str, cell: Cell, seeds: int, steps: int | None) -> list[Entry]:
    """Return the runs of a cell with their place in the experiment."""
    limit = threshold(cell.task) if cell.threshold is None else cell.threshold
    return [
        Entry(run, experiment, cell.name, cell.setting, limit)
        for run in runs_of(cell, seeds, steps)
    ]
