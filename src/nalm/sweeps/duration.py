"""How long runs take, before they are started: from measured costs of a run-step."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapreplace
from importlib.resources import files
from itertools import chain
from math import ceil, exp, log, prod
from typing import Literal, NamedTuple

from nalm.networks import Model
from nalm.networks.layers import parameters, title
from nalm.training import Recipe
from nalm.training.engine.plan import ALONE, Alike, PathName, Shape, path_of, programs
from nalm.training.run import Run

MACHINE = "an AMD EPYC with AVX-512"
"""Where the costs were measured, by `benchmarks/costs.py`, on one core."""


class Kind(NamedTuple):
    """What the cost of a run-step depends on."""

    path: PathName | Literal["lm", "row"]
    model: str
    """Its layers."""
    group: int
    """How many runs share their samples."""
    size: int
    """Weights and inputs."""


@dataclass(frozen=True)
class Cost:
    """What a step of one member of a run costs, for a model of some size in groups of some size."""

    group: int
    size: int
    ns: float


def kind_of(model: Model, recipe: Recipe, shape: Shape = ALONE) -> Kind:
    """Return what the cost of a model depends on.

    Second-order steps, and groups that draw the same numbers in rows, are paths of their own.
    """
    weights = sum(prod(p.shape) for p in parameters(model).values())
    path = "lm" if recipe.optimizer.second_order else path_of(model, recipe)
    path = "row" if shape.row > 1 else path
    return Kind(path, title(model), shape.group, weights + model.in_features)


def seconds(runs: Iterable[tuple[Run, int]], workers: int) -> float:
    """Return about how long runs take on some cores; each run is given with its number of seeds.

    A block costs the same however few of its runs are wanted, and the longest are started first.
    Every core compiles a program once; those that were compiled before are taken to be compiled
    again.
    """
    counts: dict[Run, int] = {}
    alone: list[float] = []
    for run, count in runs:
        each = run.trainer.seconds(run)
        if each is None:
            counts[run] = count + counts.get(run, 0)
        else:
            alone += [each] * count
    busy = [0.0] * max(1, workers)
    for each in sorted(alone, reverse=True):
        heapreplace(busy, busy[0] + each)
    for alike in _longest_first(programs(counts)):
        block, compiling = _block(alike), compiling_of(alike.first.model, alike.first.recipe)
        for i in range(_blocks(alike, counts)):
            heapreplace(busy, busy[0] + block + (compiling if i < len(busy) else 0.0))
    return max(busy)


def block_count(runs: Iterable[tuple[Run, int]]) -> int:
    """Return how many blocks the engine trains runs in; each is given with its number of seeds."""
    counts = dict(runs)
    return sum(_blocks(alike, counts) for alike in programs(counts))


def _blocks(alike: Alike, counts: Mapping[Run, int]) -> int:
    most = (max(counts[run] for run in chain(*row)) for row in alike.rows)
    return ceil(alike.shape.row * sum(most) / alike.size)


def longest_first(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the blocks of runs, the longest first: at the end no worker is busy alone for long."""
    alone: list[tuple[float, Run]] = []
    shared: list[Run] = []
    for run in runs:
        each = run.trainer.seconds(run)
        if each is None:
            shared.append(run)
        else:
            alone.append((each, run))
    single = [[run] for _, run in sorted(alone, key=lambda timed: timed[0], reverse=True)]
    together = [block for alike in _longest_first(programs(shared)) for block in alike.blocks()]
    return [*single, *together]


def _longest_first(found: Iterable[Alike]) -> list[Alike]:
    return sorted(found, key=_block, reverse=True)


def _block(alike: Alike) -> float:
    """Return about how many seconds a block of these runs takes."""
    model, recipe = alike.first.model, alike.first.recipe
    each = alike.shape.group * 1e-9 * cost_of(model, recipe, alike.shape)
    return recipe.steps * alike.size * each


def cost_of(model: Model, recipe: Recipe, shape: Shape = ALONE) -> float:
    """Return the nanoseconds of a run-step, with all members of its population."""
    kind, known = kind_of(model, recipe, shape), _costs()
    same = known.get((kind.path, kind.model))
    if same is None:
        others = [cost for (path, _), costs in known.items() if path == kind.path for cost in costs]
        return recipe.population * min(others, key=lambda c: abs(log(c.size / kind.size))).ns
    nearest = min((cost.group for cost in same), key=lambda g: abs(log(g / kind.group)))
    alike = [cost for cost in same if cost.group == nearest]
    return recipe.population * _between(alike, kind.size)


def _between(costs: list[Cost], size: int) -> float:
    """Return the cost of a size, on the line through the nearest that were measured."""
    if len(costs) == 1:
        return costs[0].ns * size / costs[0].size
    right = next((i for i, cost in enumerate(costs) if cost.size >= size), len(costs) - 1)
    low, high = costs[max(0, right - 1)], costs[max(1, right)]
    share = log(size / low.size) / log(high.size / low.size)
    return exp(log(low.ns) + share * log(high.ns / low.ns))


def compiling_of(model: Model, recipe: Recipe) -> float:
    """Return about how many seconds a program takes to compile."""
    return min(5.0, 1.0 + 0.1 * kind_of(model, recipe).size)


@lru_cache
def _costs() -> dict[tuple[str, str], list[Cost]]:
    text = (files("nalm.sweeps") / "costs.csv").read_text(encoding="utf-8")
    found: dict[tuple[str, str], list[Cost]] = {}
    for row in csv.DictReader(text.splitlines()):
        cost = Cost(int(row["group"]), int(row["size"]), float(row["ns"]))
        found.setdefault((row["path"], row["model"]), []).append(cost)
    return {key: sorted(costs, key=lambda cost: cost.size) for key, costs in found.items()}
