"""The report: what it says, what it refuses, and how it looks in a real browser."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nalm
from browsing import SIZES, opened
from making import Prepared
from nalm.errors import InputError, StoreError
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


def test_a_handful_of_figures_with_captions(folder, tmp_path):
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    write_report(folder, page, figures=figures)
    stems = [f"single-module-{name}" for name in ("heat-map", "rate", "solved_at", "sparsity")]
    assert {path.name for path in figures.iterdir()} == {f"{s}.svg" for s in stems} | {
        "captions.md"
    }
    captions = (figures / "captions.md").read_text(encoding="utf-8")
    assert all(f"`{stem}`: Single module task" in captions for stem in stems)
    assert "1 or 3 runs per cell" in captions
    assert "Share of solved runs" in (figures / f"{stems[0]}.svg").read_text(encoding="utf-8")


def test_figures_have_the_formats_and_the_size_that_are_asked_for(folder, tmp_path):
    page, figures = tmp_path / "page.html", tmp_path / "figures"
    write_report(
        folder,
        page,
        figures=figures,
        figure_formats=("png", "pdf", "svg"),
        figure_width=500,
        figure_captions=False,
    )
    start = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
    drawn = [path for path in figures.iterdir() if path.suffix != ".md"]
    assert len(drawn) == 4 * 3
    for path in drawn:
        assert path.read_bytes().startswith(start[path.suffix[1:]])
    svg = (figures / "single-module-rate.svg").read_text(encoding="utf-8")
    assert "95 % intervals" not in svg
    assert float(re.findall(r'width="(\d+)', svg)[0]) < 600
    with pytest.raises(InputError, match=r"Figures are svg, pdf, png; received 'gif'"):
        write_report(folder, page, figures=figures, figure_formats=("gif",))
    with pytest.raises(InputError, match="width of figures"):
        write_report(folder, page, figures=figures, figure_width=10)


def test_figures_stay_in_their_folder_whatever_an_experiment_is_called(tmp_path):
    results, figures = tmp_path / "a" / "b" / "results", tmp_path / "a" / "b" / "figures"
    sweep(cells()[:1], [0], experiment="../../x", out=results)
    write_report(results, tmp_path / "page.html", figures=figures)
    assert {path.name for path in tmp_path.iterdir()} == {"a", "page.html"}
    assert len(list(figures.iterdir())) == 4 + 1


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


@pytest.fixture(scope="module")
def written(folder, tmp_path_factory) -> Path:
    """A page that several tests open."""
    return write_report(folder, tmp_path_factory.mktemp("page") / "page.html")


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_page_in_a_browser(written, browser, width, scheme):
    from playwright.sync_api import expect

    with opened(browser, written, width, scheme) as page:
        points = page.locator('[data-panel="rate"] path[aria-roledescription=point]')
        strokes = page.locator('[data-panel="rate"] path[aria-roledescription=tick]')
        rows = page.locator("table[data-csv=cells] tbody tr:not([hidden])")
        expect(points).to_have_count(6)  # all operations
        expect(strokes).to_have_count(4)  # published values
        expect(page.get_by_text("add · nau · 2 inputs").first).to_be_attached()
        page.select_option("[data-filter=op]", "add")
        expect(points).to_have_count(2)
        expect(rows).to_have_count(2)
        expect(page.locator(".board:visible")).to_have_count(1)
        page.select_option("[data-filter=range]", "U[1,2)")
        expect(points).to_have_count(1)
        expect(rows).to_have_count(1)
        expect(page.locator(".board:visible td:visible")).to_have_count(1)
        page.select_option("[data-filter=inputs]", "10")
        expect(page.get_by_text("No cell is left")).to_be_visible()
        for name in ("op", "range", "inputs"):
            page.select_option(f"[data-filter={name}]", "")
        expect(rows).to_have_count(6)
        page.locator(".curves summary").click()
        page.select_option("select.cell", index=0)
        charts = page.locator(".curves path[aria-roledescription='line mark']")
        expect(charts).to_have_count(2 * 3)  # both errors of three runs
        threshold = page.locator(".curves line[aria-roledescription='rule mark']")
        expect(threshold).to_have_count(2)


def test_colours_are_units_and_shapes_are_verdicts(written, browser):
    with opened(browser, written, 1200, "light") as page:
        points = page.locator('[data-panel="rate"] path[aria-roledescription=point]')
        fills = points.evaluate_all("all => all.map(e => e.getAttribute('fill'))")
        assert len(set(fills)) == 3  # nau, nmu and the odd one
        labels = points.evaluate_all("all => all.map(e => e.getAttribute('d'))")
        assert len(set(labels)) == 2  # not comparable, not published


def test_tables_sort_and_download(written, browser):
    with opened(browser, written, 1200, "light") as page:
        page.get_by_text("All cells as a table").click()
        table = page.locator("table[data-csv=cells]")
        first = table.locator("tbody tr:first-child td").first
        before = first.inner_text()
        table.locator("th").first.click()
        assert first.inner_text() <= before
        table.locator("th").first.click()
        assert first.inner_text() == "nmu"
        assert table.locator("th").first.get_attribute("aria-sort") == "descending"
        page.select_option("[data-filter=op]", "add")
        with page.expect_download() as download:
            table.locator("xpath=../following-sibling::p[1]/button").click()
        assert download.value.suggested_filename == "single-module-cells.csv"
        lines = download.value.path().read_text(encoding="utf-8-sig").splitlines()
        assert lines[0].startswith('"unit","op","range","inputs"')
        assert [line.split(",")[0] for line in lines[1:]] == ['"nau"', '"nau"']


def test_a_phone_shows_rows_as_cards(written, browser):
    with opened(browser, written, 390, "light") as page:
        page.get_by_text("All cells as a table").click()
        cell = page.locator("table[data-csv=cells] td[data-label=rate]").first
        assert cell.is_visible()
        box = cell.bounding_box()
        assert box
        assert box["x"] + box["width"] <= 390


def test_the_page_prints_whole(written, browser):
    with opened(browser, written, 1200, "dark") as page:
        page.wait_for_selector("body[data-whole=yes]")
        page.emulate_media(media="print")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        for text in ("Learned formulas", "Runs that were not solved", "Settings"):
            assert page.get_by_text(text, exact=True).first.evaluate("e => e.parentElement.open")
        assert page.locator(".curves svg").first.is_visible()
        assert not page.locator(".filters").first.is_visible()
        colour = "getComputedStyle(document.querySelector('.chart svg text')).fill"
        assert page.evaluate(colour) == "rgb(0, 0, 0)"  # dark on white paper
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator("details[data-printed]").count() == 0


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
