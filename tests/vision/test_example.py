"""The example of pictures of one's own: it runs, and what it saves can be read."""

import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

import nalm
from nalm.vision import DigitReader

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_images.py"


@pytest.mark.slow
def test_the_example_trains_reads_and_saves(tmp_path):
    done = subprocess.run(
        [sys.executable, EXAMPLE, "1200"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "500 products of new pictures are right" in done.stdout
    unit = nalm.torch.load(tmp_path / "unit.safetensors")
    assert f"The unit computes {nalm.torch.formula(unit, ['a', 'b'])[0]}." in done.stdout
    DigitReader(side=8).load_state_dict(load_file(tmp_path / "reader.safetensors"))
