"""The page of our results: its CSV files are the record, which new results never make smaller."""

import csv
from pathlib import Path

import pytest
from benchmarks import catalogue

from nalm.experiments import EXPERIMENTS
from nalm.experiments.size import place_of

CELL = {"unit": "nmu", "op": "mul", "range": "U[1,2)", "inputs": 4, "setting": ""}
RECORD = Path(__file__).parents[1] / "docs" / "results"


def row(steps: int, runs: int, **other):
    return CELL | {"steps": steps, "runs": runs} | other


@pytest.mark.parametrize(
    ("steps", "runs", "replaced"),
    [(200_000, 100, True), (200_000, 99, False), (199_999, 999, False), (300_000, 1, True)],
)
def test_a_cell_is_replaced_by_one_that_is_longer_or_as_large(steps, runs, replaced):
    old, other = row(200_000, 100), row(5, 5, unit="nau")
    new = row(steps, runs)
    kept = {place_of(cell): cell for cell in catalogue.merged([old, other], [new])}
    assert len(kept) == 2
    assert kept[place_of(CELL)] is (new if replaced else old)
    assert kept[place_of(other)] is other


def test_what_is_recorded_is_read_again(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "DOCS", tmp_path)
    (tmp_path / "results").mkdir()
    assert catalogue.recorded("ten-parameters") == []
    given = row(
        200_000, 3, successes=2, rate=0.5, diverged=0, sparsity=None,
        solved_at_each=[14_000.0, 13_000.0], sparsity_each=[0.0, 5.96e-8],
    )  # fmt: skip
    catalogue.record("ten-parameters", [given])
    (read,) = catalogue.recorded("ten-parameters")
    assert {name: read[name] for name in given} == given
    (judged,) = catalogue.judged("ten-parameters", [read | {"low": 0.2, "high": 0.94}])
    assert (judged["published"], judged["verdict"]) == (0.94, "agrees")


def test_the_same_runs_count_in_every_experiment_they_belong_to():
    task = {"unit": "nmu", "op": "mul", "range": "U[1,2)", "inputs": 100, "setting": ""}
    whole = task | {"steps": 5_000_000, "runs": 10, "successes": 9}
    short = whole | {"unit": "nalu", "steps": 1000}
    rows = {name: [] for name in EXPERIMENTS} | {"arithmetic-dataset": [whole, short]}
    (twin,) = catalogue.twins("arithmetic-dataset-hidden", rows)
    assert twin == whole | {"setting": "hidden 2"}
    assert catalogue.twins("arithmetic-dataset", rows) == []
    mine = twin | {"successes": 10}
    assert catalogue.merged([twin], [mine]) == [mine]
    assert catalogue.merged([twin], [mine | {"runs": 9}]) == [twin]


@pytest.mark.parametrize("path", sorted(RECORD.glob("*.csv")), ids=lambda path: path.stem)
def test_the_record_has_cells_of_the_experiment_only_and_no_more_successes_than_runs(path):
    places = {cell.place for cell in EXPERIMENTS[path.stem].cells()}
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(*list(r.values())[:3], int(r["inputs"]), r["setting"]) for r in rows} <= places
    assert all(0 <= int(r["successes"]) <= int(r["runs"]) for r in rows)
