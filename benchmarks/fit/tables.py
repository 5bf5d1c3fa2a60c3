"""Tables of the records: one row per part of a family and method."""

import csv
import io
from collections.abc import Iterable
from statistics import median

from benchmarks.fit.run import Record, key_of

from nalm.sweeps.statistics import wilson

HEADER = (
    "family", "part", "method", "n", "solved", "95 % interval", "nalm on the same", "to 4 digits",
    "exact",
    "claimed but wrong", "CPU s, median", "CPU s, most", "complexity, median",
)  # fmt: skip


def latest(records: Iterable[Record]) -> list[Record]:
    """Return the last record of each fit and way to choose."""
    return list({(*key_of(r), r["chosen"]): r for r in records}.values())


def grouped(records: Iterable[Record]) -> dict[tuple[str, str, str], list[Record]]:
    """Return the records by family, part and method, in order of appearance."""
    groups: dict[tuple[str, str, str], list[Record]] = {}
    for r in latest(records):
        groups.setdefault((r["family"], r["group"], r["chosen"]), []).append(r)
    order = {name: i for i, name in enumerate(dict.fromkeys(r["family"] for r in records))}
    parts = {pair: i for i, pair in enumerate(dict.fromkeys(key[:2] for key in groups))}
    return dict(sorted(groups.items(), key=lambda item: (order[item[0][0]], parts[item[0][:2]])))


def row(key: tuple[str, str, str], records: list[Record], nalm: set[tuple]) -> list[str]:
    """Return the cells of one group; a method that was not installed says so.

    `nalm` holds the problems that nalm solved, with their seeds.
    """
    ran = [r for r in records if r["status"] != "not installed"]
    if not ran:
        return [*key, "not installed", *[""] * (len(HEADER) - 4)]
    solved, findable = sum(r.get("solved", False) for r in ran), ran[0]["findable"]
    low, high = wilson(solved, len(ran))
    times = [r.get("cpu", r["budget"]) for r in ran]
    sizes = [r["complexity"] for r in ran if r.get("solved") and r.get("complexity")]
    return [
        *key,
        str(len(ran)),
        str(solved) if findable else "–",
        f"{low:.0%} to {high:.0%}" if findable else "–",
        str(sum(key_of(r)[:3] in nalm for r in ran)) if findable and key[2] != "nalm" else "–",
        str(sum(r.get("close", False) for r in ran)) if findable else "–",
        str(sum(r.get("exact", False) for r in ran)) if findable else "–",
        str(sum(r.get("false_claim", False) for r in ran)) if key[2] == "nalm" else "–",
        f"{median(times):.2g}",
        f"{max(times):.2g}",
        f"{median(sizes):g}" if sizes else "–",
    ]


def rows(records: Iterable[Record]) -> list[list[str]]:
    """Return the table, without its header."""
    records = list(records)
    nalm = {key_of(r)[:3] for r in latest(records) if r["method"] == "nalm" and r.get("solved")}
    return [row(key, members, nalm) for key, members in grouped(records).items()]


def markdown(records: Iterable[Record]) -> str:
    """Return the table as Markdown."""
    lines = [HEADER, ["---"] * len(HEADER), *rows(records)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def as_csv(records: Iterable[Record]) -> str:
    """Return the table as CSV."""
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([HEADER, *rows(records)])
    return file.getvalue()


def missed(records: Iterable[Record], method: str = "nalm") -> list[Record]:
    """Return what a method did not solve, or claimed wrongly."""
    return [
        r
        for r in latest(records)
        if r["method"] == method
        and (r.get("false_claim") or (r["findable"] and not r.get("solved")))
    ]


def missed_lines(records: Iterable[Record]) -> str:
    """Return what nalm missed, as a list."""
    lines = []
    for r in missed(records):
        outcome = r.get("claim") or r["status"]
        mark = "**claimed wrongly**, " if r.get("false_claim") else ""
        found = f"`{r.get('expression', '')[:160]}`" if r.get("expression") else "nothing"
        lines.append(
            f"- {r['family']}, {r['problem']}, seed {r['seed']} ({r['dtype']}): "
            f"`{r['formula'][:100]}` gave {found}, {mark}{outcome}, "
            f"relative error {r.get('error', float('nan')):.1e}, "
            f"{r.get('cpu', r['budget']):.1f} s\n"
        )
    return "".join(lines) or "Nothing.\n"


PAGE = """# Fit: how many laws are found

The table is written by `python -m benchmarks.fit --page` from the records of single fits, which
`make bench-fit` makes.

- **Solved**: the formula is right at 1,000 new rows outside the range of the given rows (in the
  test ranges of the papers, or in ranges twice as long). Right means: at 99 % of these rows, its
  value differs from the law by at most one part in a million. With noise it means: the mean
  squared error at these rows is at most 1e-4 of the variance of the law.
- **To 4 digits**: the same with one part in ten thousand. Operon computes in single precision, so
  this count is fairer to it.
- **Exact**: the formula is algebraically equal to the law, and every number in it is exact. Both
  are computed with 50 digits at random fractions to find out.
- **Claimed but wrong**: nalm called the formula verified, but it is not solved. The laws of the
  family "outside" cannot be written with + − × ÷ √. So no law of this family can be solved, but
  a wrong formula could be called verified.
- **CPU s**: the CPU time of the process, without the time to import packages.
- **nalm on the same**: how many of the problems that this tool was given nalm solved.
- The 95 % interval is Wilson's. Complexity counts the inputs, numbers and operations of solved
  formulas.

How the other tools were run: Operon gets as much CPU time as nalm used on the same rows, but at
least 1 s. It runs with one thread, a population of 1000 and formulas of length at most 30. Each
run ends with many formulas, from which one is chosen in three ways: by BIC, by MDL and by the
mean squared error (MSE). If a formula has no error at all, it is chosen in all three ways,
because Operon's BIC would reject it. gplearn, pysindy and the MLP run with one setting each,
until they stop by themselves. These tools are told whether the law has a root; nalm is not.
pysindy only finds polynomials and the MLP gives no formula, so neither can find a division.

{measured}{table}
## What nalm missed

{missed}"""


MEASURED = """\
Seeds: 25 for single operations, 20 for two layers, 3 for division, compositions, coefficients,
physics and random laws, 2 for noise and laws outside, 1 for limits. The other tools were run with
seed 0 on up to 14 problems of each part, and gplearn on five problems in all. Not all rows were
measured with the same version of nalm. For single operations, division, two layers, compositions
and most of coefficients, Operon had as much time as nalm has in this table. All other rows of
other tools are older: the data are the same, but the time is that of an earlier version of nalm.
After this table was measured, nalm became faster for × and ÷ of two layers (median 0.58 s and
0.16 s).

"""
"""How the records of docs/fit-benchmark.md were made; to be rewritten with new records."""


def page(records: list[Record]) -> str:
    """Return the document."""
    return PAGE.format(measured=MEASURED, table=markdown(records), missed=missed_lines(records))
