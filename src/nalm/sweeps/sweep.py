"""Plan, train, store, judge: the same call continues where it stopped."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from nalm._internal.progress import SweepWatch, Watcher, watching
from nalm.errors import InputError
from nalm.sweeps import statistics
from nalm.sweeps.cell import Cell
from nalm.sweeps.collecting import Collected
from nalm.sweeps.duration import block_count, longest_first, seconds
from nalm.sweeps.executors import Block, Executor, Local, Order, started
from nalm.sweeps.machines import Machines
from nalm.sweeps.runs import CellRuns
from nalm.sweeps.seeds import MOST
from nalm.sweeps.store import Store
from nalm.sweeps.store.rows import RunKey
from nalm.training.run import Run


def sweep(
    cells: Sequence[Cell],
    seeds: Sequence[int],
    *,
    experiment: str = "",
    out: str | Path | None = None,
    executor: Executor | None = None,
    progress: bool | Watcher | None = None,
) -> list[CellRuns]:
    """Train the runs that the folder does not have yet, and return all of them, judged.

    Parameters
    ----------
    cells
        What is trained; their keys differ.
    seeds
        The seeds of each cell.
    experiment
        The name under which the cells are stored.
    out
        The folder for results; in memory if absent.
    executor
        Where blocks are trained; processes on this machine if absent.
    progress
        True for a display, or a function that receives `SweepProgress` events.
    """
    if not cells:
        raise InputError("A sweep has at least one cell; the selection left none. Select more.")
    if len({cell.key for cell in cells}) < len(cells):
        raise InputError("The cells of a sweep have different keys. Give them different settings.")
    if len(cells) * len(seeds) > MOST:
        raise InputError(
            f"A sweep has at most {MOST:,} runs; {len(cells):,} cells with {len(seeds):,} seeds "
            f"have {len(cells) * len(seeds):,}. Choose fewer seeds, or fewer cells."
        )
    for cell in cells:
        cell.runs([max(seeds)])  # a task may have so many seeds only
    for task in {cell.task for cell in cells}:
        task.prepare(shown=bool(progress))
    executor = executor or Local()
    store = Store.in_memory() if out is None else Store(out)
    new = not store.finished() and not any(cell.task.trainer for cell in cells)
    blocks = block_count((cell.runs(seeds[:1])[0], len(seeds)) for cell in cells) if new else 0
    with store, watching(progress) as watch, started(executor, blocks):
        statistics.load()  # beside the workers, which load the engine
        collected = Collected(store, experiment, cells, seeds)
        missing = collected.missing()
        expected = seconds(((runs[0], len(runs)) for runs in missing.values()), executor.workers)
        steps = sum(len(runs) * runs[0].recipe.steps for runs in missing.values())
        count = sum(map(len, missing.values()))
        counted = SweepWatch(watch, count, steps, expected)
        known = _Known(missing)
        machines = Machines()
        kept = _Watch(counted, known, store)
        with closing(executor.execute(_orders(missing, collected), kept)) as finished:
            for block, packed, made_with in finished:
                runs = known.keys(block)
                store.add(runs, packed, made_with)
                machines.count(made_with, len(block))
                solved = collected.take(runs, packed)
                counted.add(runs=len(block), solved=solved)
        collected.note(machines.notes())
        return collected.cells()


def _orders(missing: dict[int, list[Run]], collected: Collected) -> list[Order]:
    """Return the blocks of all missing runs: those that were on their way, then the longest."""
    by_key = {RunKey(setup, run.seed): run for setup, runs in missing.items() for run in runs}
    orders = [
        Order([by_key.pop(key) for key in saved.runs], saved.state)
        for saved in collected.saved_blocks()
        if all(key in by_key for key in saved.runs)
    ]
    return orders + [Order(block) for block in longest_first(list(by_key.values()))]


class _Known:
    """Which run of a store a run of a block is."""

    def __init__(self, missing: dict[int, list[Run]]) -> None:
        self._setups = {
            (runs[0].model, runs[0].task, runs[0].recipe): setup for setup, runs in missing.items()
        }

    def keys(self, block: Block) -> list[RunKey]:
        """Return the runs of a block as the store knows them."""
        return [RunKey(self._setups[run.model, run.task, run.recipe], run.seed) for run in block]


class _Watch:
    """What happens to blocks on the way: steps are counted, states are kept."""

    def __init__(self, counted: SweepWatch, known: _Known, store: Store) -> None:
        self._counted, self._known, self._store = counted, known, store

    def steps(self, count: int) -> None:
        """Count steps that were done."""
        self._counted.add(steps=count)

    def saved(self, block: Block, state: bytes) -> None:
        """Keep the state of a block."""
        self._store.saved.keep(self._known.keys(block), state)

    def waiting(self, reason: str) -> None:
        """Show what is waited for."""
        self._counted.wait(reason)
