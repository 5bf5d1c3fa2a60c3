"""What a report reads: every run once, the longest of a cell, nothing that is damaged."""

import re
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from markupsafe import escape

import nalm
from making import cell, curves_of
from nalm.cli.report import report
from nalm.errors import InputError, StoreError
from nalm.report import write_report
from nalm.report.page import page
from nalm.report.results import read_folders, read_results
from nalm.sweeps import Cell, CellKey, Store, formulas
from nalm.sweeps.statistics import Verdict
from nalm.sweeps.store.rows import RunKey
from nalm.tasks import single_module
from nalm.training import Recipe
from nalm.training.packing import pack
from report_cases import NASTY, RECIPE, cells, swept


def test_results_are_read_as_they_are(folder):
    (experiment,) = read_results(folder)
    assert (experiment.name, len(experiment.runs), experiment.missing) == ("single-module", 14, 0)
    cells = {(c.key.unit, c.key.op, c.key.range): c for c in experiment.summaries}
    comparison = cells["nau", "add", "U[1,2)"].comparison()
    assert comparison
    assert comparison.published.value == 1.0
    assert comparison.verdict is Verdict.INCOMPARABLE  # 400 steps, not 50,000
    assert cells[NASTY, "mul", "U[1,2)"].diverged == 1
    cell = experiment.cell(CellKey("nau", "add", "U[1,2)", 2))
    assert sum(count for _, count in cell.formulas()) == 3


def test_several_folders_are_one_report(folder, tmp_path):
    """Runs in both folders count once, a longer trial replaces a shorter, nothing is lost."""
    (tmp_path / "more").mkdir()
    swept(cells()[:1], tmp_path / "more", seeds=5)
    swept(cells(), tmp_path / "more", seeds=2, experiment="division")
    swept(cells(200)[1:2], tmp_path / "more")
    both = {experiment.name: experiment for experiment in read_results(folder, tmp_path / "more")}
    assert list(both) == ["single-module", "division"]  # the order of the list of experiments
    assert len(both["division"].runs) == 8
    assert len(both["single-module"].runs) == 14 + 2
    other_way = read_results(tmp_path / "more", folder)
    assert [len(experiment.runs) for experiment in other_way] == [16, 8]
    assert {cell.setup.steps for cell in other_way[0].cells} == {400}
    path = write_report([folder, tmp_path / "more"], tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    assert "<td>all</td><td>24</td>" in text
    with pytest.raises(InputError, match="about 2 folders needs the file to write"):
        write_report([folder, tmp_path / "more"])
    assert write_report(tmp_path) == tmp_path / "report.html"  # the folders in it


def results_of(folder: Path, model, recipe: Recipe = RECIPE, train: str = "U[1,2)"):
    """Return the only cell of a new sweep, and its summary."""
    swept([Cell("it", model, single_module("add", train), recipe, "", 1e9)], folder, 1, "own")
    (experiment,) = read_results(folder)
    (cell,), (summary,) = experiment.cells, experiment.summaries
    return cell, summary


def test_folders_of_two_generators_are_never_one_cell(tmp_path):
    for name, generator, seeds in (("old", "philox", range(2)), ("new", "keyed", range(5))):
        with Store(tmp_path / name) as store:
            (planned,) = store.plan("mine", [cell(generator=generator)], seeds)
            runs = [RunKey(planned.setup, seed) for seed in seeds]
            store.add(runs, [pack([curves_of()])] * len(runs))
    (mine,) = read_results(tmp_path / "old", tmp_path / "new")
    found = {c.key.setting: len(c.runs) for c in mine.cells}
    assert found == {"generator philox": 2, "": 5}


def test_scaled_inputs_have_no_formula_of_the_inputs(tmp_path):
    cell, _ = results_of(tmp_path, nalm.unit("nau", 2, 1), replace(RECIPE, scaling="z-score"))
    assert cell.formulas() == [(formulas.SCALED, 1)]


def test_an_mlp_has_neither_a_formula_nor_a_sparsity_error(tmp_path):
    cell, summary = results_of(tmp_path, nalm.unit("mlp", 2, 1))
    assert cell.formulas() == [(formulas.CONTINUOUS, 1)]
    assert not summary.sparsity.known
    assert not summary.median_sparsity.known
    assert summary.successes == 1


def test_gates_are_read_where_the_task_is():
    """A gate that is open for positive inputs is shut for negative ones."""
    unit = nalm.unit("nalu", 2, 1)
    curves: Any = SimpleNamespace(best=unit.exact("add"))
    reader = formulas.Formulas()
    read = {
        name: reader.text(unit, single_module("add", name), RECIPE, curves)
        for name in ("U[1,2)", "U[-2,-1)")
    }
    assert read["U[1,2)"] == "x1 + x2"
    assert read["U[-2,-1)"] != "x1 + x2"


def test_a_short_trial_does_not_change_what_a_longer_run_says(tmp_path):
    swept(cells(400), tmp_path)
    swept(cells(200), tmp_path, seeds=2)
    (experiment,) = read_results(tmp_path)
    assert len(experiment.runs) == 12
    assert {run.curves.steps[-1] for run in experiment.runs} == {400}


def test_a_longer_plan_without_results_hides_nothing(tmp_path):
    with Store(tmp_path / "planned") as store:
        store.plan("single-module", cells(4000), range(3))
    swept(cells(200), tmp_path / "done", seeds=2)
    (experiment,) = read_results(tmp_path / "planned", tmp_path / "done")
    assert len(experiment.runs) == 8
    assert {cell.setup.steps for cell in experiment.cells} == {200}


def test_what_cannot_be_reported_is_said(tmp_path, folder):
    with pytest.raises(StoreError, match=r"has no results\.sqlite"):
        write_report(tmp_path)
    (tmp_path / "results.sqlite").write_bytes(b"not a database at all" * 100)
    with pytest.raises(StoreError, match="not a healthy results file"):
        write_report(tmp_path)
    whole = (folder / "results.sqlite").read_bytes()
    (tmp_path / "results.sqlite").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match="not a healthy results file"):
        write_report(tmp_path)
    with pytest.raises(StoreError, match="has format 99"):
        read_results(changed(folder, tmp_path, "UPDATE meta SET value = '99'"))
    with pytest.raises(InputError, match=r"cannot be written: .* there is no .*such'\.$"):
        write_report(folder, tmp_path / "no" / "such" / "folder.html")
    with pytest.raises(InputError, match="Figures go into a folder"):
        write_report(folder, tmp_path / "page.html", figures=folder / "results.sqlite")
    with pytest.raises(InputError, match="at least one folder"):
        write_report([])


def changed(folder: Path, target: Path, command: str) -> Path:
    """Copy results and change the copy."""
    shutil.copy(folder / "results.sqlite", target / "results.sqlite")
    with closing(sqlite3.connect(target / "results.sqlite")) as database, database:
        database.execute(command)
    return target


@pytest.mark.parametrize(
    ("command", "runs", "said"),
    [
        ("UPDATE cells SET op = x'ff' WHERE id = 1", 11, "Cell 1 of .* is damaged and left out"),
        ("UPDATE cells SET threshold = 'low' WHERE id = 1", 11, "Cell 1 of .* is damaged"),
        ("UPDATE cells SET seeds = '<script>' WHERE id = 1", 11, "Cell 1 of .* is damaged"),
        ("UPDATE runs SET id = id + 9 WHERE id = 1 << 32", 13, r"U\[1,2\).*seed 9\) was damaged"),
        ("UPDATE runs SET finished = '<script>' WHERE id = 1 << 32", 13, r"seed 0\) was damaged"),
        ("UPDATE runs SET environment = 1 WHERE id = 1 << 32", 13, r"seed 0\) was damaged"),
        ("UPDATE curves SET data = x'00' WHERE run = 1 << 32", 13, r"seed 0\) was damaged"),
        ("UPDATE curves SET data = 'text' WHERE run = 1 << 32", 13, r"seed 0\) was damaged"),
        ("DELETE FROM curves WHERE run = 1 << 32", 13, r"seed 0\) was damaged"),
        ("UPDATE judged SET solved_at = '<script>'", 14, None),
        ("UPDATE judged SET success = 1 - success", 14, None),
        ("UPDATE judged SET test = 0", 14, None),
        ("UPDATE descriptions SET json = '{' WHERE id = 1", 8, "Description 1 is damaged"),
        ("UPDATE setups SET model = 2 WHERE id = 1", 11, "setup 1 is damaged"),
    ],
)
def test_what_is_damaged_is_named_and_left_out(command, runs, said, folder, tmp_path):
    """SQLite keeps whatever it is given, in every column; nothing is read that was not written."""
    (whole,) = read_results(folder)
    reading = read_folders(changed(folder, tmp_path, command))
    (experiment,) = reading.experiments
    assert len(experiment.runs) == runs
    notes = " ".join(map(str, reading.notes))
    assert re.search(said, notes) if said else not notes
    numbers = {(run.key, run.seed): run.outcome for run in whole.runs}
    assert all(repr(numbers[run.key, run.seed]) == repr(run.outcome) for run in experiment.runs)
    text = page("damaged", reading)
    assert "<script>'" not in text
    assert all(str(escape(note.text)) in text for note in reading.notes)


def test_the_command_names_what_is_damaged(folder, tmp_path, capsys):
    changed(folder, tmp_path, "DELETE FROM curves WHERE run = 1 << 32")
    report(str(tmp_path))
    said = capsys.readouterr()
    assert "Note: 1 stored run of nmu, mul, U[1,2), 2 inputs (seed 0) was damaged" in said.err
    assert "Written to" in said.out
