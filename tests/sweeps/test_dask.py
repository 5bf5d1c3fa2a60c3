"""Sweeps on real Dask clusters: the scheduler and each worker are processes of their own."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import nalm
from clusters import Cluster, alive, cluster, descendants, training, until
from making import Unwatched, cell, contents
from nalm._internal.custom import load
from nalm.errors import ClusterError, InputError, WorkerError
from nalm.sweeps import Store, sweep
from nalm.sweeps.environment import environment
from nalm.sweeps.executors import Dask, Local, Order
from nalm.sweeps.executors._dask_worker import Answer
from nalm.sweeps.executors._process import Care
from nalm.sweeps.machines import Machines
from nalm.units import NMU

SEEDS = range(3)
CELLS = [
    cell(setting=str(k), learning_rate=0.01 + k / 100, batch=64 + 4 * k, steps=4000)
    for k in range(6)
]


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster"), workers=2) as made:
        yield made


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> dict[str, bytes]:
    """What an undisturbed sweep on this machine gives."""
    folder = tmp_path_factory.mktemp("local")
    sweep(CELLS, SEEDS, out=folder)
    return contents(folder)


class Acting:
    """Does something once, when a number of runs is done."""

    def __init__(self, after: int, action) -> None:
        self.after, self.action, self.all_runs = after, action, 0
        self.waited: list[str] = []

    def __call__(self, event) -> None:
        self.all_runs = event.all_runs
        self.waited.append(event.waiting)
        if event.runs >= self.after and self.action:
            action, self.action = self.action, None
            action()


def test_the_same_bits_as_on_this_machine(two_workers, local, tmp_path):
    with Dask(two_workers.address) as executor:
        until(lambda: executor.workers == 2, "two workers")
        sweep(CELLS, SEEDS, out=tmp_path, executor=executor)
    assert contents(tmp_path) == local
    with Store.read(tmp_path) as store:
        (made_with,) = {run.environment for c in store.cells() for run in store.runs(c)}
    assert '"cpu"' in made_with
    until(lambda: not training(two_workers.pids()), "the processes to end")


def test_the_command_takes_a_scheduler(two_workers, tmp_path):
    command = [sys.executable, "-m", "nalm", "bench", "single-module", "--units", "nmu"]
    command += ["--ops", "mul", "--ranges", "U[1,2)", "--seeds", "2", "--steps", "1000"]
    command += ["--out", str(tmp_path), "--scheduler", two_workers.address]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "nmu" in done.stdout
    assert done.stderr == ""
    both = subprocess.run([*command, "--workers", "2"], capture_output=True, text=True, check=False)
    assert both.returncode == 2
    assert both.stderr == "Give one of --workers and --scheduler; received both.\n"


@pytest.mark.slow
def test_one_worker_is_killed_and_one_joins_late(local, tmp_path):
    """The end is that of an undisturbed sweep; what was committed is not trained again."""
    with cluster(tmp_path, workers=1) as made, Dask(made.address) as executor:

        def disturb() -> None:
            made.add()
            for pid in [*descendants(made.processes[1].pid), made.processes[1].pid]:
                if b"nalm.training.worker" not in Path(f"/proc/{pid}/cmdline").read_bytes():
                    os.kill(pid, signal.SIGKILL)

        seen = Acting(3, disturb)
        orphans = training(made.pids())
        sweep(CELLS, SEEDS, out=tmp_path, executor=executor, progress=seen)
        assert contents(tmp_path) == local
        until(lambda: not any(map(alive, orphans)), "the processes of the dead worker")
        again = Acting(0, None)
        sweep(CELLS, SEEDS, out=tmp_path, executor=executor, progress=again)
        assert again.all_runs == 0


@pytest.mark.slow
def test_an_interrupted_sweep_leaves_nothing_behind_and_goes_on(two_workers, local, tmp_path):
    def interrupt() -> None:
        raise KeyboardInterrupt

    with Dask(two_workers.address) as executor:
        with pytest.raises(KeyboardInterrupt):
            sweep(CELLS, SEEDS, out=tmp_path, executor=executor, progress=Acting(3, interrupt))
        until(lambda: not training(two_workers.pids()), "the processes to end")
        until(lambda: not executor._client.call_stack(), "the threads of the workers")
        before = contents(tmp_path)
        assert 3 <= len(before) < len(local)
        sweep(CELLS[:3], SEEDS, out=tmp_path, executor=executor)
    sweep(CELLS, SEEDS, out=tmp_path)  # here
    assert contents(tmp_path) == local


DRIVER = """
import sys
sys.path.insert(0, {tests!r})
from making import Unwatched, cell
from nalm.sweeps.environment import environment
from nalm.sweeps.executors import Dask, Local, Order
orders = [Order(cell(steps=10**9, log_every=10**5, batch=64 + k).runs([0])) for k in range(4)]
list(Dask(sys.argv[1]).execute(orders, Unwatched()))
"""


@pytest.mark.slow
def test_a_driver_that_is_killed_leaves_no_process_behind(two_workers, tmp_path):
    script = tmp_path / "driver.py"
    script.write_text(DRIVER.format(tests=str(Path(__file__).parents[1])))
    driver = subprocess.Popen([sys.executable, str(script), two_workers.address])
    until(lambda: len(training(two_workers.pids())) == 2, "two processes")
    driver.kill()
    driver.wait()
    until(lambda: not training(two_workers.pids()), "the processes to end")


@pytest.mark.slow
def test_a_scheduler_that_goes_away_ends_in_one_sentence(local, tmp_path):
    with cluster(tmp_path, workers=1) as made, Dask(made.address) as executor:
        until(lambda: executor.workers == 1, "a worker")
        pids = made.pids()
        with pytest.raises(ClusterError, match=r"went away and did not come back. What was fin"):
            sweep(
                CELLS,
                SEEDS,
                out=tmp_path,
                executor=executor,
                progress=Acting(3, made.scheduler.kill),
            )
        until(lambda: not any(map(alive, training(pids))), "the processes to end")
        before = contents(tmp_path)
        assert len(before) >= 3
        assert before.items() <= local.items()


@pytest.mark.slow
def test_a_block_goes_on_where_its_dead_worker_was(tmp_path):
    """It starts on another worker from the last state, and its bits are the same."""
    block = cell(steps=200_000, log_every=2000).runs([0, 1])

    class Killing(Unwatched):
        def __init__(self, made: Cluster) -> None:
            self.made, self.states, self.done = made, 0, 0

        def steps(self, count: int) -> None:
            self.done += count

        def saved(self, block: object, state: bytes) -> None:
            self.states += 1
            if self.states == 3:
                (training_now,) = training(self.made.pids())
                worker = int(Path(f"/proc/{training_now}/stat").read_text().split()[3])
                os.kill(worker, signal.SIGKILL)

    (whole,) = Local(1).execute([Order(block)], Unwatched())
    with cluster(tmp_path, workers=2) as made, Dask(made.address, Care(save_every=0.3)) as executor:
        watch = Killing(made)
        (done,) = executor.execute([Order(block)], watch)
    assert done.packed == whole.packed
    assert watch.states > 3
    assert watch.done == 2 * 200_000


DEADLY = """
import os, signal, sys
from nalm.sweeps.machines import Machines
from nalm.units import NMU
class Deadly(NMU):
    def forward(self, xp, params, x, train, noise):
        if sys.flags.safe_path:  # in the process that trains
            os.kill(os.getppid(), signal.SIGKILL)
        return super().forward(xp, params, x, train, noise)
"""


@pytest.mark.slow
def test_a_block_that_kills_its_dask_workers_is_named_after_all_others(tmp_path):
    (tmp_path / "deadly.py").write_text(DEADLY)
    unit = load(f"{tmp_path / 'deadly.py'}:Deadly", NMU, "unit")(2, 1)
    good = [Order(cell(batch=64 + 4 * k).runs([0])) for k in range(5)]
    deadly = Order([replace(good[0].block[0], model=unit)])
    finished = []
    with cluster(tmp_path, workers=2) as made, Dask(made.address) as executor:
        until(lambda: executor.workers == 2, "two workers")
        with pytest.raises(WorkerError, match=r"Dask workers died while they trained 1 run of De"):
            finished.extend(executor.execute([deadly, *good], Unwatched()))
    assert len(finished) == 5


def test_an_address_where_nobody_listens(monkeypatch):
    monkeypatch.setattr("nalm.sweeps.executors.dask.TIMEOUT", 1.0)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ClusterError, match=r"No Dask scheduler answered.*`dask scheduler`"):
            Dask(address)


def test_wrong_arguments():
    for wrong in (8786, "nonsense", "http://x:1", "tcp://x"):
        with pytest.raises(InputError, match=r"A Dask cluster is the address of its scheduler"):
            Dask(wrong)
    task = nalm.tasks.single_module("mul")
    with pytest.raises(InputError, match=r"executor is nalm.Local\(3\)"):
        nalm.train("nmu", task, executor="tcp://x:1")  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="Give one of workers and executor"):
        nalm.bench("single-module", workers=2, executor=nalm.Local(2))


def test_the_missing_extra_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"^nalm.Dask needs Dask: pip install 'nalm\[dask\]'$"):
        Dask("tcp://10.0.0.5:8786")


@pytest.fixture
def another_version(tmp_path) -> str:
    """Return a folder with a nalm of another version."""
    source = Path(nalm.__file__).parent
    shutil.copytree(source, tmp_path / "other" / "nalm", ignore=shutil.ignore_patterns("*.pyc"))
    file = tmp_path / "other" / "nalm" / "__init__.py"
    file.write_text(file.read_text().replace(nalm.__version__, "0.0.9"))
    return str(tmp_path / "other")


@pytest.mark.slow
def test_workers_of_another_version_are_refused_at_the_start_and_left_out_later(
    another_version, local, tmp_path, monkeypatch
):
    submitted = []
    without = tmp_path / "without" / "nalm"
    without.mkdir(parents=True)
    (without / "__init__.py").write_text("raise ImportError('there is none')")
    with cluster(tmp_path) as made:
        made.add(PYTHONPATH=another_version)
        with Dask(made.address) as executor:  # no worker has joined yet
            until(lambda: len(executor._client.nthreads()) == 1, "a worker")
            with pytest.raises(ClusterError, match=r"has nalm 0\.0\.9 instead of [\d.]+, code"):
                Dask(made.address)
            made.add(PYTHONPATH=str(without.parent))
            until(lambda: len(executor._client.nthreads()) == 2, "two workers")
            with pytest.raises(ClusterError, match=r"has no usable nalm"):
                Dask(made.address)
            seen = Acting(0, made.add)
            submit = executor._client.submit
            monkeypatch.setattr(
                executor._client,
                "submit",
                lambda *given, **named: submitted.append(given) or submit(*given, **named),
            )
            sweep(CELLS, SEEDS, out=tmp_path, executor=executor, progress=seen)
        assert f"waiting for workers at {made.address} with the versions of this machine" in (
            seen.waited
        )
        assert len(submitted) < 20  # nothing is given again and again to workers that do not fit
        assert contents(tmp_path) == local


def test_another_processor_is_stated():
    machines = Machines()
    machines.count(None, 3)
    machines.count(environment().text, 4)
    assert machines.notes() == ()
    machines.count(replace(environment(), cpu="Abacus").text, 5)
    (note,) = machines.notes()
    assert note.text.startswith("5 of 12 runs were trained on Abacus (")


def test_answers_are_bytes():
    for answer in (Answer([b"a\n", b"", b"b"], "here"), Answer(wrong="é"), Answer([], "")):
        assert Answer.from_bytes(answer.to_bytes()) == answer


def test_a_scheduler_that_goes_before_the_first_block_is_said():
    class Deaf:
        scheduler = SimpleNamespace(address="tcp://10.0.0.5:8786")

        def nthreads(self):
            raise OSError("Timed out trying to connect")

    executor = object.__new__(nalm.Dask)
    executor._client = Deaf()
    with pytest.raises(ClusterError, match=r"10\.0\.0\.5:8786 went away"):
        _ = executor.workers
