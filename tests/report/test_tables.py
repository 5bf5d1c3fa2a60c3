"""Tables of the page: they fit a sheet of paper, colors are units, and little is said twice."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

import nalm
from browsing import opened
from nalm.report import write_report
from nalm.report.ranking import Entry, rank
from nalm.report.settings import recipe_words
from nalm.report.summary import Verdicts
from nalm.sweeps import Cell
from nalm.tasks import RANGES, single_module
from nalm.training import SCHEDULES, Constant, Decay, Growth, Late, Ramp
from report_cases import RECIPE, swept

PAPER = 717
"""The width of a sheet of A4 between its margins, in pixels of CSS."""


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """A page of two units on nine ranges with long names."""
    folder = tmp_path_factory.mktemp("ranges")
    found = [
        Cell(name, nalm.unit(name, 2, 1), single_module("mul", r), RECIPE, threshold=1.0)
        for name in ("nmu", "real_npu")
        for r in RANGES
    ]
    swept(found, folder, seeds=1)
    return write_report(folder)


LINES = """cells => cells.map((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell.lastChild);
  return range.getClientRects().length;
})"""


def test_tables_fit_a_sheet_of_paper(written, browser):
    with opened(browser, written, PAPER, "light") as page:
        page.wait_for_selector("body[data-whole=yes]")
        page.emulate_media(media="print")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        width = "Math.max(...[...document.querySelectorAll('table')].map(t => t.scrollWidth))"
        assert page.evaluate(width) <= PAPER - 32  # no column is beyond the edge
        words = page.locator("table[data-csv=cells] td:is([data-label=unit], [data-label=steps])")
        assert set(words.evaluate_all(LINES)) == {1}  # no word is broken
        page.emulate_media(media="screen")


def test_the_color_of_a_row_is_that_of_its_unit(written, browser):
    with opened(browser, written, 1200, "light") as page:
        page.get_by_text("All cells as a table").click()
        colors = "cells => [...new Set(cells.map((cell) => getComputedStyle(cell).color))]"
        cells = page.locator("table[data-csv=cells] tbody td")
        assert cells.evaluate_all(colors) == ["rgb(28, 30, 33)"]
        dots = page.locator("table[data-csv=cells] tbody .dot")
        assert dots.count() == 18
        filled = "dots => [...new Set(dots.map((dot) => getComputedStyle(dot).backgroundColor))]"
        points = page.locator('[data-panel="rate"] path[aria-roledescription=point]')
        drawn = points.evaluate_all("all => [...new Set(all.map((e) => getComputedStyle(e).fill))]")
        assert dots.evaluate_all(filled) == drawn
        assert page.locator("table[data-csv=cells] td[data-label=verdict]").first.inner_text() != ""


def test_what_all_rows_share_is_said_once_but_is_in_the_csv(written, browser):
    with opened(browser, written, 1200, "light") as page:
        page.get_by_text("All cells as a table").click()
        table = page.locator("table[data-csv=cells]")
        assert table.locator("th:visible").all_inner_texts()[:3] == ["unit", "range", "steps"]
        said = page.get_by_text("The same in all rows: op mul, inputs 2.")
        assert said.last.is_visible()
        with page.expect_download() as download:
            table.locator("xpath=../following-sibling::p[1]/button").click()
        lines = download.value.path().read_text(encoding="utf-8-sig").splitlines()
        assert lines[0].startswith('"unit","op","range","inputs","setting","steps"')
        assert lines[1].startswith('"nmu","mul","U[-20,-10)","2",""')


@pytest.mark.parametrize("width", [500, 1000])
def test_figures_are_as_wide_as_was_asked(written, tmp_path, width):
    write_report(written.parent, tmp_path / "page.html", figures=tmp_path, figure_width=width)
    drawn = sorted(tmp_path.glob("*.svg"))
    assert len(drawn) >= 3
    for path in drawn:
        found = re.findall(r'width="(\d+)', path.read_text(encoding="utf-8"))
        assert 0.5 * width < float(found[0]) <= 1.1 * width, path.name


def test_too_few_seeds_are_said_instead_of_names(written):
    text = written.read_text(encoding="utf-8")
    said = "With 1 seed no difference between 2 models can be shown to be more than chance; 6 seeds"
    assert said in text
    assert "<th>could be chance</th>" not in text
    assert rank([Entry("a", {"": {0: 1.0}}), Entry("b", {"": {0: 0.0}})], 1).seeds_needed == 6


def test_verdicts_are_counted_in_words():
    assert Verdicts(19, 0, 0).words == "19 of 19 agree with ours"
    assert Verdicts(0, 1, 2).words == "1 of 3 differs, 2 are not comparable"


def test_schedules_are_said_in_words():
    said = {
        Ramp(10.0, 20_000, 35_000): "from 0 at step 20,000 to 10 at step 35,000",
        Growth(1e-7, 1e-5): "1e-07, times 10 every 10,000 steps, up to 1e-05",
        Constant(0.5): "0.5",
        Late(2.0, 1000, 0.1): "2 after step 1,000, while the validation error is below 0.1",
        Decay(1000, 0.5): "times 0.5 every 1,000 steps",
    }
    assert {type(schedule).__name__ for schedule in said} == set(SCHEDULES)
    for schedule, words in said.items():
        recipe = replace(RECIPE, penalties=(("l1", schedule),))
        assert f"penalty l1: {words}; " in recipe_words(recipe)
