"""nalm.train: any model on any task, and what it gives back."""

import csv
import io
import json

import numpy as np
import pytest

import nalm
from nalm.errors import InputError, NalmError, UnknownNameError
from nalm.sweeps import Store, read_cells
from nalm.sweeps.default_recipe import default_recipe, general_recipe
from nalm.sweeps.models import made, named, split_options
from nalm.sweeps.seeds import seed_list
from nalm.tasks import Task, Uniform, single_module
from nalm.training import Recipe, published_recipe
from nalm.units import NAU, NMU

SHORT = Recipe(0.05, steps=400, log_every=100, evaluation=200)
SUM = Task("add", 2, Uniform(1, 2), Uniform(2, 6))


@pytest.fixture(scope="module")
def results() -> nalm.Results:
    """Two models on two tasks."""
    product = single_module("mul", "U[10,20)")
    return nalm.train(["nau", "linear"], [SUM, product], SHORT, seeds=[4, 2], workers=1)


def test_a_cell_for_each_model_and_task(results):
    keys = [tuple(cell.key) for cell in results.cells()]
    assert keys == [
        ("nau", "add", "U[1,2)", 2, ""),
        ("nau", "mul", "U[10,20)", 2, ""),
        ("linear", "add", "U[1,2)", 2, ""),
        ("linear", "mul", "U[10,20)", 2, ""),
    ]
    assert [run.seed for run in results.runs()] == [4, 2] * 4
    assert repr(results) == "Results(8 runs of 4 cells)"


def test_a_test_range_tells_tasks_apart():
    tasks = [SUM, Task("add", 2, "U[1,2)", "U[9,30)"), Task("add", 2, "U[1,2)", "U[20,30)")]
    found = nalm.train("nau", tasks, SHORT, seeds=1, workers=1)
    assert [(cell.key.range, cell.key.setting) for cell in found.cells()] == [
        ("U[1,2)", ""),
        ("U[1,2)->U[9,30)", ""),
        ("U[1,2)->U[20,30)", ""),
    ]


def test_a_unit_without_a_formula_has_none_that_is_equal():
    task = Task(lambda a, b: a + b, train=Uniform(1, 2), test=Uniform(2, 6))
    found = nalm.train(["nau", "mlp"], task, SHORT, seeds=2, workers=1)
    nau, mlp = str(found).splitlines()[2:]
    assert " – " in mlp
    assert " – " not in nau


def test_runs_have_outcome_weights_and_formula(results):
    run = results.runs()[0]
    assert run.weights["weight"].shape == (1, 2)
    assert results.weights[run.key][4]["weight"] is not None
    assert run.expression is None or str(run.expression) == run.formula
    for cell, found in results.formulas().items():
        assert sum(count for _, count in found) == 2, cell


def test_a_run_that_is_exact_inside_only_is_labelled_so_and_has_a_score(results):
    run = results.runs()[4]
    inside, outside = run.validation_error, run.test_error
    assert (inside, run.label) == (min(run.curves.validation), "FF")
    assert inside < outside
    assert run.score == pytest.approx(outside / run.curves.test[0])
    labels = []
    for threshold in ((inside * outside) ** 0.5, 2 * outside):
        task = Task("add", 2, Uniform(1, 2), Uniform(2, 6), threshold=threshold)
        again = nalm.train("linear", task, SHORT, seeds=[run.seed], workers=1).runs()[0]
        labels.append(again.label)
    assert labels == ["TF", "TT"]


def test_curves_are_tidy(results):
    points = results.curves()
    assert len(points) == 8 * 5
    assert [point.step for point in points[:5]] == [0, 100, 200, 300, 400]
    assert np.isnan(points[0].loss)


def test_rows_of_every_kind(results, tmp_path):
    for kind, count in (("cells", 4), ("runs", 8), ("curves", 40)):
        rows = results.records(kind)
        assert len(rows) == count
        json.dumps(rows, allow_nan=False)
        text = results.to_csv(tmp_path / f"{kind}.csv", kind)
        assert (tmp_path / f"{kind}.csv").read_text() == text
        assert len(list(csv.DictReader(io.StringIO(text)))) == count
    with pytest.raises(UnknownNameError, match="Did you mean 'runs'"):
        results.records("run")  # pyright: ignore[reportArgumentType]


def test_a_frame_of_pandas(results):
    pytest.importorskip("pandas")
    assert list(results.to_pandas("runs")["seed"]) == [4, 2] * 4


def test_tables_never_show_a_rate_alone(results, tmp_path):
    text = str(results)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert text.count(" of 2") == text.count("[") - 8 // 2 == 4  # ranges have a bracket, too
    html = results._repr_html_()
    assert html.count("<tr>") == 5
    latex = results.to_latex(tmp_path / "table.tex")
    assert (tmp_path / "table.tex").read_text() == latex
    for command in (r"\toprule", r"\midrule", r"\bottomrule"):
        assert command in latex
    assert latex.count("/2 &") == 4


def test_charts(results):
    pytest.importorskip("altair")
    assert "success rate" in results.plot().to_json()
    assert "mean squared test error" in results.plot("curves").to_json()
    with pytest.raises(UnknownNameError, match="no plot 'bars'"):
        results.plot("bars")  # pyright: ignore[reportArgumentType]


def test_results_in_a_folder_are_continued(tmp_path):
    first = nalm.train("nau", SUM, SHORT, seeds=2, out=tmp_path, workers=1)
    events = []
    more = nalm.train("nau", SUM, SHORT, seeds=3, out=tmp_path, workers=1, progress=events.append)
    assert events[-1].all_runs == 1
    errors = [run.test_error for run in more.runs()]
    assert errors[:2] == [run.test_error for run in first.runs()]
    in_memory = nalm.train("nau", SUM, SHORT, seeds=3, workers=1)
    assert [run.test_error for run in in_memory.runs()] == errors


def test_default_recipes():
    assert default_recipe(NMU(2, 1), single_module("mul")) == published_recipe("nmu", "mul")
    assert default_recipe(nalm.unit("nru", 2, 1), SUM) == published_recipe("nru", "add")
    network = nalm.Stack((NAU(2, 2), NMU(2, 1)))
    assert default_recipe(network, SUM) == general_recipe(network)
    assert dict(general_recipe(network).penalties)["discretise"].start == 20_000  # pyright: ignore[reportAttributeAccessIssue]
    assert general_recipe(nalm.unit("mlp", 2, 1)).penalties == ()
    mine = type("Mine", (NMU,), {"name": "mine", "recipe": SHORT})
    assert default_recipe(mine(2, 1), SUM) == SHORT
    for name in nalm.units.REGISTRY:
        general_recipe(nalm.unit(name, 2, 1))


def test_fields_change_the_default_recipe():
    fields = {"learning_rate": 5e-3, "log_every": 100, "steps": 400}
    (run,) = nalm.train("nru", SUM, fields, seeds=1, workers=1).runs()
    assert run.setup.recipe == published_recipe("nru", "add").with_options(fields)


def test_models_as_text():
    assert made("snmu(noise_range='batch')", 3) == nalm.unit("snmu", 3, 1, noise_range="batch")
    assert made(NMU, 3) == NMU(3, 1)
    assert split_options("snmu( noise_range = (1, 2.5) )") == ("snmu", {"noise_range": (1, 2.5)})
    assert named(nalm.Stack((NAU(2, 2), NMU(2, 1)))) == "nau-nmu"
    assert made(named(made("nru(tanh_scale=10.0)", 2)), 2) == made("nru(tanh_scale=10.0)", 2)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("nmuu", "Did you mean 'nmu'"),
        ("snmu(noise='batch')", "noise_range"),
        ("snmu(noise_range=__import__('os'))", "a value is a number"),
        ("snmu(noise_range", r"written as in nru\(tanh_scale=10\)"),
        ("snmu('batch')", "every option by its name"),
        ("nru(tanh_scale=1, tanh_scale=2)", "every option once"),
        ("nru(tanh_scale=1e999)", "a number above 0; received inf"),
        ("nru(tanh_scale=1\0)", "written as in"),
        ("nru(tanh_scale={[]: 1})", "a value is a number"),
        (f"nru(tanh_scale={'(' * 390}1{')' * 390})", "written as in"),
        (f"nru(tanh_scale={'-' * 900}1)", "written as in|a value is a number|number above 0"),
        (f"nru(tanh_scale={'9' * 5000})", "at most 1000 letters"),
        ("nowhere.py:Mine", "there is no file"),
        (f"{'9' * 400}/x", "there is no file"),
        ("a\0/x.py:Mine", "there is no file"),
        (7, "A model is a unit, a network"),
        (NMU(3, 1), "takes 3 and the task has 2"),
        (NMU(2, 2), "one target, so a model has one output"),
        ([], "received an empty list"),
    ],
)
def test_wrong_models(model, message):
    with pytest.raises(NalmError, match=message):
        nalm.train(model, SUM, SHORT)


@pytest.mark.parametrize(
    ("seeds", "received"),
    [
        (0, "received 0"),
        (True, "received True"),
        (2.5, "received 2.5"),
        ("3", "received '3'"),
        ([], "an empty list"),
        ([1, 2, 2, 1], r"received 1, 2 more than once\. Remove the repeated 1, 2\."),
        ([2**40], "from 0 to 4294967295.*; received 1099511627776 in the list"),
        ([1, -2], "received -2 in the list"),
        ([1, 2.5], r"received 2\.5 in the list"),
    ],
)
def test_wrong_seeds(seeds, received):
    with pytest.raises(InputError, match=f"seeds is a whole number .*{received}"):
        nalm.train("nau", SUM, SHORT, seeds=seeds)


def test_right_seeds():
    assert seed_list(np.array([3, 7])) == (3, 7)
    assert seed_list(range(2)) == (0, 1)


def test_names_of_inputs():
    assert SUM.input_names is None
    assert Task(lambda m, v: m * v, inputs=3).input_names == ("m", "v", "x3")
    assert Task(lambda x3, v: x3 * v, inputs=3).input_names is None  # two would be called x3


def test_other_wrong_arguments():
    with pytest.raises(InputError, match=r"recipe is a nalm\.Recipe"):
        nalm.train("nau", SUM, 1e-2)  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnknownNameError, match="Did you mean 'learning_rate'"):
        nalm.train("nau", SUM, {"learning_rte": 1})
    with pytest.raises(InputError, match=r"task is a nalm\.tasks\.Task"):
        nalm.train("nau", "add")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="workers is a whole number of at least 1"):
        nalm.train("nau", SUM, workers=0)
    with pytest.raises(UnknownNameError, match="Did you mean 'learning_rate'"):
        nalm.train("nau", SUM, Recipe(learning_rat=1))  # pyright: ignore[reportCallIssue]


def test_a_function_and_a_table_are_learned_by_default(tmp_path):
    task = Task(lambda a, b, c: (a + b) * c, inputs=4, train=Uniform(1, 2), test=Uniform(2, 6))
    results = nalm.train(nalm.Stack((NAU(4, 2), NMU(2, 1))), task, seeds=4)
    assert results.cells()[0].successes == 4
    assert results.formulas()[results.cells()[0].key] == [("c*(a + b)", 4)]
    x = np.random.default_rng(0).uniform(1, 3, (200, 2))
    rows = Task.from_table(x, x[:, 0] * x[:, 1], names=["mass", "speed"])
    short = published_recipe("nmu", "mul").stretched(8000)
    nalm.train("nmu", rows, short, seeds=2, out=tmp_path)
    with Store.read(tmp_path) as store:
        (cell,) = read_cells(store)
    assert cell.setup.task == rows
    assert cell.formulas() == [("mass*speed", 2)]
    assert str(cell.runs[0].expression) == "mass*speed"
