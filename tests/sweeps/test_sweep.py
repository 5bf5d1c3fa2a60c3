"""Sweeps: nothing computed is lost, nothing is computed twice, whatever happens meanwhile."""

import json
import subprocess
import sys

import pytest

from making import cell, contents, counted_judgements
from nalm.errors import InputError
from nalm.sweeps import sweep
from nalm.sweeps.executors import Local
from nalm.sweeps.executors._process import Care


class Recorder:
    """Keeps the events of a sweep, and interrupts it after some runs if asked."""

    def __init__(self, stop_after: int | None = None):
        self.events, self.stop_after = [], stop_after

    def __call__(self, event) -> None:
        self.events.append(event)
        if self.stop_after is not None and event.runs >= self.stop_after:
            raise KeyboardInterrupt

    @property
    def done(self) -> tuple[int, int]:
        last = self.events[-1]
        assert (last.runs, last.steps) == (last.all_runs, last.all_steps)
        return last.runs, last.steps


def test_a_sweep_stores_every_run_and_repeats_none(tmp_path):
    first = Recorder()
    (trained,) = sweep([cell()], range(70), out=tmp_path, progress=first)
    assert first.done == (70, 70 * 400)
    assert [run.seed for run in trained.runs] == list(range(70))
    solved = trained.summary.successes
    assert first.events[-1].solved == solved == sum(run.success for run in trained.runs)
    before = contents(tmp_path)
    assert len(before) == 70
    again = Recorder()
    (more,) = sweep([cell()], range(75), out=tmp_path, progress=again)
    assert again.done == (5, 5 * 400)
    after = contents(tmp_path)
    assert {key: after[key] for key in before} == before
    assert [run.test_error for run in more.runs[:70]] == [run.test_error for run in trained.runs]


def test_results_depend_neither_on_the_number_of_workers_nor_on_the_store(tmp_path):
    cells = [cell(), cell("snmu")]
    for workers in (1, 2):
        sweep(cells, range(3), out=tmp_path / str(workers), executor=Local(workers))
    assert contents(tmp_path / "1") == contents(tmp_path / "2")
    in_memory = sweep(cells, range(3))
    stored = sweep(cells, range(3), out=tmp_path / "1")
    for mine, theirs in zip(in_memory, stored, strict=True):
        assert [run.test_error for run in mine.runs] == [run.test_error for run in theirs.runs]


def test_a_run_of_two_cells_is_trained_once_and_judged_by_both(tmp_path):
    strict, lax = cell(setting="strict"), cell(setting="lax")
    object.__setattr__(lax, "threshold", 1e9)
    object.__setattr__(strict, "threshold", 1e-30)
    seen = Recorder()
    found = sweep([strict, lax], [3, 4], out=tmp_path, progress=seen)
    assert seen.done == (2, 2 * 400)
    assert [c.summary.successes for c in found] == [0, 2]


def test_a_run_is_judged_once(monkeypatch, tmp_path):
    judged = counted_judgements(monkeypatch)
    sweep([cell()], range(4), out=tmp_path)
    assert sum(judged) == 4


def test_cells_of_a_sweep_differ():
    with pytest.raises(InputError, match="different keys"):
        sweep([cell(), cell(batch=64)], [0])
    with pytest.raises(InputError, match="at least one cell"):
        sweep([], [0])


def test_an_interrupted_sweep_goes_on_in_the_middle_of_a_block(tmp_path):
    def train(name: str, progress=None) -> dict[str, bytes]:
        executor = Local(1, Care(save_every=0.0))
        long = cell(steps=3000, log_every=500)
        sweep([long], range(3), out=tmp_path / name, executor=executor, progress=progress)
        return contents(tmp_path / name)

    def interrupt(event) -> None:
        if event.steps >= 3 * 2000:
            raise KeyboardInterrupt

    undisturbed, again = train("undisturbed"), Recorder()
    with pytest.raises(KeyboardInterrupt):
        train("interrupted", interrupt)
    assert train("interrupted", again) == undisturbed
    assert again.done == (3, 3 * 3000)
    assert min(event.steps for event in again.events if event.steps) >= 3 * 1500


def test_an_interrupted_sweep_keeps_its_finished_blocks(tmp_path):
    cells = [cell(), cell(setting="other", batch=64)]
    stopping = Recorder(stop_after=2)
    with pytest.raises(KeyboardInterrupt):
        sweep(cells, range(2), out=tmp_path, executor=Local(1), progress=stopping)
    assert len(contents(tmp_path)) == 2
    sweep(cells, range(2), out=tmp_path, executor=Local(1))
    assert len(contents(tmp_path)) == 4


def test_the_command_prints_a_table_and_json(tmp_path):
    command = [sys.executable, "-m", "nalm", "bench", "single-module", "--units", "nmu,snmu"]
    command += ["--ops", "mul", "--ranges", "U[1,2),U[-2,2)", "--seeds", "2", "--steps", "1000"]
    command += ["--out", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "U[-2,2)" in result.stdout
    *lines, folder = result.stdout.splitlines()
    assert folder == f"Results in {tmp_path}."
    assert all(len(line) <= 80 for line in lines)
    rows = json.loads(subprocess.run([*command, "--json"], capture_output=True, check=True).stdout)
    assert [(r["unit"], r["range"], r["runs"]) for r in rows] == [
        ("nmu", "U[-2,2)", 2),
        ("nmu", "U[1,2)", 2),
        ("snmu", "U[-2,2)", 2),
        ("snmu", "U[1,2)", 2),
    ]
    division = [*command[:4], "single-module", "--units", "nru", "--ops", "div", "--seeds", "1"]
    division += ["--ranges", "U[1,2),U[-2,2)", "--steps", "1000", "--out", str(tmp_path)]
    said = subprocess.run(division, capture_output=True, text=True, check=True).stderr
    assert "Note: div over U[-2,2): a divisor comes as near to zero" in said
    assert "div over U[1,2)" not in said
    wrong = subprocess.run([*command[:4], "nothing"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "There is no experiment" in wrong.stderr
    assert "Traceback" not in wrong.stderr
