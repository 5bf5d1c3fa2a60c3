"""Pages in a real Chromium: opened from disk and watched."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

SIZES = [(1200, "light"), (390, "dark")]
"""Widths of a desk and a phone, and their colours."""


def chromium() -> Iterator["Browser"]:
    """Yield a running browser; without one skip, or fail where CI has promised one."""
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if not found:
        if os.environ.get("CI"):
            pytest.fail("CI needs chromium for the browser test, and there is none.")
        pytest.skip("no chromium on this machine: the page was not opened in a browser")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield started
        started.close()


@contextmanager
def opened(browser: "Browser", path: Path, width: int, scheme: str) -> Iterator["Page"]:
    """Open a page of ours, and wait until its charts are drawn; watched as `watched` does."""
    with watched(browser, path, width, scheme) as page:
        page.wait_for_selector("body[data-ready=yes]", timeout=60_000)
        yield page


@contextmanager
def watched(browser: "Browser", path: Path, width: int, scheme: str) -> Iterator["Page"]:
    """Open a page; at the end it had no error, asked no network, and is no wider than the window.

    With NALM_SCREENSHOTS set to a folder, a picture of it is left there.
    """
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)  # pyright: ignore[reportArgumentType]
    errors, requests = [], []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("request", lambda request: requests.append(request.url))
    page.goto(path.as_uri())
    yield page
    overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overflow) <= 0
    assert errors == []
    assert [url for url in requests if not url.startswith(("file:", "data:", "blob:"))] == []
    if target := os.environ.get("NALM_SCREENSHOTS"):
        page.screenshot(path=f"{target}/{path.stem}-{width}.png", full_page=True)
    page.close()
