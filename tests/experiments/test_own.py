"""A unit of one's own runs beside the published ones and appears in the report."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import nalm
from nalm.errors import InputError, ModelFileError, NalmError, UnknownNameError
from nalm.experiments import EXPERIMENTS
from nalm.experiments.own import own_cells
from nalm.report import formulas
from nalm.report.results import read_results
from nalm.units import NMU, REGISTRY
from nalm.units.own import SOURCES, load_unit, register

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


@pytest.fixture
def mine(tmp_path):
    """Return the file of the unit that CONTRIBUTING.md shows, and clear the registry after."""
    blocks = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = (block for block in blocks if "class SignedSum" in block)
    path = tmp_path / "mine.py"
    path.write_text(code, encoding="utf-8")
    before = set(REGISTRY)
    yield path
    for name in set(REGISTRY) - before:
        del REGISTRY[name]
        SOURCES.pop(name, None)


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
    cell = unknown.cells["signed_sum", "add", "U[1,2)", 2, ""]
    assert cell.formulas == [(formulas.UNKNOWN, 2)]
    load_unit(f"{mine}:SignedSum")
    (experiment,) = read_results(out)
    assert {place[0] for place in experiment.cells} == {"nau", "signed_sum"}
    place = "signed_sum", "add", "U[1,2)", 2, ""
    assert formulas.UNKNOWN not in dict(experiment.cells[place].formulas)
    mine.write_text(mine.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    (experiment,) = read_results(out)  # weights are not read by another version of the file
    assert experiment.cells[place].formulas == [(formulas.UNKNOWN, 2)]


@pytest.mark.slow
def test_a_class_runs_from_python_and_a_changed_file_is_another_unit(mine, tmp_path):
    cls = load_unit(f"{mine}:SignedSum")
    options = {"ops": ["sub"], "ranges": ["U[1,2)"], "seeds": 2, "steps": 400, "out": tmp_path}
    table = nalm.bench("single-module", units=[cls], **options)
    assert [(r["unit"], r["runs"]) for r in table.rows] == [("signed_sum", 2)]
    mine.write_text(mine.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")

    class Counting:
        planned = 0

        def plan(self, runs: int, steps: int, seconds: float) -> None:
            self.planned = runs

        def report(self, runs: int, steps: int, solved: int) -> None:
            pass

    told = Counting()
    nalm.bench("single-module", units=[cls], progress=told, **options)
    assert told.planned == 2
    other = tmp_path / "other"
    nalm.bench("single-module", units=[cls], **options | {"out": other, "seeds": 1})
    mine.write_text(mine.read_text(encoding="utf-8") + "# again\n", encoding="utf-8")
    nalm.bench("single-module", units=[cls], **options)
    (both,) = read_results(tmp_path, other)  # two versions are two lines, and nothing is dropped
    assert sorted(len(cell.trials) for cell in both.cells.values()) == [1, 2]
    names = {place[0] for place in both.cells}
    assert len(names) == 2
    assert all(re.fullmatch(r"signed_sum [0-9a-f]{6}", name) for name in names)


def test_a_saved_model_is_read_by_the_file_it_was_trained_with(mine, tmp_path):
    cls = load_unit(f"{mine}:SignedSum")
    unit = cls(2, 1)
    path = tmp_path / "model.safetensors"
    nalm.save(path, unit, unit.exact("add"))
    assert nalm.load(path)[0] == unit
    mine.write_text(mine.read_text(encoding="utf-8") + "\n# changed\n", encoding="utf-8")
    with pytest.raises(ModelFileError, match="'signed_sum' is not the one it was trained with"):
        nalm.load(path)
    del REGISTRY["signed_sum"], SOURCES["signed_sum"]
    with pytest.raises(ModelFileError, match="There is no unit 'signed_sum'"):
        nalm.load(path)


def test_it_gets_the_tasks_it_fits(mine):
    cls = load_unit(f"{mine}:SignedSum")
    single = own_cells(cls, EXPERIMENTS["single-module"].cells())
    assert {cell.task.op for cell in single} == {"add", "sub"}
    assert len(single) == 18
    double = own_cells(cls, EXPERIMENTS["arithmetic-dataset"].cells())
    assert {cell.task.op for cell in double} == {"add", "sub"}
    assert [layer.name for layer in double[0].model.layers] == ["nau", "signed_sum"]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(UnknownNameError, match="it can represent: add, sub"):
        own_cells(cls, EXPERIMENTS["division"].cells())


def test_it_says_how_it_is_trained(mine):
    recipe = nalm.Recipe(
        learning_rate=1e-2, penalties=(("discretise", nalm.Ramp(0.5, 10_000, 20_000)),)
    )
    cls = load_unit(f"{mine}:SignedSum")
    (plain, *_) = own_cells(cls, EXPERIMENTS["single-module"].cells())
    assert plain.recipe == nalm.Recipe(penalties=(("discretise", nalm.Ramp(10.0, 20_000, 35_000)),))
    cls.recipe = recipe  # pyright: ignore[reportAttributeAccessIssue]
    assert {cell.recipe for cell in own_cells(cls, EXPERIMENTS["single-module"].cells())} == {
        recipe
    }
    (longer, *_) = own_cells(cls, EXPERIMENTS["arithmetic-dataset"].cells())
    assert longer.recipe.steps == 5_000_000
    assert longer.recipe.learning_rate == 1e-2
    assert longer.recipe.penalties == (("discretise", nalm.Ramp(0.5, 1_000_000, 2_000_000)),)


def test_a_unit_that_does_not_work_is_said_before_it_is_trained(mine):
    text = mine.read_text(encoding="utf-8")
    for number, (old, new, message) in enumerate(
        [
            ('return w.linear(xp, x, self.transform(xp, params)["weight"])', "return x", "gave"),
            ("xp.tanh(", "xp.tanhh(", "AttributeError"),
            ("    def regularisers", "    def regularizers", "abstract"),
            ("xp.mean(w.distance_ternary(xp, W))", "w.distance_ternary(xp, W)", "one number"),
            (
                'discrete = {"weight": TERNARY}',
                'discrete = {"w": TERNARY}',
                "and the weights weight",
            ),
            ('represents = ("add", "sub")', "", "SignedSum has no represents"),
            ('name = "signed_sum"', "", "SignedSum has no name"),
            ('papers = ("madsen2020",)', "recipe, papers = 0.1, ()", r"is a nalm\.Recipe"),
            (
                'papers = ("madsen2020",)',
                "import nalm\n    papers = ()\n"
                "    recipe = nalm.Recipe(penalties=(('discretize', nalm.Ramp(1.0, 0, 9)),))",
                "no regulariser of SignedSum: 'discretize'. Did you mean 'discretise'",
            ),
        ]
    ):
        assert old in text
        changed = mine.with_name(f"changed{number}.py")
        code = text.replace(old, new).replace('"signed_sum"', f'"signed_sum_{number}"')
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
    with pytest.raises(InputError, match=r"'dataclass' of .* is no unit"):
        load_unit(f"{mine}:dataclass")
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
    load_unit(f"{mine}:SignedSum")
    twin = tmp_path / "twin.py"
    twin.write_text(mine.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(InputError, match=r"Two units are called 'signed_sum': .*twin\.py"):
        load_unit(f"{twin}:SignedSum")
    taken = type("Taken", (NMU,), {"name": "nmu"})
    with pytest.raises(InputError, match="There is a unit 'nmu' already"):
        register(taken)
    homeless = type("Homeless", (NMU,), {"name": "homeless", "__module__": "nowhere"})
    with pytest.raises(InputError, match="Put the class into a file"):
        register(homeless)
    with pytest.raises(InputError, match=r"derives from nalm\.Unit"):
        register(int)  # pyright: ignore[reportArgumentType]
