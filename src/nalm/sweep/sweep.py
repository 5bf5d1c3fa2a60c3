"""Plan, execute, store, judge: the same call continues where it stopped."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from nalm.engine.entry import Entry
from nalm.engine.plan import blocks
from nalm.engine.run import Curves
from nalm.errors import InputError
from nalm.networks.layers import has_sparsity_error
from nalm.stats import Outcome, Verdicts, judge
from nalm.store import Store, identity
from nalm.sweep.estimate import seconds
from nalm.sweep.local import cores, execute
from nalm.sweep.table import Table, rows_of
from nalm.tasks import label


class Progress(Protocol):
    """Who is told how far a sweep is."""

    def plan(self, runs: int, steps: int, seconds: float) -> None:
        """Take how many runs and run-steps are to be done, and about how long that takes.

        Those in the folder are not counted.
        """

    def report(self, runs: int, steps: int, solved: int) -> None:
        """Take how many were done since the last call, and how many of the runs were solved."""


def sweep(
    entries: Sequence[Entry],
    out: str | Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Table:
    """Carry out the runs that the folder does not have yet, and judge all of them."""
    if not entries:
        raise InputError(
            "A sweep has at least one run; the selection left none. Select less, or nothing."
        )
    by_run = {identity(entry.run): entry for entry in entries}
    with Store(out) as store:
        store.plan(entries)
        done = store.known()
        missing = [entry.run for id_, entry in by_run.items() if id_ not in done]
        if progress:
            about = seconds(((run, 1) for run in missing), workers or cores())
            progress.plan(len(missing), sum(run.recipe.steps for run in missing), about)

        def on_steps(steps: int) -> None:
            if progress:
                progress.report(0, steps, 0)

        def solved(id_: str, curves: Curves) -> bool:
            return judge(curves, by_run[id_].threshold).success

        with closing(execute(blocks(missing), workers, on_steps)) as finished:
            for block, curves in finished:
                store.add(block, curves)
                if progress:
                    progress.report(len(block), 0, sum(map(solved, map(identity, block), curves)))
        results = dict(store.results(list(by_run)))
    verdicts = Verdicts()
    judged = [
        (entry.place, _judged(entry, results[identity(entry.run)], verdicts)) for entry in entries
    ]
    return Table(rows_of(judged), notes_on(entries))


def _judged(entry: Entry, curves: Curves, verdicts: Verdicts) -> Outcome:
    run = entry.run
    outcome = judge(curves, entry.threshold, sparse=has_sparsity_error(run.model))
    return replace(outcome, equal=verdicts.of(run.model, run.task, curves))


def notes_on(entries: Sequence[Entry]) -> tuple[str, ...]:
    """Return what should be said of these runs, once each."""
    tasks = {entry.run.task for entry in entries}
    found = {
        f"{task.op} over {label(task.train)}: a divisor comes as near to zero as numbers are, "
        "so single targets are huge and may decide the errors."
        for task in tasks
        if task.divides_by_zero
    }
    return tuple(sorted(found))
