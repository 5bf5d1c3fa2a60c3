"""Write a page about results."""

import sys

from nalm.cli import choices
from nalm.cli.app import OutputFile, app
from nalm.cli.printing import complain, say


@app.command
def report(
    *folders: str,
    output: OutputFile = None,
    figures: str | None = None,
    units: str | None = None,
) -> None:
    """Write one HTML page about results: charts, comparisons, learning curves, formulas.

    Parameters
    ----------
    folders
        Folders that nalm bench has written, or a folder that contains such folders.
    output
        The file to write; report.html in the folder if absent. Several folders need it.
    figures
        A folder into which the charts are also written as SVG, PNG and PDF.
    units
        Custom units, FILE.py:CLASS, separated by commas: they are needed to read the formulas of
        their runs.
    """
    from nalm._internal.custom import load
    from nalm.errors import NalmError
    from nalm.report.write import written_report
    from nalm.units import Unit

    try:
        for unit in choices.split(units) or ():
            load(unit, Unit, "unit")
        written = written_report(folders, output, figures=figures)
    except NalmError as error:
        complain(error)
        sys.exit(2)
    for note in written.notes:
        complain(f"Note: {note}")
    say(f"Written to {written.path}." + (f" Figures in {figures}." if figures else ""))
