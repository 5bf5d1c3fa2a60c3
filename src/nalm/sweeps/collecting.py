"""The runs of a sweep as they come in, from the store and from workers, each judged once."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from nalm.sweeps.cell import Cell
from nalm.sweeps.formulas import Formulas
from nalm.sweeps.reading import damage_note, outcome_of
from nalm.sweeps.runs import CellRuns, Judge, RunResult, setup_of
from nalm.sweeps.sources import InFile, InMemory, ResultsFile
from nalm.sweeps.statistics import Outcome
from nalm.sweeps.store import Store
from nalm.sweeps.store.rows import RunKey
from nalm.sweeps.store.saved import SavedBlock
from nalm.sweeps.types import Note
from nalm.training.packing import unpacked_run
from nalm.training.run import Run

LIGHT = 10_000
"""The most runs of a sweep whose curves stay in memory; of more they are read when asked for."""
PENDING = 10_000
"""How many outcomes are written at once."""


class Collected:
    """The runs of a sweep that are done."""

    def __init__(
        self, store: Store, experiment: str, cells: Sequence[Cell], seeds: Sequence[int]
    ) -> None:
        self._store, self._cells, self._seeds = store, cells, seeds
        self._planned = store.plan(experiment, cells, seeds)
        self._setups = [setup_of(experiment, cell) for cell in cells]
        self._judging = Judge()
        self._outcomes: list[dict[int, Outcome]] = [{} for _ in cells]
        self._damaged: list[list[int]] = [[] for _ in cells]
        self._of_setup: dict[int, list[int]] = {}
        for index, planned in enumerate(self._planned):
            self._of_setup.setdefault(planned.setup, []).append(index)
        self._light = store.path is None or len(cells) * len(seeds) <= LIGHT
        self._packed: dict[int, dict[int, bytes]] = {setup: {} for setup in self._of_setup}

    def missing(self) -> dict[int, list[Run]]:
        """Return the runs that are not in the store, by setup, and take those that are."""
        wanted = set(self._seeds)
        for index, planned in enumerate(self._planned):
            for run in self._store.runs(planned):
                outcome = outcome_of(self._judging, self._setups[index], run)
                if run.seed not in wanted:
                    continue
                if outcome is None or run.packed is None:
                    self._damaged[index].append(run.seed)
                else:
                    new = run.outcome is None
                    self._take(index, run.seed, run.packed, outcome, new=new)
            self._flush(PENDING)
        self._flush(1)
        found: dict[int, list[Run]] = {}
        for setup, (index, *_) in self._of_setup.items():
            done = self._outcomes[index]
            left = [seed for seed in self._seeds if seed not in done]
            if left:
                found[setup] = self._cells[index].runs(left)
        return found

    def saved_blocks(self) -> list[SavedBlock]:
        """Return the blocks that were on their way, and forget those that are done."""
        blocks, notes = self._store.saved.all()
        self.note(notes)
        done = [block for block in blocks if any(self._is_done(run) for run in block.runs)]
        if done or notes:
            self._store.saved.drop(done)
        return [block for block in blocks if block not in done]

    def note(self, notes: Iterable[Note]) -> None:
        """Add what a reader of all results should know."""
        self._planned[0] = replace(self._planned[0], notes=(*self._planned[0].notes, *notes))

    def _is_done(self, run: RunKey) -> bool:
        mine = self._of_setup.get(run.setup)
        return mine is not None and run.seed in self._outcomes[mine[0]]

    def take(self, runs: Sequence[RunKey], packed: Sequence[bytes]) -> int:
        """Judge runs that a worker has finished, and return how many are solved."""
        solved = 0
        for run, data in zip(runs, packed, strict=True):
            curves = unpacked_run(data)
            for index in self._of_setup[run.setup]:
                outcome = self._judging.outcome(self._setups[index], curves)
                self._take(index, run.seed, data, outcome, new=True)
            solved += self._outcomes[self._of_setup[run.setup][0]][run.seed].success
        return solved

    def _take(self, index: int, seed: int, packed: bytes, outcome: Outcome, *, new: bool) -> None:
        self._outcomes[index][seed] = outcome
        planned = self._planned[index]
        if self._light:
            self._packed[planned.setup][seed] = packed
        if new:
            self._store.judge(planned, seed, packed, outcome)

    def _flush(self, least: int) -> None:
        if self._store.waiting >= least:
            self._store.flush()

    def cells(self) -> list[CellRuns]:
        """Write what is left to write, and return all cells, runs in the order of the seeds."""
        self._store.flush()
        file, formulas = ResultsFile(self._store.path) if self._store.path else None, Formulas()
        found = []
        for index, (setup, planned) in enumerate(zip(self._setups, self._planned, strict=True)):
            source = (
                InMemory(self._packed[planned.setup])
                if self._light or file is None
                else InFile(file, setup.described)
            )
            outcomes = self._outcomes[index]
            runs = tuple(
                RunResult(setup, seed, outcomes[seed], source, formulas=formulas)
                for seed in self._seeds
            )
            damage = damage_note(setup.key, self._damaged[index], "trained again")
            found.append(CellRuns(setup, self._seeds, runs, (*planned.notes, *damage)))
        return found
