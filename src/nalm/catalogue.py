"""What there is, as rows of plain values for tables and JSON."""

from typing import Any

from nalm.units import REGISTRY


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
    """Return one row per experiment: its name, title, source, size and what is in print."""
    from nalm.experiments import EXPERIMENTS
    from nalm.experiments.published import published_rates

    rows = []
    for experiment in EXPERIMENTS.values():
        cells = experiment.cells()
        rows.append(
            {
                "name": experiment.id,
                "title": experiment.title,
                "source": experiment.source,
                "note": experiment.note,
                "cells": len(cells),
                "seeds": experiment.seeds,
                "run_steps": sum(cell.recipe.steps for cell in cells) * experiment.seeds,
                "published": len(published_rates(experiment.id)),
            }
        )
    return rows
