"""Custom classes travel as text: from a file, a notebook cell, a module or a function."""

import json
import linecache
import subprocess
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import nalm
from nalm._internal import custom
from nalm._internal.gather import gather
from nalm.errors import InputError, UnknownNameError
from nalm.networks.saving import describe, described_model
from nalm.units import NMU, Unit

CELL = """
import numpy as np
from dataclasses import dataclass
from typing import Literal
from nalm.units import NAU, Parameter, Unit
from nalm.units.initial import Uniform

START = Uniform(-0.5, 0.5)
SHARES = {"first": (1.0, float("inf")), "second": [np.float64(0.5), None]}
TABLE = np.array([1.0, 2.0])
Mode = Literal["plain", "doubled"]
opened = iter([])
x = opened  # also the name of an argument

def twice(value):
    return FACTOR * value

FACTOR = 2
half = lambda value: value / FACTOR

class Base(NAU):
    def scale(self, value):
        return twice(value)

class Mine(Base):
    mode: Mode = "plain"
    name = "mine"
    papers = ()

    @property
    def parameters(self):
        return {"weight": self.matrix(START)}

    def forward(self, xp, params, x, train, noise):
        assert SHARES["first"][1] > 1 and TABLE[1] == 2 and half(2.0) == 1.0
        return self.scale(x @ params["weight"].T)
"""
IN_WORKER = """
import json, sys
from nalm._internal.custom import install
from nalm.networks.saving import described_model
import numpy as np
block = json.loads(sys.stdin.read())
for text in block["sources"]:
    install(text)
model = described_model(block["model"])
print(model({"weight": np.ones((1, 2))}, np.array([1.0, 2.0])).tolist())
"""


def cell(code: str, number: int = 0) -> ModuleType:
    """Return the namespace of a notebook in which this cell was run, as IPython runs it."""
    file = f"<cell {number} {abs(hash(code))}>"
    linecache.cache[file] = len(code), None, code.splitlines(keepends=True), file
    module = sys.modules["notebook"] = ModuleType("notebook")
    exec(compile(code, file, "exec"), vars(module))
    return module


def elsewhere(model: Unit) -> str:
    """Return what a new process prints that computes with a model."""
    described = describe(model)
    block = {"sources": custom.texts_in(described), "model": described}
    done = subprocess.run(
        [sys.executable, "-c", IN_WORKER],
        input=json.dumps(block),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_class_of_a_notebook_computes_in_another_process():
    notebook = cell(CELL)
    model = notebook.Mine(2, 1)
    text = custom.source_of(notebook.Mine).text
    assert "opened" not in text  # a method's argument x is not the notebook's x
    assert "import numpy" in text
    assert elsewhere(model) == "[6.0]"
    assert described_model(describe(model)) == model


OFFSET = 3.0


def shifted(value):
    return value + OFFSET


def test_a_class_of_a_function_computes_in_another_process():
    from nalm.units.initial import Constant as Fixed

    factor = 10.0

    @dataclass(frozen=True)
    class Mine(NMU):
        name = "mine"

        @property
        def parameters(self):
            return {"weight": self.matrix(Fixed(0.5))}

        def forward(self, xp, params, x, train, noise):
            return factor * shifted(super().forward(xp, params, x, train, noise))

    assert elsewhere(Mine(2, 1)) == "[50.0]"


def load_unit(where: str) -> Any:
    return custom.load(where, Unit, "unit")


def test_a_file_is_read_once_and_its_versions_coexist(tmp_path):
    file = tmp_path / "mine.py"
    text = "from nalm.units import NMU\nclass Mine(NMU):\n    name = 'mine'\n    factor = 1\n"
    file.write_text(text)
    first = load_unit(f"{file}:Mine")
    assert load_unit(f"{file}:Mine") is first
    file.write_text(text.replace("factor = 1", "factor = 2"))
    second = load_unit(f"{file}:Mine")
    sources = [custom.source_of(cls) for cls in (first, second)]
    assert [source.text for source in sources] == [text, file.read_text()]
    assert sources[0].digest != sources[1].digest
    for cls in (first, second):
        model = cls(2, 1)
        assert type(described_model(describe(model))) is cls
    assert elsewhere(second(2, 1)) == "[2.0]"
    with pytest.raises(UnknownNameError, match=r"unit Mine has changed: version 000000"):
        custom.find("0" * 64, "Mine", "unit")
    with pytest.raises(UnknownNameError, match="unit Other is not known here"):
        custom.find(sources[0].digest, "Other", "unit")


def test_an_edited_cell_and_a_changed_constant_are_other_versions():
    notebook = cell(CELL)
    before = custom.source_of(notebook.Mine)
    assert custom.source_of(notebook.Mine) == before
    notebook.FACTOR = 3  # pyright: ignore[reportAttributeAccessIssue]
    changed = custom.source_of(notebook.Mine)
    assert changed.digest != before.digest
    assert "FACTOR = 3" in changed.text
    again = cell(CELL, 1)
    assert custom.source_of(again.Mine) == before  # the same text is the same version
    edited = cell(CELL.replace("self.scale(", "-self.scale("), 2)
    assert custom.source_of(edited.Mine).digest not in {before.digest, changed.digest}


def test_the_published_units_do_not_change():
    before = dict(nalm.units.REGISTRY)
    described = describe(nalm.unit("nmu", 2, 1))
    assert "source" not in described
    assert custom.texts_in(described) == []
    assert before == nalm.units.REGISTRY


def test_what_cannot_travel_is_named():
    code = CELL.replace("return twice(value)", "return twice(opened)")
    notebook = cell(code)
    with pytest.raises(
        InputError, match=r"^The source of Mine must be known.*'opened'.*list_iterator.*FILE"
    ):
        custom.source_of(notebook.Mine)
    notebook = cell(CELL.replace("[1.0, 2.0])", "range(5000), dtype=float)"))
    with pytest.raises(InputError, match=r"'TABLE' is an array of 5,000 numbers"):
        custom.source_of(notebook.Mine)
    notebook = cell(CELL.replace("FACTOR = 2", "FACTOR = 'a' * 20_000"))
    with pytest.raises(InputError, match=r"'FACTOR' has more than 10,000 characters"):
        custom.source_of(notebook.Mine)
    homeless = type("Homeless", (NMU,), {"name": "homeless", "__module__": "nowhere"})
    with pytest.raises(
        InputError, match=r"^The source of Homeless cannot be read, because no file"
    ):
        custom.source_of(homeless)


def test_a_module_that_was_edited_after_its_import_is_not_taken_for_the_class(
    tmp_path, monkeypatch
):
    file = tmp_path / "edited_module.py"
    code = "from nalm.units import NMU\nclass Mine(NMU):\n    def f(self):\n        return {}\n"
    file.write_text(code.format(1))
    monkeypatch.syspath_prepend(tmp_path)
    module = __import__("edited_module")
    assert "return 1" in gather(module.Mine).text
    file.write_text(code.format(22))
    linecache.clearcache()
    with pytest.raises(
        InputError, match=r"^The source of Mine cannot be read, because its file has"
    ):
        gather(module.Mine)


def test_a_text_that_cannot_be_executed_is_one_sentence():
    with pytest.raises(InputError, match=r"from its source alone: NameError: .*FILE\.py:CLASS"):
        custom.install("class A(Missing): pass")


def test_annotations_that_are_text_find_their_names():
    code = (
        "from __future__ import annotations\nfrom typing import Literal\n"
        "from nalm.units import NMU\nMode = Literal['a', 'b']\n"
        "class Mine(NMU):\n    name = 'mine'\n    mode: Mode = 'a'\n"
        "    def extra(self): return 1\n"
    )
    notebook = cell(code)
    text = custom.source_of(notebook.Mine).text
    assert text.startswith("from __future__ import annotations\n")
    digest = custom.install(text)
    cls = sys.modules[f"nalm_custom_{digest[:24]}"].Mine
    assert custom.find(digest, "Mine") is notebook.Mine
    assert np.ndim(cls(2, 1).exact("mul")["weight"]) == 2


@pytest.mark.parametrize(
    ("option", "cause"),
    [("-", "it was typed into standard input"), ("-c", "it was given to python -c")],
)
def test_a_class_that_was_never_in_a_file_says_so(option, cause):
    code = (
        "import sys\nfrom nalm._internal.gather import gather\nfrom nalm.units import NMU\n"
        "class Mine(NMU):\n    def extra(self):\n        return 1\n\n"
        "try:\n    print(gather(Mine).text)\nexcept ValueError as error:\n    print(error)\n"
    )
    command = [sys.executable, option, *([code] if option == "-c" else [])]
    said = subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout
    message = f"The source of Mine cannot be read, because {cause}. Put the class into a file.\n"
    assert said == message or said.startswith("from nalm")  # later Pythons keep the source
