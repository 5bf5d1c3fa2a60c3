"""`nalm plot`: it lists, draws and refuses."""

import json
import subprocess
import sys

import pytest


def nalm_plot(*arguments: str, folder: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nalm", "plot", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_command_lists_draws_and_refuses(tmp_path):
    listed = nalm_plot("--json", folder=tmp_path)
    assert {"name", "what", "source", "numbers"} == set(json.loads(listed.stdout)[0])
    drawn = nalm_plot("penalty", "--unit", "nau", "-o", "nau.svg", folder=tmp_path)
    assert drawn.stdout == "nau: discretise\nWritten to nau.svg.\n"
    assert (tmp_path / "nau.svg").read_text().startswith("<svg")
    changed = nalm_plot(
        "penalty", "--unit", "inac", "--set", "name=saturate", "-o", "inac.json", folder=tmp_path
    )
    assert changed.stdout.startswith("inac: saturate\n")
    wrong = nalm_plot("moments", "--set", "points=1", folder=tmp_path)
    assert (wrong.returncode, wrong.stderr) == (
        2,
        "points is a whole number from 2 to 1001; received 1.\n",
    )
    refused = nalm_plot("landscape", "--unit", "nalu", folder=tmp_path)
    assert refused.returncode == 2
    assert refused.stderr.startswith("A picture has two weights as its axes; nalu has 6")
    assert "Traceback" not in refused.stderr
