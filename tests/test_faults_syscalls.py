"""Errors and kills in the system calls of the store: a few of the campaign in benchmarks/faults."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="faults are injected by strace")
def test_no_call_that_fails_costs_a_run_or_a_store():
    command = [sys.executable, "-m", "benchmarks.faults.syscalls", "--every", "30"]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if "right to ptrace" in done.stderr:
        pytest.skip("a container may forbid to trace processes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "'killed'" in done.stdout
    assert "'refused in a sentence'" in done.stdout
    assert "\n0 faults" in done.stdout
