"""The results page: it shows its record, which new results never make smaller."""

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import papers_page, record, results_page

from nalm.experiments import EXPERIMENTS
from nalm.sweeps import CellKey, CellSummary, flatten, summarize
from nalm.sweeps.statistics import Outcome, Verdict

KEY = CellKey("nmu", "mul", "U[1,2)", 4)


def cell(key: CellKey, steps: int, runs: int, solved: int = 1) -> CellSummary:
    outcomes = [Outcome(i < solved, 13_000 + i, 5.96e-8 * i, 0.0, False) for i in range(runs)]
    return summarize(key, steps, outcomes)


@pytest.mark.parametrize(
    ("steps", "runs", "replaced"),
    [(200_000, 100, True), (200_000, 99, False), (199_999, 999, False), (300_000, 1, True)],
)
def test_a_cell_is_replaced_by_one_that_is_longer_or_as_large(steps, runs, replaced):
    old, other = cell(KEY, 200_000, 100), cell(KEY._replace(unit="nau"), 5, 5)
    new = cell(KEY, steps, runs)
    kept = {c.key: c for c in record.merged([old, other], [new])}
    assert len(kept) == 2
    assert kept[KEY] is (new if replaced else old)
    assert kept[other.key] is other


def test_what_is_recorded_is_read_again(tmp_path):
    assert record.read_record(tmp_path)["ten-parameters"] == []
    new = tmp_path / "new"
    new.mkdir()
    given = cell(KEY, 200_000, 100, solved=94)
    (new / "ten-parameters.2.json").write_text(json.dumps([flatten(given)]))
    (new / "unknown.json").write_text("[]")
    found = record.updated(record.read_record(tmp_path), record.read_json(new))
    record.write_record(found, tmp_path)
    assert [path.name for path in tmp_path.glob("*.csv")] == ["ten-parameters.csv"]
    (read,) = record.read_record(tmp_path)["ten-parameters"]
    assert (read.key, read.steps, read.runs, read.successes) == (KEY, 200_000, 100, 94)
    assert read.solved_at_each == given.solved_at_each
    assert read.sparsity.value == pytest.approx(given.sparsity.value, rel=1e-5)
    (compared,) = record.updated(record.read_record(tmp_path), {})["ten-parameters"]
    comparison = compared.comparison()
    assert comparison
    assert (comparison.published.value, comparison.verdict) == (0.94, Verdict.AGREES)


def test_the_same_runs_count_in_every_experiment_they_belong_to():
    key = KEY._replace(inputs=100)
    whole = cell(key, 5_000_000, 10, solved=9)
    short = cell(key._replace(unit="nalu"), 1000, 10)
    found = {name: [] for name in EXPERIMENTS} | {"arithmetic-dataset": [whole, short]}
    (twin,) = record.shared("arithmetic-dataset-hidden", found)
    assert twin == replace(whole, key=key._replace(setting="hidden 2"))
    assert record.shared("arithmetic-dataset", found) == []
    mine = replace(twin, successes=10)
    assert record.merged([twin], [mine]) == [mine]
    assert record.merged([twin], [replace(mine, runs=9)]) == [twin]


@pytest.mark.parametrize("path", sorted(record.FOLDER.glob("*.csv")), ids=lambda path: path.stem)
def test_the_record_has_cells_of_the_experiment_only_and_no_more_successes_than_runs(path: Path):
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    keys = [(*list(r.values())[:3], int(r["inputs"]), r["setting"]) for r in rows]
    assert set(keys) <= set(EXPERIMENTS[path.stem].sizes)
    assert len(set(keys)) == len(keys)
    assert all(0 <= int(r["successes"]) <= int(r["runs"]) for r in rows)


@pytest.mark.slow
def test_the_page_and_the_files_are_those_of_the_record(tmp_path):
    """Also after published values or the rules of comparison change: run the command again."""
    found = record.updated(record.read_record(), {})
    for path in record.FOLDER.glob("*.csv"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    record.write_record(found, tmp_path)
    for path in record.FOLDER.glob("*.csv"):
        assert (tmp_path / path.name).read_bytes() == path.read_bytes(), path.name
    notes = results_page.notes((record.FOLDER / "notes.md").read_text(encoding="utf-8"))
    page = (record.FOLDER.parent / "results.md").read_text(encoding="utf-8")
    assert results_page.page(found, notes) == page
    papers = (record.FOLDER.parent / "papers.md").read_text(encoding="utf-8")
    assert papers_page.page(found) == papers
    for experiment, about in papers_page.reasons():
        assert f"{about} ({experiment})" in papers, "a reason for what does not differ"


def test_a_cell_that_the_experiment_does_not_have_is_not_dropped():
    with pytest.raises(SystemExit, match=r"ten-parameters has no cell nau, .* Nothing was written"):
        record.updated(
            {name: [] for name in EXPERIMENTS},
            {"ten-parameters": [cell(KEY._replace(unit="nau"), 5, 5)]},
        )


def test_notes_are_about_known_experiments():
    assert results_page.notes("# Notes\n\n## division\n\n- Hard.\n") == {"division": "- Hard."}
    with pytest.raises(SystemExit, match="notes on 'divison'"):
        results_page.notes("# Notes\n\n## divison\n\n- Hard.\n")


def test_what_was_run_on_the_small_digits_is_not_called_not_run():
    small, absent = results_page.others(["mnist-sequential-product", "mnist-division"]).split("Not")
    assert "8×8 digits only" in small
    assert "`mnist-sequential-product`" in small
    assert absent == " run: `mnist-division`.\n"
