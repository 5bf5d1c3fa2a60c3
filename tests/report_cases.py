"""Small sweeps that reports are written about, and cells without runs."""

from dataclasses import replace
from math import nan
from pathlib import Path

import nalm
from nalm.sweeps import Cell, CellKey, CellSummary, Comparison, Quantity, summarize, sweep
from nalm.sweeps.statistics import Estimate, Method, Outcome, Verdict
from nalm.tasks import single_module
from nalm.training import Recipe

RECIPE = Recipe(0.01, steps=400, log_every=100, evaluation=200)
NASTY = "</script><script>alert(1)</script> {{data}} \u2028"


def cells(steps: int = 400) -> list[Cell]:
    """Return two units on two ranges each."""
    recipe = replace(RECIPE, steps=steps)
    return [
        Cell(name, nalm.unit(name, 2, 1), single_module(op, r), recipe, threshold=1.0)
        for op, name in (("mul", "nmu"), ("add", "nau"))
        for r in ("U[1,2)", "U[10,20)")
    ]


def odd_cells() -> list[Cell]:
    """Return a cell that diverges and has an evil name, and a wide one."""
    wild = replace(RECIPE, learning_rate=3e38)
    product, wide = single_module("mul"), single_module("mul", inputs=10)
    return [
        Cell(NASTY, nalm.unit("linear", 2, 1), product, wild, "η < 1", 1e-9),
        Cell("nmu", nalm.unit("nmu", 10, 1), wide, RECIPE, "", 1.0),
    ]


def swept(found: list[Cell], folder: Path, seeds: int = 3, experiment: str = "single-module"):
    """Train some seeds of cells into a folder."""
    return sweep(found, range(seeds), experiment=experiment, out=folder)


def key(unit="nmu", op="mul", range_="U[1,2)", inputs=2, setting="") -> CellKey:
    """Return the key of a cell, usually of the NMU."""
    return CellKey(unit, op, range_, inputs, setting)


def summary(key: CellKey, *comparisons: Comparison, solved: int = 1, runs: int = 1) -> CellSummary:
    """Return a cell of which some runs were solved at once, with weights that are discrete."""
    outcomes = [Outcome(i < solved, 0, 0.0, 0.0, False) for i in range(runs)]
    return replace(summarize(key, 400, outcomes), comparisons=comparisons)


def published(
    value: float,
    verdict: Verdict,
    quantity: Quantity = Quantity.RATE,
    low: float = nan,
    high: float = nan,
) -> Comparison:
    """Return a comparison with a published value."""
    ours = Estimate(1.0, 0.9, 1.0, 25, Method.WILSON)
    theirs = Estimate(value, low, high, None, Method.PUBLISHED)
    return Comparison(quantity, ours, theirs, verdict, None, "a paper")
