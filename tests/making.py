"""Small cells and curves for the tests of sweeps."""

from collections.abc import Generator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

import nalm
from nalm.sweeps import Cell, Store, runs
from nalm.sweeps.executors import Finished, Order, Watch
from nalm.sweeps.store.rows import RunKey
from nalm.sweeps.store.store import identity
from nalm.tasks import single_module
from nalm.training import Recipe
from nalm.training.packing import pack
from nalm.training.run import Curves

RECIPE = Recipe(0.01, steps=400, log_every=100, evaluation=200)


def cell(unit: str = "nmu", setting: str = "", **changes) -> Cell:
    recipe = replace(RECIPE, **changes)
    return Cell(unit, nalm.unit(unit, 2, 1), single_module("mul"), recipe, setting)


def curves_of(count: int = 5) -> Curves:
    falling = np.linspace(1.0, 0.0, count, dtype="float32")
    params = {"weight": np.ones((1, 2), "float32")}
    return Curves(
        steps=np.arange(count, dtype=np.int32) * 100,
        validation=falling,
        test=falling,
        sparsity=falling / 2,
        loss=falling,
        penalties={"discretise": falling},
        final=params,
        best=params,
        diverged_at=-1,
        reinitialised=np.array([], np.int32),
    )


def filled(folder: Path, seeds: Sequence[int] = range(3), finished: int = 2) -> None:
    """Plan a cell in a folder, and finish some of its runs."""
    with Store(folder) as store:
        (planned,) = store.plan("mine", [cell()], seeds)
        runs = [RunKey(planned.setup, seed) for seed in seeds[:finished]]
        store.add(runs, [pack([curves_of()])] * finished)


def contents(folder: Path) -> dict[str, bytes]:
    """Return the curves of every run in a folder, as they are stored."""
    found = {}
    with Store.read(folder) as store:
        for stored in store.cells():
            for run in store.runs(stored):
                assert run.packed is not None
                found[identity(stored.described, run.seed)] = run.packed
    return found


class Unwatched:
    """A watch of blocks that takes no notice."""

    def steps(self, count: int) -> None:
        """Ignore steps."""

    def saved(self, block: object, state: bytes) -> None:
        """Ignore a saved state."""

    def waiting(self, reason: str) -> None:
        """Ignore what is waited for."""


class BlockUnwatched:
    """The same for one block."""

    def steps(self, count: int) -> None:
        """Ignore steps."""

    def saved(self, state: bytes) -> None:
        """Ignore a saved state."""


class Prepared:
    """An executor that answers at once: the curves of a run follow from its seed."""

    workers = 1

    def __init__(self, saved: bytes | None = None):
        self.trained: list[int] = []
        """The seeds of the runs it was asked for."""
        self.orders: list[Order] = []
        self.saved = saved

    def execute(self, orders: Sequence[Order], watch: Watch) -> Generator[Finished, None, None]:
        """Yield every block; if it has a state to save, it saves that and ends instead."""
        self.orders += orders
        for order in orders:
            self.trained += [run.seed for run in order.block]
            if self.saved is not None:
                watch.saved(order.block, self.saved)
                raise KeyboardInterrupt
            watch.steps(sum(run.recipe.steps for run in order.block))
            yield Finished(order.block, [prepared(run.seed) for run in order.block])


def prepared(seed: int) -> bytes:
    """Return the curves of a run that is solved if its seed is even."""
    curves = curves_of()
    error = 0.0 if seed % 2 == 0 else 0.5 + seed
    return pack([replace(curves, test=curves.test + np.float32(error))])


def counted_judgements(monkeypatch) -> list[int]:
    """Return a list that gets a 1 for each run that is judged from now on."""
    found, judge = [], runs.judge

    def counting(*arguments, **options):
        found.append(1)
        return judge(*arguments, **options)

    monkeypatch.setattr(runs, "judge", counting)
    return found
