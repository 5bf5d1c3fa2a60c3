"""The notebooks run in a real kernel, and show what they promise."""

from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"


def executed(name: str) -> list[dict[str, Any]]:
    """Return what each cell of code shows, by MIME type; "stdout" is what it prints."""
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient

    notebook = nbformat.read(FOLDER / name, as_version=4)
    NotebookClient(
        notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": FOLDER}}
    ).execute()
    return [shown(cell) for cell in notebook.cells if cell.cell_type == "code"]


def shown(cell: Any) -> dict[str, Any]:
    """Return what a cell of code shows."""
    data = {kind: text for output in cell.outputs for kind, text in output.get("data", {}).items()}
    printed = "".join(o.text for o in cell.outputs if o.output_type == "stream")
    return data | {"stdout": printed}


@pytest.mark.slow
def test_first_steps_show_bar_table_formula_and_chart():
    bar, table, formulas, chart, custom, law = executed("first_steps.ipynb")
    assert 'value="1.0000"' in bar["text/html"]
    assert "50 of 50 runs" in bar["text/html"]
    assert "<table" in table["text/html"]
    assert "of 50" in table["text/html"]
    assert "c*(a + b)" in formulas["text/plain"]
    assert "<svg" in chart["image/svg+xml"]
    assert "success rate" in chart["image/svg+xml"]
    assert "10 of 10" in custom["text/html"]
    assert "\\frac" in law["text/latex"]


@pytest.mark.slow
def test_the_gallery_finds_laws_and_says_where_there_is_none():
    _, boyle, planets, stars, patients, alternatives = (
        c["stdout"] for c in executed("gallery.ipynb")
    )
    assert "*volume)" in boyle or "/volume" in boyle
    assert "distance_au**(3/2)" in planets
    assert "sqrt(distance_au**3/" in stars
    assert "exact" in stars
    assert patients.startswith("not found")
    assert len(alternatives.splitlines()) > 1


@pytest.mark.slow
def test_an_exact_layer_is_right_outside_of_its_range():
    _, formula, table = executed("exact_layer.ipynb")
    assert formula["stdout"].strip().endswith("depth*(margin + width)")
    assert "[100, 200)" in table["text/html"]
