"""The site: it builds without a warning, its pages are complete, and a browser shows them."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from browsing import SIZES, watched
from nalm.units import REGISTRY
from words import PRIVATE_WORDS

ROOT = Path(__file__).parents[1]
PAGES = ("index", "generated/units/nmu", "generated/leaderboard", "generated/which-unit")


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The built site; the notebooks are executed by tests of their own."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-d", f"{folder}/trees"]
    done = subprocess.run(
        [*command, str(ROOT / "docs"), f"{folder}/html"],
        env=os.environ | {"NALM_NOTEBOOKS": "off"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "html"


@pytest.mark.slow
def test_every_unit_has_a_page_with_equation_weights_and_paper(site):
    for name, cls in REGISTRY.items():
        text = (site / f"generated/units/{name}.html").read_text(encoding="utf-8")
        assert "<math" in text, name
        assert "Exact weights" in text
        assert "Where it fails" in text
        assert re.search(rf'<img alt="{cls.__name__}" src="[./]*_images/{name}.svg"', text), name
        assert all(key in text for key in cls.papers), name


@pytest.mark.slow
def test_no_rate_without_runs_and_interval(site):
    text = (site / "generated/leaderboard.html").read_text(encoding="utf-8")
    text = text.replace("\u00a0", " ").replace("&#160;", " ")
    shares = re.findall(r"\d+ of \d+, \d\.\d\d \[\d\.\d\d, \d\.\d\d\]", text)
    assert len(shares) > 50
    assert "225 of 225, 1.00 [0.98, 1.00]" in shares


@pytest.mark.slow
def test_nothing_is_fetched_and_no_word_is_private(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.findall(r'(?:src|href)="(?:https?:)?//[^"]+\.(?:js|css|woff2?)', text), path
        assert not re.findall(PRIVATE_WORDS, text), path


@pytest.mark.slow
@pytest.mark.parametrize(("width", "scheme"), SIZES)
def test_pages_in_a_browser(site, browser, width, scheme):
    for name in PAGES:
        with watched(browser, site / f"{name}.html", width, scheme) as page:
            assert page.locator("h1").first.is_visible()
