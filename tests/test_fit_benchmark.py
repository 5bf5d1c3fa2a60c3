"""The benchmark of fits: a right formula is scored right, a wrong one wrong, a run continues."""

import numpy as np
import pytest
from benchmarks.fit.__main__ import DOCUMENT, chosen, main
from benchmarks.fit.families import FAMILIES, chain
from benchmarks.fit.methods import METHODS, Found, preferred
from benchmarks.fit.problem import data, evaluated
from benchmarks.fit.run import Fit, Store, benchmark, judged, records
from benchmarks.fit.score import complexity, equal, relative_error
from benchmarks.fit.tables import MEASURED, PAGE, markdown, missed


def problem_of(family: str, name: str, seed: int = 0):
    return next(p for p in FAMILIES[family](seed) if p.name == name)


def scored(family: str, name: str, text: str, claim: str = ""):
    problem = problem_of(family, name)
    found = Found(lambda x: evaluated(text, problem.names, x), text, claim=claim)
    return judged(Fit(problem, 0, "nalm", 1.0), "nalm", found, data(problem, 0))


@pytest.mark.parametrize("text", ["m*(u**2 + v**2 + w**2)/2", "m*u*u/2 + 0.5*m*(v*v + w*w)"])
def test_the_law_in_any_form_is_solved_and_exact(text):
    record = scored("physics", "kinetic energy", text, "exact")
    assert record["solved"]
    assert record["exact"]
    assert not record["false_claim"]


def test_a_nearly_right_formula_is_wrong():
    record = scored("physics", "kinetic energy", "0.50001*m*(u**2 + v**2 + w**2)", "exact")
    assert not record["solved"]
    assert not record["exact"]
    assert record["close"]
    assert record["false_claim"]


def test_a_formula_right_only_where_it_was_trained_is_wrong():
    record = scored("compositions", "add-add", "a + b + c + 1e-3*(a - 1)*(a - 2)", "within noise")
    assert not record["solved"]
    assert record["false_claim"]


def test_right_to_rounding_is_solved_but_not_exact():
    record = scored("physics", "ideal gas", "1.00000001*n*T/V")
    assert record["solved"]
    assert not record["exact"]


def test_a_formula_without_a_value_is_wrong():
    assert relative_error(np.full(100, np.nan), np.ones(100)) > 1


def test_what_is_outside_the_language_can_only_be_claimed():
    record = scored("outside", "sine", "a*b", "exact")
    assert record["false_claim"]
    assert not record["exact"]


def test_algebra_and_size():
    assert equal("sqrt(a**2)", "a", ["a"])
    assert not equal("a*b", "a/b", ["a", "b"])
    assert not equal("a +", "a", ["a"])
    assert complexity("a*b + 2") == 5
    assert chain(("mul", "sub")) == "(-(a*b) - c)"


def test_problems_are_drawn_alike_and_have_results():
    for family, problems in FAMILIES.items():
        for problem in list(problems(1))[:4]:
            first, again = data(problem, 1), data(problem, 1)
            assert np.array_equal(first.y, again.y), family
            assert np.all(np.isfinite(first.y))
            assert first.x.dtype == problem.dtype


def test_a_peer_that_is_not_installed_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(METHODS["gplearn"], "needs", "no_such_module")
    store = Store(tmp_path)
    problems = [(problem_of("physics", "ideal gas"), 0)]
    benchmark(problems, ["gplearn"], store, limit=1.0, jobs=1, tell=print)
    assert "| gplearn | not installed |" in markdown(store.records)
    assert not store.done()


def test_a_formula_without_error_is_preferred_whatever_its_criterion():
    near = {"mean_squared_error": 0.1, "bic": -50.0}
    exact = {"mean_squared_error": 0.0, "bic": 3e38}
    assert preferred([near, exact], "bic") is exact
    assert preferred([near, near | {"bic": -60.0}], "bic")["bic"] == -60.0


def test_a_method_that_fails_counts_as_a_miss(monkeypatch):
    monkeypatch.setattr(
        METHODS["nalm"], "fit", lambda table: {"nalm": Found(lambda x: x[:, 0], "a")}
    )
    (record,) = records(Fit(problem_of("compositions", "add-add"), 0, "nalm", 1.0))
    assert missed([record]) == [record]


@pytest.mark.slow
def test_the_harness_runs_and_continues(tmp_path, capsys, monkeypatch):
    picked = chosen(["compositions"], [0], 1)[:2] + chosen(["physics"], [0], 1)
    monkeypatch.setattr("benchmarks.fit.__main__.chosen", lambda *_: picked)
    arguments = ["--quick", "--methods", "nalm", "--out", str(tmp_path)]
    assert main(arguments) == 0
    lines = len(Store(tmp_path).records)
    assert lines == 3
    assert all(record["solved"] and record["exact"] for record in Store(tmp_path).records)
    assert main(arguments) == 0
    assert len(Store(tmp_path).records) == lines
    assert "| compositions | two steps | nalm | 1 | 1 |" in (tmp_path / "table.md").read_text()
    assert "nalm missed:\nNothing." in capsys.readouterr().out


def test_the_prose_of_the_document_is_that_of_the_program():
    prose = PAGE.format(measured=MEASURED, table="|", missed="").split("|")[0]
    assert DOCUMENT.read_text(encoding="utf-8").startswith(prose)
