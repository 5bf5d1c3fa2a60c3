"""Rates in the heat map can be read on every shade: contrast as WCAG 2 defines it."""

import re
from pathlib import Path

import numpy as np
import pytest

import nalm.report
from nalm.experiments import EXPERIMENTS
from nalm.report.charts import COLORS
from nalm.report.heat_map import INK, SHADES

CSS = (Path(nalm.report.__file__).parent / "assets" / "page.css").read_text()
LIGHT, DARK, PRINT = re.findall(r":root \{([^}]*)\}", CSS)
MODES = {"light": LIGHT, "dark": DARK, "print": PRINT}
RATES = np.linspace(0, 1, 21)
READABLE = 4.5


def rgb(color: str) -> np.ndarray:
    """Return the channels of #rgb, #rrggbb or "r, g, b"."""
    if "," in color:
        return np.array([float(part) for part in color.split(",")])
    digits = color.strip("# ")
    digits = "".join(2 * d for d in digits) if len(digits) == 3 else digits
    return np.array([int(digits[i : i + 2], 16) for i in (0, 2, 4)], float)


def contrast(first: np.ndarray, second: np.ndarray) -> float:
    def luminance(color):
        c = color / 255
        return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) @ [
            0.2126,
            0.7152,
            0.0722,
        ]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def shades(variables: dict[str, str]) -> list[np.ndarray]:
    """Return the backgrounds of the page, as the rule of its cells mixes them."""
    start, more = map(float, re.findall(r"calc\((\.\d+) \+ (\.\d+) \* var\(--rate", CSS)[0])
    back, heat = rgb(variables["back"]), rgb(variables["heat"])
    return [back + (start + more * rate) * (heat - back) for rate in RATES]


def variables_of(mode: str) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+): ([^;]+)", MODES[mode]))


@pytest.mark.parametrize("mode", ["light", "dark", "print"])
def test_every_rate_of_the_page_is_readable(mode):
    variables = variables_of(mode)
    found = [contrast(rgb(variables["text"]), shade) for shade in shades(variables)]
    assert min(found) >= READABLE
    assert contrast(*(shades(variables)[i] for i in (0, -1))) > 2  # and the shades differ


@pytest.mark.parametrize("mode", ["light", "dark", "print"])
def test_every_unit_of_the_single_module_task_has_a_color(mode):
    variables = variables_of(mode)
    colors = [variables[f"u{i}"] for i in range(len(COLORS))]
    assert len(set(colors)) == len(set(COLORS)) == len(COLORS)
    assert f"u{len(COLORS)}" not in variables
    assert all(f".u{i} {{ background: var(--u{i}); }}" in CSS for i in range(len(COLORS)))
    units = {cell.key.unit for cell in EXPERIMENTS["single-module"].cells()}
    assert len(units) <= len(COLORS)
    assert min(contrast(rgb(color), rgb(variables["back"])) for color in colors) >= 3


def test_every_rate_of_the_figure_is_readable():
    none, every = map(rgb, SHADES)
    found = [contrast(rgb(INK), none + rate * (every - none)) for rate in RATES]
    assert min(found) >= READABLE
    for mine, of_the_page in zip(
        (none, every), np.array(shades(variables_of("light")))[[0, -1]], strict=True
    ):
        assert np.abs(mine - of_the_page).max() <= 1


def test_no_gap_is_before_a_full_stop():
    assert not re.search(r"\.hint span \{[^}]*margin-right", CSS)
