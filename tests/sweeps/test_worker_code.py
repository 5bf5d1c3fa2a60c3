"""What code workers run: that of nalm and of the classes they were given, nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

import nalm
from making import BlockUnwatched, cell, contents
from nalm.sweeps.executors import Order
from nalm.sweeps.executors._process import WorkerProcess, request
from nalm.tasks import single_module

RECIPE = nalm.Recipe(steps=200, log_every=100, evaluation=100)
MINE = """
from nalm.units import NMU


class Mine(NMU):
    represents = ()

    def forward(self, xp, params, x, train, noise):
        return FACTOR * super().forward(xp, params, x, train, noise)
"""
SPY = "import pathlib\npathlib.Path(__file__).with_name('imported').touch()\n"


def test_a_file_edited_during_a_sweep_changes_none_of_its_runs(tmp_path):
    file = tmp_path / "mine.py"
    before, after = (f"FACTOR = {factor}\n{MINE}" for factor in (1.0, 5.0))
    task = single_module("mul")

    def train(out: str, progress=None) -> dict[str, bytes]:
        """Train two blocks: one of nmu, then one of the unit in the file."""
        models = ["nmu", f"{file}:Mine"]
        nalm.train(models, task, RECIPE, seeds=2, out=tmp_path / out, workers=1, progress=progress)
        return contents(tmp_path / out)

    def edit(event) -> None:
        if event.steps:
            file.write_text(after)

    file.write_text(before)
    undisturbed = train("undisturbed")
    assert train("edited", edit) == undisturbed
    assert file.read_text() == after
    assert len(set(train("after")) & set(undisturbed)) == 2  # those of nmu


NAMES = ("random", "json", "zlib", "struct", "numpy", "jax", "numbers", "nalm")


@pytest.fixture
def trap(tmp_path, monkeypatch):
    """Return a folder whose Python files have the names of modules, and which is the current."""
    for name in NAMES:
        (tmp_path / f"{name}.py").write_text(SPY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_workers_import_nothing_from_the_current_folder(trap):
    worker = WorkerProcess()
    assert len(worker.train(request(Order(cell().runs([0]))), BlockUnwatched())) == 1
    worker.close()
    assert not (trap / "imported").exists()


def test_the_command_imports_nothing_from_the_current_folder(trap):
    command = Path(sys.executable).with_name("nalm")
    printed = subprocess.run([command, "units"], capture_output=True, text=True, check=True)
    assert "nmu" in printed.stdout
    assert not (trap / "imported").exists()
