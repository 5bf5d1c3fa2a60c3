"""`nalm fit`, run as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import nalm
from nalm.fitting.law_file import load_laws

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
    assert "'period_years'. Change it with --target.\n" in result.stderr
    law = nalm.Law.load(path)
    assert law.names == ("distance_au", "star_mass", "companion_mass")
    np.testing.assert_allclose(law.predict(np.array([[4.0, 1.0, 3.0]])), 4.0)


def test_latex():
    result = run(str(EXAMPLE), "--target", "period_years", "--latex")
    assert result.stdout.startswith(r"\text{period\_years} = \sqrt{\frac{\text{distance\_au}^{3}}")


def test_not_found_is_said_and_exits_with_1():
    x = table(60)
    text = as_csv("a,b,y", x, np.random.default_rng(1).normal(size=60))
    result = run("-", "--max-time", "0.5", given=text)
    assert result.returncode == 1
    assert result.stdout.startswith("Not found: ")
    assert "Best approximation, not verified:\n\ny = " in result.stdout
    assert "of the spread of the target" in result.stdout
    as_json = run("-", "--max-time", "0.5", "--json", given=text)
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
        ([str(EXAMPLE), "--start", "no.json"], "There is no file 'no.json'."),
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
from nalm.fitting.search import search

def enough(self, stage):
    os.kill(os.getpid(), signal.SIGINT)

search.Search._enough = enough
sys.argv = ["nalm", "fit", *sys.argv[1:]]
import nalm.__main__
nalm.__main__.main()
"""


def test_interrupted_it_prints_the_best_so_far(tmp_path):
    x = table(60)
    path = tmp_path / "table.csv"
    path.write_text(as_csv("a,b,y", x, np.tanh(x[:, 0]) * x[:, 1]))
    result = subprocess.run(
        [sys.executable, "-c", SLOW, str(path)], capture_output=True, text=True, check=False
    )
    assert result.returncode == 130
    assert result.stdout.startswith("Not found: the search was interrupted.\n")
    assert "Best approximation, not verified:\n\ny = " in result.stdout
    assert "Traceback" not in result.stderr


def test_several_targets_get_a_law_each(tmp_path):
    x = table(60)
    text = as_csv("a,b,p,q", x, x[:, 0] * x[:, 1], x[:, 0] / x[:, 1])
    result = run("-", "--target", "p,q", given=text)
    assert result.returncode == 0
    assert result.stdout.startswith("p = a*b\n")
    assert "\n\nq = a/b\n" in result.stdout
    path = tmp_path / "laws.json"
    records = json.loads(
        run("-", "--target", "p,q", "--json", "--save", str(path), given=text).stdout
    )
    assert [record["formula"] for record in records] == ["a*b", "a/b"]
    assert [law.target for law in load_laws(path)] == ["p", "q"]


def test_a_form_with_units_and_a_start(tmp_path):
    x = table(60)
    text = as_csv("mass [kg],v [m/s],E [J]", x, 0.5 * x[:, 0] * x[:, 1] ** 2)
    found = run("-", "--units", "header", "--save", str(tmp_path / "law.json"), given=text)
    assert found.stdout.startswith("`E [J]` = `mass [kg]`*`v [m/s]`**2/2\n")
    formed = run("-", "--form", "k*`mass [kg]`*`v [m/s]`**n", "--json", given=text)
    constants = {c["name"]: c["value"] for c in json.loads(formed.stdout)["constants"]}
    assert constants == {"k": 0.5, "n": 2.0}
    again = run("-", "--start", str(tmp_path / "law.json"), given=text)
    assert again.returncode == 0
    wrong = run("-", "--units", "mass [kg]=kg,E [J]", given=text)
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "pairs such as mass=kg,force=N; received 'E [J]'" in wrong.stderr


def test_several_targets_with_units_a_page_and_a_start(tmp_path):
    x = table(40)
    momentum = x[:, 0] * x[:, 1]
    text = as_csv("m,v,p,e", *x.T, momentum, momentum * x[:, 1] / 2)
    units, saved = "m=kg,v=m/s,p=kg*m/s,e=J", str(tmp_path / "laws.json")
    found = run("-", "--target", "p,e", "--units", units, "--save", saved, given=text)
    assert found.stdout.startswith("p = m*v\n")
    assert "\n\ne = m*v**2/2\n" in found.stdout
    assert [law.target for law in nalm.ArithmeticRegressor.load(saved).laws_] == ["p", "e"]
    again = run("-", "--target", "e", "--features", "m,v", "--start", saved, given=text)
    assert again.stdout.startswith("e = m*v**2/2\n")
    page = run("-", "--target", "p,e", "--report", str(tmp_path / "r.html"), given="m,p,e\n")
    assert "--report writes a page about one target; received 2." in page.stderr


def test_forms_and_units_may_name_a_constant_column():
    x = table(40)
    text = as_csv("m,h,g,E", *x.T, np.full(40, 9.81), 9.81 * x[:, 0] * x[:, 1])
    formed = json.loads(run("-", "--form", "k*m*g*h", "--json", given=text).stdout)
    assert {c["name"]: c["value"] for c in formed["constants"]} == {"k": 1.0}
    units = "m=kg,h=m,g=m/s**2,E=J"
    found = run("-", "--units", units, "--max-time", "5", given=text)
    assert found.stdout.startswith("E = 9.81*m*h\n")
    assert "the rows say nothing about them: 'g'." in found.stderr


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


def test_code_is_printed_alone():
    result = run(str(EXAMPLE), "--target", "period_years", "--code", "numpy")
    space: dict = {}
    exec(result.stdout, space)
    assert space["period_years"](distance_au=4.0, star_mass=1.0, companion_mass=3.0) == 4.0
    sheet = run(str(EXAMPLE), "--target", "period_years", "--code", "excel")
    assert sheet.stdout == "=SQRT(A2^3/(B2+C2))\n"
    assert "A2 is 'distance_au', B2 is 'star_mass'" in sheet.stderr
    wrong = run(str(EXAMPLE), "--code", "fortran")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "There is no language 'fortran'." in wrong.stderr


def test_outliers_are_listed_and_errors_of_rows_are_a_column():
    x, sigma = table(80), np.full(80, 0.1)
    y = x[:, 0] * x[:, 1]
    y[9] = 50.0
    text = as_csv("a,b,error,y", *x.T, sigma, y)
    result = run("-", "--sigma", "error", given=text)
    assert result.returncode == 0
    assert result.stdout.startswith("y = a*b\n\nVerified, exact")
    assert "1 row is an outlier." in result.stdout
    assert " 10     50 " in result.stdout
    refused = run("-", "--sigma", "error", given=text.replace(",0.1,", ",0.0,", 1))
    assert refused.returncode == 2
    assert "a finite number above 0; received 0 in row 1" in refused.stderr


def test_rows_have_their_numbers_of_the_file():
    x = table(80)
    y = x[:, 0] * x[:, 1]
    y[9] = 50.0
    lines = as_csv("a,b,y", *x.T, y).splitlines()
    lines[3:3] = ["1.5,,2", "", "NA,1,2"]
    result = run("-", "--drop-missing", "--functions", "arithmetic", given="\n".join(lines))
    assert "the header is not counted" in result.stdout
    assert " 12     50 " in result.stdout
