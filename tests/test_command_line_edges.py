"""The command line under odd circumstances: one sentence and an exit code, never a traceback."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

import nalm
from nalm._internal.files import write_whole
from nalm._internal.printable import printable

NALM = [sys.executable, "-m", "nalm"]
BENCH = ["bench", "single-module", "--units", "nmu", "--ops", "mul", "--ranges", "U[1,2)"]
BENCH += ["--seeds", "1", "--steps", "1000", "--out", "results"]
TABLE = "a,t\n1,2\n2,4\n3,6\n4,8\n5,10\n6,12\n"


def shell(
    command: str, folder: Path, data: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a line of shell, in which `$NALM` is the command."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        input=data,
        env=os.environ | {"NALM": " ".join(NALM)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


CASES = {
    "a file that is no Python": (
        "$NALM bench single-module --units /etc/passwd:X",
        2,
        "ends in .py; received '/etc/passwd'",
    ),
    "very many workers": ("$NALM bench identity --workers 9999999999", 2, "at most 10,000"),
    "absurdly many workers": (
        "$NALM bench single-module --workers 99999999999999999999",
        2,
        "whole number",
    ),
    "5,000 digits": (
        f"$NALM bench single-module --inputs {'9' * 5000}",
        2,
        "--inputs takes whole numbers",
    ),
    "5,000 digits of seeds": (
        f"$NALM bench single-module --seeds {'9' * 5000}",
        2,
        "--seeds takes whole numbers",
    ),
    "a full disk behind stdout": ("$NALM units > /dev/full", 2, "No space left on device"),
    "a full disk behind stderr": ("$NALM nothing 2> /dev/full", 2, ""),
    "closed stdout": ("$NALM units >&-", 0, ""),
    "closed stderr": ("$NALM nothing 2>&-", 2, ""),
    "everything closed": ("$NALM units <&- >&- 2>&-", 0, ""),
    "closed stdin": ("$NALM fit - <&-", 2, "the file is empty"),
    "a reader that has enough": ("$NALM units | head -n 1", 0, ""),
    "few open files": ("ulimit -n 6; $NALM units", 0, ""),
    "a long name": (f"$NALM fit - --save {'x' * 240}.json", 0, ""),
    "a name that is too long": (f"$NALM fit - --save {'x' * 300}", 2, "File name too long"),
    "a folder that is no folder": ("$NALM report /dev/null", 2, "dev/null"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence_and_an_exit_code(case, tmp_path):
    command, code, said = CASES[case]
    result = shell(command, tmp_path, TABLE if "--save" in command else "")
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr
    assert said in result.stderr
    assert len(result.stderr) < 1000
    if "--save" not in command or code:
        assert result.returncode == code, result.stderr


def test_too_few_open_files_for_a_sweep_are_said(tmp_path):
    result = shell(f"ulimit -n 7; $NALM {shlex.join(BENCH)}", tmp_path)
    assert "Traceback" not in result.stderr
    assert result.returncode in {0, 2}


def test_output_in_ascii_has_escapes(tmp_path):
    result = shell("$NALM units", tmp_path, PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert r"\u2192" in result.stdout


def test_a_container_without_a_home_trains_and_says_that_no_programs_are_kept(tmp_path):
    script = (
        "import pathlib\n"
        "def home(): raise RuntimeError('No home.')\n"
        "pathlib.Path.home = home\n"
        "from nalm.__main__ import main\n"
        "main()\n"
    )
    environment = {k: v for k, v in os.environ.items() if k not in {"HOME", "XDG_CACHE_HOME"}}
    result = subprocess.run(
        [sys.executable, "-c", script, *BENCH],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr.count("Note: Compiled programs are not kept: No home.") == 1
    assert "RuntimeWarning" not in result.stderr


HOSTILE = "a\x1b]0;owned\x07\x1b[31m\u202e"


@pytest.mark.parametrize(
    "arguments", [[], ["--latex"], ["--json"], ["--target", "x"], ["--features", "t"]], ids=str
)
def test_names_in_a_table_do_not_steer_the_terminal(arguments, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text(TABLE.replace("a,", f"{HOSTILE},"))
    command = [*NALM, "fit", str(file), *arguments]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    printed = result.stdout + result.stderr
    assert printed
    assert "Traceback" not in printed
    assert not set(printed) & set("\x1b\x07\u202e")


@pytest.mark.parametrize("command", ["bench", "experiments", "report", "fit", "nothing"])
def test_arguments_do_not_steer_the_terminal(command):
    words = [HOSTILE] if command == "nothing" else [command, HOSTILE]
    result = subprocess.run([*NALM, *words], capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert not set(result.stdout + result.stderr) & set("\x1b\x07\u202e")


def test_what_a_terminal_obeys_is_written_out():
    harmless = "".join(map(chr, range(32, 127))) + "é\n\tλ → ×"
    assert printable(harmless) == harmless
    assert printable("\r\x9b1m\x00\u2066\udcff") == r"\r\x9b1m\x00\u2066\udcff"


def test_a_fault_of_nalm_says_how_to_report_it_and_has_its_own_code(tmp_path):
    script = (
        "import nalm.cli.catalogue as c, sys\n"
        "def unit_rows(): raise KeyError('lost')\n"
        "c.unit_rows = unit_rows\n"
        "sys.argv = ['nalm', 'units']\n"
        "from nalm.__main__ import main\n"
        "main()\n"
    )
    for shown in ("0", "1"):
        result = subprocess.run(
            [sys.executable, "-c", script],
            env=os.environ | {"NALM_TRACEBACK": shown},
            capture_output=True,
            text=True,
            check=False,
        )
        assert result.returncode == 70
        assert (
            "This is a fault of nalm, not of yours: KeyError: 'lost'. Please report"
            in result.stderr
        )
        assert ("Traceback" in result.stderr) == (shown == "1")


@pytest.mark.parametrize("wait", [0.1, 0.3, 0.6])
def test_control_c_is_answered_from_the_start(wait, tmp_path):
    """Python itself has no answer before it runs the command, so this waits until it does."""
    script = "from nalm.__main__ import main; print(flush=True); main()"
    with subprocess.Popen(
        [sys.executable, "-c", script, *BENCH],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        process.stdout.readline()
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert "Traceback" not in said
    assert process.returncode == 130
    assert "Interrupted." in said


IN_A_CALLBACK = """
import os, signal, sys, time, weakref
import nalm.cli.catalogue as catalogue

class Gone: pass

def unit_rows():
    gone = Gone()
    seen = weakref.ref(gone, lambda _: os.kill(os.getpid(), signal.SIGINT))
    del gone  # Python drops the error that the callback raises
    time.sleep(600)

catalogue.unit_rows = unit_rows
sys.argv = ["nalm", "units"]
from nalm.__main__ import main
main()
"""


def test_control_c_is_answered_where_python_drops_errors():
    result = subprocess.run(
        [sys.executable, "-c", IN_A_CALLBACK],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert result.stderr == "Interrupted.\n"
    assert result.returncode == 130


KILLED = """
import os, signal, sys
from nalm._internal.files import write_whole
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
write_whole(sys.argv[1], b"new")
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files without a name are of Linux")
def test_a_kill_while_a_file_is_written_leaves_nothing(tmp_path):
    (tmp_path / "law.json").write_text("old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "law.json")], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert [file.name for file in tmp_path.iterdir()] == ["law.json"]
    assert (tmp_path / "law.json").read_text() == "old"
    write_whole(tmp_path / ("x" * 255), b"new")
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4"])
def test_small_kinds_of_numbers_are_taken(name):
    kind = np.dtype(getattr(ml_dtypes, name))
    X = np.array([[1, 2], [2, 3], [3, 1], [2, 2], [1, 1], [3, 3]])
    law = nalm.fit(X.astype(kind), X.sum(1).astype(kind))
    assert law.text() == "x1 + x2"
    regressor = nalm.ArithmeticRegressor().fit(X.astype(kind), X.sum(1).astype(kind))
    np.testing.assert_array_equal(regressor.predict(X.astype(kind)), X.sum(1))
    unit = nalm.unit("nmu", 2, 1)
    with pytest.raises(nalm.errors.InputError, match="floating-point numbers; received"):
        unit(unit.init(np.random.default_rng(0)), X.astype(kind))
