"""SRBench's rule for solved, and the data of the ground-truth track."""

from fractions import Fraction

import numpy as np
import pytest
from benchmarks.fit.ground_truth import TRACKS, Equation, Outcome, main, read, solved
from benchmarks.fit.problem import evaluated
from benchmarks.fit.strogatz import SYSTEMS

from nalm.fitting.tree import ONE, Applied, Column, PowerProduct, WeightedSum
from nalm.fitting.tree.functions import SIN

COUNTS = {"feynman": 120, "strogatz": 14, "textbook": 60}
WAVE = Equation("wave", "a*sin(2*pi*b)", ("a", "b"), ((1.0, 3.0), (0.1, 0.9)))


def wave(frequency, weight: Fraction | float = ONE, offset: Fraction | float = 0.0):
    sine = Applied(SIN, WeightedSum(((frequency, Column(1)),)))
    return WeightedSum(((weight, PowerProduct(((Column(0), ONE), (sine, ONE)))),), offset)


def test_numbers_may_be_off_by_the_rounding_to_three_digits():
    assert solved(WAVE, wave(6.2831853))
    assert solved(WAVE, wave(6.281))
    assert not solved(WAVE, wave(6.27))
    assert not solved(WAVE, wave(Fraction(44, 7)))


def test_a_constant_factor_or_offset_is_allowed():
    assert solved(WAVE, wave(6.2831853, Fraction(3)))
    assert solved(WAVE, wave(6.2831853, ONE, Fraction(2)))
    assert solved(WAVE, wave(6.2831853, 3.017))
    assert solved(WAVE, wave(6.2831853, 3.017, 2.0)) is False
    assert not solved(WAVE, wave(6.2, 3.017))
    assert not solved(WAVE, Column(0))


@pytest.mark.parametrize(("track", "count"), COUNTS.items())
def test_every_law_of_a_track_has_results(track, count):
    assert set(TRACKS) == set(COUNTS)
    laws = TRACKS[track]()
    assert len({law.name for law in laws}) == count
    for law in laws:
        x, y = law.table(50, 0, 0.0)
        assert x.shape == (50, len(law.names))
        assert np.mean(np.isfinite(y)) > 0.9, law.name


def test_a_run_continues_where_it_was_interrupted(tmp_path, capsys):
    out = tmp_path / "found.csv"
    arguments = ["--only", "feynman_I_12_1,feynman_I_25_13", "--rows", "60", "--out", str(out)]
    assert main(arguments) == 0
    first = out.read_text()
    found = list(read(out))
    assert [(o.equation, o.solved, o.outcome) for o in found] == [
        ("feynman_I_12_1", True, "exact"),
        ("feynman_I_25_13", True, "exact"),
    ]
    assert all(isinstance(o, Outcome) for o in found)
    assert main(arguments) == 0
    assert out.read_text() == first
    assert "2 of 2 solved" in capsys.readouterr().out


def test_states_are_euler_steps_of_four_starts():
    for number, rate in enumerate(TRACKS["strogatz"]()):
        x, y = rate.table(400, 3, 0.0)
        assert x.shape == (400, 2)
        assert np.isfinite(x).all(), rate.name
        moved = x[:-1, number % 2] + 0.1 * y[:-1]
        inside = np.arange(399) % 100 != 99
        np.testing.assert_allclose(x[1:, number % 2][inside], moved[inside], rtol=1e-12)


def test_the_first_published_row_of_two_systems():
    """As printed in the data of SRBench: bacres1, and the start of lv1."""
    for index, state, published in ((0, (9.01502740318998, 12.8015055992981), 8.21314775719214),
                                    (3, (1.0, 3.0), -4.0)):  # fmt: skip
        found = evaluated(SYSTEMS[index].rates[0], ("x", "y"), np.array([state]))
        assert float(found[0]) == pytest.approx(published, rel=1e-12)
