"""A unit of one's own runs beside the published ones and appears in the report."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nalm
from nalm._internal.custom import load
from nalm.errors import InputError, NalmError, UnknownNameError
from nalm.experiments import EXPERIMENTS
from nalm.experiments.custom_units import custom_cells
from nalm.experiments.operands import each
from nalm.experiments.selection import Selection
from nalm.networks import Stack
from nalm.report.results import read_results
from nalm.sweeps import CellKey, formulas
from nalm.sweeps.default_recipe import default_recipe, general_recipe
from nalm.sweeps.models import made
from nalm.training import Ramp, Snap
from nalm.units import NAU, NMU, REGISTRY, RealNPU, Unit

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


@pytest.fixture
def mine(tmp_path):
    """Return the file of the unit that CONTRIBUTING.md shows."""
    blocks = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = (block for block in blocks if "class SignedSum" in block)
    path = tmp_path / "mine.py"
    path.write_text(f"{code}\n# {tmp_path}\n", encoding="utf-8")
    return path


def load_unit(where: str) -> Any:
    return load(where, Unit, "unit")


@pytest.mark.slow
def test_the_command_runs_it_beside_the_published_units(mine, tmp_path):
    out = tmp_path / "results"
    command = [sys.executable, "-m", "nalm", "bench", "single-module", "--ops", "add"]
    command += ["--units", f"nau,{mine}:SignedSum", "--ranges", "U[1,2)", "--seeds", "2"]
    command += ["--steps", "2000", "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "signed_sum" in done.stdout
    (unknown,) = read_results(out)  # without the file: the page is made all the same
    key = CellKey("signed_sum", "add", "U[1,2)", 2)
    assert unknown.cell(key).formulas() == [(formulas.UNKNOWN, 2)]
    load_unit(f"{mine}:SignedSum")
    (experiment,) = read_results(out)
    assert {cell.key.unit for cell in experiment.cells} == {"nau", "signed_sum"}
    assert formulas.UNKNOWN not in dict(experiment.cell(key).formulas())
    mine.write_text(mine.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    load_unit(f"{mine}:SignedSum")
    (again,) = read_results(out)  # weights are read by the version that was trained
    assert again.cell(key).formulas() == experiment.cell(key).formulas()


@pytest.mark.slow
def test_what_only_training_can_tell_is_said_in_one_sentence(mine, tmp_path):
    cls = load_unit(f"{mine}:SignedSum")
    cls.recipe = nalm.Recipe(snap=Snap(100))  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(InputError, match=r"^Snapping needs weights that are read as they are"):
        nalm.bench("single-module", units=[cls], ops="add", seeds=1, steps=400, out=tmp_path)


@pytest.mark.slow
def test_a_class_runs_from_python_and_a_changed_file_is_another_unit(mine, tmp_path):
    cls = load_unit(f"{mine}:SignedSum")
    options = {"ops": ["sub"], "ranges": ["U[1,2)"], "seeds": 2, "steps": 400, "out": tmp_path}
    table = nalm.bench("single-module", units=[cls], **options)
    assert [(cell.key.unit, cell.runs) for cell in table.cells()] == [("signed_sum", 2)]
    mine.write_text(mine.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    cls = load_unit(f"{mine}:SignedSum")

    events = []
    nalm.bench("single-module", units=[cls], progress=events.append, **options)
    assert events[-1].all_runs == 2
    other = tmp_path / "other"
    nalm.bench("single-module", units=[cls], **options | {"out": other, "seeds": 1})
    mine.write_text(mine.read_text(encoding="utf-8") + "# again\n", encoding="utf-8")
    cls = load_unit(f"{mine}:SignedSum")
    nalm.bench("single-module", units=[cls], **options)
    (both,) = read_results(tmp_path, other)  # two versions are two lines, and nothing is dropped
    assert sorted(len(cell.runs) for cell in both.cells) == [1, 2]
    names = {cell.key.unit for cell in both.cells}
    assert len(names) == 2
    assert all(re.fullmatch(r"signed_sum [0-9a-f]{6}", name) for name in names)


def test_a_saved_model_is_read_by_the_file_it_was_trained_with(mine, tmp_path):
    cls = load_unit(f"{mine}:SignedSum")
    unit = cls(2, 1)
    path = tmp_path / "model.safetensors"
    nalm.save(unit, path, unit.exact("add"))
    assert nalm.load(path)[0] == unit
    mine.write_text(mine.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    load_unit(f"{mine}:SignedSum")
    assert type(nalm.load(path)[0]) is cls


def test_it_gets_the_tasks_it_fits(mine):
    cls = load_unit(f"{mine}:SignedSum")
    single = custom_cells(cls, EXPERIMENTS["single-module"].cells())
    assert {cell.task.op for cell in single} == {"add", "sub"}
    assert len(single) == 18
    double = custom_cells(cls, EXPERIMENTS["arithmetic-dataset"].cells())
    assert {cell.task.op for cell in double} == {"add", "sub"}
    assert [layer.name for layer in double[0].model.layers] == ["nau", "signed_sum"]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(UnknownNameError, match="it can represent: add, sub"):
        custom_cells(cls, EXPERIMENTS["division"].cells())


@pytest.mark.parametrize("base", ["nau", "nmu", "real_npu", "nlrl", "nsr"])
def test_what_an_experiment_asks_is_asked_of_it_once(base):
    cls = type("Mine", (REGISTRY[base],), {"name": "mine"})
    found = 0
    for experiment in EXPERIMENTS.values():
        cells = experiment.cells()
        try:
            own = custom_cells(cls, cells)
        except UnknownNameError:
            continue
        found += 1
        places = [cell.key for cell in own]
        assert len(set(places)) == len(places), experiment.name
        learnt = [c for c in cells if c.task.learns_unit]
        able = [c for c in learnt if base in c.units() and c.task.op in cls(2, 1).ops]
        asked = {cell.task for cell in able if len(cell.task.layout(0)) > 1}  # pyright: ignore[reportAttributeAccessIssue]
        assert asked <= {cell.task for cell in own}, experiment.name
    assert found >= 2


def test_networks_tasks_and_losses_are_those_of_the_experiment():
    nau = type("Mine", (NAU,), {"name": "mine"})
    operands = {cell.setting: cell for cell in own_of(nau, "nac-operands")}
    assert operands["difference of 2"].task == each((1, -1))
    assert operands["difference of 2"].model == nau(2, 1)
    assert operands["sum of 2"].task == each((1, 1))
    nmu = type("Mine", (NMU,), {"name": "mine"})
    counts = {cell.setting: cell for cell in own_of(nmu, "arithmetic-dataset-subset-count")}
    assert counts["5 subsets, hidden 10"].model == Stack((NAU(100, 10), nmu(10, 1)))
    npu = type("Mine", (RealNPU,), {"name": "mine"})
    losses = {cell.setting: cell.recipe for cell in own_of(npu, "division-losses")}
    assert {setting: recipe.loss.name for setting, recipe in losses.items()} == {
        "MSE": "mse",
        "PCC": "pcc",
        "PCC-MSE": "pcc",
        "MAPE": "mape",
    }
    assert losses["PCC-MSE"].mse_from
    scaled = {cell.setting: cell.recipe.scaling for cell in own_of(nmu, "feature-scaling")}
    assert scaled == {name: name for name in ("min-max", "feyn", "feyn-batch", "z-score")}
    cells = EXPERIMENTS["nac-operands"].cells()
    (one,) = custom_cells(nau, cells, [cell for cell in cells if cell.setting == "sum of 2"])
    assert one == operands["sum of 2"]  # whatever else is chosen


def own_of(cls, experiment: str):
    return custom_cells(cls, EXPERIMENTS[experiment].cells())


def test_the_nau_that_feeds_a_unit_is_penalised_as_well():
    def polarised(self, xp, params, x):
        return {"polarise": xp.mean(params["weight"] * (1 - params["weight"]))}

    recipe = nalm.Recipe(penalties=(("polarise", Ramp(2.0, 0, 10_000)),))
    told = {"name": "mine", "penalty_terms": polarised, "recipe": recipe}
    cls = type("Mine", (NMU,), told)
    (single, *_) = own_of(cls, "single-module")
    assert single.recipe.penalties == recipe.penalties
    (double,) = own_of(cls, "arithmetic-dataset")
    assert dict(double.recipe.penalties) == {
        "polarise": Ramp(2.0, 0, 1_000_000),
        "discretise": Ramp(0.1, 2_000_000, 3_500_000),
    }


def test_it_says_how_it_is_trained(mine):
    recipe = nalm.Recipe(learning_rate=1e-2, penalties=(("discretise", Ramp(0.5, 10_000, 20_000)),))
    cls = load_unit(f"{mine}:SignedSum")
    (plain, *_) = custom_cells(cls, EXPERIMENTS["single-module"].cells())
    assert plain.recipe == general_recipe(cls(2, 1)) == default_recipe(cls(2, 1), plain.task)
    cls.recipe = recipe  # pyright: ignore[reportAttributeAccessIssue]
    assert {cell.recipe for cell in custom_cells(cls, EXPERIMENTS["single-module"].cells())} == {
        recipe
    }
    (longer, *_) = custom_cells(cls, EXPERIMENTS["arithmetic-dataset"].cells())
    assert longer.recipe.steps == 5_000_000
    assert longer.recipe.learning_rate == 1e-2
    assert longer.recipe.penalties == (("discretise", Ramp(0.5, 1_000_000, 2_000_000)),)


def test_options_of_a_unit_from_a_file(mine):
    text = f"{mine}:SignedSum(scale=2.0)"
    cls = load_unit(f"{mine}:SignedSum")
    assert made(text, 3) == cls(3, 1, scale=2.0)
    wanted = Selection(units=[text, f"{mine}:SignedSum"], ops=["add"], ranges=["U[1,2)"])
    changed, plain = wanted.cells(EXPERIMENTS["single-module"])
    assert (changed.name, changed.model) == ("signed_sum(scale=2.0)", cls(2, 1, scale=2.0))
    assert (plain.name, plain.model) == ("signed_sum", cls(2, 1))
    with pytest.raises(UnknownNameError, match="Did you mean 'scale'"):
        made(f"{mine}:SignedSum(scal=2.0)", 3)


def test_a_unit_that_does_not_work_is_said_before_it_is_trained(mine):
    text = mine.read_text(encoding="utf-8")
    for number, (old, new, message) in enumerate(
        [
            ('return ops.linear(xp, x, self.transform(xp, params)["weight"])', "return x", "gave"),
            ("xp.tanh(", "xp.tanhh(", "AttributeError"),
            (
                "    def penalty_terms",
                "    def penalties",
                "override penalties, .*penalty_terms",
            ),
            ("xp.mean(ops.distance_ternary(xp, W))", "ops.distance_ternary(xp, W)", "one number"),
            (
                'discrete = {"weight": TERNARY}',
                'discrete = {"w": TERNARY}',
                "and the weights weight",
            ),
            ("    @property\n", "", "Write @property above it"),
            ('represents = ("add", "sub")', 'represents = "add"', "is a tuple of operations"),
            ('represents = ("add", "sub")', 'represents = ("add", "subb")', "Did you mean 'sub'"),
            (
                'return {"w_hat": ops.SATURATED / self.scale * weight}',
                'return {"w_hat": 0.5 * weight}',
                "says that it represents 'add', but",
            ),
            (
                "def penalty_terms(self, xp, params, x):",
                "def penalty_terms(self, xp, params, x):\n        xp.mean(x)",
                r"also asked for without inputs, x=None, .*TypeError",
            ),
            (
                'papers = ("madsen2020",)',
                "import nalm\n    papers = ()\n    recipe: nalm.Recipe = nalm.Recipe()",
                "SignedSum has an annotated one",
            ),
            (
                'papers = ("madsen2020",)',
                "import nalm\n    papers = ()\n    recipe = nalm.Recipe(learning_rate=-1)",
                r"^In '.*py': learning_rate is a number above 0; received -1",
            ),
            ('papers = ("madsen2020",)', "recipe, papers = 0.1, ()", r"is a nalm\.Recipe"),
            (
                'papers = ("madsen2020",)',
                "import nalm\n    papers = ()\n"
                "    recipe = nalm.Recipe(penalties="
                "(('discretize', nalm.training.Ramp(1.0, 0, 9)),))",
                "SignedSum has no penalty 'discretize'. Did you mean 'discretise'",
            ),
        ]
    ):
        assert old in text
        changed = mine.with_name(f"changed{number}.py")
        code = text.replace(old, new)
        changed.write_text(code, encoding="utf-8")
        with pytest.raises(NalmError, match=message):
            nalm.bench("single-module", units=[f"{changed}:SignedSum"], ops=["add"])
    with pytest.raises(UnknownNameError, match="it can represent: add, sub"):
        nalm.bench("single-module", units=[f"{mine}:SignedSum"], ops=["mul"])


def test_what_is_not_a_unit_is_said(mine, tmp_path):
    with pytest.raises(InputError, match="there is no file"):
        load_unit("nowhere.py:Mine")
    with pytest.raises(InputError, match=r"has no class 'Other'\. Its units: SignedSum"):
        load_unit(f"{mine}:Other")
    with pytest.raises(InputError, match="Did you mean 'SignedSum'"):
        load_unit(f"{mine}:SignedSums")
    with pytest.raises(InputError, match=r"'TERNARY' of .* is no unit"):
        load_unit(f"{mine}:TERNARY")
    for nameless in (str(mine), f"{mine}:"):
        with pytest.raises(InputError, match=r"without the class\. .*mine\.py:SignedSum\.$"):
            nalm.bench("single-module", units=[nameless])
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0", encoding="utf-8")
    with pytest.raises(InputError, match=r"can be imported; .* cannot: ZeroDivisionError"):
        load_unit(f"{broken}:Mine")
    broken.write_text("class Mine(", encoding="utf-8")
    with pytest.raises(InputError, match=r"(?s)line 1.*SyntaxError: '\(' was never closed"):
        load_unit(f"{broken}:Mine")
    twin = tmp_path / "twin.py"
    twin.write_text(mine.read_text(encoding="utf-8") + "# another", encoding="utf-8")
    with pytest.raises(InputError, match=r"Two custom units are called 'signed_sum'"):
        nalm.bench("single-module", units=[f"{mine}:SignedSum", f"{twin}:SignedSum"])
    taken = type("Taken", (NMU,), {"name": "nmu"})
    with pytest.raises(InputError, match="There is a unit 'nmu' already"):
        nalm.bench("single-module", units=[taken])
    homeless = type("Homeless", (NMU,), {"name": "homeless", "__module__": "nowhere"})
    with pytest.raises(InputError, match="Put the class into a file"):
        nalm.bench("single-module", units=[homeless])
    with pytest.raises(InputError, match=r"derives from nalm\.Unit"):
        nalm.bench("single-module", units=[int])  # pyright: ignore[reportArgumentType]
