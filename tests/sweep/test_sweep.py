"""Sweeps: nothing computed is lost, nothing is computed twice, whatever happens meanwhile."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nalm
from nalm.engine.frames import pack, unpack
from nalm.engine.recipe import Recipe
from nalm.engine.run import Curves, Run
from nalm.stats import judge
from nalm.store import Store, StoreError, identity
from nalm.sweep import Entry, entry_of, sweep
from nalm.sweep.local import WorkerError, execute
from nalm.tasks import single_module

RECIPE = Recipe(0.01, steps=400, log_every=100, evaluation=200)


def runs(count: int, unit: str = "nmu", **changes) -> list[Run]:
    recipe = replace(RECIPE, **changes)
    task = single_module("mul")
    return [Run(nalm.unit(unit, 2, 1), task, recipe, seed) for seed in range(count)]


def entries(count: int, unit: str = "nmu", **changes) -> list[Entry]:
    return [entry_of(run) for run in runs(count, unit, **changes)]


def contents(folder: Path) -> dict[str, bytes]:
    with closing(sqlite3.connect(folder / "results.sqlite")) as database:
        return dict(database.execute("SELECT id, curves FROM runs"))


def curves_of(count: int = 5) -> Curves:
    steps = np.arange(count, dtype=np.int32) * 100
    falling = np.linspace(1.0, 0.0, count, dtype="float32")
    params = {"weight": np.ones((1, 2), "float32")}
    return Curves(
        steps=steps,
        validation=falling,
        test=falling,
        sparsity=falling / 2,
        loss=falling,
        penalties={"discretise": falling},
        final=params,
        best=params,
        diverged_at=-1,
        reinitialised=np.array([], np.int32),
    )


class Recorder:
    """Keeps what a sweep tells, and interrupts it after some runs if asked."""

    def __init__(self, stop_after: int | None = None):
        self.planned, self.done, self.stop_after = (0, 0), [0, 0], stop_after

    def plan(self, runs: int, steps: int, seconds: float) -> None:
        self.planned = (runs, steps)

    def report(self, runs: int, steps: int, solved: int) -> None:
        assert 0 <= solved <= runs
        self.done[0] += runs
        self.done[1] += steps
        if self.stop_after is not None and self.done[0] >= self.stop_after:
            raise KeyboardInterrupt


def test_a_sweep_stores_every_run_and_repeats_none(tmp_path):
    told = Recorder()
    table = sweep(entries(70), tmp_path, progress=told)
    assert told.planned == tuple(told.done) == (70, 70 * 400)
    (row,) = table.records()
    assert row["runs"] == 70
    assert 0 <= row["low"] <= row["rate"] <= row["high"] <= 1
    before = contents(tmp_path)
    assert len(before) == 70
    again = Recorder()
    sweep(entries(75), tmp_path, progress=again)
    assert again.planned == tuple(again.done) == (5, 5 * 400)
    after = contents(tmp_path)
    assert {key: after[key] for key in before} == before


def test_results_do_not_depend_on_the_number_of_workers(tmp_path):
    chosen = [*runs(66), *runs(3, "snmu")]
    for workers in (1, 2):
        sweep(list(map(entry_of, chosen)), tmp_path / str(workers), workers=workers)
    assert contents(tmp_path / "1") == contents(tmp_path / "2")


SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_sweep import entries
from nalm.sweep import sweep
sweep([run for k in range(6) for run in entries(4, learning_rate=0.01 + k / 100, batch=64 + 4 * k)],
      Path(sys.argv[1]), workers=2)
"""


@pytest.mark.slow
def test_ten_kills_lose_nothing(tmp_path):
    """Kill the sweep ten times at random moments; the end is that of an undisturbed sweep."""
    script = tmp_path / "sweep.py"
    script.write_text(SCRIPT.format(tests=str(Path(__file__).parent)))
    command = [sys.executable, str(script)]
    start = time.monotonic()
    subprocess.run([*command, str(tmp_path / "whole")], check=True)
    length = time.monotonic() - start
    rng, counts = random.Random(0), []
    for _ in range(10):
        process = subprocess.Popen([*command, str(tmp_path / "killed")])
        time.sleep(rng.uniform(0.2, 0.9) * length)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (tmp_path / "killed" / "results.sqlite").exists():
            counts.append(len(contents(tmp_path / "killed")))
    assert counts == sorted(counts)
    subprocess.run([*command, str(tmp_path / "killed")], check=True)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")
    assert len(contents(tmp_path / "whole")) == 24


def test_an_interrupted_sweep_keeps_its_finished_blocks(tmp_path):
    chosen = [*runs(2), *runs(2, batch=64)]

    with pytest.raises(KeyboardInterrupt):
        sweep(list(map(entry_of, chosen)), tmp_path, workers=1, progress=Recorder(stop_after=2))
    assert len(contents(tmp_path)) == 2
    sweep(list(map(entry_of, chosen)), tmp_path, workers=1)
    assert len(contents(tmp_path)) == 4


def test_a_dying_worker_is_reported(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep)
    blocks = [[replace(runs(1)[0], recipe=replace(RECIPE, batch=2**40))]]
    with pytest.raises(WorkerError, match="run the same command to go on"):
        list(execute(blocks, workers=1))


def test_one_writer_at_a_time(tmp_path):
    with Store(tmp_path), pytest.raises(StoreError, match="Another process is writing"):
        Store(tmp_path)
    Store(tmp_path).close()


@pytest.mark.parametrize("size", [10, 3000])
def test_a_damaged_store_is_refused_and_left_alone(tmp_path, size):
    with Store(tmp_path) as store:
        store.add(runs(20), [curves_of()] * 20)
    path = tmp_path / "results.sqlite"
    path.write_bytes(path.read_bytes()[:size])
    for extra in tmp_path.glob("results.sqlite-*"):
        extra.unlink()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="Nothing was changed"):
        Store(tmp_path)
    assert path.read_bytes() == before


def test_foreign_and_newer_stores_are_refused(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_text("a,b\n1,2\n" * 100)
    with pytest.raises(StoreError, match="not a healthy results file"):
        Store(tmp_path)
    path.unlink()
    Store(tmp_path).close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE meta SET value = '99'")
    with pytest.raises(StoreError, match="has format 99; this version of nalm writes format 2"):
        Store(tmp_path)


def test_a_full_disk_loses_only_what_did_not_fit(tmp_path):
    with Store(tmp_path) as store:
        store.add(runs(1), [curves_of()])
        store._database.execute("PRAGMA max_page_count = 6")
        with pytest.raises(StoreError, match="What was stored before is safe"):
            store.add(runs(40)[1:], [curves_of(500)] * 39)
    with Store(tmp_path) as store:
        assert store.known() == {identity(runs(1)[0])}


def test_stored_runs_come_back_as_they_were(tmp_path):
    (run,) = runs(1)
    with Store(tmp_path) as store:
        store.add([run], [curves_of()])
        ((again, curves),) = store.results([identity(run), "missing"])
    assert again == identity(run)
    np.testing.assert_array_equal(curves.test, curves_of().test)
    np.testing.assert_array_equal(curves.final["weight"], np.ones((1, 2)))
    assert len(unpack(pack([curves_of()] * 3))) == 3


def test_outcomes_follow_the_published_rules():
    curves = replace(
        curves_of(4),
        validation=np.array([3.0, 1.0, 2.0, np.nan]),
        test=np.array([9.0, 0.5, 0.1, 9.0]),
        sparsity=np.array([0.4, 0.3, 0.2, 0.1]),
    )
    outcome = judge(curves, 0.2)
    assert (outcome.success, outcome.solved_at) == (False, 200)
    assert outcome.sparsity == pytest.approx(0.3)
    assert judge(curves, 0.6).success
    assert judge(curves, 0.6).solved_at == 100
    nothing = replace(curves, validation=np.full(4, np.nan), test=np.full(4, np.nan))
    outcome = judge(nothing, 1.0)
    assert (outcome.success, outcome.solved_at) == (False, None)


@pytest.mark.parametrize(
    ("evaluations", "best_at", "seen"),
    [(5000, 0, True), (5001, 0, False), (5001, 1, True), (10_001, 2, True), (15_001, 0, False)],
)
def test_all_evaluations_but_the_first_of_a_long_run_are_judged(evaluations, best_at, seen):
    validation = np.ones(evaluations)
    validation[best_at] = 0.0
    curves = replace(
        curves_of(evaluations),
        steps=1000 * np.arange(evaluations),
        validation=validation,
        test=validation,
        sparsity=validation,
    )
    assert judge(curves, 0.5).success == seen


def test_the_command_prints_a_table_and_json(tmp_path):
    command = [sys.executable, "-m", "nalm", "bench", "single-module", "--units", "nmu,snmu"]
    command += ["--ops", "mul", "--ranges", "U[1,2),U[-2,2)", "--seeds", "2", "--steps", "1000"]
    command += ["--out", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "U[-2,2)" in result.stdout
    assert "95 % interval" in result.stdout
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
