"""What every executor does: the same bits, and a plain answer to whatever happens to a worker."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace

import pytest

from making import Unwatched, cell
from nalm._internal.custom import load
from nalm.errors import InputError, WorkerError
from nalm.sweeps.executors import EXECUTORS, Dask, Executor, Local, Order
from nalm.sweeps.executors._process import Care
from nalm.units import NMU

Make = Callable[..., Executor]


@pytest.fixture(scope="module")
def small_cluster():
    """A cluster in this process: one worker of one thread."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address=":0",
    ) as cluster:
        yield cluster


@pytest.fixture(params=EXECUTORS)
def make(request):
    """Return what makes an executor of one worker, with some care."""
    if request.param == "local":
        yield lambda care=None: Local(1, care)
        return
    made: list[Dask] = []

    def dask(care: Care | None = None) -> Dask:
        made.append(Dask(request.getfixturevalue("small_cluster"), care))
        return made[-1]

    yield dask
    for executor in made:
        executor.close()


DEADLY = """
import os
import signal
import sys
import threading

import nalm
from nalm.units import NMU


def in_worker():
    return sys.flags.safe_path


class Killing(NMU):
    def forward(self, xp, params, x, train, noise):
        if in_worker():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().forward(xp, params, x, train, noise)


class Hanging(NMU):
    def forward(self, xp, params, x, train, noise):
        if in_worker():
            threading.Event().wait()
        return super().forward(xp, params, x, train, noise)


class Failing(NMU):
    def forward(self, xp, params, x, train, noise):
        if in_worker():
            raise RuntimeError("it fails")
        return super().forward(xp, params, x, train, noise)


class Wrong(NMU):
    def forward(self, xp, params, x, train, noise):
        if in_worker():
            raise nalm.errors.InputError("An input is wrong; correct it.")
        return super().forward(xp, params, x, train, noise)
"""


@pytest.fixture
def deadly(tmp_path):
    """Return an order whose unit does something to its worker, by the name of the unit."""
    (tmp_path / "deadly.py").write_text(DEADLY)

    def order(name: str) -> Order:
        good = cell().runs([0])[0]
        unit = load(f"{tmp_path / 'deadly.py'}:{name}", NMU, "unit")(2, 1)
        return Order([replace(good, model=unit)])

    return order


class Counting(Unwatched):
    """Counts steps, and keeps the states of blocks."""

    def __init__(self) -> None:
        self.done, self.states = 0, {}

    def steps(self, count: int) -> None:
        self.done += count

    def saved(self, block: object, state: bytes) -> None:
        self.states[id(block)] = state


def test_blocks_are_trained_to_the_same_bits_and_counted(make):
    orders = [Order(cell(batch=batch, steps=800).runs([0, 7])) for batch in (64, 68, 72)]
    watch = Counting()
    executor = make()
    assert executor.workers == 1
    found = {id(done.block): done.packed for done in executor.execute(orders, watch)}
    assert watch.done == 3 * 2 * 800
    for done in Local(1).execute(orders, Unwatched()):
        assert found[id(done.block)] == done.packed


def test_a_block_goes_on_from_a_state_that_was_saved_on_the_way(make):
    block = cell(steps=30_000, log_every=1000).runs([0, 1])
    (whole,) = Local(1).execute([Order(block)], Unwatched())
    watch = Counting()
    with closing(make(Care(save_every=0.0)).execute([Order(block)], watch)) as finished:
        (done,) = finished
    assert done.packed == whole.packed
    (state,) = watch.states.values()
    (again,) = make().execute([Order(block, state)], watch)
    assert again.packed == whole.packed


def test_an_executor_that_is_closed_trains_no_longer(make):
    first, second = cell().runs([0]), cell(steps=10**7, log_every=10**6).runs([0])
    finished = make().execute([Order(first), Order(second)], Unwatched())
    assert next(finished).block == first
    finished.close()
    (done,) = make().execute([Order(first)], Unwatched())
    assert len(done.packed) == 1


@pytest.mark.slow
def test_a_block_that_kills_every_worker_is_named_after_all_others(make, deadly):
    good = [Order(cell(batch=batch).runs([0])) for batch in (64, 68)]
    finished: list[object] = []
    with pytest.raises(WorkerError, match=r"code -9 while it trained Killing.*fewer workers"):
        finished.extend(
            done.block for done in make().execute([deadly("Killing"), *good], Unwatched())
        )
    assert finished == [order.block for order in good]


@pytest.mark.slow
def test_nothing_more_is_tried_where_every_block_fails(make, deadly):
    with pytest.raises(WorkerError, match=r"^3 blocks ended their workers at every attempt"):
        list(make(Care(attempts=1)).execute([deadly("Killing")] * 100, Unwatched()))


@pytest.mark.slow
def test_a_worker_that_hangs_is_noticed(make, deadly):
    with pytest.raises(WorkerError, match="gave no sign of life while it trained Hanging"):
        list(make(Care(silence=5.0, attempts=1)).execute([deadly("Hanging")], Unwatched()))


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [("Failing", WorkerError, "Correct your class"), ("Wrong", InputError, "An input is wrong")],
)
def test_an_error_of_the_user_ends_the_sweep_at_once(make, deadly, name, error, said):
    orders = [deadly(name), *[Order(cell(batch=4 * b).runs([0])) for b in range(1, 100)]]
    with pytest.raises(error, match=said):
        list(make().execute(orders, Unwatched()))
