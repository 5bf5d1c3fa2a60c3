"""The page about a fit: what it says, that it escapes names, and how it looks in a browser."""

import re
from dataclasses import replace

import numpy as np
import pytest

from browsing import SIZES, opened
from nalm.fitting.findings import Findings, FitSettings, find
from nalm.fitting.law import Alternative
from nalm.fitting.tables.table import TableData, TableNote
from nalm.fitting.tree import Column
from nalm.formula.mathml import mathml
from nalm.report.fit_charts import fit_charts
from nalm.report.fit_page import fit_page, write_fit_report

NASTY = "</script><b>alert(1)</b> {{data}} \u2028 m_1"


@pytest.fixture(scope="module")
def found() -> Findings:
    x = np.random.default_rng(0).uniform(1, 3, (80, 2))
    y = 2.5 * x[:, 0] / x[:, 1]
    data = TableData(x, y, (NASTY, "b"), "y<i>", np.arange(4, 84), 3, (TableNote("note <u>"),))
    found = find(data, FitSettings("data <1>.csv", max_time=20.0))
    simple = [Alternative(Column(i), data.names, 0.75 - i / 2) for i in range(2)]
    return replace(
        found, law=replace(found.law, alternatives=(*simple, *found.law.alternatives[-1:]))
    )


@pytest.fixture(scope="module")
def suspected() -> Findings:
    rng = np.random.default_rng(0)
    x = rng.uniform(1, 3, (120, 2))
    y = 9.81 * x[:, 0] * x[:, 1] + rng.normal(0, 0.05, 120)
    y[17] *= 3
    data = TableData(x, y, ("m [kg]", "h [m]"), "E [J]", np.arange(3, 123), 2, ())
    return find(data, FitSettings("data.csv", functions="arithmetic", max_time=20.0))


def test_suspect_rows_constants_and_code_are_on_the_page(suspected):
    text = fit_page(suspected)
    assert [outlier.row for outlier in suspected.law.outliers] == [17]
    assert "<h2>Suspect rows" in text
    assert '<tr class="differs"><td>20</td>' in text
    assert "standard gravity" in text
    for language in ("python", "numpy", "c", "excel", "latex"):
        assert f'id="code-{language}"' in text
    assert "=" in text.split('id="code-excel">')[1].split("<")[0]


def test_rows_are_drawn_as_far_from_the_curve_as_from_the_formula(suspected):
    law, data = suspected.law, suspected.data
    chart = fit_charts(suspected)["curve-0"]
    sets = [part["data"]["values"] for part in chart["layer"]]
    points = next(values for values in sets if "row" in values[0])
    column = data.names.index(chart["layer"][0]["encoding"]["x"]["title"])
    at = np.tile(np.median(data.x, axis=0), (120, 1))
    at[:, column] = [point["input"] for point in points]
    drawn = np.array([point["result"] for point in points]) - law.predict(at)
    np.testing.assert_allclose(drawn, data.y - law.predict(data.x), atol=1e-9)


def test_one_suspect_row_is_one(suspected):
    text = fit_page(suspected)
    assert "<p>This row disagrees with the formula" in text
    assert "Suspect rows beyond the range" in text
    outliers = (suspected.law.outliers[0],) * 2
    assert "These 2 rows disagree" in fit_page(
        replace(suspected, law=replace(suspected.law, outliers=outliers))
    )


def test_an_exponential_is_no_fraction():
    import sympy

    x, y = sympy.symbols("x y")
    text = mathml(3 * sympy.exp(-x / 2) + sympy.exp(y), "T")
    assert text.count("<msup><mi>e</mi>") == 2
    assert text.count("mfrac") == 2, "one fraction, x/2"


def test_the_page_says_everything_and_escapes_what_it_is_given(found):
    text = fit_page(found)
    assert found.law.outcome == "exact"
    assert "<b>Verified, exact:</b> all 8 held-out rows agree." in text
    for piece in ("outermost rows", "note &lt;u&gt;", "data &lt;1&gt;.csv", "http-equiv", "numpy"):
        assert piece in text
    for tag in ("<b>alert", "<i>", "<u>", "\u2028 m_1</script"):
        assert tag not in text
    assert '<code id="equation">`y&lt;i&gt;` = 5*' in text


def test_what_was_not_found_is_not_shown_as_a_law(found):
    law = replace(found.law, outcome="not found", reason="what it leaves is not noise")
    text = fit_page(replace(found, law=law))
    assert "Not found:</b> what it leaves is not noise." in text
    assert "best approximation, not verified" in text
    assert "Verified" not in text.split("<h2>Evidence")[0].split("<main>")[1]


def test_names_in_mathml_are_text():
    import sympy

    text = mathml(sympy.sqrt(sympy.Symbol("a&b<") ** 3 / sympy.Symbol("x")), "T")
    assert "<mtext>a&amp;b&lt;</mtext>" in text
    assert "<mi>x</mi>" in text
    assert "mfrac" in text
    assert "mfenced" not in text  # Chromium does not typeset it


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_the_page_in_a_browser(found, tmp_path, browser, width, scheme):
    from playwright.sync_api import expect

    path = write_fit_report(found, tmp_path / "fit.html")
    with opened(browser, path, width, scheme) as page:
        charts = (("predicted", 80), ("residuals", 80), ("frontier", 3), ("curve-0", 80))
        for chart, count in charts:
            points = page.locator(f'[data-chart="{chart}"] path[aria-roledescription=point]')
            expect(points).to_have_count(count)
        page.locator('[data-chart="frontier"] path[aria-roledescription=point]').last.hover()
        expect(page.locator("#vg-tooltip-element")).to_contain_text("5*")
        fraction = "[...document.querySelector('math mfrac').children]"
        above, line = page.evaluate(f"{fraction}.map(e => e.getBoundingClientRect().top)")
        assert above < line  # a fraction is set as one


def test_a_formula_fits_a_phone(tmp_path, browser):
    x = np.random.default_rng(0).uniform(1, 3, (60, 3))
    names = ("distance_au", "star_mass", "companion_mass")
    data = TableData(x, x[:, 0] / (x[:, 1] + x[:, 2]), names, "period_years", np.arange(60), 0, ())
    law = find(data, FitSettings("data.csv", functions="arithmetic", max_time=20.0))
    path = write_fit_report(law, tmp_path / "long.html")
    with opened(browser, path, 390, "light") as page:
        widths = page.locator(".formula").evaluate("e => [e.scrollWidth, e.clientWidth]")
        assert widths[0] <= widths[1]
        page.set_viewport_size({"width": 1200, "height": 900})
        page.wait_for_timeout(200)
        size = page.locator(".formula").evaluate("e => getComputedStyle(e).fontSize")
        assert size == "24px"


@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_suspect_rows_and_copy_buttons_in_a_browser(suspected, tmp_path, browser, width, scheme):
    from playwright.sync_api import expect

    path = write_fit_report(suspected, tmp_path / "suspects.html")
    with opened(browser, path, width, scheme) as page:
        for chart in ("predicted", "residuals", "curve-0", "curve-1"):
            points = page.locator(f'[data-chart="{chart}"] path[aria-roledescription=point]')
            expect(points).to_have_count(120)
            colours = points.evaluate_all("all => all.map(p => p.getAttribute('fill'))")
            assert [i for i, colour in enumerate(colours) if colour == "#e8590c"] == [17]
        button = page.locator('[data-copy="equation"]')
        button.click()
        expect(button).to_have_text(re.compile("Copied|Selected"))
        page.locator("summary").click()
        expect(page.locator("#code-c")).to_contain_text("double E_J(double m_kg, double h_m)")
