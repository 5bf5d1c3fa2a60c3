"""The catalogue: every experiment is whole, can be selected from, and runs."""

from math import isnan
from typing import Any

import pytest

import nalm
from nalm.cli.benchmarks import WIDE, explanations
from nalm.cli.choices import numbers, settings, split
from nalm.errors import InputError, UnknownNameError
from nalm.experiments import EXPERIMENTS
from nalm.experiments.comparison import compare, groups
from nalm.experiments.digit_images import PictureExperiment
from nalm.experiments.experiment import select
from nalm.experiments.listing import experiment_details, experiment_rows
from nalm.experiments.pictures import Pictures
from nalm.experiments.published import published_means, published_rates
from nalm.sweeps import (
    CellKey,
    CellSummary,
    Comparison,
    Note,
    NoteKind,
    Quantity,
    Size,
    size_notes,
    summarize,
)
from nalm.sweeps.executors._executor import Finished
from nalm.sweeps.executors._process import request
from nalm.sweeps.executors._steady import SteadyWorker
from nalm.sweeps.statistics import Method, Outcome
from nalm.sweeps.statistics.legacy import published_solved_at
from nalm.sweeps.writing import results_table
from nalm.tasks import Subsets
from nalm.training import Optimizer
from nalm.training.description import decode, encode
from nalm.training.engine.train import penalty_names


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_cell_has_its_own_place_and_can_be_written_down(name):
    cells = EXPERIMENTS[name].cells()
    assert len({cell.key for cell in cells}) == len(cells)
    for cell in cells[:: max(1, len(cells) // 20)]:
        assert decode(encode(cell.task)) == cell.task
        assert decode(encode(cell.recipe)) == cell.recipe
        assert decode(encode(cell.model)) == cell.model
        assert [run.seed for run in cell.runs([0, 2])] == [0, 2]
        assert cell.recipe.stretched(4000).steps == 4000


def test_every_penalty_is_one_of_the_model():
    cells = [cell for experiment in EXPERIMENTS.values() for cell in experiment.cells()]
    asked = {
        (c.model, tuple(n for n, _ in c.recipe.penalties)) for c in cells if not c.task.trainer
    }
    for model, penalties in asked:
        assert set(penalties) <= set(penalty_names(model) if penalties else ()), (model, penalties)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_published_rate_belongs_to_a_cell(name):
    places = {cell.key for cell in EXPERIMENTS[name].cells()}
    ranges = {place[2] for place in places}
    for rate in published_rates(name):
        assert isnan(rate.estimate.value) or 0 <= rate.estimate.value <= 1
        assert rate.key in places or (rate.setting == "group" and set(rate.ranges) <= ranges)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_published_mean_belongs_to_a_cell_and_lies_in_its_interval(name):
    places = {cell.key for cell in EXPERIMENTS[name].cells()}
    for mean in published_means(name):
        assert mean.key in places
        low, high = mean.estimate.interval
        assert isnan(low) or low <= mean.estimate.value <= high


class OneWorker:
    """An executor whose one process stays for the next sweep: starting it takes longest here."""

    workers = 1

    def __init__(self) -> None:
        self.process = SteadyWorker()

    def execute(self, orders, watch):
        for order in orders:
            self.block, self.watch = order.block, watch
            yield Finished(order.block, self.process.train(request(order), self))

    def steps(self, count):
        self.watch.steps(count)

    def saved(self, state):
        self.watch.saved(self.block, state)


@pytest.fixture(scope="module")
def one_worker():
    executor = OneWorker()
    yield executor
    executor.process.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_runs_at_a_reduced_size(name, tmp_path, one_worker):
    data = "digits"  # nothing is downloaded in a test
    pictured = isinstance(EXPERIMENTS[name], PictureExperiment)
    chosen = EXPERIMENTS[name].pictured(Pictures(data)) if pictured else EXPERIMENTS[name]
    cells = chosen.cells()
    unit, op, range_name, inputs, setting = cell = cells[len(cells) // 2].key
    table = nalm.bench(
        name,
        units=[unit],
        ops=[op],
        ranges=[range_name],
        settings=[setting] if setting else None,
        inputs=[inputs],
        seeds=2,
        steps=4 if pictured else 40,
        data=data if pictured else "mnist",
        executor=one_worker,
        out=tmp_path,
    )
    assert cell in {found.key for found in table.cells()}
    for row in table.records():
        assert row["runs"] == 2
        assert row["verdict"] in {None, "not comparable"}
        assert row["solved_at_verdict"] in {None, "not comparable"}


def test_selecting():
    cells = EXPERIMENTS["single-module"].cells()
    assert len(select(cells, ["nmu"], ["mul"], None)) == 9
    able = {cell.name for cell in select(cells, None, ["div"], None)}
    assert able == {"gnalu", "inalu", "nac_mul", "nalu", "nmru", "npu", "nru", "real_npu"}
    with pytest.raises(UnknownNameError, match=r"nau cannot represent mul; these can: .*nmu"):
        select(cells, ["nau"], ["mul"], None)
    with pytest.raises(UnknownNameError, match=r"This experiment has no range 'U\[1,3\)'"):
        select(cells, ["nmu"], ["mul"], ["U[1,3)"])
    with pytest.raises(UnknownNameError, match="Did you mean 'nmu'"):
        select(cells, ["nmuu"], None, None)
    with pytest.raises(InputError, match="seeds is a whole number"):
        nalm.bench("single-module", units=["nmu"], ops=["mul"], seeds=0)
    with pytest.raises(UnknownNameError, match="Did you mean 'single-module'"):
        nalm.bench("single-modul")


def test_selecting_by_setting_and_number_of_inputs(tmp_path):
    noisy = EXPERIMENTS["stochastic-alternatives"].cells()
    assert len(select(noisy, None, None, None, settings=["λ = 1", ""])) == 9 * 4
    both = EXPERIMENTS["division"].cells()
    assert {c.task.inputs for c in select(both, ["nru"], None, None, inputs=[10])} == {10}
    with pytest.raises(UnknownNameError, match=r"no setting 'λ=1'\. Did you mean 'λ = 1'"):
        select(noisy, None, None, None, settings=["λ=1"])
    with pytest.raises(UnknownNameError, match=r"no settings in this selection"):
        select(noisy, ["snmu"], None, None, settings=["λ = 1"])
    with pytest.raises(UnknownNameError, match=r"no number of inputs 3\. Known: 10, 2"):
        nalm.bench("division", inputs=3, out=tmp_path)
    with pytest.raises(InputError, match=r"whole numbers.*such as 2,10; received '2\.5'"):
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
    assert [cell.runs for cell in table.cells()] == [1]
    size = (
        "1 of the published 25 seeds and 150 of the published 50,000 steps, so published values "
        "are not compared."
    )
    assert table.notes == (Note(NoteKind.SIZE, size),)
    assert " ".join(str(table).split()).endswith(size)
    (row,) = table.records()
    assert (row["steps"], row["published_steps"], row["published_runs"]) == (150, 50_000, 25)
    assert row["verdict"] == "not comparable"
    wrongs: list[Any] = [{"seeds": 1.5}, {"seeds": True}, {"workers": 0}, {"steps": -5}]
    wrongs += [{"steps": "many"}, {"inputs": "2"}, {"ranges": [(1, 2)]}]
    for wrong in wrongs:
        with pytest.raises(InputError, match=r"from 1 to|at least 1|whole numbers such|names such"):
            nalm.bench("single-module", units="nmu", ops="mul", out=tmp_path, **wrong)
    with pytest.raises(InputError, match="settings names at least one; received none"):
        nalm.bench("single-module", units="nmu", settings=[], out=tmp_path)
    with pytest.raises(InputError, match="has a name; received ''"):
        nalm.bench("single-module", units="nmu", ops="mul", out="")


def test_ranges_are_separated_by_commas_outside_of_them():
    names = ["U[1,2)", "TN(-1,3)[-5,10)", "U[-2,-1)&U[1,2)", "B[10,100)"]
    assert split(", ".join(names)) == names
    assert split("U[1, 2), B[10,100)") == ["U[1, 2)", "B[10,100)"]


SINGLE = EXPERIMENTS["single-module"]
NAU = CellKey("nau", "add", "U[1,2)", 2)


def cell_of(key: CellKey, successes: int, runs: int = 25, steps: int = 50_000) -> CellSummary:
    solved = [Outcome(True, 1000, 0.0, 0.0, False)] * successes
    failed = [Outcome(False, None, 0.4, 1.0, False)] * (runs - successes)
    return summarize(key, steps, [*solved, *failed])


def compared(cell: CellSummary) -> CellSummary:
    (found,) = compare("single-module", SINGLE.sizes, [cell])
    return found


def verdict(cell: CellSummary) -> str | None:
    found = compared(cell).comparison()
    return None if found is None else str(found.verdict)


def notes(*cells: CellSummary) -> list[str]:
    return [note.text for note in size_notes([compared(cell) for cell in cells])]


def test_fewer_seeds_alone_stay_comparable():
    few, whole = cell_of(NAU, 5, runs=5), cell_of(NAU, 25)
    assert notes(few) == ["5 of the published 25 seeds, so intervals are wider."]
    assert verdict(few) == "agrees"
    assert notes(whole) == []
    assert notes(cell_of(NAU, 25, steps=90_000)) == [
        "90,000 steps instead of the published 50,000, so published values are not compared."
    ]
    assert notes(few, whole) == [
        "5 of the published 25 seeds (1 of 2 cells), so intervals are wider."
    ]
    assert notes(cell_of(NAU._replace(unit="mine"), 25, steps=7)) == []


@pytest.mark.parametrize(("runs", "said"), [(3, "agrees, wide"), (5, "agrees")])
def test_agreement_within_a_wide_interval_says_so(runs, said):
    """Wilson's interval of 3 of 3 is [0.44, 1], of 5 of 5 [0.57, 1]."""
    cell = compared(cell_of(NAU, runs, runs=runs))
    found = cell.comparison()
    assert found
    assert (found.verdict, found.said) == ("agrees", said)
    text = results_table([cell], 200)
    assert f"1.00 {said}  " in text
    assert explanations(text)[1:] == ([WIDE] if runs == 3 else [])


def test_rates_are_compared_with_published_ones():
    agrees = compared(cell_of(NAU, 25)).comparison()
    assert agrees
    assert (agrees.published.value, agrees.verdict, agrees.reason) == (1.0, "agrees", None)
    assert agrees.source.startswith("mistry2023")
    assert verdict(cell_of(NAU, 0)) == "differs"
    neither = compared(cell_of(NAU, 0, steps=400)).comparison()
    assert neither
    assert (neither.verdict, neither.reason) == ("not comparable", "another number of steps")
    assert verdict(cell_of(NAU._replace(unit="mine"), 0)) is None


def solved_cell(steps: list[float], sparsity: list[float], key: CellKey) -> CellSummary:
    outcomes = [
        Outcome(True, int(step), error, 0.0, False)
        for step, error in zip(steps, sparsity, strict=True)
    ]
    return summarize(key, 50_000, outcomes)


def means(experiment: str, cell: CellSummary, steps: int = 50_000) -> dict[str, Comparison]:
    (found,) = compare(experiment, {cell.key: Size(25, steps)}, [cell])
    return {str(c.quantity): c for c in found.comparisons if c.quantity is not Quantity.RATE}


def verdicts(experiment: str, cell: CellSummary, steps: int = 50_000) -> dict[str, str]:
    return {name: str(c.verdict) for name, c in means(experiment, cell, steps).items()}


NMU = CellKey("nmu", "mul", "U[1,2)", 4)
"""A cell of which table 1 has a median without interval, and means: 14,000 steps and 2.6e-8."""


def test_steps_and_sparsity_errors_are_compared_with_published_ones():
    steps, errors = [13_000.0, 14_000.0] * 20, [0.0, 6e-8] * 20
    alike = solved_cell(steps, errors, NMU)
    agree = {"solved_at": "agrees", "median_solved_at": "not comparable", "sparsity": "agrees"}
    assert verdicts("ten-parameters", alike) == agree
    other = solved_cell([2 * step for step in steps], [0.1, 0.2] * 20, NMU)
    differ = agree | {"solved_at": "differs", "sparsity": "differs"}
    assert verdicts("ten-parameters", other) == differ
    assert set(verdicts("ten-parameters", other, 60_000).values()) == {"not comparable"}
    single = solved_cell([14_000.0], [0.0], NMU)  # has no interval
    assert {c.reason for c in means("ten-parameters", single).values()} == {"too few solved runs"}
    reasons = {name: c.reason for name, c in means("ten-parameters", alike).items()}
    assert reasons == dict.fromkeys(reasons) | {"median_solved_at": "no published interval"}
    assert means("ten-parameters", solved_cell(steps, errors, NMU._replace(unit="mine"))) == {}


def test_like_is_compared_with_like():
    """Half the runs are solved at once, half late: the papers' fit is far from the sample mean."""
    wide = NMU._replace(inputs=100)
    steps, errors = [5_000.0] * 20 + [900_000.0] * 20, [0.1] * 40
    gate = solved_cell(steps, errors, wide._replace(unit="gated_nau_nmu", op="add"))
    printed = means("gating", gate)["solved_at"].ours
    assert printed == published_solved_at(steps)
    assert printed.method is Method.AUTHORS
    assert printed.value < 0.7 * gate.solved_at.value
    cell = solved_cell(steps, errors, wide)
    assert means("arithmetic-dataset", cell)["solved_at"].ours == cell.solved_at


def test_runs_that_are_solved_at_the_same_evaluation_are_known_no_closer():
    near = NMU._replace(range="U[-1.2,-1.1)", inputs=2)
    same = solved_cell([2000.0] * 11, [2**-24] * 11, near)  # published: 1998.8, and sparsity 0
    assert set(verdicts("single-module", same).values()) == {"agrees"}
    later = solved_cell([3000.0] * 11, [0.0] * 11, near)
    assert verdicts("single-module", later)["solved_at"] == "differs"


def test_published_means_of_groups_are_compared_with_pooled_runs():
    negative = ("U[-20,-10)", "U[-2,-1)", "U[-1.2,-1.1)", "U[-0.2,-0.1)")
    cells = [cell_of(CellKey("nru", "div", r, 2), 25) for r in negative]
    (group,) = groups("division", cells)
    assert (group.runs, group.successes, group.comparison.verdict) == (100, 100, "agrees")
    assert groups("division", cells[:3]) == []


def test_the_sweep_of_optimisers_has_every_pair():
    cells = EXPERIMENTS["arithmetic-dataset-learning"].cells()
    kinds = {(c.recipe.optimizer, c.recipe.learning_rate) for c in cells}
    rates = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1)
    optimizers = (Optimizer("adam"), Optimizer("sgd"), Optimizer("sgd", momentum=0.9))
    assert kinds == {(optimizer, rate) for optimizer in optimizers for rate in rates}
    assert len(cells) == 3 * 15 * 4


def test_the_sweep_of_subsets_multiplies_neighbours_that_share_half():
    cells = EXPERIMENTS["arithmetic-dataset-subset-count"].cells()
    assert len(cells) == 8 * 5
    five = next(cell for cell in cells if cell.setting == "5 subsets, hidden 10")
    spans = ((0, 25), (13, 38), (26, 51), (39, 64), (52, 77))
    assert five.task.target == Subsets("mul", spans=spans)
    assert len(five.task.layout(0)) == 5
    pair = next(cell for cell in cells if cell.setting == "2 subsets, hidden 2")
    first = Subsets("mul", 25, 12).subsets(100, 0)
    assert (pair.task.layout(0) == first).all()


def test_the_list_of_experiments():
    rows = {row["name"]: row for row in experiment_rows()}
    assert rows.keys() == EXPERIMENTS.keys()
    assert rows["single-module"]["cells"] == 270
    assert rows["single-module"]["run_steps"] == 270 * 25 * 50_000
    assert all(row["source"] for row in rows.values())
