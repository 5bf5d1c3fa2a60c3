"""Write docs/papers.md: of each paper, which values and statements hold in our record.

python -m benchmarks.papers_page
"""

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isnan
from pathlib import Path

from benchmarks.record import FOLDER, Record, read_record, updated
from benchmarks.results_page import table

from nalm.experiments.comparison import groups
from nalm.experiments.composition_errors import SOURCE, composition_errors
from nalm.experiments.gold import gold_errors
from nalm.experiments.statements import STATEMENTS, Finding, findings
from nalm.experiments.worked_examples import worked_examples
from nalm.networks.references import titles
from nalm.report.numbers import with_interval
from nalm.sweeps.statistics import Verdict
from nalm.sweeps.types import Comparison

REASONS = Path(__file__).parent / "reasons.csv"
"""Why something differs, as an experiment of ours showed; what is not there is unexplained."""
HEAD = """# Of each paper, what holds

What papers print about the experiments of the catalogue, beside our recorded runs. This page is
made from [docs/results](results) by `python -m benchmarks.papers_page`; the values themselves are
in [results.md](results.md).

A **value** (success rate, steps, sparsity error, mean squared error, interpolation rate) agrees if
its 95 % interval and ours overlap. A **statement** (a count such as "better on 5 of 9 ranges", or
an ordering) is true or false of our runs as measured. Its probability is the share of 4,000
repetitions in which it is true; a repetition draws as many runs as there are, with replacement,
from those of each cell. A statement agrees if it is true of our runs, or of at least 5 % of
repetitions; otherwise it differs. What few runs never showed, no repetition shows, so the fewest
runs of a cell are given. An exact count is a strict statement: a repetition of the authors' own
runs would often give another.

What differs has the reason that an experiment of ours showed, or "unexplained".

"Not comparable" means: not run at the published number of steps, no interval, too little kept of
older runs, or a criterion that is not published. "Wide" counts the agreements of success rates
whose interval, ours or the published one, is wider than 0.5: they are weak evidence.

"""
UNPRINTED = ("schloer2020",)
"""Papers whose values are computed from files of the authors' runs."""
MARKS = {
    Verdict.AGREES: "agrees",
    Verdict.DIFFERS: "**differs**",
    Verdict.INCOMPARABLE: "not comparable",
}


@dataclass(frozen=True)
class Value:
    """A published value beside ours, and where it belongs."""

    experiment: str
    about: str
    comparison: Comparison

    @property
    def paper(self) -> str:
        return paper_of(self.comparison.source)


def paper_of(source: str) -> str:
    """Return the key of the paper of a source."""
    return source.partition(",")[0]


def values(record: Record) -> list[Value]:
    """Return every published value that the record has cells for."""
    found = []
    for name, cells in record.items():
        found += [
            Value(name, str(c.key), comparison) for c in cells for comparison in c.comparisons
        ]
        for group in groups(name, cells):
            about = f"{group.unit}, {group.op}, {len(group.ranges)} ranges, {group.inputs} inputs"
            found.append(Value(name, about, group.comparison))
    return found


def page(record: Record) -> str:
    """Return the page."""
    printed, judged = values(record), findings(STATEMENTS, record)
    papers = sorted({*(v.paper for v in printed), *(f.statement.paper for f in judged)})
    text = HEAD + summary(papers, printed, judged) + in_all(printed, judged, record)
    for paper in papers:
        mine = [v for v in printed if v.paper == paper]
        stated = [f for f in judged if f.statement.paper == paper]
        text += section(paper, mine, stated)
        text += network_errors(record) if paper == paper_of(SOURCE) else ""
    return text


@lru_cache
def reasons() -> dict[tuple[str, str], str]:
    """Return what experiments showed about differences, by experiment and what differs."""
    with REASONS.open(encoding="utf-8", newline="") as file:
        return {(row["experiment"], row["about"]): row["reason"] for row in csv.DictReader(file)}


def reasons_of(differing: Iterable[tuple[str, str]]) -> str:
    """Return the reasons of differences, each given by its experiment and what differs."""
    by_reason: dict[str, list[str]] = {}
    for experiment, about in differing:
        why = reasons().get((experiment, about), "unexplained")
        by_reason.setdefault(why, []).append(f"{about} ({experiment})")
    lines = [f"- {'; '.join(texts)}: {why}" for why, texts in by_reason.items()]
    return "\nWhy they differ:\n\n" + "\n".join(lines) + "\n" if lines else ""


def counts(verdicts: Iterable[Verdict]) -> tuple[int, int, int]:
    """Return how many agree, differ and are not comparable."""
    found = Counter(verdicts)
    return found[Verdict.AGREES], found[Verdict.DIFFERS], found[Verdict.INCOMPARABLE]


def summary(papers: Sequence[str], printed: Sequence[Value], judged: Sequence[Finding]) -> str:
    """Return the table of counts, and what they come to."""
    lines = []
    for paper in (*papers, "all"):
        mine = [v for v in printed if paper in {v.paper, "all"}]
        stated = [f for f in judged if paper in {f.statement.paper, "all"}]
        of_values = counts(v.comparison.verdict for v in mine)
        of_statements = counts(f.verdict for f in stated)
        true = sum(f.holds is True for f in stated)
        wide = sum(v.comparison.wide for v in mine)
        lines.append((paper, *of_values, wide, *of_statements, true))
    heads = ("paper", "values: agree", "differ", "not comparable", "wide")
    heads += ("statements: agree", "differ", "not comparable", "true as measured")
    return "## Summary\n\n" + table(heads, lines)


def in_all(printed: Sequence[Value], judged: Sequence[Finding], record: Record) -> str:
    """Return how many of all comparable values and statements agree, and what needs no training."""
    verdicts = [v.comparison.verdict for v in printed] + [f.verdict for f in judged]
    verdicts += [error.verdict for error in composition_errors(record.get("composition", ()))]
    gold = [error.agrees for error in gold_errors()]
    agree, differ, _ = counts(verdicts)
    agree, differ = agree + sum(gold), differ + len(gold) - sum(gold)
    theirs = [v.comparison.verdict for v in printed if v.paper in UNPRINTED]
    unprinted, apart, _ = counts(theirs)
    exact = worked_examples()
    return (
        f"\nOf {agree + differ:,} comparable values and statements, with the errors below, "
        f"{agree:,} agree ({agree / (agree + differ):.1%}). Without {' and '.join(UNPRINTED)}, "
        "whose values are not printed but computed from files of the authors' runs, "
        f"{agree - unprinted:,} of {agree + differ - unprinted - apart:,} agree "
        f"({(agree - unprinted) / (agree + differ - unprinted - apart):.1%}). "
        f"Worked examples, which need no training: {sum(e.agrees for e in exact)} of {len(exact)} "
        "printed numbers are what our units compute (`nalm worked-examples`).\n\n" + small_numbers()
    )


def network_errors(record: Record) -> str:
    """Return the printed errors of networks on compositions beside ours."""
    errors = composition_errors(record.get("composition", ()))
    agree, differ, rest = counts(error.verdict for error in errors)
    lines = [
        (
            error.network,
            error.quantity.heading,
            f"{error.printed:g}",
            f"{error.ours.low:.3g} to {error.ours.high:.3g}" if error.ours else "",
            MARKS[error.verdict],
        )
        for error in errors
    ]
    heads = ("network", "what", "printed", "ours, one run of each composition", "verdict")
    return (
        f"\nMean squared errors of table 7.3: {agree} agree, {differ} differ, {rest} not "
        "comparable. "
        "One run of each composition is published; ours is where 95 % of such means are, drawn "
        "from "
        "our runs (25 seeds, or the first 5).\n\n" + table(heads, lines)
    ) + reasons_of(
        ("composition", f"{error.network}, {error.quantity.heading}")
        for error in errors
        if error.verdict is Verdict.DIFFERS
    )


def small_numbers() -> str:
    """Return how many published errors of exact weights near zero are ours."""
    errors = gold_errors()
    other = [error for error in errors if not error.agrees]
    names = ", ".join(sorted({f"{e.model.name} on {e.op}" for e in other}))
    return (
        f"Division near zero with exact weights (section 5.8 and figure 5.12 of mistry2023): "
        f"{len(errors) - len(other)} of {len(errors)} published errors and thresholds are where "
        f"95 % of our random test sets are. The other {len(other)} ({names}) are larger as "
        "published. The published code computes the factor of an input c as (w c + 1) − w, "
        "which rounds small numbers away, ours as w c + (1 − w). With their order of "
        "operations ours has their errors (`tests/experiments/test_gold.py`).\n"
    )


def section(paper: str, printed: Sequence[Value], judged: Sequence[Finding]) -> str:
    """Return what holds of one paper: its statements, and the values that differ."""
    title = titles([paper]).get(paper, "")
    text = f"\n## {paper}\n\n{title}\n" if title else f"\n## {paper}\n"
    if judged:
        text += "\n" + table(
            (
                "statement",
                "where",
                "experiment",
                "true of ours",
                "probability",
                "fewest runs",
                "verdict",
            ),
            [statement_line(finding) for finding in judged],
        )
    differing = [v for v in printed if v.comparison.verdict is Verdict.DIFFERS]
    if differing:
        text += "\nValues that differ:\n\n" + table(
            ("experiment", "about", "what", "ours", "published", "where"),
            map(value_line, differing),
        )
    false = [f.statement for f in judged if f.verdict is Verdict.DIFFERS]
    return text + reasons_of(
        [
            *((statement.experiment, statement.text) for statement in false),
            *((v.experiment, f"{v.about}, {v.comparison.quantity.heading}") for v in differing),
        ]
    )


def statement_line(finding: Finding) -> tuple[str, ...]:
    statement = finding.statement
    where = statement.source.partition(", ")[2]
    true = {True: "yes", False: "no", None: ""}[finding.holds]
    probability = "" if isnan(finding.probability) else f"{finding.probability:.2f}"
    runs = str(finding.fewest or "")
    link = f"[{statement.experiment}](results.md#{statement.experiment})"
    return statement.text, where, link, true, probability, runs, MARKS[finding.verdict]


def value_line(value: Value) -> tuple[str, ...]:
    comparison = value.comparison
    where = comparison.source.partition(", ")[2]
    ours, published = with_interval(comparison.ours), with_interval(comparison.published)
    return value.experiment, value.about, comparison.quantity.heading, ours, published, where


def main() -> None:
    """Write the page."""
    text = page(updated(read_record(), {}))
    (FOLDER.parent / "papers.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
