"""A page of tables for each experiment, from the recorded results."""

from benchmarks.record import read_record, updated
from benchmarks.results_page import numbers, tables

from nalm.experiments import EXPERIMENTS

MARKS = (
    "Solved runs of each cell. ✓ agrees with the published value, ✗ differs, ~ is not comparable; "
    '"wide" means that an interval is wider than 0.5. No mark: nothing is published. The file has '
    "all 95 % intervals.\n"
)


def pages() -> dict[str, str]:
    """Return the pages by their names, and the list of them."""
    record = {name: cells for name, cells in updated(read_record(), {}).items() if cells}
    found = {}
    for name, cells in record.items():
        runs = numbers(cell.runs for cell in cells)
        found[f"results/{name}.md"] = (
            f"# {name}\n\n{EXPERIMENTS[name].title}. {runs} runs per cell. "
            f"[What it is, and notes](../../results.md#{name}). "
            f"[{name}.csv](../../results/{name}.csv)\n\n{MARKS}{tables(name, cells)}"
        )
    names = "\n".join(record)
    found["results/index.md"] = (
        "# Tables of results\n\nOne page for each experiment; what they are and what we noticed is "
        f"in [results](../../results.md).\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n"
    )
    return found
