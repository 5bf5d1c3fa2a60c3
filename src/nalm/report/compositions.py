"""The table of compositions: a line for each task, a column for each network, the best first."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any

from nalm.report.html import line, table
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
    learnt_by = Counter()
    for row in judged:
        learnt_by[row["unit"], row["setting"]] += row["equal"]
    networks = [network for network, _ in learnt_by.most_common()]
    tasks = list(dict.fromkeys(row["op"] for row in judged))
    cells = {(row["op"], row["unit"], row["setting"]): row for row in judged}
    heads = ["composition", *(f"{unit} {setting}".strip() for unit, setting in networks)]
    lines = [
        line(_task(op), *(_cell(cells.get((op, *network))) for network in networks)) for op in tasks
    ]
    learnt = [_learnt(network, tasks, cells) for network in networks]
    lines.append(line("learnt by most runs", *learnt, mark="total"))
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
    print_ = "" if row["published"] is None else f"<br>in print {row['published']:.0f}"
    verdict = escape((row["verdict"] or "unsaid").replace("not comparable", "incomparable"))
    return (
        f'<span class="{verdict}"><b>{row["equal"]} of {row["runs"]}</b> ({row["successes"]})<br>'
        f"{row['equal_low']:.2f} to {row['equal_high']:.2f}{print_}</span>"
    )


def _learnt(
    network: tuple[str, str], tasks: Sequence[str], cells: dict[tuple[str, str, str], Any]
) -> str:
    """Return how many tasks more than half of the runs of a network learn, and those in print."""
    mine = [cells[op, *network] for op in tasks if (op, *network) in cells]
    said = [row["published"] for row in mine if row["published"] is not None]
    ours = f"{sum(2 * row['equal'] > row['runs'] for row in mine)} of {len(mine)}"
    return ours + (f"<br>in print {sum(said):.0f} of {len(said)}" if said else "")
