"""What `nalm fit` prints: the law, the evidence for it, and simpler formulas."""

from typing import TYPE_CHECKING

from nalm.cli.printing import say
from nalm.cli.tables import print_rows

if TYPE_CHECKING:
    from nalm.fitting.evidence.edge_test import EdgeTest
    from nalm.fitting.findings import Findings

OUTLIERS = 20
"""The most outliers that are listed."""
LONGEST = 100
"""The most letters of an alternative that are shown."""


def print_findings(found: "Findings") -> None:
    """Print everything about a fit as text."""
    from nalm.fitting.constants import listed

    law = found.law
    equation = found.equation
    if law.verified or law.plausible:
        say(f"{equation}\n\n{law.verdict()}")
    else:
        say(f"{law.verdict()}\nBest approximation, not verified:\n\n{equation}\n")
    left_out = f", {found.data.left_out} with missing values left out" * bool(found.data.left_out)
    for line in listed(law.constants):
        say(f"Constant: {line}.")
    say(f"Rows: {law.rows:,}, {law.held_out:,} of them hidden from the search{left_out}.")
    say(f"Noise: {_noise(found)}.")
    which = "all rows but the outliers" if law.outliers else "all rows"
    say(f"Error on {which}: {_error(law.error, found.spread)}.")
    say(f"Edge test: {_edge(found.edge, found.spread)}.")
    say(f"Time: {law.seconds:.2g} s.")
    if law.outliers:
        _print_outliers(found)
    if len(law.alternatives) > 1:
        _print_alternatives(found)


def _noise(found: "Findings") -> str:
    if found.law.noise == 0:
        return "none beyond rounding"
    kind = "estimated standard deviation" if found.law.verified else "unknown; unexplained"
    return f"{kind} {_error(found.law.noise, found.spread)}"


def _error(value: float, spread: float) -> str:
    share = f" ({value / spread:.2g} of the spread of the target)" if spread > 0 and value else ""
    return f"{value:.3g}{share}"


def _edge(edge: "EdgeTest | None", spread: float) -> str:
    if edge is None:
        return "none, for it takes a formula of columns, enough rows and time"
    refitted = ", to which its measured numbers were fitted again" * edge.refitted
    return (
        f"error {_error(edge.outer_error, spread)} on the {edge.outer_rows:,} outermost rows, "
        f"{edge.inner_error:.3g} on the {edge.inner_rows:,} others{refitted}"
    )


def _print_outliers(found: "Findings") -> None:
    law = found.law
    rows: list[list[str]] = []
    for outlier in law.outliers[:OUTLIERS]:
        times = f", {abs(outlier.error) / law.noise:.0f} times the noise" if law.noise else ""
        numbers = (f"{outlier.value:.6g}", f"{outlier.expected:.6g}")
        rows.append([str(found.row_number(outlier.row)), *numbers, f"{outlier.error:+.3g}{times}"])
    more = f", the first {OUTLIERS} of {len(law.outliers)}" * (len(law.outliers) > OUTLIERS)
    say(
        f"\nOutliers, which disagree with the formula{more} "
        "(rows of the file are counted from 1, the header is not counted):"
    )
    heads = ("row", "value", "expected", "off by")
    print_rows(dict.fromkeys(heads, "right"), rows)


def _print_alternatives(found: "Findings") -> None:
    rows = []
    for alternative in found.law.alternatives:
        text = alternative.text()
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        rows.append([str(alternative.complexity), f"{alternative.error:.3g}", text])
    say("\nAlternatives, from simple to accurate:")
    print_rows({"complexity": "right", "error": "right", "formula": "left"}, rows)
