"""Laws with functions: found, verified, chosen by `functions=`, and not invented."""

import numpy as np
import pytest

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.fitting.rows import DOUBLE
from nalm.fitting.search.symmetry.reduced_table import original_table, reduced_tables
from nalm.fitting.search.symmetry.relations import Term, relation
from nalm.fitting.search.symmetry.smooth_model import slopes
from nalm.fitting.search.symmetry.symmetries import scalings, translations
from nalm.fitting.tree.text import written

RNG = np.random.default_rng(7)
A, B, C = RNG.uniform(1, 3, (3, 400))


def fitted(*columns, y, **options):
    return nalm.fit(np.column_stack(columns), y, list("abc")[: len(columns)], **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("y", "text"),
    [
        (A * np.exp(-B / C), "a*exp(-b/c)"),
        (A * np.sin(B) + C, "c + a*sin(b)"),
        (A**B, "a**b"),
    ],
)
def test_laws_with_functions_are_exact_far_outside_the_rows(y, text):
    law = fitted(A, B, C, y=y)
    assert law.outcome == "exact"
    assert law.text() == text
    assert law.error < 1e-12


@pytest.mark.slow
def test_noise_leaves_the_law():
    y = A * np.exp(-B)
    noisy = y + np.random.default_rng(1).normal(0, 0.01 * np.std(y), len(y))
    law = fitted(A, B, y=noisy)
    np.testing.assert_allclose(law.predict([[2.0, 5.0]]), 2 * np.exp(-5), rtol=0.05)


@pytest.mark.slow
def test_arithmetic_has_no_functions():
    law = fitted(A, B, y=A * np.sin(B), functions="arithmetic", max_time=1)
    assert not law.verified
    assert "sin" not in law.text()


def test_unknown_functions_are_named():
    with pytest.raises(UnknownNameError, match="Did you mean 'sin'"):
        fitted(A, B, y=A, functions=["sine"])
    with pytest.raises(InputError, match="received 5"):
        fitted(A, B, y=A, functions=5)


def test_symmetries_are_read_off_slopes():
    found = slopes(np.column_stack([A, B]), A * np.exp(-B / A))
    assert found is not None
    assert found.error < 1e-3
    best = scalings(found)[0]
    assert [(float(p),) for p in best.result] == [(1.0,)]
    moved = slopes(np.column_stack([A, B]), np.cos(A - B) + 2)
    assert moved is not None
    assert (translations(moved)[0].first, translations(moved)[0].sign) == (0, -1)


def test_a_table_is_reduced_to_one_quotient():
    table = original_table(np.column_stack([A, B, C]), A * np.tanh(B / C))
    first = next(reduced_tables(table, slopes(table.x, table.y), lambda: False))
    assert first.x.shape[1] == 1
    assert {written(first.parts[0], "abc"), written(first.factor, "abc")} & {"b/c", "c/b"}
    values = first.parts[0].evaluate(table.x)
    np.testing.assert_allclose(values, first.x[:, 0])


def test_a_relation_needs_every_row():
    one = Term(np.ones(400), None, 0.0)
    line = Term(A, None, 1.0)
    exact = relation([one, line], [one], 2 * A + 1, DOUBLE)
    assert exact is not None
    assert len(exact.above) == 2
    off = 2 * A + 1
    off[::7] += 1e-6
    assert relation([one, line], [one], off, DOUBLE) is None
