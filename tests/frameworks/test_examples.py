"""The examples of the frameworks end in the formula."""

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flax", "equinox", "keras"])
def test_the_example_prints_the_formula(name, capsys):
    runpy.run_path(str(EXAMPLES / f"{name}_product.py"), run_name="__main__")
    assert capsys.readouterr().out == "amount*price\n"
