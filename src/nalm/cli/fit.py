"""`nalm fit`: from a file of numbers to its law."""

import csv
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from nalm.cli.app import Json, app
from nalm.cli.printing import complain, say
from nalm.cli.tables import print_rows

if TYPE_CHECKING:
    from nalm.fitting.evidence.edge_test import EdgeTest
    from nalm.fitting.findings import Findings, FitSettings
    from nalm.fitting.tables.text_table import TableData, TableNote

FOUND, NOT_FOUND, WRONG, INTERRUPTED = 0, 1, 2, 130
"""What the command exits with."""
LONGEST = 100
"""The most letters of an alternative that are shown."""
Flag = Annotated[bool, Parameter(negative="")]


@app.command
def fit(
    data: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    target: str | None = None,
    features: str | None = None,
    functions: str = "all",
    drop_missing: Flag = False,
    max_time: float | None = None,
    effort: int = 1,
    random_state: int = 0,
    as_json: Json = False,
    latex: Flag = False,
    report: str | None = None,
    save: str | None = None,
) -> None:
    """Find the exact formula behind a table of numbers, and check it on rows held out.

    Exits with 0 if a formula was found and verified, 1 if not, 2 if the input is wrong, 70 if
    nalm itself fails.

    Parameters
    ----------
    data
        A text file with one row per line, its fields separated by commas, semicolons, tabs, | or
        spaces; - reads the standard input.
    target
        The column to explain, by name or number; the last if absent.
    features
        The columns to explain it with, separated by commas; all others if absent.
    functions
        Which functions the formula may use besides arithmetic: all, arithmetic for none, or names
        separated by commas, such as exp,log,sin.
    drop_missing
        Leave out rows with missing values; without it they are an error.
    max_time
        The most seconds to search.
    effort
        How often to repeat the search over layers of units, with new random starts.
    random_state
        The seed of the random starts and of the choice of held-out rows.
    as_json
        Print JSON instead of text.
    latex
        Print the formula as LaTeX and nothing else.
    report
        Write a page with charts to this HTML file.
    save
        Write the law to this JSON file, for nalm.Law.load.
    """
    from nalm.fitting.findings import FitSettings

    with _errors_exit():
        settings = FitSettings(
            data,
            target,
            column_list(features),
            functions,
            drop_missing,
            max_time,
            effort,
            random_state,
        )
        _check_outputs(as_json, latex, report, save)
        findings = _found(settings)
        _write(findings, report, save)
    if as_json:
        say(json.dumps(findings.record(), indent=2))
    elif latex:
        say(findings.latex())
    else:
        _print_findings(findings)
    for kind, path in (("Report", report), ("Law", save)):
        if path is not None:
            tell = complain if as_json or latex else say
            tell(f"{kind} written to {path}.")
    if not findings.law.verified:
        if as_json or latex:
            complain(findings.law.verdict())
        sys.exit(NOT_FOUND)


@contextmanager
def _errors_exit() -> Iterator[None]:
    """Print errors as one sentence, and exit."""
    from nalm.errors import NalmError, TableError

    try:
        yield
    except TableError as error:
        _exit(f"{error}{_advice(error.fixes)}")
    except NalmError as error:
        _exit(str(error))
    except OSError as error:
        _exit(f"The result cannot be written: {error}.")
    except MemoryError:
        _exit("The table does not fit into memory. Read fewer columns with --features.")


def _exit(message: str) -> None:
    complain(message)
    sys.exit(WRONG)


def _check_outputs(as_json: bool, latex: bool, report: str | None, save: str | None) -> None:
    """Refuse what cannot be printed or written before the search, not after it."""
    from nalm.errors import InputError

    if as_json and latex:
        raise InputError("--json and --latex print different things; --json has the LaTeX in it.")
    for option, path in (("--report", report), ("--save", save)):
        if path is not None and (Path(path).is_dir() or not Path(path).parent.is_dir()):
            raise InputError(f"{option} takes a file in a folder that exists; received {path!r}.")
    if report is not None:
        from nalm.report.write import check_packages

        check_packages()


def _write(findings: "Findings", report: str | None, save: str | None) -> None:
    if save is not None:
        findings.law.save(save)
    if report is not None:
        from nalm.report.fit_page import write_fit_report

        write_fit_report(findings, report)


def _found(settings: "FitSettings") -> "Findings":
    """Read and search; Ctrl-C ends it with the best formula so far."""
    from nalm._internal.progress import SearchProgress, watching
    from nalm.fitting.findings import find

    best: SearchProgress | None = None
    try:
        data = _read(settings)
        with watching(True, sys.stderr) as show:

            def progress(event: SearchProgress) -> None:
                nonlocal best
                best = event
                show(event)

            return find(data, settings, progress)
    except KeyboardInterrupt:
        complain("Interrupted; nothing was verified.")
        if best is not None:
            say(f"Best so far: {best.formula}\nIts error: {best.error:.3g}")
        sys.exit(INTERRUPTED)


def _read(settings: "FitSettings") -> "TableData":
    """Read the table, and print what may surprise the user."""
    from nalm.fitting.tables.text_table import opened, read_table

    chosen = (settings.target, settings.features)
    if settings.source == "-":
        data = read_table(sys.stdin.buffer, *chosen, drop_missing=settings.drop_missing)
    else:
        with opened(settings.source) as stream:
            data = read_table(stream, *chosen, drop_missing=settings.drop_missing)
    for note in data.notes:
        complain(f"Note: {_note(note)}")
    return data


# --- arguments -----------------------------------------------------------------------------------


def column_list(text: str | None) -> tuple[str, ...] | None:
    """Return names separated by commas; one with a comma in it is quoted.

    >>> column_list('a, "mass, kg"')
    ('a', 'mass, kg')
    """
    if text is None:
        return None
    try:
        return tuple(next(csv.reader(io.StringIO(text), skipinitialspace=True), []))
    except csv.Error as error:
        from nalm.errors import InputError

        raise InputError(f"--features takes names separated by commas; {error}.") from None


def _note(note: "TableNote") -> str:
    return note.text + (_advice({note.argument: None}) if note.argument else "")


def _advice(fixes: Mapping[str, Any]) -> str:
    """Return which options help.

    >>> _advice({"drop_missing": True, "features": ("a", "b")})
    ' Use --drop-missing or --features a,b.'
    >>> _advice({})
    ''
    """
    options = [_option(name, value) for name, value in fixes.items()]
    return f" Use {' or '.join(options)}." if options else ""


def _option(name: str, value: object) -> str:
    option = "--" + name.replace("_", "-")
    if value is None or value is True:
        return option
    return f"{option} {quoted(value) if isinstance(value, tuple) else value}"


def quoted(names: Sequence[str]) -> str:
    """Return names as --features takes them in a shell.

    >>> print(quoted(["a", "mass, kg"]))
    'a,"mass, kg"'
    """
    text = ",".join(f'"{name}"' if "," in name else name for name in names)
    return text if re.fullmatch(r"[\w.,-]+", text) else shlex.quote(text)


# --- text ----------------------------------------------------------------------------------------


def _print_findings(found: "Findings") -> None:
    law = found.law
    equation = found.equation
    if law.verified or law.plausible:
        say(f"{equation}\n\n{law.verdict()}")
    else:
        say(f"{law.verdict()}\nBest approximation, not verified:\n\n{equation}\n")
    left_out = f", {found.data.left_out} with missing values left out" * bool(found.data.left_out)
    say(f"Rows: {law.rows}, {law.held_out} of them hidden from the search{left_out}.")
    say(f"Noise: {_noise(found)}.")
    say(f"Error on all rows: {_error(law.error, found.spread)}.")
    say(f"Edge test: {_edge(found.edge, found.spread)}.")
    say(f"Time: {law.seconds:.2g} s.")
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
        return "none, because rows or columns are too few"
    refitted = ", to which its measured numbers were fitted again" * edge.refitted
    return (
        f"error {_error(edge.outer_error, spread)} on the {edge.outer_rows} outermost rows, "
        f"{edge.inner_error:.3g} on the {edge.inner_rows} others{refitted}"
    )


def _print_alternatives(found: "Findings") -> None:
    rows = []
    for alternative in found.law.alternatives:
        text = alternative.text()
        text = text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
        rows.append([str(alternative.complexity), f"{alternative.error:.3g}", text])
    say("\nAlternatives, from simple to accurate:")
    print_rows({"complexity": "right", "error": "right", "formula": "left"}, rows)
