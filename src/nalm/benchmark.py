"""Run a published experiment by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from nalm._input_checks import check_path, check_whole
from nalm.engine.recipe import Recipe, second_order
from nalm.errors import InputError, unknown
from nalm.experiments import EXPERIMENTS, Cell, Experiment, runs_of, select
from nalm.experiments.compare import compared
from nalm.experiments.own import own_cells
from nalm.experiments.size import published_steps, resized, sized
from nalm.sweep import Entry, Progress, Table, sweep
from nalm.tasks import label, threshold
from nalm.units import Unit
from nalm.units.own import is_own, load_unit, register


def bench(
    experiment: str,
    *,
    units: Sequence[str | type[Unit]] | None = None,
    ops: Sequence[str] | None = None,
    ranges: Sequence[str] | None = None,
    settings: Sequence[str] | None = None,
    inputs: int | Sequence[int] | None = None,
    seeds: int | None = None,
    steps: int | None = None,
    recipe: str = "published",
    out: str | Path | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Run an experiment and return its table: rates with intervals, one row per cell.

    Results are kept in the folder `out` (`results/EXPERIMENT` if absent); runs that are there
    already are not repeated. With fewer `steps` than published, schedules keep their proportion,
    and the verdict on a published value is "not comparable". `recipe` "lm" trains with second-order
    steps instead, "lm-warm" from the least-squares weights of the first batch. `units` may name a
    unit of your own, `"my_file.py:MyUnit"`, or be its class.

    >>> import nalm, tempfile
    >>> table = nalm.bench("single-module", units=["nmu"], ops=["mul"], ranges=["U[1,2)"],
    ...                    seeds=3, steps=20_000, out=tempfile.mkdtemp())
    >>> print(table)
    nmu              mul   U[1,2)           3 of 3   1.00 [0.44, 1.00]
    Reduced: 3 of 25 seeds, 20,000 of 50,000 steps, not compared with what is in print.
    """
    if experiment not in EXPERIMENTS:
        raise unknown("experiment", experiment, EXPERIMENTS)
    chosen = EXPERIMENTS[experiment]
    seeds = chosen.seeds if seeds is None else seeds
    check_whole("seeds", seeds, 1)
    if workers is not None:
        check_whole("workers", workers, 1)
    for value in _listed(inputs) or ():
        if not isinstance(value, int):
            raise InputError(f"inputs are whole numbers, such as 2 or [2, 10]; received {value!r}.")
    for value in _listed(ranges) or ():
        if not isinstance(value, str):
            raise InputError(f"ranges are names, such as 'U[1,2)'; received {value!r}.")
    wanted = Selection(
        *(_listed(names) for names in (units, ops, ranges, settings, inputs)),
    )
    for name, names in vars(wanted).items():
        if names is not None and not len(names):
            raise InputError(f"{name} names at least one; received none. Leave it out for all.")
    if not isinstance(recipe, str) or recipe not in RECIPES:
        raise unknown("recipe", recipe, RECIPES)
    if out is not None:
        check_path("A folder for results", out)
    cells = trained_by(chosen_cells(chosen, wanted), recipe)
    entries = [entry for cell in cells for entry in entries_of(experiment, cell, seeds, steps)]
    folder = Path(out) if out is not None else Path("results") / experiment
    table = sweep(entries, folder, workers=workers, progress=progress)
    trained = {entry.place: entry.run.recipe.steps for entry in entries}
    in_print = published_steps((*cells, *chosen.cells()))
    rows = sized(table.rows, trained, in_print, chosen.seeds)
    other = {place for place in trained if trained[place] != in_print.get(place, trained[place])}
    return Table(compared(experiment, rows, other), (*resized(rows), *table.notes))


RECIPES: dict[str, Callable[[Recipe], Recipe]] = {
    "published": lambda recipe: recipe,
    "lm": second_order,
    "lm-warm": partial(second_order, warm_start=True),
}
"""How the recipe of a cell is replaced."""


def trained_by(cells: Sequence[Cell], recipe: str) -> list[Cell]:
    """Return cells under another recipe, which is named in their setting."""
    if recipe == "published":
        return list(cells)
    found: dict[object, Cell] = {}
    for cell in cells:
        setting = " ".join(part for part in (cell.setting, recipe) if part)
        changed = replace(cell, recipe=RECIPES[recipe](cell.recipe), setting=setting)
        same = found.setdefault((cell.model, cell.task), changed)
        if same is not changed:
            raise InputError(
                f"Under the recipe {recipe} the cells {same.name} {same.setting} and {cell.name} "
                f"{setting} are the same run, for they differ in their training only. "
                "Choose one of them with --units and --settings (units=, settings=)."
            )
    return list(found.values())


@dataclass(frozen=True)
class Selection:
    """What is wanted of an experiment; None means all."""

    units: Sequence[str | type[Unit]] | None = None
    ops: Sequence[str] | None = None
    ranges: Sequence[str] | None = None
    settings: Sequence[str] | None = None
    inputs: Sequence[int] | None = None

    def of(self, cells: Sequence[Cell], units: Sequence[str] | None) -> list[Cell]:
        """Return the cells that have these units and all else that is wanted."""
        known = {_close(label(cell.task.train)): label(cell.task.train) for cell in cells}
        ranges = self.ranges and [known.get(_close(name), name) for name in self.ranges]
        return select(cells, units, self.ops, ranges, settings=self.settings, inputs=self.inputs)


def chosen_cells(experiment: Experiment, wanted: Selection) -> list[Cell]:
    """Return the cells of these units; units of one's own get cells for every task that fits."""
    cells = experiment.cells()
    if wanted.units is None:
        return wanted.of(cells, None)
    own = [
        load_unit(unit) if isinstance(unit, str) else register(unit)
        for unit in wanted.units
        if not isinstance(unit, str) or is_own(unit)
    ]
    named = [unit for unit in wanted.units if isinstance(unit, str) and not is_own(unit)]
    found = wanted.of(cells, named) if named else []
    chosen = wanted.of(cells, None) if own else []
    return found + [cell for cls in own for cell in own_cells(cls, cells, chosen)]


def _close(name: str) -> str:
    """Return the name of a range without spaces, which may be left out or added."""
    return "".join(name.split())


def _listed(names: Any) -> Any:
    """Return one name or number as a list of it."""
    return [names] if isinstance(names, str | int) else names


def entries_of(experiment: str, cell: Cell, seeds: int, steps: int | None) -> list[Entry]:
    """Return the runs of a cell with their place in the experiment."""
    limit = threshold(cell.task) if cell.threshold is None else cell.threshold
    return [
        Entry(run, experiment, cell.name, cell.setting, limit)
        for run in runs_of(cell, seeds, steps)
    ]
