"""What the fuzzers feed to nalm: values, texts, tables and files, plain, odd and hostile."""

import json
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

HUGE = 10**400
ODD_NUMBERS = (
    0, -1, 1, 2, 7, 0.5, -0.0, 1e-320, 1e308, -1e308, float("inf"), float("-inf"), float("nan"),
    2**31, 2**63, 2**64, HUGE, -HUGE, True, False,
)  # fmt: skip
WORDS = (
    "", " ", "nmu", "nau", "nru", "mul", "add", "div", "U[1,2)", "published", "none", "true", "nan",
    "1e400", "9" * 30, "9" * 5000, "a" * 400, "é\u202e\x1b[31m", "\0", "../../x", "x.py:Y",
    "[" * 99,
)  # fmt: skip

unprintable = st.just(0).map(lambda _: 10**5000)
"""Python prints whole numbers of up to 4,300 digits."""
numbers = st.one_of(
    st.sampled_from(ODD_NUMBERS), st.integers(-9, 40), st.floats(), st.floats(-9, 9), unprintable
)
texts = st.one_of(st.sampled_from(WORDS), st.text(max_size=30))
scalars = st.one_of(st.none(), numbers, texts, st.binary(max_size=8))
values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4), st.tuples(inner)
    ),
    max_leaves=6,
)
"""Any value that a caller may pass."""
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-9, 10**20), st.floats(), texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


def mostly(valid: st.SearchStrategy[Any], often: int = 3) -> st.SearchStrategy[Any]:
    """Return valid values, and now and then any value."""
    return st.one_of(*[valid] * often, values)


# --- texts made of the pieces of a language -----------------------------------------------------


def pieced(pieces: tuple[str, ...], most: int = 12) -> st.SearchStrategy[str]:
    """Return texts of pieces of a language, in any order, and of any letters."""
    part = st.one_of(st.sampled_from(pieces), st.sampled_from(pieces), st.text(max_size=3))
    return st.lists(part, max_size=most).map("".join)


labels = pieced((
    "U[", "1,2)", "U[1,2)", "|", "&", "->", "B[10,100)", "TN(0,1)[-5,5)", "1..9", " by 0.5",
    "Exp(2)",     "S[0,1)", "-", "1e999", ")", "]", "near", "tied", ",", "9" * 40, "0", " ",
))  # fmt: skip
options = pieced((
    "nru", "nmu", "snmu", "(", ")", "tanh_scale=", "noise_range=", "sign=", "10", "'batch'", ",",
    "=", "1e999", "True", "None", "[", "{", "lambda:0", "__import__('os')", "-", "**", "*",
    "9" * 400, "\\",
))  # fmt: skip
assignments = pieced((
    "learning_rate", "optimizer", "steps", "decay.every", "penalties", "discretise", "adam", "=",
    "learning_rate=5e-3", "steps=1000", "decay.every=100", ".", "5e-3", "1e999", "nan", "-1",
    "none", "true", "lion", ",", "9" * 400,
), 6)  # fmt: skip
seed_texts = pieced(("1", "2,", ",", "-", "25", "9" * 20, "9" * 5000, " ", "1.5", "٣"), 6)
plain_cells = st.one_of(st.floats(-99, 99).map(repr), st.integers(-99, 99).map(str))
cells = st.one_of(
    st.floats().map(repr), st.integers(-99, 99).map(str), st.text(max_size=4),
    st.sampled_from(("", "NA", '"', '"a', "1,5", "1_000", "1.000,5", "inf", "#", "\0", "9" * 400)),
)  # fmt: skip


@st.composite
def csv_bytes(draw: st.DrawFn) -> bytes:
    """Return a table as text, more or less well-formed."""
    if draw(st.integers(0, 5)) == 0:
        return draw(st.binary(max_size=200))
    separator = draw(st.sampled_from((",", ";", "\t", "|", " ")))
    width = draw(st.integers(1, 4))
    kind = draw(st.sampled_from((cells, plain_cells, plain_cells, plain_cells)))
    least = draw(st.sampled_from((1, width, width, width)))
    rows = draw(st.lists(st.lists(kind, min_size=least, max_size=width), max_size=6))
    names = draw(st.lists(texts, min_size=width, max_size=width, unique=True))
    names = [separator.join(names)] * draw(st.integers(0, 1))
    lines = [*names, *(separator.join(row) for row in rows)]
    text = draw(st.sampled_from(("\n", "\r\n", "\r"))).join(lines)
    encoding = draw(st.sampled_from(("utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1")))
    return text.encode(encoding, "surrogatepass" if "utf" in encoding else "replace")


# --- changed values -------------------------------------------------------------------------------


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all parts of a value of JSON."""
    parts: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        parts = list(value.items())
    elif isinstance(value, list):
        parts = list(enumerate(value))
    return [path, *(found for key, part in parts for found in places(part, (*path, key)))]


def with_part(value: Any, path: tuple[Any, ...], part: Any) -> Any:
    """Return a value of JSON with one part of it replaced."""
    if not path:
        return part
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = with_part(copy[path[0]], path[1:], part)
    return copy


@st.composite
def changed(draw: st.DrawFn, originals: list[Any], parts: st.SearchStrategy[Any]) -> Any:
    """Return a value of JSON with some of its parts replaced."""
    value = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(0, 2))):
        found = places(value)
        value = with_part(value, found[draw(st.integers(0, len(found) - 1))], draw(parts))
    return value


def texts_of_json(value: Any) -> str:
    """Return JSON text, with NaN and infinities as Python writes them."""
    return json.dumps(value, default=repr)


@st.composite
def cut(draw: st.DrawFn, data: bytes) -> bytes:
    """Return bytes with some replaced, inserted or cut off."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(len(data) - 1, 0)))
        end = at + draw(st.integers(0, 8))
        data = data[:at] + draw(st.binary(max_size=8)) + data[end:]
    return data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data


# --- tables ---------------------------------------------------------------------------------------

Column = Callable[[np.random.Generator, int], np.ndarray]
"""From a source of random numbers and a number of rows to a column."""


def _constant(value: float) -> Column:
    return lambda _, rows: np.full(rows, value)


def _normal(scale: float) -> Column:
    return lambda rng, rows: rng.normal(size=rows) * scale


COLUMNS: tuple[Column, ...] = (
    lambda rng, rows: rng.uniform(-2, 3, rows),
    lambda rng, rows: rng.uniform(1, 3, rows),
    lambda rng, rows: rng.integers(0, 2, rows).astype(float),
    lambda rng, rows: rng.poisson(2, rows).astype(float),
    lambda rng, rows: (np.arange(rows) == rng.integers(0, rows)).astype(float),
    lambda rng, rows: np.exp(-rng.uniform(0, 700, rows)),
    lambda rng, rows: 10.0 ** rng.uniform(-99, 99, rows),
    lambda rng, rows: rng.normal(size=rows) * rng.integers(0, 2, rows),
    *map(_constant, (0.0, 1.0, -3.5, 1e60)),
    *map(_normal, (1e90, 1e-90, 1e120, 1e-120, 1e300, 1e-300)),
)
"""Plain numbers, indicators, counts, one in all rows, small ones, and all sizes."""


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Return the inputs and results of a table of few rows: of any size, some not finite."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows, width = draw(st.integers(1, 30)), draw(st.integers(1, 4))
    x = np.column_stack([draw(st.sampled_from(COLUMNS))(rng, rows) for _ in range(width)])
    scale = 10.0 ** draw(st.sampled_from((0, 0, 0, 50, -50, 99, -99, 150, -150, 300, -300)))
    with np.errstate(all="ignore"):
        y = draw(st.sampled_from((
            x[:, 0], x[:, 0] * x[:, -1], x.sum(axis=1), x[:, 0] / x[:, -1], np.abs(x[:, 0]) ** 0.5,
            draw(st.sampled_from(COLUMNS))(rng, rows), np.full(rows, 5.0), np.zeros(rows),
        )))  # fmt: skip
        y = y * scale
    if draw(st.integers(0, 15)) == 0:
        x[draw(st.integers(0, rows - 1)), 0] = draw(st.sampled_from((np.nan, np.inf)))
    return x, y


def safetensors_bytes(metadata: dict[str, str], tensors: dict[str, Any], data: bytes) -> bytes:
    """Return a safetensors file with any header."""
    header = json.dumps({"__metadata__": metadata, **tensors}).encode()
    return struct.pack("<Q", len(header)) + header + data
