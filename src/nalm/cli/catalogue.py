"""The units, as rows of plain values for tables and JSON."""

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
