"""Worked examples: what our units compute from printed weights is what is printed."""

from dataclasses import replace

import numpy as np
import pytest

from nalm.experiments.worked_examples import SCALED, scaled_product, worked_examples


def numbers(case: str) -> dict[str, np.ndarray]:
    return {name: np.array(texts, float) for name, texts in SCALED[case].items()}


def test_every_number_is_the_printed_one():
    examples = worked_examples()
    assert len(examples) == 2 * 9 + 3 * 2 * 2 + 6 + 3 + 2 + 6 + 8
    assert [e for e in examples if not e.agrees] == []
    assert max(e.rounding for e in examples if e.table == "table 6.1") < 1e-4
    for example in examples:
        if example.table == "table 6.2":
            assert example.computed == pytest.approx(example.printed, abs=1e-12)
        assert not replace(example, computed=example.computed + 3 * example.rounding).agrees


@pytest.mark.parametrize("case", SCALED)
def test_the_scaled_nmu_multiplies(case):
    p = numbers(case)
    x = np.random.default_rng(0).uniform(p["mean"] - 1 / p["scale"], p["mean"] + 1 / p["scale"])
    _, _, y = scaled_product(p, x)
    assert y[0] == pytest.approx(x[0] * x[1], abs=2e-4)  # six digits of each number are printed
    _, _, wrong = scaled_product(p | {"b_in": p["b_in"] + 1e-3}, x)
    assert wrong[0] != pytest.approx(x[0] * x[1], abs=2e-4)


def test_unrounded_offsets_make_the_learnt_nmu_exact():
    """With b_in and w_out where x1 x2 needs them, other weights as printed, the product is exact.

    They are less than 2e-5 from the printed numbers, which rounding explains.
    """
    p = numbers("learnt NMU")
    slope = p["weight"] * p["w_in"] * p["scale"]
    exact = p | {
        "b_in": p["mean"] * p["scale"] * p["w_in"] + 1 - 1 / p["weight"],
        "w_out": 1 / (slope.prod(keepdims=True) * p["y_scale"]),
        "b_out": np.zeros(1),
    }
    x = np.random.default_rng(0).uniform(-10, 10, (50, 2))
    np.testing.assert_allclose(scaled_product(exact, x)[2][:, 0], x.prod(axis=1), atol=1e-10)
    for name in ("b_in", "w_out"):
        np.testing.assert_allclose(exact[name], p[name], atol=2e-5)
