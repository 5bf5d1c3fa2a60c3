"""The command line, run as a user runs it."""

import json
import subprocess
import sys
from importlib.metadata import version

import nalm
from nalm.units import REGISTRY


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nalm", *arguments], capture_output=True, text=True, check=False
    )


def test_units_lists_every_unit():
    result = run("units")
    assert result.returncode == 0
    for name in REGISTRY:
        assert f"\n{name} " in result.stdout
    assert "madsen2020" in result.stdout


def test_units_as_json():
    rows = json.loads(run("units", "--json").stdout)
    assert [row["name"] for row in rows] == sorted(REGISTRY)
    nmu = next(row for row in rows if row["name"] == "nmu")
    assert nmu["operations"] == ["mul"]
    assert nmu["parameters"] == {"weight": [1, 2]}
    assert nmu["papers"] == ["madsen2020"]


def test_worked_examples_stand_beside_what_is_printed():
    rows = json.loads(run("worked-examples", "--json").stdout)
    assert all(row["agrees"] for row in rows)
    assert {"table 6.1", "table 6.2", "figure 1.4"} <= {row["table"] for row in rows}
    table = run("worked-examples").stdout
    assert table.count("agrees") == len(rows)


def test_experiments_says_everything_about_one():
    result = run("experiments", "division-losses")
    assert result.returncode == 0
    for piece in ("PCC-MSE", "real_npu modified", "mistry2023", "nalm bench division-losses"):
        assert piece in result.stdout
    assert "Time: about" in result.stdout
    details = json.loads(run("experiments", "gating", "--json").stdout)
    assert details["seeds"] == 100
    wrong = run("experiments", "gatng")
    assert wrong.returncode == 2
    assert "Did you mean 'gating'" in wrong.stderr


def test_a_folder_that_cannot_be_written_is_said_plainly(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("bench", "identity", "--out", str(tmp_path / "file" / "results"))
    assert result.returncode == 2
    assert "Results go into a folder that can be written" in result.stderr
    assert "--out" in result.stderr
    assert "Traceback" not in result.stderr


def test_wrong_usage_suggests_and_exits_with_2():
    result = run("unts")
    assert result.returncode == 2
    assert 'Did you mean "units"' in result.stderr + result.stdout
    assert run("units", "--jsn").returncode == 2


def test_version_is_that_of_the_package():
    assert run("--version").stdout.strip() == nalm.__version__ == version("nalm")


def loaded_by(code: str) -> set[str]:
    script = f"import sys\n{code}\nprint(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(result.stdout.split())


HEAVY = {"jax", "torch", "sympy", "scipy", "sklearn", "numpy"}


def test_importing_nalm_imports_nothing_heavy():
    assert not loaded_by("import nalm") & HEAVY


def test_help_imports_nothing_heavy():
    code = """
import nalm.__main__
sys.argv = ["nalm", "--help"]
try:
    nalm.__main__.main()
except SystemExit:
    pass
"""
    assert not loaded_by(code) & HEAVY


def test_units_need_neither_jax_nor_torch():
    code = """
import nalm, numpy
unit = nalm.unit("real_npu", 2, 1)
unit(unit.exact("div"), numpy.array([1.0, 2.0]))
"""
    assert not loaded_by(code) & {"jax", "torch", "sympy"}


def test_missing_command_line_packages_are_named():
    code = """
import sys
sys.modules["cyclopts"] = None
import nalm.__main__
nalm.__main__.main()
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "pip install 'nalm[cli]'" in result.stderr
