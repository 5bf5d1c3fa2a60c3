"""`nalm fit`: from a file of numbers to its law."""

import csv
import io
import json
import re
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

from cyclopts import Parameter

from nalm.cli.app import Json, app
from nalm.cli.fit_text import print_findings
from nalm.cli.printing import complain, say

if TYPE_CHECKING:
    from nalm.fitting.findings import Findings, FitSettings
    from nalm.fitting.tables.table import TableData, TableNote

FOUND, NOT_FOUND, WRONG, INTERRUPTED = 0, 1, 2, 130
"""What the command exits with."""
Flag = Annotated[bool, Parameter(negative="")]


@app.command
def fit(
    data: Annotated[str, Parameter(allow_leading_hyphen=True)],
    /,
    *,
    target: str | None = None,
    features: str | None = None,
    form: str | None = None,
    functions: str = "all",
    units: str | None = None,
    start: str | None = None,
    sigma: str | None = None,
    drop_missing: Flag = False,
    max_time: float | None = None,
    effort: int = 1,
    random_state: int = 0,
    as_json: Json = False,
    latex: Flag = False,
    code: str | None = None,
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
        spaces; or an xlsx, parquet, feather or JSON file; - reads the standard input.
    target
        The column to explain, by name or number; the last if absent. Several, separated by commas,
        get a law each.
    features
        The columns to explain it with, separated by commas; all others if absent.
    form
        The formula, if only its constants are unknown, such as 'a*exp(-b*time) + c'.
    functions
        Which functions the formula may use besides arithmetic: all, arithmetic for none, or names
        separated by commas, such as exp,log,sin.
    units
        The units of the columns: header if the names have them in brackets, as in mass [kg], or
        pairs such as mass=kg,force=N. Formulas of the wrong dimension are left out.
    start
        A file that --save wrote, to go on from its laws.
    sigma
        The column with the standard deviation of the error of each target, by name or number.
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
    code
        Print the formula as a program and nothing else: python, numpy, c, excel or latex.
    report
        Write a page with charts to this HTML file; for one target.
    save
        Write the law to this JSON file, for nalm.Law.load; the laws of several targets, for
        nalm.ArithmeticRegressor.load.
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
            sigma,
            form,
            units,
            start,
        )
        _check_outputs(as_json, latex, code, report, save)
        found = _found(settings, report)
        _write(found, report, save)
    if as_json:
        records = [one.record() for one in found]
        say(json.dumps(records if len(records) > 1 else records[0], indent=2))
    for number, one in enumerate([] if as_json else found):
        if latex:
            say(one.latex())
        elif code:
            _print_code(one, code)
        else:
            if number:
                say()
            print_findings(one)
    only = as_json or latex or code is not None
    for kind, path in (("Report", report), ("Law", save)):
        if path is not None:
            tell = complain if only else say
            tell(f"{kind} written to {path}.")
    _exit_unless_verified(found, complained=only)


def _exit_unless_verified(found: Sequence["Findings"], *, complained: bool) -> None:
    unverified = [one.law for one in found if not one.law.verified]
    if complained:
        for law in unverified:
            complain(law.verdict())
    if any(law.interrupted for law in unverified):
        sys.exit(INTERRUPTED)
    if unverified:
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


def _check_outputs(
    as_json: bool, latex: bool, code: str | None, report: str | None, save: str | None
) -> None:
    """Refuse what cannot be printed or written before the search, not after it."""
    from nalm.errors import InputError, unknown
    from nalm.fitting.code import LANGUAGES

    if as_json and latex:
        raise InputError("--json and --latex print different things; --json has the LaTeX in it.")
    if code is not None and (as_json or latex):
        raise InputError(
            "--code prints the program and nothing else; leave out --json and --latex."
        )
    if code is not None and code not in LANGUAGES:
        raise unknown("language", code, LANGUAGES)
    for option, path in (("--report", report), ("--save", save)):
        if path is not None and (Path(path).is_dir() or not Path(path).parent.is_dir()):
            raise InputError(f"{option} takes a file in a folder that exists; received {path!r}.")
    if report is not None:
        from nalm.report.write import check_packages

        check_packages()


def _print_code(found: "Findings", language: str) -> None:
    """Print a program; where it names no columns, say on the side which is which."""
    say(found.law.to_code(language).rstrip("\n"))
    if language == "excel":
        from nalm.fitting.code.languages import Excel

        cells = zip(Excel().variables(found.law.names), found.law.names, strict=True)
        complain(f"Note: {', '.join(f'{cell} is {name!r}' for cell, name in cells)}.")


def _write(found: Sequence["Findings"], report: str | None, save: str | None) -> None:
    if save is not None:
        from nalm.fitting.law_file import save_laws

        save_laws(save, [one.law for one in found])
    if report is not None:
        from nalm.report.fit_page import write_fit_report

        write_fit_report(found[0], report)


def _check_report(targets: int, report: str | None) -> None:
    from nalm.errors import InputError

    if report is not None and targets > 1:
        raise InputError(
            f"--report writes a page about one target; received {targets}. "
            "Write one page after the other."
        )


def _found(settings: "FitSettings", report: str | None) -> list["Findings"]:
    """Read and search, one target after the other; Ctrl-C ends it with the best so far."""
    from nalm._internal.progress import watching
    from nalm.fitting.findings import find

    found: list[Findings] = []
    try:
        with _source(settings.source) as stream, watching(True, sys.stderr) as show:
            targets = _targets(stream, settings)
            _check_report(len(targets), report)
            for chosen in targets:
                found.append(find(_read(stream, chosen), chosen, show))
                if found[-1].law.interrupted:
                    break
    except KeyboardInterrupt:
        complain("Interrupted; nothing was found so far.")
        sys.exit(INTERRUPTED)
    return found


@contextmanager
def _source(source: str) -> Iterator[BinaryIO]:
    """Open the table so that it can be read several times."""
    from nalm.fitting.tables.reading import opened, seekable

    if source == "-":
        with seekable(sys.stdin.buffer) as stream:
            yield stream
    else:
        with opened(source) as stream, seekable(stream) as same:
            yield same


def _targets(stream: BinaryIO, settings: "FitSettings") -> list["FitSettings"]:
    """Return the settings for each target; a name may have a comma in it."""
    from nalm.fitting.tables.reading import column_names

    if settings.target is None or "," not in settings.target:
        return [settings]
    if settings.target in column_names(stream):
        return [settings]
    names = column_list(settings.target) or ()
    return [
        replace(settings, target=name, others=tuple(n for n in names if n != name))
        for name in names
    ]


def _read(stream: BinaryIO, settings: "FitSettings") -> "TableData":
    """Read the table, and print what may surprise the user."""
    from nalm.fitting.tables.reading import read_table

    stream.seek(0)
    data = read_table(
        stream,
        settings.target,
        settings.features,
        sigma=settings.sigma,
        drop_missing=settings.drop_missing,
        others=settings.others,
    )
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
    option = f" Change it with --{note.argument}." if note.argument else ""
    return note.text + option


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
