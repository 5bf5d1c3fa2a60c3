"""The example notebook runs in a real kernel, and shows bar, table, formula and chart."""

from pathlib import Path
from typing import Any

import pytest

NOTEBOOK = Path(__file__).parents[1] / "examples" / "first_steps.ipynb"


@pytest.fixture(scope="module")
def shown() -> list[dict[str, Any]]:
    """What each cell of code shows, by MIME type."""
    nbformat = pytest.importorskip("nbformat")
    from nbclient import NotebookClient

    notebook = nbformat.read(NOTEBOOK, as_version=4)
    NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        {kind: text for output in cell.outputs for kind, text in output.get("data", {}).items()}
        for cell in cells
    ]


@pytest.mark.slow
def test_a_notebook_shows_bar_table_formula_and_chart(shown):
    bar, table, formulas, chart, custom, law = shown
    assert 'value="1.0000"' in bar["text/html"]
    assert "50 of 50 runs" in bar["text/html"]
    assert "<table" in table["text/html"]
    assert "of 50" in table["text/html"]
    assert "c*(a + b)" in formulas["text/plain"]
    assert "application/vnd.vegalite.v6+json" in chart or "vega" in chart["text/html"]
    assert "10 of 10" in custom["text/html"]
    assert "\\frac" in law["text/latex"]
