"""Wheel and sdist are built, installed into an empty environment, and used from there."""

import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

import nalm
from test_documents import blocks

ROOT = Path(__file__).parents[1]


def built(kind: str, source: Path, folder: Path) -> Path:
    """Return the file that the build backend makes of a source tree."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(folder)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    return built("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def python(wheel, tmp_path_factory) -> Path:
    """The interpreter of an environment that has the wheel, and sees our dependencies only."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    interpreter = home / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(interpreter), "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True, capture_output=True)
    # A path in a .pth file is not itself searched for .pth files, so our editable nalm stays out.
    (packages,) = home.glob("lib/python*/site-packages")
    ours = Path(np.__file__).parents[1]
    (packages / "dependencies.pth").write_text(str(ours), encoding="utf-8")
    return interpreter


def run(*command: object, cwd: Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_installed_wheel_is_what_is_imported(python, tmp_path):
    where = run(python, "-c", "import nalm; print(nalm.__version__, nalm.__file__)", cwd=tmp_path)
    version, file = where.split()
    assert version == nalm.__version__
    assert Path(file).is_relative_to(python.parents[1])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("code", "output"), blocks(ROOT / "README.md"), ids=["fit", "torch", "train"]
)
def test_the_installed_wheel_runs_the_examples_of_the_readme(python, tmp_path, code, output):
    script = tmp_path / "example.py"
    script.write_text(code, encoding="utf-8")
    assert run(python, script, cwd=tmp_path).strip() == output.strip()


@pytest.mark.slow
def test_the_installed_command_runs(python, tmp_path):
    assert run(python.with_name("nalm"), "--version", cwd=tmp_path).strip() == nalm.__version__
    assert "nmu-landscape" in run(python.with_name("nalm"), "plot", cwd=tmp_path)


@pytest.mark.slow
def test_the_sdist_builds_the_same_wheel(wheel, tmp_path):
    with tarfile.open(built("sdist", ROOT, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    again = built("wheel", source, tmp_path / "wheel")
    assert again.name == wheel.name
    assert set(ZipFile(again).namelist()) == set(ZipFile(wheel).namelist())


def test_every_extra_of_a_framework_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = project["project"]["optional-dependencies"]
    tested = project["dependency-groups"]["test"]
    for name in ("equinox", "flax", "keras"):
        assert set(extras[name]) <= set(tested)
    assert project["project"]["version"] == nalm.__version__
