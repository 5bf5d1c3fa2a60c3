"""A folder of results that reports are written about."""

from pathlib import Path

import pytest

from report_cases import cells, odd_cells, swept


@pytest.fixture(scope="package")
def folder(tmp_path_factory) -> Path:
    """Results of two units, of a run that diverged, and of a wide one."""
    path = tmp_path_factory.mktemp("results")
    swept(cells(), path)
    swept(odd_cells(), path, seeds=1)
    return path
