"""From results folders to a page and figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nalm._internal.checks import check_path
from nalm._internal.files import write_whole
from nalm.errors import InputError
from nalm.report.results import ExperimentRuns, read_folders
from nalm.sweeps import Note


@dataclass(frozen=True)
class Written:
    """A page that was written."""

    path: Path
    notes: tuple[Note, ...]
    """What is damaged and left out."""


def write_report(
    folders: str | Path | list[str | Path] | tuple[str | Path, ...],
    path: str | Path | None = None,
    *,
    figures: str | Path | None = None,
    figure_formats: Sequence[str] = ("svg",),
    figure_width: int = 1000,
    figure_captions: bool = True,
) -> Path:
    """Write one self-contained HTML page about the results of some folders.

    The page begins with how often each model learned each task and which differences are more than
    chance; charts with intervals and published values, tables, learning curves, formulas and
    failed runs follow. It loads nothing from the network.

    Parameters
    ----------
    folders
        A folder that `nalm.bench`, `nalm.train` or `nalm bench` has written, a folder that contains
        such folders, or a list of them. Runs that are in several folders count once.
    path
        The file to write. If absent, `report.html` in the folder; several folders need a path.
    figures
        A folder into which a few figures of each experiment are also written: a heat map of rates
        and a chart of each quantity, with their captions in `captions.md`.
    figure_formats
        The formats of the figures: of "svg", "pdf" and "png".
    figure_width
        The width of the figures, in pixels.
    figure_captions
        Whether a figure has its caption in it, too.

    Returns
    -------
    pathlib.Path
        The file that was written.

    Raises
    ------
    nalm.errors.StoreError
        If a folder has no results, none that are finished, or a damaged file. A damaged run alone
        is left out, and the page says so.
    nalm.errors.InputError
        If the page or the figures cannot be written there.

    Examples
    --------
    >>> import nalm, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> results = nalm.bench("single-module", units=["nau"], ops=["add"], ranges=["U[1,2)"],
    ...                      seeds=2, steps=1000, out=folder)
    >>> nalm.write_report(folder).name
    'report.html'
    """
    options = (tuple(figure_formats), figure_width, figure_captions)
    return written_report(folders, path, figures=figures, figure_options=options).path


def written_report(
    folders: str | Path | list[str | Path] | tuple[str | Path, ...],
    path: str | Path | None = None,
    *,
    figures: str | Path | None = None,
    figure_options: tuple[tuple[str, ...], int, bool] = (("svg",), 1000, True),
) -> Written:
    """Write the page of `write_report`, and return what there is to say about it."""
    listed = list(folders) if isinstance(folders, list | tuple) else [folders]
    for folder in listed:
        check_path("A folder of results", folder)
    if figures is not None:
        check_path("A folder for figures", figures)
    if not listed:
        raise InputError("A report needs at least one folder of results; received none.")
    if path is None and len(listed) > 1:
        raise InputError(
            f"A report about {len(listed)} folders needs the file to write. Name it with path= "
            "(-o FILE.html on the command line)."
        )
    check_packages()
    from nalm.report.figures import FigureOptions, write_figures
    from nalm.report.page import page

    options = FigureOptions(*figure_options)
    if figures is not None and Path(figures).is_file():
        raise InputError(f"Figures go into a folder; {str(figures)!r} is a file. Name another.")
    reading = read_folders(*listed)
    target = Path(listed[0]) / "report.html" if path is None else Path(path)
    text = page(f"nalm: {title(reading.experiments)}", reading)
    try:
        write_whole(target, text.encode())
        if figures is not None:
            write_figures(reading.experiments, Path(figures), options)
    except OSError as error:
        raise InputError(f"The report cannot be written: {error}.") from None
    return Written(target, reading.notes)


def check_packages() -> None:
    """Raise unless the packages of the extra `report` are there."""
    try:
        import altair as alt  # noqa: F401
        import jinja2  # noqa: F401
        import vl_convert  # noqa: F401
    except ModuleNotFoundError as error:
        raise InputError(
            f"A report needs the package {error.name}: pip install 'nalm[report]'."
        ) from None


def title(experiments: Sequence[ExperimentRuns]) -> str:
    """Return the names of the experiments, or how many there are."""
    if len(experiments) > 3:
        return f"{len(experiments)} experiments"
    return ", ".join(experiment.name or "own runs" for experiment in experiments)
