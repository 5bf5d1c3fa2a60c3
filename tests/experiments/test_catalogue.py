"""The catalogue: every experiment is whole, can be selected from, and runs."""

from math import isnan
from typing import Any

import pytest

import nalm
from nalm.catalogue import experiment_details, experiment_rows
from nalm.cli.choices import numbers, settings, split
from nalm.errors import InputError, UnknownNameError
from nalm.experiments import EXPERIMENTS, runs_of, select
from nalm.experiments.compare import compared, groups, means
from nalm.experiments.published import published_means, published_rates
from nalm.experiments.size import place_of, resized, sized
from nalm.specs import decode, encode
from nalm.stats import Outcome
from nalm.stats.legacy import published_solved_at
from nalm.sweep.table import rows_of
from nalm.tasks import Task, arithmetic_dataset


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


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_published_mean_belongs_to_a_cell_and_lies_in_its_interval(name):
    places = {cell.place for cell in EXPERIMENTS[name].cells()}
    for mean in published_means(name):
        assert mean.place in places
        low, high = mean.interval
        assert isnan(low) or low <= mean.value <= high


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs_at_a_reduced_size(name, tmp_path):
    cells = EXPERIMENTS[name].cells()
    unit, op, range_name, inputs, setting = cell = cells[len(cells) // 2].place
    table = nalm.bench(
        name,
        units=[unit],
        ops=[op],
        ranges=[range_name],
        settings=[setting] if setting else None,
        inputs=[inputs],
        seeds=2,
        steps=40,
        out=tmp_path,
    )
    assert cell in {(r["unit"], r["op"], r["range"], r["inputs"], r["setting"]) for r in table.rows}
    for row in table.rows:
        assert row["runs"] == 2
        assert row["verdict"] in {None, "not comparable"}
        assert {mean["verdict"] for mean in means([row])} <= {"not comparable"}


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
    with pytest.raises(InputError, match="seeds is a whole number of at least 1"):
        nalm.bench("single-module", units=["nmu"], ops=["mul"], seeds=0)
    with pytest.raises(UnknownNameError, match="Did you mean 'single-module'"):
        nalm.bench("single-modul")


def test_selecting_by_setting_and_number_of_inputs(tmp_path):
    noisy = EXPERIMENTS["stochastic-alternatives"].cells()
    assert len(select(noisy, None, None, None, settings=["λ = 1", ""])) == 9 * 4
    both = EXPERIMENTS["division"].cells()
    assert {c.task.inputs for c in select(both, ["nru"], None, None, inputs=[10])} == {10}
    with pytest.raises(UnknownNameError, match=r"no setting .* 'λ=1'\. Did you mean 'λ = 1'"):
        select(noisy, None, None, None, settings=["λ=1"])
    with pytest.raises(UnknownNameError, match=r"no settings in this selection"):
        select(noisy, ["snmu"], None, None, settings=["λ = 1"])
    with pytest.raises(UnknownNameError, match=r"no number of inputs .* 3\. Known: 10, 2"):
        nalm.bench("division", inputs=3, out=tmp_path)
    with pytest.raises(InputError, match=r"whole numbers, such as 2,10; received '2\.5'"):
        numbers("10,2.5")


def test_settings_that_contain_commas_are_found():
    assert settings("all, no l1,l2,all, {-1,0,1},no such", "division-real-npu") == [
        "all, no l1",
        "l2",
        "all, {-1,0,1}",
        "no such",
    ]


def test_details_say_what_can_be_chosen_and_every_choice_is_accepted():
    details = experiment_details("division-mixed-signs")
    assert details["inputs"] == [2, 10]
    assert details["settings"] == [f"set {n}" for n in range(1, 6)]
    assert len(details["rates"]) == details["published"] == 27
    cells = EXPERIMENTS["division-mixed-signs"].cells()
    chosen = select(
        cells,
        details["units"],
        details["ops"],
        details["ranges"],
        settings=details["settings"],
        inputs=details["inputs"],
    )
    assert chosen == cells
    with pytest.raises(UnknownNameError, match="Did you mean 'division'"):
        experiment_details("divison")


def test_names_may_be_given_alone_and_numbers_are_checked(tmp_path):
    table = nalm.bench(
        "single-module", units="nmu", ops="mul", ranges="U[1, 2)", seeds=1, steps=150, out=tmp_path
    )
    assert [row["runs"] for row in table.rows] == [1]
    size = "Reduced: 1 of 25 seeds, 150 of 50,000 steps, not compared with what is in print."
    assert table.notes == (size,)
    assert str(table).endswith(size)
    (row,) = table.records()
    assert (row["steps"], row["published_steps"], row["published_runs"]) == (150, 50_000, 25)
    assert row["verdict"] == "not comparable"
    wrongs: list[Any] = [{"seeds": 1.5}, {"seeds": True}, {"workers": 0}, {"steps": -5}]
    wrongs += [{"steps": "many"}, {"inputs": "2"}, {"ranges": [(1, 2)]}]
    for wrong in wrongs:
        with pytest.raises(InputError, match=r"at least 1|whole numbers, such|names, such"):
            nalm.bench("single-module", units="nmu", ops="mul", out=tmp_path, **wrong)
    with pytest.raises(InputError, match="settings names at least one; received none"):
        nalm.bench("single-module", units="nmu", settings=[], out=tmp_path)
    with pytest.raises(InputError, match="has a name; received ''"):
        nalm.bench("single-module", units="nmu", ops="mul", out="")


def test_ranges_are_separated_by_commas_outside_of_them():
    names = ["U[1,2)", "TN(-1,3)[-5,10)", "U[-2,-1)&U[1,2)", "B[10,100)"]
    assert split(", ".join(names)) == names
    assert split("U[1, 2), B[10,100)") == ["U[1, 2)", "B[10,100)"]


def test_fewer_seeds_alone_stay_comparable():
    place = {"unit": "nau", "op": "add", "range": "U[1,2)", "inputs": 2, "setting": ""}
    (row,) = sized([row_of(1.0, **place) | {"runs": 5}], {NAU: 50_000}, {NAU: 50_000}, 25)
    assert resized([row]) == ("Reduced: 5 of 25 seeds, intervals are wider.",)
    assert compared("single-module", [row])[0]["verdict"] == "agrees"
    (whole,) = sized([row_of(1.0, **place)], {NAU: 50_000}, {NAU: 50_000}, 25)
    assert resized([whole]) == ()
    (longer,) = sized([row_of(1.0, **place)], {NAU: 90_000}, {NAU: 50_000}, 25)
    assert resized([longer]) == (
        "Larger than published: 90,000 of 50,000 steps, not compared with what is in print.",
    )
    assert resized([row, whole]) == ("Reduced, 1 of 2 cells: 5 of 25 seeds, intervals are wider.",)
    (own,) = sized([row_of(1.0, **place)], {NAU: 7}, {}, 25)
    assert resized([own]) == ()


NAU = ("nau", "add", "U[1,2)", 2, "")


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
    assert (agrees["reason"], neither["reason"]) == (None, "another number of steps")
    (unknown,) = compared("single-module", [row_of(0.0, **place | {"unit": "mine"})])
    assert (unknown["verdict"], unknown["reason"]) == (None, None)


def solved_row(steps: list[float], sparsity: list[float], **place):
    outcomes = [
        Outcome(True, int(step), error, 0.0, False)
        for step, error in zip(steps, sparsity, strict=True)
    ]
    (row,) = rows_of([(place_of(place), outcome) for outcome in outcomes])
    return row


NMU = {"unit": "nmu", "op": "mul", "range": "U[1,2)", "inputs": 4, "setting": ""}
"""A cell of which table 1 has a median without interval, and means: 14,000 steps and 2.6e-8."""


def verdicts(rows: list[dict[str, Any]]) -> dict[str, str]:
    return {mean["quantity"]: mean["verdict"] for mean in means(rows)}


def test_steps_and_sparsity_errors_are_compared_with_what_is_in_print():
    steps, errors = [13_000.0, 14_000.0] * 20, [0.0, 6e-8] * 20
    alike = compared("ten-parameters", [solved_row(steps, errors, **NMU)])
    agree = {"solved_at": "agrees", "median_solved_at": "not comparable", "sparsity": "agrees"}
    assert verdicts(alike) == agree
    slower = [2 * step for step in steps]
    (other,) = compared("ten-parameters", [solved_row(slower, [0.1, 0.2] * 20, **NMU)])
    assert verdicts([other]) == agree | {"solved_at": "differs", "sparsity": "differs"}
    shorter = compared("ten-parameters", [other], {place_of(NMU)})
    assert set(verdicts(shorter).values()) == {"not comparable"}
    single = solved_row([14_000.0], [0.0], **NMU)  # has no interval
    judged = compared("ten-parameters", [single])
    assert set(verdicts(judged).values()) == {"not comparable"}
    assert {mean["reason"] for mean in means(judged)} == {"too few solved runs"}
    reasons = {mean["quantity"]: mean["reason"] for mean in means(alike)}
    assert reasons == dict.fromkeys(reasons) | {"median_solved_at": "no interval in print"}
    assert means(compared("ten-parameters", [single | {"unit": "mine"}])) == []


def test_like_is_compared_with_like():
    """Half the runs are solved at once, half late: the papers' fit is far from the sample mean."""
    row = solved_row([5_000.0] * 20 + [900_000.0] * 20, [0.1] * 40, **NMU | {"inputs": 100})
    gate = row | {"unit": "gated_nau_nmu", "op": "add"}
    (printed,) = (m for m in means(compared("gating", [gate])) if m["quantity"] == "solved_at")
    assert printed["by_authors"]
    assert printed["ours"] == pytest.approx(published_solved_at(row["solved_at_each"]).mean)
    assert printed["ours"] < 0.7 * row["solved_at"]
    recomputed = means(compared("arithmetic-dataset", [row]))
    assert [m["ours"] for m in recomputed if m["quantity"] == "solved_at"] == [row["solved_at"]]
    assert not any(m["by_authors"] for m in recomputed)


def test_runs_that_are_solved_at_the_same_evaluation_are_known_no_closer():
    near = NMU | {"range": "U[-1.2,-1.1)", "inputs": 2}
    same = solved_row([2000.0] * 11, [2**-24] * 11, **near)  # print: 1998.8, and no sparsity error
    assert set(verdicts(compared("single-module", [same])).values()) == {"agrees"}
    later = solved_row([3000.0] * 11, [0.0] * 11, **near)
    assert verdicts(compared("single-module", [later]))["solved_at"] == "differs"


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
    assert isinstance(five.task, Task)
    assert five.task.spans == ((0, 25), (13, 38), (26, 51), (39, 64), (52, 77))
    assert five.task.operands == 5
    pair = next(cell for cell in cells if cell.setting == "2 subsets, hidden 2")
    assert isinstance(pair.task, Task)
    assert (pair.task.subsets(0) == arithmetic_dataset("mul").subsets(0)).all()


def test_the_list_of_experiments():
    rows = {row["name"]: row for row in experiment_rows()}
    assert rows.keys() == EXPERIMENTS.keys()
    assert rows["single-module"]["cells"] == 270
    assert rows["single-module"]["run_steps"] == 270 * 25 * 50_000
    assert all(row["source"] for row in rows.values())
