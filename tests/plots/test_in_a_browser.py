"""Interactive pictures in a real browser: they fit, the slider moves them, nothing is fetched."""

import pytest

from browsing import SIZES, opened
from nalm import plots

SHOWN = {
    "nmu-landscape": {"points": 12},
    "start-grids": {"points": 5, "steps": 50},
    "penalties": {},
    "two-layers-division": {"epsilons": (1e-5, 0.1), "step": 0.25},
}
"""Pictures of every kind of chart, small."""


@pytest.mark.slow
@pytest.mark.parametrize("name", SHOWN)
def test_a_picture_fits_its_window(browser, tmp_path, name):
    picture = plots.picture(name, **SHOWN[name])
    path = picture.save(tmp_path / f"{name}.html")
    panels = len(picture.pictures) if isinstance(picture, plots.Panels) else 1
    for width, scheme in SIZES:
        with opened(browser, path, width, scheme) as page:
            assert page.title() == page.locator("h1").inner_text() == picture.title
            drawn = page.locator("svg.marks").bounding_box()
            assert drawn
            assert drawn["width"] <= width
            if width < 640:  # one below the other, as large as the window
                assert drawn["width"] > width / 2
                assert drawn["height"] > 250 * panels
            ink = page.locator("svg.marks text").first.evaluate("e => getComputedStyle(e).fill")
            assert ink == ("rgb(28, 30, 33)" if scheme == "light" else "rgb(230, 232, 234)")


@pytest.mark.slow
def test_the_slider_of_epsilon_changes_the_picture(browser, tmp_path):
    picture = plots.picture("two-layers-nac", epsilons=(1e-7, 0.1, 1.0), step=0.25)
    path = picture.save(tmp_path / "ridge.html")
    with opened(browser, path, 800, "light") as page:
        slider = page.locator("input[type=range]")
        drawn = page.locator("svg.marks")  # without the slider
        assert "ε = 1e-07" in drawn.inner_html()
        before = drawn.screenshot()
        slider.fill("2")
        slider.dispatch_event("input")
        page.wait_for_timeout(300)
        assert drawn.screenshot() != before
        assert "ε = 1<" in drawn.inner_html()
