"""What there is to run: experiments with their sizes, times and published values, as plain rows."""

from typing import TYPE_CHECKING, Any

from nalm._internal.checks import check_whole
from nalm.experiments.catalogue import EXPERIMENTS, get
from nalm.experiments.experiment import Experiment
from nalm.experiments.published import Published, PublishedMean, published_means, published_rates
from nalm.networks.references import titles
from nalm.sweeps.duration import seconds
from nalm.sweeps.executors.local import cores
from nalm.sweeps.statistics import known

if TYPE_CHECKING:
    from nalm.training.run import Run


def experiment_rows(workers: int | None = None) -> list[dict[str, Any]]:
    """Return one row per published experiment: name, title, source, size and time.

    The time is that of so many workers; of all cores of this machine if absent.
    """
    return [_row(experiment, _checked(workers)) for experiment in EXPERIMENTS.values()]


def catalogue_seconds(workers: int | None = None) -> float:
    """Return about how long all published experiments take together, each run trained once."""
    runs = (
        (run, experiment.seeds)
        for experiment in EXPERIMENTS.values()
        for cell in experiment.cells()
        for run in cell.runs([0])
    )
    most: dict[Run, int] = {}
    for run, seeds in runs:
        most[run] = max(seeds, most.get(run, 0))
    return seconds(most.items(), _checked(workers))


def experiment_details(name: str, workers: int | None = None) -> dict[str, Any]:
    """Return everything about one experiment that can be chosen from it or compared with it."""
    experiment = get(name)
    units, ops, ranges, inputs, settings = (
        list(dict.fromkeys(values)) for values in zip(*experiment.sizes, strict=True)
    )
    rates, means = published_rates(name), published_means(name)
    return {
        **_row(experiment, _checked(workers)),
        "units": units,
        "ops": ops,
        "ranges": ranges,
        "inputs": inputs,
        "settings": settings if any(settings) else [],
        "steps": sorted({size.steps for size in experiment.sizes.values()}),
        "rates": [
            rate.key._replace(range=", ".join(rate.ranges))._asdict() | _value(rate)
            for rate in rates
        ],
        "means": [
            mean.key._asdict()
            | {"quantity": str(mean.quantity), "by_authors": mean.by_authors}
            | _value(mean)
            for mean in means
        ],
        "sources": titles([experiment.source, *(p.source for p in (*rates, *means))]),
        "command": f"nalm bench {name}",
    }


def _value(published: Published | PublishedMean) -> dict[str, Any]:
    estimate = published.estimate
    value, low, high = map(known, (estimate.value, estimate.low, estimate.high))
    return {"value": value, "low": low, "high": high, "source": published.source}


def _checked(workers: int | None) -> int:
    if workers is not None:
        check_whole("workers", workers, 1)
    return workers or cores()


def _row(experiment: Experiment, workers: int) -> dict[str, Any]:
    cells = experiment.cells()
    runs = ((run, experiment.seeds) for cell in cells for run in cell.runs([0]))
    return {
        "name": experiment.name,
        "title": experiment.title,
        "source": experiment.source,
        "note": experiment.note,
        "cells": len(cells),
        "seeds": experiment.seeds,
        "run_steps": sum(cell.recipe.steps for cell in cells) * experiment.seeds,
        "seconds": round(seconds(runs, workers)),
        "published": len(published_rates(experiment.name)),
        "published_means": len(published_means(experiment.name)),
    }
