"""The report: what it says, what it refuses, and how it looks in a real browser."""

import html
import json
import re
import subprocess
import sys

import numpy as np
import pytest

import nalm
from browsing import SIZES, opened
from making import Prepared
from nalm.errors import StoreError
from nalm.report import write_report
from nalm.sweeps import Store, sweep
from nalm.sweeps.formulas import Formulas
from nalm.tasks import Task, Uniform
from report_cases import cells, swept


def test_the_page_holds_everything_and_escapes_what_it_is_given(folder, tmp_path):
    path = write_report(folder, tmp_path / "page.html")
    text = path.read_text(encoding="utf-8")
    for piece in ("Single module task, 2 inputs", "mistry2023", "not comparable", "jaxlib"):
        assert piece in text
    assert "a number stopped being finite at step" in text
    size = "3 of the published 25 seeds and 400 of the published 50,000 steps"
    assert size in text
    assert "<script>alert(1)" not in text
    assert "&lt;script&gt;alert(1)" in text
    assert "http-equiv" in text  # nothing may be fetched


@pytest.mark.parametrize(
    "task",
    [
        Task(lambda a, b: a - b, train=Uniform(1, 2), test=Uniform(2, 6)),
        Task(lambda a, b: a * b, train=Uniform(1, 2), test=Uniform(2, 6), name="my-product"),
        Task.from_table(np.arange(24.0).reshape(12, 2) + 1, np.arange(12.0) ** 2),
    ],
    ids=lambda task: task.op,
)
def test_every_kind_of_task_has_a_page(task, tmp_path):
    recipe = {"steps": 1000, "log_every": 500, "evaluation": 20}
    nalm.train("nmu", task, recipe, seeds=2, out=tmp_path, executor=Prepared())
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert html.escape(task.op) in text


def test_figures_in_three_formats(folder, tmp_path):
    write_report(folder, tmp_path / "page.html", figures=tmp_path / "figures")
    written = {path.name for path in (tmp_path / "figures").iterdir()}
    assert "single-module-mul-rate.svg" in written
    assert len(written) == 2 * 3 * 3
    start = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    for path in (tmp_path / "figures").iterdir():
        assert path.read_bytes().startswith(start[path.suffix[1:]])


def test_figures_stay_in_their_folder_whatever_an_experiment_is_called(tmp_path):
    results, figures = tmp_path / "a" / "b" / "results", tmp_path / "a" / "b" / "figures"
    sweep(cells()[:1], [0], experiment="../../x", out=results)
    write_report(results, tmp_path / "page.html", figures=figures)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "page.html"}
    assert len(list(figures.iterdir())) == 3 * 3


def test_a_half_finished_sweep_says_what_is_missing(tmp_path):
    with Store(tmp_path) as store:
        store.plan("single-module", cells(), range(3))
    with pytest.raises(StoreError, match="has no finished run yet"):
        write_report(tmp_path)
    swept(cells()[:1], tmp_path)
    with Store(tmp_path) as store:
        store.plan("division", cells()[2:], range(3))
    text = write_report(tmp_path).read_text(encoding="utf-8")
    assert "9 planned runs are missing" in text
    assert "<tr><td>division</td><td>0</td><td>6</td>" in text


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_page_in_a_browser(folder, tmp_path, browser, width, scheme):
    path = write_report(folder, tmp_path / "page.html")
    from playwright.sync_api import expect

    with opened(browser, path, width, scheme) as page:
        points = page.locator('[data-panel="rate"] path[aria-roledescription=point]')
        expect(points).to_have_count(2 + 2)  # the sums, and their published values
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


def test_a_page_about_many_runs_shows_some_of_them_one_by_one(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("nalm.report.page.DRAWN", 2)
    monkeypatch.setattr("nalm.report.page.READ", 2)
    monkeypatch.setattr("nalm.report.page.FEW", 2)
    read = 0
    original = Formulas.text

    def counting(*arguments):
        nonlocal read
        read += 1
        return original(*arguments)

    monkeypatch.setattr(Formulas, "text", counting)
    text = write_report(folder, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The first 2 runs of each cell are drawn" in text
    assert "Formulas of the first 2 runs of each cell" in text
    assert "<td>single-module</a></td><td>14</td>" in text.replace('<a href="#single-module">', "")
    failed = text.count("needed below") + text.count("stopped being finite")
    assert read == 4 * 2 + 2 + failed  # of those listed as failed, too
    (data,) = re.findall(r'type="application/json">(.*?)</script>', text)
    cells = json.loads(data)["single-module"]["cells"]
    assert [len(cell["runs"]) for cell in cells] == [2, 2, 2, 2, 1, 1]
