"""From a file of numbers to the law in it."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from nalm.cli.app import Json, app
from nalm.cli.tables import print_rows

if TYPE_CHECKING:
    from nalm.fitting.edge import EdgeTest
    from nalm.fitting.findings import Findings, Settings
    from nalm.fitting.refine import Fitted

FOUND, NOT_FOUND, WRONG, INTERRUPTED = 0, 1, 2, 130
"""What the command exits with."""
SHOWN = 100
"""The most letters of an alternative."""
Flag = Annotated[bool, Parameter(negative="")]


@app.command
def fit(
    data: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    target: str | None = None,
    features: str | None = None,
    drop_missing: Flag = False,
    max_time: float | None = None,
    effort: int = 1,
    seed: int = 0,
    as_json: Json = False,
    latex: Flag = False,
    report: str | None = None,
    save: str | None = None,
) -> None:
    """Find the exact formula behind a table of numbers, and check it on rows held out.

    Exits with 0 if a formula was found and verified, 1 if not, 2 if the input is wrong.

    Parameters
    ----------
    data
        A text file with one row per line, its fields separated by commas, semicolons, tabs, | or
        spaces; - reads the standard input.
    target
        The column to explain, by name or number; the last if absent.
    features
        The columns to explain it with, separated by commas; all others if absent.
    drop_missing
        Leave out rows with missing values; without it they are an error.
    max_time
        The most seconds to search.
    effort
        How often to repeat the search over layers of units, with new starts.
    seed
        The seed of the search.
    as_json
        Print JSON instead of text.
    latex
        Print the formula as LaTeX and nothing else.
    report
        Write a page with charts to this HTML file.
    save
        Write the formula to this JSON file, for ArithmeticRegressor.load.
    """
    from nalm.errors import NalmError
    from nalm.fitting.findings import Settings
    from nalm.fitting.law import save_laws

    settings = Settings(data, target, features, drop_missing, max_time, effort, seed)
    try:
        _check_outputs(as_json, latex, report, save)
        findings = _found(settings)
        if save is not None:
            save_laws(save, [findings.law])
        if report is not None:
            from nalm.report.fit_page import write_fit_report

            write_fit_report(findings, report)
    except NalmError as error:
        print(error, file=sys.stderr)
        sys.exit(WRONG)
    except OSError as error:
        print(f"The result cannot be written: {error}.", file=sys.stderr)
        sys.exit(WRONG)
    except MemoryError:
        print(
            "The table does not fit into memory; --features reads fewer columns.", file=sys.stderr
        )
        sys.exit(WRONG)
    if as_json:
        print(json.dumps(findings.record(), indent=2))
    elif latex:
        print(findings.latex())
    else:
        _print_findings(findings)
    for kind, path in (("Report", report), ("Formula", save)):
        if path is not None:
            print(f"{kind} written to {path}.", file=sys.stderr if as_json or latex else sys.stdout)
    if not findings.law.verified:
        if as_json or latex:
            print(f"Not found: {findings.law.reason}.", file=sys.stderr)
        sys.exit(NOT_FOUND)


def _check_outputs(as_json: bool, latex: bool, report: str | None, save: str | None) -> None:
    """Refuse what cannot be printed or written before the search, not after it."""
    from nalm.errors import InputError

    if as_json and latex:
        raise InputError("--json and --latex print different things; --json has the LaTeX in it.")
    for option, path in (("--report", report), ("--save", save)):
        if path is not None and (Path(path).is_dir() or not Path(path).parent.is_dir()):
            raise InputError(f"{option} takes a file in a folder that exists; received {path!r}.")
    if report is not None:
        from nalm.report.report import check_packages

        check_packages()


def _found(settings: "Settings") -> "Findings":
    """Read and search; Ctrl-C ends it with the best formula so far."""
    from nalm.fitting.findings import find, read
    from nalm.fitting.text import written
    from nalm.progress import SearchReporter

    names, best = (), None
    try:
        data = read(settings)
        for note in data.notes:
            print(f"Note: {note}", file=sys.stderr)
        names = data.names
        with SearchReporter(sys.stderr) as progress:

            def tell(stage: str, fitted: "Fitted") -> None:
                nonlocal best
                best = fitted
                progress.report(stage, fitted.rms)

            return find(data, settings, tell)
    except KeyboardInterrupt:
        print("Interrupted; nothing was verified.", file=sys.stderr)
        if best is not None:
            print(f"Best so far: {written(best.tree, names)}\nIts error: {best.rms:.3g}")
        sys.exit(INTERRUPTED)


# --- text ----------------------------------------------------------------------------------------


def _print_findings(found: "Findings") -> None:
    law = found.law
    equation = found.equation
    if law.verified:
        print(f"{equation}\n\nVerified, {law.outcome}: {law.reason}.")
    else:
        print(f"Not found: {law.reason}.\nBest approximation, not verified:\n\n{equation}\n")
    left_out = f", {found.data.left_out} with missing values left out" * bool(found.data.left_out)
    print(f"Rows: {law.rows}, {law.held_out} of them hidden from the search{left_out}.")
    print(f"Noise: {_noise(found)}.")
    print(f"Error on all rows: {_error(law.error, found.spread)}.")
    print(f"Edge test: {_edge(found.edge, found.spread)}.")
    print(f"Time: {law.seconds:.2g} s.")
    if len(law.alternatives) > 1:
        _print_alternatives(found)


def _noise(found: "Findings") -> str:
    if found.law.noise == 0:
        return "none beyond rounding"
    kind = "estimated standard deviation" if found.law.verified else "unknown; unexplained"
    return f"{kind} {_error(found.law.noise, found.spread)}"


def _error(value: float, spread: float) -> str:
    share = f" ({value / spread:.2g} of the spread of the target)" if spread > 0 else ""
    return f"{value:.3g}{share}"


def _edge(edge: "EdgeTest | None", spread: float) -> str:
    if edge is None:
        return "none, because rows or inputs are too few"
    return (
        f"error {_error(edge.outer_error, spread)} on the {edge.outer_rows} outermost rows, "
        f"{edge.inner_error:.3g} on the {edge.inner_rows} others{edge.refitted}"
    )


def _print_alternatives(found: "Findings") -> None:
    from nalm.fitting.text import written

    rows = []
    for alternative in found.law.alternatives:
        text = written(alternative.tree, found.law.names)
        text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
        rows.append([str(alternative.complexity), f"{alternative.error:.3g}", text])
    print("\nAlternatives, from simple to accurate:")
    print_rows({"complexity": "right", "error": "right", "formula": "left"}, rows)
