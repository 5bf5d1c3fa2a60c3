"""The table of compositions: a line for each task, a column for each network."""

from collections.abc import Sequence
from html import escape
from typing import Any

from nalm.report.html import line, table
from nalm.stats import wilson
from nalm.tasks import composition

WHAT = (
    "Runs whose formula is the target by algebra, of all runs, with the 95 % interval; in "
    "brackets, how many pass the test by their error, which the charts below show. In print: one "
    "run, 1 if it is correct."
)
OPEN = 64
"""The most tasks of a table that is open from the start."""


def compositions(rows: Sequence[dict[str, Any]]) -> str:
    """Return the table, or nothing if the runs were not judged by algebra."""
    judged = [row for row in rows if row["equal"] is not None]
    if not judged:
        return ""
    networks = list(dict.fromkeys((row["unit"], row["setting"]) for row in judged))
    tasks = list(dict.fromkeys(row["op"] for row in judged))
    cells = {(row["op"], row["unit"], row["setting"]): row for row in judged}
    heads = ["composition", *(f"{unit} {setting}".strip() for unit, setting in networks)]
    lines = [
        line(_task(op), *(_cell(cells.get((op, *network))) for network in networks)) for op in tasks
    ]
    learnt = [_learnt(network, tasks, cells) for network in networks]
    lines.append(line(f"all {len(tasks)}", *learnt, mark="total"))
    shown = " open" if len(tasks) <= OPEN else ""
    return (
        f'<details class="compositions"{shown}><summary>What was learnt, by composition</summary>'
        f'<p class="hint">{WHAT}</p>{table(heads, lines)}</details>'
    )


def _task(op: str) -> str:
    return f"{escape(op)}<br><code>{escape(str(composition(op).expression()))}</code>"


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return "not run"
    rate = wilson(row["equal"], row["runs"])
    print_ = "" if row["published"] is None else f"<br>in print {row['published']:.0f}"
    verdict = escape((row["verdict"] or "unsaid").replace("not comparable", "incomparable"))
    return (
        f'<span class="{verdict}"><b>{row["equal"]} of {row["runs"]}</b> ({row["successes"]})<br>'
        f"{rate.low:.2f} to {rate.high:.2f}{print_}</span>"
    )


def _learnt(
    network: tuple[str, str], tasks: Sequence[str], cells: dict[tuple[str, str, str], Any]
) -> str:
    """Return how many tasks a network learns in most of its runs."""
    mine = [cells[op, *network] for op in tasks if (op, *network) in cells]
    usual = sum(2 * row["equal"] > row["runs"] for row in mine)
    return f"{usual} of {len(mine)} in most runs"
