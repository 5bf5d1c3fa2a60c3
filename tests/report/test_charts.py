"""Rows of charts: lines and columns are what varies, every number fits its scale."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nalm.report.chart_rows import chart_rows, vega_values
from nalm.report.charts import PANELS, panel_chart
from nalm.report.figures import file_name
from nalm.sweeps import CellKey, Quantity
from nalm.sweeps.statistics import Verdict, student
from report_cases import NASTY, key, published, summary


def shape(*keys: CellKey) -> tuple[list[str], list[str]]:
    rows = chart_rows([summary(k) for k in keys])
    lines, columns = (
        dict.fromkeys(row.line for row in rows),
        dict.fromkeys(row.column for row in rows),
    )
    return list(lines), list(columns)


def test_lines_and_columns_are_what_varies():
    sweep_of_settings = [key(range_=r, setting=s) for r in ("U[1,2)", "U[2,3)") for s in "ab"]
    assert shape(*sweep_of_settings) == (["a", "b"], ["U[1,2)", "U[2,3)"])
    named_ranges = [key(range_=f"U[{n},9)", setting=f"set {n}") for n in (1, 2)]
    assert shape(*named_ranges) == (["nmu"], ["U[1,9)", "U[2,9)"])
    sizes = [key(unit=u, inputs=n) for u in ("nmu", "snmu") for n in (1, 10)]
    assert shape(*sizes) == (["nmu", "snmu"], ["1 input", "10 inputs"])
    operands = [key(setting=f"sum of {n}", inputs=n) for n in (1, 2)]
    assert shape(*operands)[0] == ["sum of 1", "sum of 2"]  # which says the inputs, too
    alone = [key(setting=s) for s in "ab"]
    assert shape(*alone) == (["a", "b"], ["U[1,2)"])
    assert shape(*alone, key(unit="mlp", setting="c"))[1] == ["U[1,2)"]
    two = [key(range_=r, inputs=n) for r in ("U[1,2)", "U[2,3)") for n in (2, 10)]
    assert shape(*two, key(unit="nau"))[0] == [
        "nmu · 2 inputs",
        "nmu · 10 inputs",
        "nau · 2 inputs",
    ]


def test_a_published_bound_without_the_other_is_drawn_to_the_end_of_the_scale():
    rate, steps, _ = chart_rows([summary(key(), published(0.95, Verdict.AGREES, low=0.9))])
    assert (rate.published_low, rate.published_high) == (0.9, 1.0)
    assert steps.value == 1  # solved at step 0, which a logarithmic scale does not have


def test_published_values_are_drawn_in_every_panel_with_their_own_verdict():
    rows = chart_rows(
        [
            summary(
                key(),
                published(0.5, Verdict.AGREES, Quantity.SOLVED_AT),
                published(0.0, Verdict.DIFFERS, Quantity.SPARSITY),
            )
        ]
    )
    assert [row.published for row in rows] == [None, 1, 1e-10]
    assert [row.verdict for row in rows] == ["", "agrees", "differs"]
    drawn = [quantity for quantity in PANELS if quantity is not Quantity.ACCURACY]
    for quantity, row in zip(drawn, rows, strict=True):
        spec = panel_chart(quantity, rows)
        (values,) = spec["datasets"].values() if "datasets" in spec else [spec["data"]["values"]]
        assert values == vega_values([row])


def test_vega_gets_no_text_that_it_cannot_parse():
    (value, *_) = vega_values(chart_rows([summary(key(unit=NASTY))]))
    assert value["unit"] == NASTY.replace("\u2028", " ")


@given(st.text())
def test_names_of_files_are_safe_everywhere(text):
    name = file_name(text)
    assert name
    assert name.isascii()
    assert not set(name) & set('/\\:*?"<>| \0')
    assert name not in (".", "..")
    assert len(name) <= 100


def test_an_accuracy_is_drawn_where_there_is_one():
    known = replace(summary(key()), accuracy=student([0.9, 1.0], 0.0, 1.0))
    accuracy, *others = chart_rows([known])
    assert accuracy.panel == Quantity.ACCURACY
    assert accuracy.value == pytest.approx(0.95)
    assert len(others) == len(chart_rows([summary(key())])) == 3
