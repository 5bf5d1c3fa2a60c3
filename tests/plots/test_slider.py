"""An interactive picture in a real browser: the slider moves it, nothing is fetched."""

import pytest

from nalm import plots


@pytest.mark.slow
def test_the_slider_of_epsilon_changes_the_picture(browser, tmp_path):
    picture = plots.picture("two-layers-nac", epsilons=(1e-7, 0.1, 1.0), step=0.25)
    path = picture.save(tmp_path / "ridge.html")
    page = browser.new_page(viewport={"width": 800, "height": 600})
    errors, requests = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console", lambda message: errors.append(message.text) if message.type == "error" else 0
    )
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    slider = page.wait_for_selector("input[type=range]", timeout=60_000)
    drawn = page.locator("canvas.marks, svg.marks").first  # without the slider
    before = drawn.screenshot()
    slider.fill("2")
    slider.dispatch_event("input")
    page.wait_for_timeout(300)
    assert drawn.screenshot() != before
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()
