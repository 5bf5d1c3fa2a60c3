"""`nalm fit`, run as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nalm

EXAMPLE = Path(__file__).parents[2] / "examples" / "double_stars.csv"
LAW = "period_years = sqrt(distance_au**3/(star_mass + companion_mass))"


def run(*arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "nalm", "fit", *arguments],
        capture_output=True,
        text=True,
        check=False,
        input=given,
    )


def table(rows: int, columns: int = 2) -> np.ndarray:
    return np.random.default_rng(0).uniform(1, 3, (rows, columns))


def as_csv(header: str, *columns: np.ndarray) -> str:
    rows = np.column_stack(columns).tolist()
    return header + "\n" + "\n".join(",".join(map(repr, row)) for row in rows)


def test_the_shipped_table_gives_its_law():
    result = run(str(EXAMPLE), "--target", "period_years")
    assert result.returncode == 0
    assert result.stdout.startswith(LAW + "\n\nVerified, exact: all 6 held-out rows agree.\n")
    assert "Rows: 60, 6 of them hidden from the search." in result.stdout
    assert "Noise: none beyond rounding." in result.stdout
    assert "on the 6 outermost rows" in result.stdout
    assert result.stderr == ""


def test_json_from_standard_input_and_the_saved_formula(tmp_path):
    path = tmp_path / "law.json"
    result = run("-", "--json", "--save", str(path), given=EXAMPLE.read_text())
    assert result.returncode == 0
    found = json.loads(result.stdout)
    assert f"{found['target']} = {found['formula']}" == LAW
    assert (found["verified"], found["outcome"], found["held_out"]) == (True, "exact", 6)
    assert found["edge"]["outer_rows"] == 6
    assert found["notes"] == ["The target is the last column, 'period_years'."]
    assert "'period_years'. Use --target.\n" in result.stderr
    law = nalm.Law.load(path)
    assert law.names == ("distance_au", "star_mass", "companion_mass")
    np.testing.assert_allclose(law.predict(np.array([[4.0, 1.0, 3.0]])), 4.0)


def test_latex():
    result = run(str(EXAMPLE), "--target", "period_years", "--latex")
    assert result.stdout.startswith(r"\text{period\_years} = \sqrt{\frac{\text{distance\_au}^{3}}")


def test_not_found_is_said_and_exits_with_1():
    x = table(60)
    text = as_csv("a,b,y", x, np.random.default_rng(1).normal(size=60))
    result = run("-", "--max-time", "2", given=text)
    assert result.returncode == 1
    assert result.stdout.startswith("Not found: ")
    assert "Best approximation, not verified:\n\ny = " in result.stdout
    assert "of the spread of the target" in result.stdout
    as_json = run("-", "--max-time", "2", "--json", given=text)
    assert as_json.returncode == 1
    assert json.loads(as_json.stdout)["verified"] is False
    assert as_json.stderr.splitlines()[-1].startswith("Not found: ")


def test_missing_rows_are_said():
    x = table(60)
    text = as_csv("a,b,y", x, x[:, 0] * x[:, 1]) + "\n1.5,,2\n"
    refused = run("-", given=text)
    assert refused.returncode == 2
    assert "1 of 61 rows have missing values, the first in line 62, column 'b'" in refused.stderr
    assert refused.stderr.endswith("Use --drop-missing or --features.\n")
    result = run("-", "--drop-missing", given=text)
    assert result.returncode == 0
    assert result.stdout.startswith("y = a*b\n")
    assert "1 with missing values left out" in result.stdout


def test_some_columns_only():
    x = table(60)
    names = "a,name,b,y"
    rows = as_csv("", x[:, 0], x[:, 1], x[:, 0] / x[:, 1]).strip().split("\n")
    text = names + "\n" + "\n".join(row.replace(",", ",left,", 1) for row in rows)
    refused = run("-", given=text)
    assert "column 'name' has 'left' in line 2" in refused.stderr
    assert "Leave the column out. Use --features a,b." in refused.stderr
    assert run("-", "--features", "a,b", given=text).stdout.startswith("y = a/b\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no_such_file.csv"], "The table cannot be read: No such file"),
        (["."], "is a folder"),
        (["-"], "the file is empty"),
        ([str(EXAMPLE), "--target", "period_year"], "Did you mean 'period_years'?"),
        ([str(EXAMPLE), "--report", "no/such/folder/page.html"], "--report takes a file"),
        ([str(EXAMPLE), "--save", "."], "--save takes a file"),
        ([str(EXAMPLE), "--max-time", "0"], "max_time is a number of seconds above 0"),
        ([str(EXAMPLE), "--effort", "0"], "effort is a whole number"),
        ([str(EXAMPLE), "--random-state", "-1"], "random_state is a whole number of at least 0"),
    ],
)
def test_wrong_input_exits_with_2_and_no_traceback(arguments, message):
    result = run(*arguments, given="")
    assert result.returncode == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert result.stdout == ""


SLOW = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import nalm.fitting.findings
from nalm._internal.progress import SearchProgress

def find(data, settings, progress):
    progress(SearchProgress("one unit", 0.25, 1.0, "distance_au"))
    os.kill(os.getpid(), signal.SIGINT)

nalm.fitting.findings.find = find
sys.argv = ["nalm", "fit", sys.argv[1]]
import nalm.__main__
nalm.__main__.main()
"""


def test_interrupted_it_prints_the_best_so_far():
    result = subprocess.run(
        [sys.executable, "-c", SLOW, str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 130
    assert result.stdout == "Best so far: distance_au\nIts error: 0.25\n"
    assert "Interrupted; nothing was verified." in result.stderr
    assert "Traceback" not in result.stderr


def test_names_with_brackets_are_text_on_the_terminal(tmp_path):
    rows = "\n".join(f"{a},{b},{a * b}" for a in range(1, 8) for b in range(11, 17))
    path = tmp_path / "units.csv"
    path.write_text(f"rate [/s],:smile:,[bold]n[/]\n{rows}\n")
    result = run(str(path))
    assert result.returncode == 0
    assert "`[bold]n[/]` = `rate [/s]`*`:smile:`" in result.stdout


def test_json_and_latex_together_are_refused():
    result = run(str(EXAMPLE), "--json", "--latex")
    assert result.returncode == 2
    assert "--json has the LaTeX in it" in result.stderr
