"""Several results, starts from known formulas, Ctrl-C, and the frontier by choice."""

import os
import signal

import numpy as np
import pandas as pd
import pytest

import nalm
from nalm.errors import InputError, NalmError

X = np.random.default_rng(0).uniform(1, 3, (120, 3))
A, B, C = X.T
NOISE = np.random.default_rng(1).normal(0, 0.05, 120)
FRAME = pd.DataFrame({"a": A, "b": B, "p": A * B, "q": A / B})


def test_a_law_for_each_result():
    laws = nalm.fit_each(FRAME, ["p", "q"], functions="arithmetic")
    assert {name: law.text() for name, law in laws.items()} == {"p": "a*b", "q": "a/b"}
    assert laws["q"].equation == "q = a/b"
    same = nalm.fit_each(FRAME[["a", "b"]], FRAME[["p", "q"]], functions="arithmetic")
    assert [law.text() for law in same.values()] == ["a*b", "a/b"]
    units = {"a": "m", "b": "s", "p": "m*s", "q": "m/s"}
    assert all(law.verified for law in nalm.fit_each(FRAME, ["p", "q"], units=units).values())


def test_one_result_is_for_fit():
    with pytest.raises(InputError, match=r"For one result use nalm\.fit"):
        nalm.fit_each(X, A)
    with pytest.raises(InputError, match=r"use nalm\.fit_each"):
        nalm.fit(X, X[:, :2])
    with pytest.raises(NalmError, match="no column 'z'"):
        nalm.fit_each(FRAME, ["p", "z"])


HARD = (A * B + C) ** 2 / (A + B * C) - B / (A + 3 * C)


def test_a_search_starts_from_a_formula():
    table = {"a": A, "b": B, "c": C}
    text = "(a*b + c)**2/(a + b*c) - b/(a + 2.9*c)"
    law = nalm.fit(table, HARD, start=text, functions="arithmetic")
    assert law.outcome == "exact"
    assert law.text() == "(a*b + c)**2/(a + b*c) - b/(a + 3*c)"
    np.testing.assert_allclose(law.predict(table), HARD)
    again = nalm.fit(table, HARD, start=law, functions="arithmetic")
    assert again.tree == law.tree


@pytest.mark.parametrize(
    ("start", "message"),
    [
        ("a*k", "made of columns and numbers.*'k'"),
        ("a*", "does not parse"),
        (3, "text or a sympy expression"),
        (nalm.fit({"q": A}, 2 * A, functions="arithmetic"), "it uses 'q', and X has 'a'"),
    ],
)
def test_wrong_starts_are_refused(start, message):
    with pytest.raises(InputError, match=message):
        nalm.fit({"a": A, "b": B}, A, start=start)


@pytest.fixture
def interruptible():
    """Ctrl-C as in a terminal; a process that a script starts in the background ignores it."""
    usual = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, usual)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_returns_the_best_so_far():
    events = []

    def interrupt(event):
        events.append(event)
        os.kill(os.getpid(), signal.SIGINT)

    law = nalm.fit(X, np.tanh(A) * B**C + NOISE, progress=interrupt)
    assert len(events) == 1
    assert law.interrupted
    assert (law.outcome, law.reason) == ("not found", "the search was interrupted")
    assert np.isfinite(law.predict(X)).all()


def test_the_frontier_as_a_table_and_by_complexity():
    law = nalm.fit({"a": A, "b": B}, 2 * A + B**2 + NOISE, functions="arithmetic")
    table = law.frontier()
    assert list(table.columns) == ["complexity", "error", "formula", "expression", "latex"]
    assert len(table) == len(law.alternatives)
    assert table["complexity"].is_monotonic_increasing
    assert table["error"].is_monotonic_decreasing
    for complexity, alternative in zip(table["complexity"], law.alternatives, strict=True):
        assert law.at_most(int(complexity)) == alternative
    assert law.at_most(10**6).predict(X[:, :2]) == pytest.approx(law.predict(X[:, :2]))
    with pytest.raises(InputError, match=r"simplest alternative has the complexity 1; received 0"):
        law.at_most(0)
