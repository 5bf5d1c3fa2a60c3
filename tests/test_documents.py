"""The documents: their examples run, they name what is public, they name no machine."""

import io
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path
from textwrap import dedent

import pytest

import nalm
from nalm.units import REGISTRY

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    ROOT / "README.md",
    *sorted(p for p in (ROOT / "docs").rglob("*.md") if not {"generated", "_build"} & set(p.parts)),
]


def blocks(path: Path) -> list[tuple[str, str]]:
    """Return each Python example with the output that the document shows for it."""
    pattern = r"```python\n(.*?)```(?:\s*```text\n(.*?)```)?"
    found = re.findall(pattern, path.read_text(encoding="utf-8"), re.DOTALL)
    return [(dedent(code), dedent(output)) for code, output in found]


EXAMPLES = [
    pytest.param(code, output, id=f"{path.name}-{i}")
    for path in DOCUMENTS
    for i, (code, output) in enumerate(blocks(path))
]


@pytest.mark.parametrize(("code", "output"), EXAMPLES)
def test_examples_print_what_they_show(code, output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(code, "example", "exec"), {"__name__": "example"})
    assert printed.getvalue().strip() == output.strip()


def test_the_readme_has_examples_and_the_two_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(blocks(ROOT / "README.md")) >= 3
    assert "make demo" in text
    assert "make test" in text


def test_everything_public_is_documented():
    text = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    classes = {cls.__name__ for cls in REGISTRY.values()}
    for name in nalm.__all__:
        assert f"`nalm.{name}" in text, f"{name} is exported but not in docs/api.md"
        assert getattr(nalm, name).__doc__, f"{name} has no docstring"
    text = (ROOT / "docs" / "pytorch.md").read_text(encoding="utf-8")
    for name in nalm.torch.__all__:
        if name not in classes:  # the layers of units have the table of units
            assert f"`nalm.torch.{name}" in text, name


def test_the_table_of_units_is_that_of_the_registry():
    text = (ROOT / "docs" / "units.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", text, re.MULTILINE))
    assert len(rows) >= 24
    assert rows == {name: REGISTRY[name].__name__ for name in rows}


def test_every_unit_file_says_its_equation_and_reference():
    for cls in REGISTRY.values():
        document = sys.modules[cls.__module__].__doc__ or ""
        assert ".. math::" in document, cls
        assert "Exact" in document or "exact" in document, cls
        assert "Reference" in document or not cls.papers, cls


def test_the_contributing_skeleton_is_a_working_unit(tmp_path):
    """A newcomer copies the skeleton, adds one line to the registry, and the common suite runs."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (skeleton,) = re.findall(r"```python\n(# src/nalm/units/.*?)```", text, re.DOTALL)
    namespace: dict = {"__name__": "skeleton"}
    exec(compile(skeleton, "skeleton", "exec"), namespace)
    from nalm.units import Unit

    (cls,) = [
        v
        for v in namespace.values()
        if isinstance(v, type) and issubclass(v, Unit) and v.__module__ == "skeleton"
    ]
    unit = cls(3, 2)
    for op in unit.ops:
        assert unit.formula(unit.exact(op))


def test_the_wheel_has_the_whole_package(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    from zipfile import ZipFile

    (wheel,) = tmp_path.glob("*.whl")
    names = set(ZipFile(wheel).namelist())
    source = ROOT / "src"
    expected = {
        str(path.relative_to(source))
        for path in (source / "nalm").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert expected <= names
    assert {"nalm/py.typed", "nalm/units/references.bib"} <= names


def test_versions_agree():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"version: {nalm.__version__}" in text
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heading = rf"^## \[{re.escape(nalm.__version__)}\] - \d{{4}}-\d\d-\d\d$"
    assert re.search(heading, changes, re.MULTILINE)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)$", changes, re.MULTILINE)) <= kinds
