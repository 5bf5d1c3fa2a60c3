"""The catalogue: every experiment is whole, can be selected from, and runs."""

from typing import Any

import pytest

import nalm
from nalm.catalogue import experiment_rows
from nalm.cli import _split
from nalm.errors import InputError, UnknownNameError
from nalm.experiments import EXPERIMENTS, runs_of, select
from nalm.experiments.compare import compared, groups
from nalm.experiments.published import published_rates
from nalm.specs import decode, encode
from nalm.tasks import arithmetic_dataset


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_has_its_own_place_and_can_be_written_down(name):
    cells = EXPERIMENTS[name].cells()
    assert len({cell.place for cell in cells}) == len(cells)
    for cell in cells[:: max(1, len(cells) // 20)]:
        assert decode(encode(cell.task)) == cell.task
        assert decode(encode(cell.recipe)) == cell.recipe
        assert decode(encode(cell.model)) == cell.model
        runs = runs_of(cell, 2, 4000)
        assert [run.recipe.steps for run in runs] == [4000, 4000]


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_published_rate_belongs_to_a_cell(name):
    places = {cell.place for cell in EXPERIMENTS[name].cells()}
    ranges = {place[2] for place in places}
    for rate in published_rates(name):
        assert rate.value is None or 0 <= rate.value <= 1
        assert rate.place in places or (rate.setting == "group" and set(rate.ranges) <= ranges)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs_at_a_reduced_size(name, tmp_path):
    cells = EXPERIMENTS[name].cells()
    _, op, range_name, _, _ = cell = cells[len(cells) // 2].place
    table = nalm.bench(
        name, units=[cell[0]], ops=[op], ranges=[range_name], seeds=2, steps=40, out=tmp_path
    )
    assert cell in {(r["unit"], r["op"], r["range"], r["inputs"], r["setting"]) for r in table.rows}
    for row in table.rows:
        assert row["runs"] == 2
        assert row["verdict"] in {None, "not comparable"}


def test_selecting():
    cells = EXPERIMENTS["single-module"].cells()
    assert len(select(cells, ["nmu"], ["mul"], None)) == 9
    able = {cell.name for cell in select(cells, None, ["div"], None)}
    assert able == {"gnalu", "inalu", "nac_mul", "nalu", "nmru", "npu", "nru", "real_npu"}
    with pytest.raises(UnknownNameError, match=r"nau cannot represent mul; these can: .*nmu"):
        select(cells, ["nau"], ["mul"], None)
    with pytest.raises(UnknownNameError, match=r"There is no range 'U\[1,3\)'"):
        select(cells, ["nmu"], ["mul"], ["U[1,3)"])
    with pytest.raises(UnknownNameError, match="Did you mean 'nmu'"):
        select(cells, ["nmuu"], None, None)
    with pytest.raises(InputError, match="at least 1 seed"):
        nalm.bench("single-module", units=["nmu"], ops=["mul"], seeds=0)
    with pytest.raises(UnknownNameError, match="Did you mean 'single-module'"):
        nalm.bench("single-modul")


def test_names_may_be_given_alone_and_numbers_are_checked(tmp_path):
    table = nalm.bench(
        "single-module", units="nmu", ops="mul", ranges="U[1,2)", seeds=1, steps=150, out=tmp_path
    )
    assert [row["runs"] for row in table.rows] == [1]
    wrongs: list[Any] = [{"seeds": 1.5}, {"workers": 0}, {"steps": -5}, {"steps": "many"}]
    for wrong in wrongs:
        with pytest.raises(InputError, match="at least 1"):
            nalm.bench("single-module", units="nmu", ops="mul", out=tmp_path, **wrong)


def test_ranges_are_separated_by_commas_outside_of_them():
    names = ["U[1,2)", "TN(-1,3)[-5,10)", "U[-2,-1)&U[1,2)", "B[10,100)"]
    assert _split(", ".join(names)) == names


def row_of(rate: float, **place):
    runs = 25
    low, high = {0.0: (0.0, 0.13), 1.0: (0.87, 1.0)}[rate]
    return {
        **place,
        "runs": runs,
        "successes": int(rate * runs),
        "rate": rate,
        "low": low,
        "high": high,
    }


def test_rates_are_compared_with_what_is_in_print():
    place = {"unit": "nau", "op": "add", "range": "U[1,2)", "inputs": 2, "setting": ""}
    (agrees,) = compared("single-module", [row_of(1.0, **place)])
    assert (agrees["published"], agrees["verdict"]) == (1.0, "agrees")
    assert agrees["source"].startswith("mistry2023")
    (differs,) = compared("single-module", [row_of(0.0, **place)])
    assert differs["verdict"] == "differs"
    shorter = {("nau", "add", "U[1,2)", 2, "")}
    (neither,) = compared("single-module", [row_of(0.0, **place)], shorter)
    assert neither["verdict"] == "not comparable"
    (unknown,) = compared("single-module", [row_of(0.0, **place | {"unit": "mine"})])
    assert unknown["verdict"] is None


def test_published_means_of_groups_are_compared_with_pooled_runs():
    negative = ("U[-20,-10)", "U[-2,-1)", "U[-1.2,-1.1)", "U[-0.2,-0.1)")
    rows = [row_of(1.0, unit="nru", op="div", range=r, inputs=2, setting="") for r in negative]
    (group,) = groups("division", rows)
    assert (group["runs"], group["successes"], group["verdict"]) == (100, 100, "agrees")
    assert groups("division", rows[:3]) == []


def test_the_sweep_of_optimisers_has_every_pair():
    cells = EXPERIMENTS["arithmetic-dataset-learning"].cells()
    kinds = {(c.recipe.optimiser, c.recipe.momentum, c.recipe.learning_rate) for c in cells}
    rates = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    optimisers = (("adam", 0.0), ("sgd", 0.0), ("sgd", 0.9))
    assert kinds == {(*optimiser, rate) for optimiser in optimisers for rate in rates}
    assert len(cells) == 3 * 15 * 4


def test_the_sweep_of_subsets_multiplies_neighbours_that_share_half():
    cells = EXPERIMENTS["arithmetic-dataset-subset-count"].cells()
    assert len(cells) == 8 * 5
    five = next(cell for cell in cells if cell.setting == "5 subsets, hidden 10")
    assert five.task.spans == ((0, 25), (13, 38), (26, 51), (39, 64), (52, 77))
    assert five.task.operands == 5
    pair = next(cell for cell in cells if cell.setting == "2 subsets, hidden 2")
    assert (pair.task.subsets(0) == arithmetic_dataset("mul").subsets(0)).all()


def test_the_list_of_experiments():
    rows = {row["name"]: row for row in experiment_rows()}
    assert rows.keys() == EXPERIMENTS.keys()
    assert rows["single-module"]["cells"] == 270
    assert rows["single-module"]["run_steps"] == 270 * 25 * 50_000
    assert all(row["source"] for row in rows.values())
