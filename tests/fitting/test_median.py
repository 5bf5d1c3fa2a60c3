"""The median that the search computes is NumPy's, to the last bit."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nalm.fitting.median import median

NUMBERS = arrays.arrays(np.float64, st.integers(1, 40), elements=st.floats())


@given(NUMBERS)
def test_it_is_that_of_numpy(values: np.ndarray):
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(median(values), np.median(values))


def test_nothing_has_none():
    assert np.isnan(median(np.empty(0)))
