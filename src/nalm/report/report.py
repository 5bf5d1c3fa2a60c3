"""From a results folder to a page and figures."""

from collections.abc import Sequence
from pathlib import Path

from nalm._input_checks import check_path
from nalm.errors import InputError
from nalm.report.charts import PANELS, panel, values_of
from nalm.report.results import ExperimentResults, read_results
from nalm.writing import write_whole

FORMATS = ("svg", "png", "pdf")


def write_report(
    folders: str | Path | list[str | Path] | tuple[str | Path, ...],
    output: str | Path | None = None,
    *,
    figures: str | Path | None = None,
) -> Path:
    """Write one self-contained HTML file about the results of some folders, and return its path.

    A folder is one that `nalm bench` has written, or one that has such folders in it. The file is
    `report.html` in the folder unless `output` names another; several folders need an `output`.
    With `figures`, every chart is also written into that folder as SVG, PNG and PDF.
    """
    listed = list(folders) if isinstance(folders, list | tuple) else [folders]
    for path in listed:
        check_path("A folder of results", path)
    if figures is not None:
        check_path("A folder for figures", figures)
    if not listed or (output is None and len(listed) > 1):
        raise InputError(
            "A report is about at least one folder, and one about several needs the file to write "
            f"(-o FILE.html, or output=); received {len(listed)} folders and no file."
        )
    check_packages()
    from nalm.report.page import page

    if figures is not None and Path(figures).is_file():
        raise InputError(f"Figures go into a folder; {str(figures)!r} is a file. Name another.")
    experiments = read_results(*listed)
    target = Path(output) if output is not None else Path(listed[0]) / "report.html"
    text = page(f"nalm: {title(experiments)}", experiments)
    try:
        write_whole(target, text.encode())
        if figures is not None:
            write_figures(experiments, Path(figures))
    except OSError as error:
        raise InputError(f"The report cannot be written: {error}.") from None
    return target


def check_packages() -> None:
    """Raise unless the packages of the extra `report` are there."""
    try:
        import altair as alt  # noqa: F401
        import vl_convert  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(
            "A report needs altair and vl-convert: pip install 'nalm[report]'."
        ) from None


def title(experiments: Sequence[ExperimentResults]) -> str:
    """Return the names of the experiments, or how many there are."""
    if len(experiments) > 3:
        return f"{len(experiments)} experiments"
    return ", ".join(experiment.name or "own runs" for experiment in experiments)


def write_figures(experiments: Sequence[ExperimentResults], folder: Path) -> None:
    """Write the three panels of each experiment and operation as SVG, PNG and PDF."""
    import vl_convert

    folder.mkdir(parents=True, exist_ok=True)
    render = {
        "svg": lambda spec: vl_convert.vegalite_to_svg(spec).encode(),
        "png": lambda spec: vl_convert.vegalite_to_png(spec, scale=2),
        "pdf": vl_convert.vegalite_to_pdf,
    }
    for experiment in experiments:
        rows = values_of(experiment.rows())
        for op in dict.fromkeys(row["op"] for row in rows):
            for name in PANELS:
                about = f"{experiment.name or 'own runs'}, {op}"
                spec = panel(name, [row for row in rows if row["op"] == op], about)
                for ending in FORMATS:
                    path = folder / f"{experiment.name or 'own'}-{op}-{name}.{ending}"
                    write_whole(path, render[ending](spec))
