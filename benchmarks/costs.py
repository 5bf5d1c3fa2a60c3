"""Write src/nalm/sweeps/costs.csv, what a run-step costs: `python benchmarks/costs.py`.

Single units of few inputs are those of docs/results/engine.json (`make bench`). Of every other
kind of model in the catalogue (path and units) the smallest and the largest, and all compositions,
are trained here for few steps, one block on one core. Times are CPU time, so that other work on
the machine counts little. With `--missing`, what the file has is kept.
"""

import csv
import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from nalm.training.worker import environment

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src" / "nalm" / "sweeps" / "costs.csv"
BUDGET = 1.0
"""Seconds for each measurement, about; a thousand steps take longer for large models."""


def main():
    if os.environ.get("NPROC") != "1":
        os.execve(sys.executable, [sys.executable, *sys.argv], environment(None))
    rows = single_units()
    wanted = others({kind[:2] for kind in rows})
    if "--missing" in sys.argv[1:]:
        rows |= read()
    for key, cells in wanted.items():
        if key in rows:
            continue
        rows[key] = measured(key, cells)
        print(*key, rows[key], flush=True)
        write(rows)


def read():
    with TARGET.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {(r["path"], r["model"], int(r["group"]), int(r["size"])): int(r["ns"]) for r in rows}


def write(rows):
    with TARGET.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["path", "model", "group", "size", "ns"])
        writer.writerows((*key, round(ns)) for key, ns in sorted(rows.items()))


def single_units():
    """Return what `make bench` measured on the fused path, by kind."""
    import nalm
    from nalm.sweeps.duration import kind_of
    from nalm.training import Recipe

    cells = json.loads((ROOT / "docs" / "results" / "engine.json").read_text())["cells"]
    singles = [cell for cell in cells if "-" not in cell["model"]]
    kinds = [kind_of(nalm.unit(cell["model"], cell["inputs"], 1), Recipe()) for cell in singles]
    measured = zip(kinds, singles, strict=True)
    return {kind: cell["ns"]["225"] for kind, cell in measured if kind[0] == "fused"}


def others(known):
    """Return the rows of cells of the smallest and the largest of each other path and model.

    Groups of another size are others.
    """
    from nalm.sweeps.duration import Kind

    kinds = rows_of_cells()
    sizes = {}
    for path, model, group, size in kinds:
        if (path, model) not in known or (path == "plain" and size < 100):
            sizes.setdefault((path, model, group), []).append(size)
    ends = {
        Kind(path, model, group, size)
        for (path, model, group), found in sizes.items()
        for size in (min(found), max(found))
    }
    composed = {key for key, row in kinds.items() if row[0][0].task.target.compared}
    return {key: kinds[key] for key in sorted(ends | composed)}


def rows_of_cells():
    """Return the first cells of the catalogue of each kind.

    They come as they are trained: in rows that draw the same numbers, of groups that share samples.
    A group of a row is also there by itself, as who selects one range has it.
    """
    from nalm.experiments import EXPERIMENTS
    from nalm.sweeps.duration import kind_of
    from nalm.training.engine.plan import Shape, programs

    kinds = {}
    for experiment in EXPERIMENTS.values():
        trained = [cell for cell in experiment.cells() if cell.task.trainer is None]
        cells = {cell.runs([0])[0]: cell for cell in trained}
        for run, shape, (row, *_) in programs(cells):
            found = [[cells[run] for run in group] for group in row]
            kinds.setdefault(kind_of(run.model, run.recipe, shape), found)
            alone = Shape(shape.group, 1)
            kinds.setdefault(kind_of(run.model, run.recipe, alone), found[:1])
    return kinds


def measured(key, row):
    """Return the nanoseconds of a step of one member of a run."""
    from nalm.training.engine.plan import Shape, block_size
    from nalm.training.engine.train import train_block

    cell, recipe = row[0][0], row[0][0].recipe
    size = block_size(cell.model, recipe, Shape(len(row[0]), len(row)))
    guess = 200 + 50 * key.size
    steps = 1000 * max(1, min(10, round(1e6 * BUDGET / (size * guess))))
    if recipe.optimizer.second_order:
        steps = recipe.steps
    seeds = range(size // len(row))
    short = [replace(c, recipe=c.recipe.stretched(steps)) for group in row for c in group]
    by_cell = [cell.runs(seeds) for cell in short]
    runs = [run for seed in zip(*by_cell, strict=True) for run in seed]
    train_block(runs)
    start = time.process_time()
    curves = train_block(runs)
    if all(curve.diverged_at >= 0 for curve in curves):
        steps = recipe.steps  # a block whose runs have all diverged ends there
    return 1e9 * (time.process_time() - start) / (len(runs) * recipe.population * steps)


if __name__ == "__main__":
    main()
