"""The report: what it says, what it refuses, and how it looks in a real browser."""

import shutil
import sqlite3
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nalm
from browsing import SIZES, opened
from nalm.engine.recipe import Recipe
from nalm.engine.run import Run
from nalm.errors import InputError
from nalm.report import formulas, write_report
from nalm.report.charts import PANELS, panel, values_of
from nalm.report.results import read_results
from nalm.specs import canonical
from nalm.store import Store, StoreError
from nalm.sweep import Entry, sweep
from nalm.tasks import single_module

RECIPE = Recipe(0.01, steps=400, log_every=100, evaluation=200)
NASTY = "</script><script>alert(1)</script> {{data}} \u2028"


def entries(steps: int = 400, seeds: int = 3) -> list[Entry]:
    found = []
    for op, name in (("mul", "nmu"), ("add", "nau")):
        for r in ("U[1,2)", "U[10,20)"):
            recipe = replace(RECIPE, steps=steps)
            runs = [
                Run(nalm.unit(name, 2, 1), single_module(op, r), recipe, s) for s in range(seeds)
            ]
            found += [Entry(run, "single-module", name, "", 1.0) for run in runs]
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("results")
    wild = Run(
        nalm.unit("linear", 2, 1), single_module("mul"), replace(RECIPE, learning_rate=3e38), 0
    )
    wide = Run(nalm.unit("nmu", 10, 1), single_module("mul", inputs=10), RECIPE, 0)
    more = [
        Entry(wild, "single-module", NASTY, "η < 1", 1e-9),
        Entry(wide, "single-module", "nmu", "", 1.0),
    ]
    sweep([*entries(), *more], path)
    return path


def test_results_are_read_as_they_are(folder):
    (experiment,) = read_results(folder)
    assert (experiment.name, experiment.done, experiment.missing) == ("single-module", 14, 0)
    rows = {(row["unit"], row["op"], row["range"]): row for row in experiment.rows()}
    assert rows["nau", "add", "U[1,2)"]["published"] == 1.0
    assert rows["nau", "add", "U[1,2)"]["verdict"] == "not comparable"  # 400 steps, not 50,000
    assert rows[NASTY, "mul", "U[1,2)"]["diverged"] == 1
    cell = experiment.cells["nau", "add", "U[1,2)", 2, ""]
    assert sum(count for _, count in cell.formulas) == 3


def test_the_page_holds_everything_and_escapes_what_it_is_given(folder, tmp_path):
    path = write_report(folder, tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    for piece in ("Single module task, 2 inputs", "mistry2023", "not comparable", "jaxlib"):
        assert piece in text
    assert "a number stopped being finite at step" in text
    said = "cells: 3 of 25 seeds, 400 of 50,000 steps, not compared with what is in print."
    assert said in text
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "http-equiv" in text  # nothing may be fetched


def test_figures_in_three_formats(folder, tmp_path):
    write_report(folder, tmp_path / "page.html", figures=tmp_path / "figures")
    written = {path.name for path in (tmp_path / "figures").iterdir()}
    assert "single-module-mul-rate.svg" in written
    assert len(written) == 2 * 3 * 3
    start = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    for path in (tmp_path / "figures").iterdir():
        assert path.read_bytes().startswith(start[path.suffix[1:]])


def test_a_half_finished_sweep_says_what_is_missing(tmp_path):
    with Store(tmp_path) as store:
        store.plan(entries())
    with pytest.raises(StoreError, match="has no finished run yet"):
        write_report(tmp_path)
    sweep(entries()[:4], tmp_path)
    with Store(tmp_path) as store:
        store.plan([replace(entry, experiment="division") for entry in entries()[6:]])
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert "8 planned runs are missing" in text
    assert "<tr><td>division</td><td>0</td><td>6</td>" in text


def test_several_folders_are_one_report(folder, tmp_path):
    """Runs in both folders count once, a longer trial replaces a shorter, nothing is lost."""
    (tmp_path / "more").mkdir()
    more = [replace(entry, experiment="division") for entry in entries(seeds=2)]
    sweep([*entries(seeds=5)[:5], *more, *entries(200)[3:6]], tmp_path / "more")
    both = {experiment.name: experiment for experiment in read_results(folder, tmp_path / "more")}
    assert list(both) == ["single-module", "division"]  # the order of the catalogue
    assert both["division"].done == 8
    assert both["single-module"].done == 14 + 2
    other_way = read_results(tmp_path / "more", folder)
    assert [experiment.done for experiment in other_way] == [16, 8]
    assert {cell.steps for cell in other_way[0].cells.values()} == {400}
    path = write_report([folder, tmp_path / "more"], tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    assert "<td>all</td><td>24</td>" in text
    with pytest.raises(InputError, match="several needs the file to write"):
        write_report([folder, tmp_path / "more"])
    assert write_report(tmp_path) == tmp_path / "report.html"  # the folders in it


def row_of(**place) -> dict[str, Any]:
    published = ("published", "published_solved_at", "published_sparsity")
    numbers = ("rate", "low", "high", "solved_at", "sparsity", *published)
    ends = [f"{n}_{end}" for n in numbers[3:] for end in ("low", "high")]
    verdicts = ("verdict", "solved_at_verdict", "sparsity_verdict")
    base = {"unit": "nmu", "op": "mul", "range": "U[1,2)", "inputs": 2, "setting": ""}
    return dict.fromkeys([*numbers, *ends, *verdicts]) | base | place


def test_lines_and_columns_are_what_varies():
    def shape(*rows: dict[str, Any]) -> tuple[list[str], list[str]]:
        values = values_of(rows)
        return tuple(list(dict.fromkeys(v[key] for v in values)) for key in ("line", "column"))  # pyright: ignore[reportReturnType]

    sweep_of_settings = [row_of(range=r, setting=s) for r in ("U[1,2)", "U[2,3)") for s in "ab"]
    assert shape(*sweep_of_settings) == (["a", "b"], ["U[1,2)", "U[2,3)"])
    named_ranges = [row_of(range=f"U[{n},9)", setting=f"set {n}") for n in (1, 2)]
    assert shape(*named_ranges) == (["nmu"], ["U[1,9)", "U[2,9)"])
    sizes = [row_of(unit=u, inputs=n) for u in ("nmu", "snmu") for n in (1, 10)]
    assert shape(*sizes) == (["nmu", "snmu"], ["1 input", "10 inputs"])
    operands = [row_of(setting=f"sum of {n}", inputs=n) for n in (1, 2)]
    assert shape(*operands)[0] == ["sum of 1", "sum of 2"]  # which says the inputs, too
    alone = [row_of(setting=s) for s in "ab"]
    assert shape(*alone) == (["a", "b"], ["U[1,2)"])
    assert shape(*alone, row_of(unit="mlp", setting="c"))[1] == ["U[1,2)"]
    two = [row_of(range=r, inputs=n) for r in ("U[1,2)", "U[2,3)") for n in (2, 10)]
    assert shape(*two, row_of(unit="nau"))[0] == [
        "nmu · 2 inputs",
        "nmu · 10 inputs",
        "nau · 2 inputs",
    ]


def results_of(folder: Path, model, recipe: Recipe = RECIPE, train: str = "U[1,2)"):
    """Return the only cell of a new sweep, and its row."""
    run = Run(model, single_module("add", train), recipe, 0)
    sweep([Entry(run, "own", "it", "", 1e9)], folder)
    (experiment,) = read_results(folder)
    (cell,), (row,) = experiment.cells.values(), experiment.rows()
    return cell, row


def test_scaled_inputs_have_no_formula_of_the_inputs(tmp_path):
    cell, _ = results_of(tmp_path, nalm.unit("nau", 2, 1), replace(RECIPE, scaling="z-score"))
    assert cell.formulas == [(formulas.SCALED, 1)]


def test_an_mlp_has_neither_a_formula_nor_a_sparsity_error(tmp_path):
    cell, row = results_of(tmp_path, nalm.unit("mlp", 2, 1))
    assert cell.formulas == [(formulas.CONTINUOUS, 1)]
    assert (row["sparsity"], row["median_sparsity"], row["sparsity_interval"]) == (None,) * 3
    assert row["successes"] == 1


def test_gates_are_read_where_the_task_is():
    """A gate that is open for positive inputs is shut for negative ones."""
    unit = nalm.unit("nalu", 2, 1)
    curves: Any = SimpleNamespace(best=unit.exact("add"))
    read = {
        name: formulas.Formulas().of(
            {
                "model": canonical(unit),
                "task": canonical(single_module("add", name)),
                "recipe": canonical(RECIPE),
            },
            curves,
        )
        for name in ("U[1,2)", "U[-2,-1)")
    }
    assert read["U[1,2)"] == "x1 + x2"
    assert read["U[-2,-1)"] != "x1 + x2"


def test_a_published_bound_without_the_other_is_drawn_to_the_end_of_the_scale():
    (value,) = values_of([row_of(published_low=0.9, solved_at=0.0)])
    assert (value["published_low"], value["published_high"], value["solved_at"]) == (0.9, 1.0, 1)


def test_what_is_in_print_is_drawn_in_every_panel_with_its_own_verdict():
    row = row_of(
        published_solved_at=0.5,
        published_sparsity=0.0,
        solved_at_verdict="agrees",
        sparsity_verdict="differs",
        solved_at_each=[1000.0],
    )
    (value,) = values_of([row])
    assert (value["published_solved_at"], value["published_sparsity"]) == (1, 1e-10)
    said = [value[f"{name}_said"] for name in PANELS]
    assert said == ["", "agrees", "differs"]
    assert "solved_at_each" not in value
    for name, shown in PANELS.items():
        assert f"isValid(datum.{shown.published})" in str(panel(name, [value]))


def test_a_short_trial_does_not_change_what_a_longer_run_says(tmp_path):
    sweep(entries(400), tmp_path)
    sweep(entries(200, seeds=2), tmp_path)
    (experiment,) = read_results(tmp_path)
    assert experiment.done == 12
    steps = {trial.curves.steps[-1] for c in experiment.cells.values() for trial in c.trials}
    assert steps == {400}


def test_a_longer_plan_without_results_hides_nothing(tmp_path):
    with Store(tmp_path / "planned") as store:
        store.plan(entries(4000))
    sweep(entries(200, seeds=2), tmp_path / "done")
    (experiment,) = read_results(tmp_path / "planned", tmp_path / "done")
    assert experiment.done == 8
    assert {cell.steps for cell in experiment.cells.values()} == {200}


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
    shutil.copy(folder / "results.sqlite", tmp_path / "results.sqlite")
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database, database:
        database.execute("UPDATE meta SET value = '99'")
    with pytest.raises(StoreError, match="has format 99"):
        write_report(tmp_path)
    with pytest.raises(InputError, match=r"cannot be written: .* there is no .*such'\.$"):
        write_report(folder, tmp_path / "no" / "such" / "folder.html")
    with pytest.raises(InputError, match="Figures go into a folder"):
        write_report(folder, tmp_path / "page.html", figures=folder / "results.sqlite")


def test_a_folder_that_nobody_can_write_is_read(folder, tmp_path, monkeypatch):
    """As on a medium that is read-only, where SQLite cannot make its files beside the results."""
    shutil.copy(folder / "results.sqlite", tmp_path / "results.sqlite")
    connect = sqlite3.connect

    class Refusing:
        def __init__(self, database):
            self.close = database.close

        def execute(self, *_):
            raise sqlite3.OperationalError("attempt to write a readonly database")

    def on_a_read_only_medium(address, uri):
        database = connect(address, uri=uri)
        return database if "immutable=1" in address else Refusing(database)

    monkeypatch.setattr(sqlite3, "connect", on_a_read_only_medium)
    (experiment,) = read_results(tmp_path)
    assert experiment.done == 14


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_page_in_a_browser(folder, tmp_path, browser, width, scheme):
    path = write_report(folder, tmp_path / "page.html")
    from playwright.sync_api import expect

    with opened(browser, path, width, scheme) as page:
        points = page.locator('[data-panel="rate"] path[aria-roledescription=point]')
        expect(points).to_have_count(2 + 2)  # the sums, and what is in print of them
        page.select_option("[data-filter=range]", "U[1,2)")
        expect(points).to_have_count(1 + 1)
        page.select_option("[data-filter=op]", "mul")
        page.select_option("[data-filter=range]", "")
        expect(points).to_have_count(4 + 2)
        page.select_option("[data-filter=inputs]", "10")
        expect(points).to_have_count(1)
        page.select_option("[data-filter=op]", "add")
        expect(page.get_by_text("No cell is left")).to_be_visible()
        page.select_option("[data-filter=op]", "mul")
        page.locator(".curves summary").click()
        page.wait_for_selector(".curves path[aria-roledescription='line mark']", state="attached")


def test_the_command(folder, tmp_path):
    import subprocess

    command = [sys.executable, "-m", "nalm", "report"]
    page = tmp_path / "page.html"
    done = subprocess.run(
        [*command, str(folder), "-o", str(page)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"Written to {page}.\n"
    assert page.stat().st_size > 500_000
    wrong = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2
    assert "has no results.sqlite" in wrong.stderr
    assert "Traceback" not in wrong.stderr
