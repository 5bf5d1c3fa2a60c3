"""Our recorded results, as the pages of the site show them."""

import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nalm.sweeps.statistics import Estimate, rate

FOLDER = Path(__file__).parents[1] / "results"
SINGLE = ("single-module", "single-module-10", "single-module-100")
OPERATIONS = {"add": "a + b", "sub": "a − b", "mul": "a × b", "div": "a ÷ b"}


@dataclass(frozen=True)
class Recorded:
    """One cell of an experiment."""

    experiment: str
    unit: str
    op: str
    range: str
    inputs: int
    setting: str
    runs: int
    steps: int
    successes: int
    median_step: float | None


@cache
def recorded() -> tuple[Recorded, ...]:
    """Return every cell of every experiment."""
    return tuple(cell for path in sorted(FOLDER.glob("*.csv")) for cell in _read(path))


def _read(path: Path) -> list[Recorded]:
    with path.open(newline="", encoding="utf-8") as file:
        return [
            Recorded(
                path.stem,
                row["unit"],
                row["op"],
                row["range"],
                int(row["inputs"]),
                row["setting"],
                int(row["runs"]),
                int(row["steps"]),
                int(row["successes"]),
                float(row["median_solved_at"]) if row["median_solved_at"] else None,
            )
            for row in csv.DictReader(file)
        ]


def cells(wanted: Callable[[Recorded], bool]) -> list[Recorded]:
    """Return the cells that are wanted."""
    return [cell for cell in recorded() if wanted(cell)]


def pooled(found: Iterable[Recorded]) -> Estimate | None:
    """Return the success rate of all their runs; None if there are none."""
    listed = list(found)
    runs = sum(cell.runs for cell in listed)
    return rate(sum(cell.successes for cell in listed), runs) if runs else None


@cache
def speeds() -> dict[tuple[str, str], float]:
    """Return the measured nanoseconds of one training step of one run, 225 runs at once."""
    measured = json.loads((FOLDER / "engine.json").read_text(encoding="utf-8"))["cells"]
    return {
        (cell["model"], cell["op"]): cell["ns"]["225"]
        for cell in measured
        if cell["inputs"] == 2 and "225" in cell["ns"]
    }


def share(estimate: Estimate | None) -> str:
    """Return a rate with its runs and interval."""
    if estimate is None or not estimate.n:
        return "not run"
    solved = round(estimate.value * estimate.n)
    interval = f"[{estimate.low:.2f},\u00a0{estimate.high:.2f}]"
    return f"{solved:,}\u00a0of\u00a0{estimate.n:,}, {estimate.value:.2f}\u00a0{interval}"


def bar(estimate: Estimate | None) -> str:
    """Return a rate as a bar."""
    if estimate is None:
        return ""
    width = f"{100 * estimate.value:.0f}%"
    return f'<span class="bar-room"><span class="bar" style="width:{width}"></span></span>'


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    listed = list(heads)
    lines = ["| " + " | ".join(map(str, row)) + " |" for row in (listed, *rows)]
    return "\n".join([lines[0], "|" + "---|" * len(listed), *lines[1:]]) + "\n"
