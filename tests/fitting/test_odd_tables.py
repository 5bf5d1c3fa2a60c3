"""Every finite table gives a law or one sentence: constants, counts, sizes, kinds of numbers."""

import io
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import ml_dtypes
import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_info

import nalm
from nalm._internal.threads import one_thread
from nalm.errors import InputError
from nalm.fitting.evidence.edge_test import edge_test
from nalm.fitting.evidence.refit import refit
from nalm.fitting.rows import Rows, canonical
from nalm.fitting.tables.reading import opened, read_table
from nalm.fitting.tree import Column, WeightedSum, power_of

X = np.random.default_rng(0).uniform(1, 3, (40, 2))
Y = X[:, 0] + X[:, 1]


@pytest.mark.parametrize("rows", [2, 3, 4, 5])
@pytest.mark.parametrize("value", [5.0, 0.0])
def test_a_constant_result_has_a_verdict(rows, value):
    law = nalm.fit(np.arange(1.0, rows + 1), np.full(rows, value))
    assert law.predict([1.0])[0] == value
    assert law.verified == (rows > 4)


@pytest.mark.parametrize("seed", range(4))
def test_counts_and_indicators_have_a_verdict(seed):
    rng = np.random.default_rng(seed)
    x = np.column_stack([np.eye(3)[rng.integers(0, 3, 24)], rng.poisson(2, 24)])
    law = nalm.fit(x, rng.integers(0, 2, 24), max_time=1)
    assert not law.verified
    assert law.text()


@pytest.mark.parametrize("size", [1e-300, 1e-120, 1e120, 1e153, 1e300])
def test_numbers_beyond_the_limits_are_refused(size):
    with pytest.raises(InputError, match=r"column 'x1' is .* in size; .* another unit"):
        nalm.fit(X * size, Y)
    with pytest.raises(InputError, match="largest number of y"):
        nalm.fit(X, Y * size)
    with pytest.raises(InputError, match="largest number of sample_weight"):
        nalm.fit(X, Y, sample_weight=np.full(40, size))


@pytest.mark.parametrize("size", [1e-99, 1e-50, 1e50, 1e99])
def test_numbers_within_the_limits_are_fitted(size):
    assert nalm.fit(X * size, Y * size, max_time=5).text() == "x1 + x2"


def test_single_numbers_may_be_tiny():
    x = X.copy()
    x[:, 0] = np.exp(-np.linspace(0, 600, 40))
    assert nalm.fit(x, x[:, 0] + x[:, 1], max_time=5).text() == "x1 + x2"


def test_a_high_power_has_no_number_of_terms():
    total = WeightedSum(((1.5, Column(0)), (2.5, Column(1))))
    assert power_of(total, Fraction(10**6)).expanded_terms() > 1e300


def test_numbers_of_few_bits_are_numbers():
    for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.float16):
        x = X.astype(kind)
        assert nalm.fit(x, x.astype(float).sum(axis=1), max_time=5).text() == "x1 + x2"


@pytest.mark.parametrize(
    "column",
    [
        pd.date_range("2020-01-01", periods=40),
        pd.date_range("2020-01-01", periods=40, tz="UTC"),
        pd.to_timedelta(np.arange(40), unit="s"),
        [str(v) for v in Y],
        [str(v).encode() for v in Y],
        pd.Categorical(["u", "v"] * 20),
        [None, 1.0] * 20,
        [1j] * 40,
        [10**400] * 40,
    ],
    ids=[
        "dates",
        "zoned dates",
        "spans",
        "texts",
        "bytes",
        "categories",
        "none",
        "complex",
        "huge",
    ],
)
def test_what_is_no_number_is_refused(column):
    with pytest.raises(
        InputError, match=r"Column 'a' holds (real )?numbers|Column 'a' holds finite"
    ):
        nalm.fit(pd.DataFrame({"a": column, "b": Y}), Y)


@pytest.mark.parametrize(
    "table",
    [[[1, 2], [3]], None, "abc", {1, 2}, 5, {}, np.zeros(3, [("a", "f8")]), np.zeros((0, 2))],
    ids=lambda table: type(table).__name__,
)
def test_what_is_no_table_is_refused(table):
    with pytest.raises(InputError) as caught:
        nalm.fit(table, [1.0, 2.0])
    assert "\n" not in str(caught.value)


def test_masks_are_refused_wherever_they_are():
    masked = np.ma.masked_array(X[:, 0], X[:, 0] > 2)
    for table in (masked, [masked, masked], {"a": masked}):
        with pytest.raises(InputError, match="masked"):
            nalm.fit(table, Y)
    with pytest.raises(InputError, match="masked"):
        nalm.fit(X, Y, sample_weight=masked)


@pytest.mark.parametrize(
    "options",
    [
        {"max_time": "x"},
        {"max_time": True},
        {"max_time": float("nan")},
        {"effort": True},
        {"effort": 2.5},
        {"random_state": None},
        {"names": 5},
        {"names": [1, 2]},
    ],
    ids=str,
)
def test_options_of_another_kind_are_refused(options):
    with pytest.raises(InputError):
        nalm.fit(X, Y, **options)


def test_any_number_of_seconds_is_a_limit():
    assert nalm.fit(X, Y, max_time=10**400).verified


# --- time -------------------------------------------------------------------------------------


def test_once_the_time_is_over_numbers_stay_as_they_are():
    tree = WeightedSum(((1.5, Column(0)), (2.5, Column(1))))
    rows = Rows(X, Y, np.ones(40))
    same, errors = refit(tree, rows, 2.0**-53, stop=lambda: True)
    assert same == tree
    assert errors.tolist() == [np.inf, np.inf]
    assert edge_test(tree, X, Y, lambda: True) is None
    assert edge_test(tree, X, Y) is not None


def test_equal_rows_are_joined_and_sorted():
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 3, (200, 3)).astype(float), rng.integers(0, 2, 200).astype(float)
    weight = rng.uniform(0, 1, 200) * (rng.uniform(size=200) > 0.2)
    found = canonical(Rows(x, y, weight))
    kept = weight > 0
    unique, inverse = np.unique(np.column_stack([y, x])[kept], axis=0, return_inverse=True)
    np.testing.assert_array_equal(np.column_stack([found.y, found.x]), unique)
    np.testing.assert_array_equal(found.weight, np.bincount(inverse.ravel(), weight[kept]))


# --- threads ----------------------------------------------------------------------------------


def blas_threads() -> set[int]:
    return {found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"}


def test_threads_of_linear_algebra_are_given_back():
    before = blas_threads()
    entered, other = one_thread(), one_thread()
    entered.__enter__()
    other.__enter__()
    assert blas_threads() == {1}
    entered.__exit__(None, None, None)  # the first to enter leaves first
    assert blas_threads() == {1}
    other.__exit__(None, None, None)
    assert blas_threads() == before


def test_fits_in_several_threads_give_the_threads_back():
    before = blas_threads()
    with ThreadPoolExecutor(4) as pool:
        laws = list(pool.map(lambda _: nalm.fit(X, Y).text(), range(8)))
    assert set(laws) == {"x1 + x2"}
    assert blas_threads() == before


# --- files ------------------------------------------------------------------------------------


def read(data: bytes, **options):
    return read_table(io.BufferedReader(io.BytesIO(data)), **options)


@pytest.mark.parametrize(
    "data",
    [b'"', b'""', b"'", b"\xff\xfe", b"\xff\xfea", b"\x00", b'a,b\n"', b"\n\n", b"#", b"a,b\n1"],
)
def test_a_file_that_is_no_table_is_refused(data):
    with pytest.raises(InputError):
        read(data)


def test_a_line_may_be_long_if_its_fields_are_short():
    names = ",".join(f"column{i}" for i in range(20_000))
    row = ",".join(str(i) for i in range(20_000))
    assert len(names) > 131_072
    data = read(f"{names}\n{row}\n{row.replace('1', '2')}\n".encode())
    assert len(data.y) == 2


def test_a_name_that_no_file_can_have_is_refused():
    for name in ("a" * 5000, "a\0"):
        with pytest.raises(InputError), opened(name):
            pass
        with pytest.raises(FileNotFoundError):
            nalm.Law.load(name)


def test_a_column_has_no_number_of_thousands_of_digits():
    with pytest.raises(nalm.errors.UnknownNameError):
        read(b"a,b\n1,2\n", target="9" * 5000)


def test_columns_of_huge_numbers_are_compared():
    text = b"a,b,c,y\n1e308,-1e308,1,2\n-1.7e308,1.7e308,2,3\n1e300,-1e300,4,7\n"
    with np.errstate(all="raise"):
        read = read_table(io.BufferedReader(io.BytesIO(text)))
    assert any("'b' (of 'a')" in note.text for note in read.notes)


def test_a_header_without_a_name_is_refused():
    with pytest.raises(InputError, match="a name for each column"):
        read_table(io.BufferedReader(io.BytesIO(b"|\x1c\n0.0")))
