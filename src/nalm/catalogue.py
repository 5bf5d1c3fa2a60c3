"""What there is, as rows of plain values for tables and JSON."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nalm.errors import unknown
from nalm.units import REGISTRY

if TYPE_CHECKING:
    from nalm.experiments import Cell, Experiment
    from nalm.experiments.published import Published, PublishedMean


def unit_rows() -> list[dict[str, Any]]:
    """Return one row per unit: name, class, operations, parameters at two inputs, papers."""
    rows = []
    for name, cls in sorted(REGISTRY.items()):
        unit = cls(2, 1)
        rows.append(
            {
                "name": name,
                "class": cls.__name__,
                "summary": (cls.__doc__ or "").split("\n")[0],
                "operations": list(unit.ops),
                "parameters": {n: list(p.shape) for n, p in unit.parameters.items()},
                "papers": list(cls.papers),
            }
        )
    return rows


def experiment_rows() -> list[dict[str, Any]]:
    """Return one row per experiment: its name, title, source, size, time and what is in print."""
    from nalm.experiments import EXPERIMENTS

    return [_experiment_row(experiment, experiment.cells()) for experiment in EXPERIMENTS.values()]


def experiment_details(name: str) -> dict[str, Any]:
    """Return everything about one experiment that can be chosen from it or compared with it."""
    from nalm.experiments import EXPERIMENTS
    from nalm.experiments.published import published_means, published_rates
    from nalm.experiments.size import PLACE
    from nalm.references import titles

    if name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    experiment = EXPERIMENTS[name]
    cells = experiment.cells()
    places = [cell.place for cell in cells]
    units, ops, ranges, inputs, settings = (
        list(dict.fromkeys(x)) for x in zip(*places, strict=True)
    )
    return {
        **_experiment_row(experiment, cells),
        "units": units,
        "ops": ops,
        "ranges": ranges,
        "inputs": inputs,
        "settings": list(settings) if any(settings) else [],
        "steps": sorted({cell.recipe.steps for cell in cells}),
        "rates": [
            {
                "unit": rate.name,
                "op": rate.op,
                "range": ", ".join(rate.ranges),
                "inputs": rate.inputs,
                "setting": rate.setting,
                **_in_print(rate),
            }
            for rate in published_rates(name)
        ],
        "means": [
            dict(zip(PLACE, mean.place, strict=True))
            | {"quantity": mean.quantity, "by_authors": mean.by_authors, **_in_print(mean)}
            for mean in published_means(name)
        ],
        "sources": titles(
            [
                experiment.source,
                *(rate.source for rate in published_rates(name)),
                *(mean.source for mean in published_means(name)),
            ]
        ),
        "command": f"nalm bench {name}",
    }


def _in_print(said: "Published | PublishedMean") -> dict[str, Any]:
    from nalm.stats.intervals import known

    low, high = map(known, said.interval)
    return {"value": said.value, "low": low, "high": high, "source": said.source}


def _experiment_row(experiment: "Experiment", cells: Sequence["Cell"]) -> dict[str, Any]:
    from nalm.experiments import runs_of
    from nalm.experiments.published import published_means, published_rates
    from nalm.sweep.estimate import seconds
    from nalm.sweep.local import cores

    runs = ((run, experiment.seeds) for cell in cells for run in runs_of(cell, 1))
    return {
        "name": experiment.id,
        "title": experiment.title,
        "source": experiment.source,
        "note": experiment.note,
        "cells": len(cells),
        "seeds": experiment.seeds,
        "run_steps": sum(cell.recipe.steps for cell in cells) * experiment.seeds,
        "seconds": round(seconds(runs, cores())),
        "published": len(published_rates(experiment.id)),
        "published_means": len(published_means(experiment.id)),
    }
