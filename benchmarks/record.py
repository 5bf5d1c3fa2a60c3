"""The record of our results: docs/results/*.csv, a file for each experiment, a line for each cell.

A new cell replaces that of the record, unless the record was trained longer or has more runs of the
same length. Cells that are only in the record stay.
"""

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import isclose
from pathlib import Path
from typing import Any

from nalm.experiments import EXPERIMENTS, Cell
from nalm.experiments.comparison import compare
from nalm.sweeps.flat import KEY, LISTS, OURS, PUBLISHED, flatten, read_row
from nalm.sweeps.types import OF_SOLVED_RUNS, CellKey, CellSummary, Quantity

FOLDER = Path(__file__).parents[1] / "docs" / "results"
COLUMNS = (
    *KEY, "runs", "steps", "successes", *OURS[Quantity.RATE],
    "equal", "equal_low", "equal_high",
    "diverged", *OURS[Quantity.MEDIAN_SOLVED_AT], *OURS[Quantity.SOLVED_AT],
    "median_sparsity", *OURS[Quantity.SPARSITY], "sparsity_interval",
    *PUBLISHED[Quantity.RATE][:4], *(PUBLISHED[quantity].verdict for quantity in OF_SOLVED_RUNS),
    *LISTS,
)  # fmt: skip
TEXTS = {"unit", "op", "range", "setting", "sparsity_interval"}
WHOLE = {"inputs", "runs", "steps", "successes", "equal", "diverged"}

ERRORS = ("test_each", "validation_each")

Record = dict[str, list[CellSummary]]
"""The cells of each experiment."""


def read_record(folder: Path = FOLDER) -> Record:
    """Return what is recorded of every experiment, without published values."""
    return {name: _read_csv(folder / f"{name}.csv") for name in EXPERIMENTS}


def write_record(record: Record, folder: Path = FOLDER) -> None:
    """Write the files of the experiments whose cells are not those of the file."""
    for name, cells in record.items():
        columns = _columns(cells)
        path = folder / f"{name}.csv"
        lines = [columns, *(_texts(cell, columns) for cell in cells)]
        if cells and not (path.exists() and _same(_lines(path), lines)):
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(lines)


def read_json(folder: Path) -> Record:
    """Return the cells of EXPERIMENT.json and EXPERIMENT.ANYTHING.json, as `nalm bench` prints."""
    found: Record = {}
    for path in sorted(folder.glob("*.json")):
        name = path.name.split(".")[0]
        if name in EXPERIMENTS and path.stat().st_size:
            rows = json.loads(path.read_text(encoding="utf-8"))
            found.setdefault(name, []).extend(map(read_row, rows))
    return found


def updated(record: Record, new: Record) -> Record:
    """Return the record with new cells, shared cells, and everything compared again."""
    both = {name: merged(cells, new.get(name, ())) for name, cells in record.items()}
    return {name: _compared(name, merged(shared(name, both), both[name])) for name in both}


def merged(old: Iterable[CellSummary], new: Iterable[CellSummary]) -> list[CellSummary]:
    """Return the cells of both; a new one counts if it is as long and has as many runs."""
    cells: dict[CellKey, CellSummary] = {}
    for cell in (*old, *new):
        mine = cells.get(cell.key)
        if mine is None or (cell.steps, cell.runs) >= (mine.steps, mine.runs):
            cells[cell.key] = _with_errors(cell, mine)
        else:
            cells[cell.key] = _with_errors(mine, cell)
    return list(cells.values())


def _with_errors(cell: CellSummary, other: CellSummary | None) -> CellSummary:
    """Return a cell with the errors of its first runs, which another record of it may have."""
    if other is None or cell.test_each or not other.test_each or cell.steps != other.steps:
        return cell
    return replace(cell, test_each=other.test_each, validation_each=other.validation_each)


def shared(experiment: str, record: Record) -> list[CellSummary]:
    """Return cells of other experiments whose runs are those of a cell of this one."""
    mine: dict[object, list[CellKey]] = {}
    for cell in EXPERIMENTS[experiment].cells():
        mine.setdefault(_runs(cell), []).append(cell.key)
    found = []
    for other in EXPERIMENTS.values():
        recorded = (
            {cell.key: cell for cell in record[other.name]} if other.name != experiment else {}
        )
        for cell in other.cells() if recorded else ():
            same = recorded.get(cell.key)
            if same and same.steps == cell.recipe.steps:
                found += [replace(same, key=key) for key in mine.get(_runs(cell), ())]
    return found


def _runs(cell: Cell) -> object:
    """Return what the runs of a cell are, and how they are judged."""
    return cell.model, cell.task, cell.recipe, cell.threshold


def _compared(experiment: str, cells: Sequence[CellSummary]) -> list[CellSummary]:
    """Return the cells of the experiment in its order, with published values."""
    sizes = EXPERIMENTS[experiment].sizes
    order = {key: i for i, key in enumerate(sizes)}
    unknown = [str(cell.key) for cell in cells if cell.key not in order]
    if unknown:
        raise SystemExit(
            f"{experiment} has no cell {unknown[0]} ({len(unknown)} of {len(cells)} cells of its "
            "record are unknown). Nothing was written; rename them in the record."
        )
    return list(compare(experiment, sizes, sorted(cells, key=lambda cell: order[cell.key])))


def _read_csv(path: Path) -> list[CellSummary]:
    if not path.exists():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [
            read_row({name: _value(name, row.get(name)) for name in COLUMNS})
            for row in csv.DictReader(file)
        ]


def _value(name: str, text: str | None) -> Any:
    """Return a value of the record; None where there is none."""
    if name in TEXTS:
        return text
    if not text:
        return None
    if name in LISTS:
        return [float(number) for number in text.split()]
    if name.endswith("verdict"):
        return text
    return int(text) if name in WHOLE else float(text)


def _columns(cells: Sequence[CellSummary]) -> tuple[str, ...]:
    """Return the columns of a file: without the errors of runs where none were kept."""
    kept = any(cell.test_each for cell in cells)
    return tuple(name for name in COLUMNS if kept or name not in ERRORS)


def _texts(cell: CellSummary, columns: Sequence[str]) -> tuple[str, ...]:
    """Return a line of the file."""
    row = flatten(cell)
    return tuple(_text(row[name]) for name in columns)


def _text(value: Any) -> str:
    """Return a value with the digits that are recorded."""
    match value:
        case None:
            return ""
        case list():
            return " ".join(map(_text, value))
        case float():
            return f"{value:.6g}"
        case _:
            return str(value)


def _lines(path: Path) -> list[tuple[str, ...]]:
    with path.open(newline="", encoding="utf-8") as file:
        return [tuple(line) for line in csv.reader(file)]


def _same(old: Sequence[tuple[str, ...]], new: Sequence[tuple[str, ...]]) -> bool:
    """Tell whether lines are equal up to what older versions wrote differently.

    They wrote four digits, and the kind of the interval of some sparsity errors without a mean.
    """
    if len(old) != len(new) or old[0] != new[0]:
        return False
    kind = COLUMNS.index("sparsity_interval")
    pairs = [
        pair for a, b in zip(old, new, strict=True) for pair in enumerate(zip(a, b, strict=True))
    ]
    return all(column == kind or _close(*texts) for column, texts in pairs)


def _close(old: str, new: str) -> bool:
    try:
        return old == new or isclose(float(old), float(new), rel_tol=5e-4)
    except ValueError:
        return False
