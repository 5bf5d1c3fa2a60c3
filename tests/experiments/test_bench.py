"""nalm.bench beyond the published settings: what is changed is named, and not compared."""

import json
import subprocess
import sys

import pytest

import nalm
from nalm.errors import InputError, NalmError, UnknownNameError
from nalm.experiments import EXPERIMENTS, Cell, Experiment
from nalm.experiments.selection import Selection, change_notes
from nalm.experiments.variants import trained_by
from nalm.sweeps import NoteKind, Store
from nalm.tasks import single_module
from nalm.training import Ramp, Recipe
from nalm.units import NMU, Unit

SINGLE = EXPERIMENTS["single-module"]
SHORT = Recipe(0.05, steps=400, log_every=100, evaluation=200)


class Product(NMU):
    """A custom unit."""

    name = "own_product"


def chosen(**wanted) -> list[Cell]:
    return Selection(**wanted).cells(SINGLE)


def test_an_experiment_is_built_once_and_shown():
    assert SINGLE.cells()[0] is SINGLE.cells()[0]
    assert nalm.experiments.get("single-module") is SINGLE
    assert nalm.experiments.names() == list(EXPERIMENTS)
    assert "mistry2023" in str(SINGLE)
    assert "<table>" in SINGLE._repr_html_()
    with pytest.raises(UnknownNameError, match="Did you mean 'division'"):
        nalm.experiments.get("divisio")


def test_another_range_moves_the_tasks():
    cells = chosen(units=["nmu", "nac_mul"], ops=["mul"], ranges=["U[1,2)", "U[5, 9)"])
    assert [(cell.name, cell.key.range) for cell in cells] == [
        ("nac_mul", "U[1,2)"),
        ("nmu", "U[1,2)"),
        ("nac_mul", "U[5,9)"),
        ("nmu", "U[5,9)"),
    ]
    assert cells[-1].task.test.label == "U[9,25)"
    (note,) = change_notes(SINGLE, cells)
    assert note.kind is NoteKind.CHANGED
    assert note.text == (
        "2 of 4 cells are not compared with published values: range U[5,9) is not published."
    )
    (note,) = change_notes(SINGLE, cells[:3])
    assert note.text.startswith("1 of 3 cells is not compared")
    (note,) = change_notes(SINGLE, cells[2:])
    assert note.text == (
        "Nothing is compared with published values: range U[5,9) is not published."
    )
    assert change_notes(SINGLE, cells[:2]) == ()
    (both,) = chosen(units=["nmu"], ops=["mul"], ranges=["U[5,9)->U[50,60)"])
    assert both.task.test.label == "U[50,60)"
    with pytest.raises(NalmError, match=r"U\[5"):
        chosen(ranges=["U[5;9)"])


def test_a_test_range_is_part_of_the_label_where_it_is_not_the_default():
    def of(*ranges: str) -> list[tuple[str, str, str]]:
        cells = chosen(units=["nmu"], ops=["mul"], ranges=ranges)
        return [(c.key.range, c.task.train.label, c.task.test.label) for c in cells]

    far = ("U[1,2)->U[100,300)", "U[1,2)", "U[100,300)")
    published = ("U[1,2)", "U[1,2)", "U[2,6)")
    assert of("U[1,2) -> U[100,300)") == [far]
    assert of("U[1,2)", "U[1,2)->U[100,300)") == [published, far]
    assert of("U[1,2)->U[2,6)") == [published]
    assert of("U[5,9)->U[9,25)") == [("U[5,9)", "U[5,9)", "U[9,25)")]
    two = of("U[5,9)->U[9,30)", "U[5,9)->U[20,30)")
    assert [label for label, *_ in two] == ["U[5,9)->U[9,30)", "U[5,9)->U[20,30)"]
    (note,) = change_notes(SINGLE, chosen(units=["nmu"], ops=["mul"], ranges=[far[0]]))
    assert far[0] in note.text
    ranges = ["U[1,2)", "U[1,2)->U[100,300)"]
    own = chosen(units=[Product], ops=["mul"], ranges=ranges)
    assert [cell.key.range for cell in own] == ranges


def test_what_is_tested_elsewhere_is_not_compared(tmp_path):
    def run(test: str) -> nalm.Results:
        options = {"units": "nmu", "ops": "mul", "seeds": 2, "steps": 400, "out": tmp_path}
        return nalm.bench("single-module", ranges=f"U[1,2)->{test}", workers=1, **options)

    (cell,) = run("U[100,300)").cells()
    assert (cell.key.range, cell.comparisons) == ("U[1,2)->U[100,300)", ())
    run("U[10,20)")
    with Store.read(tmp_path) as store:
        assert len(store.cells()) == 2  # the later does not displace the earlier


def test_another_operation_for_every_unit_that_can():
    cells = chosen(ops=["reciprocal"], ranges=["U[1,2)"])
    assert {"nru", "real_npu"} <= {cell.name for cell in cells} <= set(nalm.units.REGISTRY)
    assert {cell.key.op for cell in cells} == {"reciprocal"}
    with pytest.raises(UnknownNameError, match="no operation 'multiply'"):
        chosen(ops=["multiply"])
    with pytest.raises(UnknownNameError, match="No model of this experiment can represent xor"):
        chosen(ops=["xor"])


def test_options_of_units():
    (cell,) = chosen(units=["nru(tanh_scale=10)"], ops=["mul"], ranges=["U[1,2)"])
    assert cell.name == "nru(tanh_scale=10)"
    assert cell.model == nalm.unit("nru", 2, 1, tanh_scale=10)
    with pytest.raises(UnknownNameError, match="tanh_scale"):
        chosen(units=["nru(tanh=10)"])


def test_a_published_unit_that_an_experiment_does_not_have():
    cells = chosen(units=["linear"], ops=["add"])
    assert {cell.name for cell in cells} == {"linear"}
    assert len(cells) == 9


def test_fields_of_recipes_and_whole_recipes():
    cells = chosen(units=["nmu"], ops=["mul"], ranges=["U[1,2)"])
    (cell,) = trained_by(cells, {"learning_rate": "5e-3", "optimizer": "lion"})
    assert cell.recipe == cells[0].recipe.replace(learning_rate=5e-3, optimizer="lion")
    assert cell.setting == "learning_rate=5e-3, optimizer=lion"
    (whole,) = trained_by(cells, SHORT)
    assert (whole.recipe, whole.setting) == (SHORT, "custom recipe")
    assert trained_by(cells, "published") == trained_by(cells, {}) == cells
    with pytest.raises(UnknownNameError, match="Did you mean 'learning_rate'"):
        trained_by(cells, {"learning_rte": 1})
    with pytest.raises(UnknownNameError, match="no recipe 'lmm'"):
        trained_by(cells, "lmm")
    with pytest.raises(InputError, match="recipe is 'published'"):
        trained_by(cells, 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match=r"settings 'MSE' and .* same runs\. Choose one: --sett"):
        trained_by(EXPERIMENTS["division-losses"].cells(), SHORT)


def own_experiment(name: str = "mine") -> Experiment:
    cells = [
        Cell("nau", nalm.unit("nau", 2, 1), single_module("add", r), SHORT)
        for r in ("U[1,2)", "U[10,20)")
    ]
    return Experiment(name, "Sums", "my notes", 2, cells)


def test_an_experiment_of_ones_own(tmp_path):
    results = nalm.bench(own_experiment(), seeds=[3, 5], ranges="U[1,2)", out=tmp_path)
    assert [run.seed for run in results.runs()] == [3, 5]
    assert results.notes == ()
    assert results.cells()[0].comparisons == ()
    with pytest.raises(InputError, match="published experiment 'single-module'; give yours"):
        nalm.bench(own_experiment("single-module"), out=tmp_path)
    with pytest.raises(InputError, match="at least one"):
        Experiment("empty", "", "", 1, []).cells()
    twice = own_experiment().cells()[:1] * 2
    with pytest.raises(InputError, match="has 2 cells nau, add"):
        Experiment("twice", "", "", 1, twice).cells()


def rates(*models: Unit, **options) -> Experiment:
    cells = [
        Cell(model.name, model, single_module("mul"), Recipe(rate, **options), f"rate {rate}")
        for model in models
        for rate in (0.1, 0.01)
    ]
    return Experiment("rates", "Two learning rates", "my notes", 2, cells)


def test_a_unit_that_a_custom_experiment_does_not_have():
    experiment = rates(NMU(2, 1))
    cells = Selection(units=["nmu", "snmu", "nru(tanh_scale=10)", Product]).cells(experiment)
    assert [(c.name, c.setting, c.recipe.learning_rate) for c in cells] == [
        (name, f"rate {rate}", rate)
        for name in ("nmu", "snmu", "nru(tanh_scale=10)", "own_product")
        for rate in (0.1, 0.01)
    ]
    assert change_notes(experiment, cells) == ()
    penalised = rates(NMU(2, 1), penalties=(("discretise", Ramp(1.0, 0, 9)),))
    with pytest.raises(InputError, match="the penalty 'discretise', which nac_mul does not have"):
        Selection(units=["nac_mul"]).cells(penalised)
    task = single_module("mul")
    unlike = [Cell(name, NMU(2, 1), task, Recipe(rate)) for name, rate in (("a", 1), ("b", 2))]
    with pytest.raises(InputError, match=r"no recipe for snmu in .*Add cells of snmu"):
        Selection(units=["snmu"]).cells(Experiment("unlike", "", "", 1, unlike))


def test_a_cell_whose_model_has_other_inputs_than_its_task():
    message = r"in the cell nmu, mul, U\[1,2\), 2 inputs it takes 3\. .* in_features=2, or"
    with pytest.raises(InputError, match=message):
        Cell("nmu", NMU(3, 1), single_module("mul"), SHORT)


class WeightedMax(NMU):
    """A custom unit that represents nothing."""

    name = "weighted_max"
    represents = ()


def test_a_unit_that_represents_nothing():
    with pytest.raises(InputError, match=r"`represents`; WeightedMax has none\. Add represents ="):
        chosen(units=[WeightedMax])


FILE = """
import nalm
from nalm.experiments import Cell, Experiment
from nalm.tasks import single_module
from nalm.units import NAU


class Mine(NAU):
    name = "mine"


recipe = nalm.Recipe(0.05, steps=400, log_every=100, evaluation=200)
EXPERIMENT = Experiment(
    "from-file", "Sums", "my notes", 2, [Cell("mine", Mine(2, 1), single_module("add"), recipe)]
)
"""


def run(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nalm", "bench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def test_the_command_takes_all_of_it(tmp_path):
    (tmp_path / "file.py").write_text(FILE)
    arguments = ["--seeds", "3,7", "--set", "learning_rate=5e-3", "--set", "batch=64", "--json"]
    done = run("file.py:EXPERIMENT", *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(done.stdout)
    assert (row["unit"], row["runs"]) == ("mine", 2)
    assert row["setting"] == "learning_rate=5e-3, batch=64"
    assert "published" not in done.stderr  # nothing is published about a custom experiment
    assert (tmp_path / "results" / "from-file" / "results.sqlite").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["file.py:EXPERIMNT"], "Did you mean 'EXPERIMENT'"),
        (["file.py"], "without the name. Its experiments: EXPERIMENT"),
        (["file.py:EXPERIMENT", "--seeds", "3,3"], "3 more than once"),
        (["file.py:EXPERIMENT", "--seeds", "a"], "--seeds takes whole numbers"),
        (["file.py:EXPERIMENT", "--set", "learning_rate"], "--set takes NAME=VALUE"),
        (["file.py:EXPERIMENT", "--set", "batchs=3"], "Did you mean 'batch'"),
        (["file.py:EXPERIMENT", "--set", "batch=3", "--recipe", "lm"], "one of --recipe and --set"),
    ],
)
def test_the_command_refuses_in_one_sentence(tmp_path, arguments, message):
    (tmp_path / "file.py").write_text(FILE)
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("given", [2.5, object()])
def test_a_selection_that_is_no_list_is_refused(given, tmp_path):
    with pytest.raises(InputError, match="ops are"):
        nalm.bench("division", ops=given, out=tmp_path)
