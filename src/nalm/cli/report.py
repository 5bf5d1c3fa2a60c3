"""Write a page about results."""

import sys

from nalm.cli import choices
from nalm.cli.app import OutputFile, Whole, app
from nalm.cli.printing import complain, say


@app.command
def report(
    *folders: str,
    output: OutputFile = None,
    figures: str | None = None,
    figure_formats: str = "svg",
    figure_width: Whole = None,
    figure_captions: bool = True,
    units: str | None = None,
) -> None:
    """Write one HTML page about results: rates, rankings, charts, learning curves, formulas.

    Parameters
    ----------
    folders
        Folders that nalm bench has written, or a folder that contains such folders.
    output
        The file to write; report.html in the folder if absent. Several folders need it.
    figures
        A folder into which a few figures are also written, with their captions in captions.md.
    figure_formats
        The formats of the figures, separated by commas: svg, pdf, png.
    figure_width
        The width of the figures in pixels; 1000 if absent.
    figure_captions
        Whether the figures have their captions in them.
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
        formats = tuple(choices.split(figure_formats) or ())
        options = (formats, 1000 if figure_width is None else figure_width, figure_captions)
        written = written_report(folders, output, figures=figures, figure_options=options)
    except NalmError as error:
        complain(error)
        sys.exit(2)
    for note in written.notes:
        complain(f"Note: {note}")
    say(f"Written to {written.path}." + (f" Figures in {figures}." if figures else ""))
