"""Worker processes: one that dies, stops or hangs costs a little time and no result."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from making import BlockUnwatched, cell
from nalm.sweeps.executors import Order
from nalm.sweeps.executors._process import Care, WorkerProcess, request
from nalm.sweeps.executors._steady import SteadyWorker
from nalm.training.run import Run

OFTEN = Care(save_every=0.0)


class Disturbing(BlockUnwatched):
    """Sends a signal to a worker process at the first states it saves; counts steps."""

    def __init__(self, worker: SteadyWorker, what: signal.Signals, times: int) -> None:
        self.worker, self.what, self.times = worker, what, times
        self.done = self.states = 0

    def steps(self, count: int) -> None:
        self.done += count

    def saved(self, state: bytes) -> None:
        self.states += 1
        if self.times:
            self.times -= 1
            process = self.worker._process
            assert process
            process._process.send_signal(self.what)


@pytest.fixture(scope="module")
def undisturbed() -> list[bytes]:
    worker = WorkerProcess()
    try:
        return worker.train(request(Order(block())), BlockUnwatched())
    finally:
        worker.close()


def block() -> list[Run]:
    return cell(steps=3000, log_every=500).runs([0, 1, 2])


@pytest.mark.parametrize(
    ("what", "times"), [(signal.SIGKILL, 2), (signal.SIGSTOP, 1)], ids=["killed", "stopped"]
)
def test_a_worker_that_dies_or_stops_is_replaced(undisturbed, what, times):
    worker = SteadyWorker(Care(save_every=0.0, silence=4.0))
    watch = Disturbing(worker, what, times)
    try:
        assert worker.train(request(Order(block())), watch) == undisturbed
    finally:
        worker.close()
    assert watch.done == 3 * 3000
    assert watch.times == 0
    assert watch.states < 2 * 5  # it went on from its state


def test_a_saved_state_goes_back_into_another_process(undisturbed):
    states: list[bytes] = []

    class Keeping(BlockUnwatched):
        def saved(self, state: bytes) -> None:
            states.append(state)

    first = WorkerProcess(OFTEN)
    assert first.train(request(Order(block())), Keeping()) == undisturbed
    first.close()
    before = list(states)
    assert len(before) == 5
    second = WorkerProcess(OFTEN)
    assert second.train(request(Order(block(), before[2])), Keeping()) == undisturbed
    assert states[5:] == before[3:]
    assert second.train(request(Order(block(), before[2][:-1])), Keeping()) == undisturbed
    assert states[7:] == before
    second.close()


ASLEEP = """
import sys, threading, time
from nalm.sweeps.executors._silence import Silence
silence = Silence(1.0, lambda: None)
def beat():
    while True:
        time.sleep(0.5)
        silence.heard(None)
threading.Thread(target=beat, daemon=True).start()
with silence.noticed():
    print("ready", flush=True)
    sys.stdin.readline()
    time.sleep(1)
sys.exit(silence.broken)
"""


def test_a_machine_that_sleeps_is_not_mistaken_for_a_worker_that_hangs():
    asleep = subprocess.Popen(
        [sys.executable, "-c", ASLEEP], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert asleep.stdout
    asleep.stdout.readline()
    asleep.send_signal(signal.SIGSTOP)
    time.sleep(3)
    asleep.send_signal(signal.SIGCONT)
    asleep.communicate(b"\n")
    assert asleep.returncode == 0


def test_a_worker_ends_when_nobody_listens():
    """A driver that was killed leaves no worker behind, not even in a long span of training."""
    script = (
        "import os, signal, sys; sys.path.insert(0, sys.argv[1])\n"
        "from making import BlockUnwatched, cell\n"
        "from nalm.sweeps.executors import Order\n"
        "from nalm.sweeps.executors._process import WorkerProcess, request\n"
        "worker = WorkerProcess()\n"
        "print(worker._process.pid, flush=True)\n"
        "order = Order(cell(steps=10**8, log_every=10**8).runs([0]))\n"
        "worker.train(request(order), BlockUnwatched())\n"
    )
    here = str(Path(__file__).parents[1])
    with subprocess.Popen([sys.executable, "-c", script, here], stdout=subprocess.PIPE) as driver:
        assert driver.stdout
        pid = int(driver.stdout.readline())
        time.sleep(4)
        driver.kill()
    for _ in range(200):
        if not alive(pid):
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("The worker goes on.")


def alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def test_variables_of_jax_do_not_reach_workers(monkeypatch, undisturbed):
    for name, value in {
        "JAX_DISABLE_JIT": "1",
        "JAX_DEBUG_NANS": "1",
        "JAX_PLATFORMS": "tpu",
        "JAX_ENABLE_X64": "1",
        "JAX_DEFAULT_MATMUL_PRECISION": "bfloat16",
        "XLA_FLAGS": "--nonsense",
        "PYTHONWARNINGS": "error",
    }.items():
        monkeypatch.setenv(name, value)
    worker = WorkerProcess()
    assert worker.train(request(Order(block())), BlockUnwatched()) == undisturbed
    worker.close()
