"""Damaged stores: every number is the one that was written, or it is named, or the file refused."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from benchmarks.faults.flips import campaign

from making import Prepared, cell, contents, counted_judgements
from nalm.errors import InputError, StoreError
from nalm.report.results import read_folders
from nalm.sweeps import Cell, CellRuns, NoteKind, Store, sweep
from nalm.sweeps.executors import Executor
from nalm.sweeps.seeds import seed_list
from nalm.sweeps.statistics import outcome
from nalm.sweeps.store.rows import RunKey
from nalm.tasks import Task


def swept(folder: Path, executor: Executor | None = None, seeds: int = 4) -> list[CellRuns]:
    cells = [cell(), cell(setting="other", batch=64)]
    return sweep(cells, range(seeds), out=folder, executor=executor or Prepared())


def numbers(found: list[CellRuns] | tuple[CellRuns, ...]) -> dict:
    return {(run.key, run.seed): repr(run.outcome) for cell in found for run in cell.runs}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A small store."""
    path = tmp_path_factory.mktemp("store")
    swept(path)
    return path


def changed(folder: Path, target: Path, *commands: str) -> Path:
    """Copy results and change the copy."""
    target.mkdir(exist_ok=True)
    shutil.copy(folder / "results.sqlite", target / "results.sqlite")
    with closing(sqlite3.connect(target / "results.sqlite")) as database, database:
        for command in commands:
            database.execute(command)
    return target


def test_a_sweep_that_is_done_trains_nothing_and_judges_nothing(folder, tmp_path, monkeypatch):
    changed(folder, tmp_path)
    judged = counted_judgements(monkeypatch)
    again = Prepared()
    swept(tmp_path, again)
    assert again.trained == judged == []


def test_other_rules_judge_anew(folder, tmp_path, monkeypatch):
    changed(folder, tmp_path)
    judged = counted_judgements(monkeypatch)
    monkeypatch.setattr("nalm.sweeps.store.rows.RULES", outcome.RULES + 1)
    assert numbers(swept(tmp_path)) == numbers(swept(folder.parent / "new"))
    assert sum(judged) == 8 * 2  # the new ones and these
    swept(tmp_path)
    assert sum(judged) == 8 * 2


@pytest.mark.parametrize(
    "command",
    [
        "UPDATE runs SET id = id + 9 WHERE id = (2 << 32) + 3",
        "UPDATE runs SET finished = 'yesterday' WHERE id = (1 << 32) + 1",
        "UPDATE runs SET digest = 'x' WHERE id = (1 << 32) + 1",
        "UPDATE runs SET sum = x'00' WHERE id = (1 << 32) + 1",
        "UPDATE curves SET data = zeroblob(100) WHERE run = (1 << 32) + 1",
        "UPDATE curves SET data = 17 WHERE run = (1 << 32) + 1",
        "DELETE FROM curves WHERE run = (1 << 32) + 1",
        "UPDATE cells SET unit = 'nmv' WHERE id = 1",
        "UPDATE cells SET threshold = threshold * 2 WHERE id = 1",
        "UPDATE cells SET seeds = '[[0, 3]]' WHERE id = 1",
        "UPDATE cells SET inputs = 'two' WHERE id = 1",
        "UPDATE cells SET sum = 1.5 WHERE id = 1",
        "UPDATE descriptions SET json = replace(json, 'nmu', 'nau')",
        "UPDATE descriptions SET digest = 7 WHERE id = 1",
        "UPDATE descriptions SET json = 7 WHERE id = 2",
        "UPDATE setups SET recipe = 2 WHERE id = 1",
        "UPDATE setups SET digest = '' WHERE id = 2",
    ],
)
def test_what_is_damaged_is_named_and_mended(command, folder, tmp_path):
    whole = numbers(swept(folder))
    changed(folder, tmp_path, command)
    found = swept(tmp_path)
    assert numbers(found) == whole
    notes = [note for cell in found for note in cell.notes]
    assert notes or "id + 9" in command  # a run that is not there is only trained again
    assert {note.kind for note in notes} <= {NoteKind.DAMAGE}
    again = Prepared()
    assert not [note for cell in swept(tmp_path, again) for note in cell.notes]
    assert again.trained == []
    assert numbers(swept(tmp_path)) == whole


@pytest.mark.parametrize(
    "command",
    [
        "UPDATE judged SET success = 1 - success",
        "UPDATE judged SET solved_at = 'soon'",
        "UPDATE judged SET test = test + 1",
        "UPDATE judged SET sum = ''",
        "DELETE FROM judged",
    ],
)
def test_what_runs_came_to_is_judged_anew_where_it_is_damaged(command, folder, tmp_path):
    changed(folder, tmp_path, command)
    again = Prepared()
    assert numbers(swept(tmp_path, again)) == numbers(swept(folder))
    assert again.trained == []


def test_a_table_is_mended(tmp_path):
    x = np.random.default_rng(0).uniform(1, 3, (20, 2))
    rows = Task.from_table(x, x[:, 0] * x[:, 1])
    mine = Cell("nmu", cell().model, rows, cell().recipe)
    sweep([mine], range(2), out=tmp_path, executor=Prepared())
    damaged = changed(
        tmp_path, tmp_path / "damaged", "UPDATE tables SET data = zeroblob(480) WHERE id = 1"
    )
    with Store.read(damaged) as store:
        assert "Table 1 is damaged" in str(store.tables()[1][0])
    assert "Table 1 is damaged" in str(read_folders(damaged).notes[0])
    (mended,) = sweep([mine], range(2), out=damaged, executor=Prepared())
    assert "table of nmu" in str(mended.notes[0])
    with Store.read(damaged) as store:
        tables, notes = store.tables()
        assert tables.keys() == rows.tables().keys()
        assert notes == []


@pytest.mark.slow
def test_no_damage_changes_a_number():
    """Some of the campaign in benchmarks/faults: flipped bits, lost and misplaced sectors, cuts."""
    tally = campaign(210)
    assert tally.faults == []
    assert tally.ended.keys() == {"read as it was", "named and mended", "refused"}


LIES = [
    b"\xff\xff\xff\xff\xff\xff\xff\x7f" + b"{}",
    b"\x02\x00\x00\x00\x00\x00\x00\x00{}",
    b'\x40\x00\x00\x00\x00\x00\x00\x00{"steps":{"dtype":"F32","shape":[1000000000000],'
    b'"data_offsets":[0,4]}}    ',
]


@pytest.mark.parametrize("packed", LIES)
def test_curves_that_lie_about_their_size_are_damaged(packed, tmp_path):
    with Store(tmp_path) as store:
        (planned,) = store.plan("", [cell()], [0])
        store.add([RunKey(planned.setup, 0)], [packed])
    with pytest.raises(StoreError, match=r"no finished run yet.*seed 0\) was damaged"):
        read_folders(tmp_path)
    (found,) = sweep([cell()], [0], out=tmp_path, executor=Prepared())
    assert "seed 0) was damaged and is trained again" in str(found.notes[0])


def test_huge_values_are_not_loaded(folder, tmp_path):
    changed(
        folder,
        tmp_path,
        "UPDATE curves SET data = zeroblob(150000000) WHERE run = 1 << 32",
        "UPDATE descriptions SET json = zeroblob(5000000) WHERE id = 1",
    )
    found = swept(tmp_path)
    assert "seed 0) was damaged" in str([note for cell in found for note in cell.notes])


def test_a_block_on_its_way_is_continued(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        swept(tmp_path, Prepared(saved=b"half way"))
    again = Prepared()
    swept(tmp_path, again)
    assert [order.saved for order in again.orders] == [b"half way", None]
    assert sorted(again.trained) == [0, 0, 1, 1, 2, 2, 3, 3]
    with Store.read(tmp_path) as store:
        assert store.saved.all() == ([], [])
    assert len(contents(tmp_path)) == 8


def test_a_block_on_its_way_is_continued_with_other_seeds_and_cells(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        swept(tmp_path, Prepared(saved=b"half way"), seeds=4)
    more = Prepared()
    sweep([cell(setting="third", batch=32), cell()], range(6), out=tmp_path, executor=more)
    assert [len(order.block) for order in more.orders if order.saved] == [4]
    assert len(more.trained) == 12


def test_a_damaged_state_is_not_used(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        swept(tmp_path, Prepared(saved=b"half way"))
    changed(tmp_path, tmp_path / "damaged", "UPDATE saved SET state = 'all the way'")
    again = Prepared()
    found = swept(tmp_path / "damaged", again)
    assert [order.saved for order in again.orders] == [None, None]
    assert "saved state of a block was damaged" in str(found[0].notes)
    with Store.read(tmp_path / "damaged") as store:
        assert store.saved.all() == ([], [])


def test_a_folder_that_is_taken_away_ends_the_sweep(tmp_path):
    class Taking(Prepared):
        def execute(self, orders, watch):
            for finished in super().execute(orders, watch):
                shutil.rmtree(tmp_path / "results", ignore_errors=True)
                yield finished

    with pytest.raises(StoreError, match="was deleted, moved or replaced meanwhile"):
        swept(tmp_path / "results", Taking())
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("seeds", [20_000_000, range(20_000_000), 10**30])
def test_more_seeds_than_a_sweep_can_have_are_refused_at_once(seeds):
    with pytest.raises(InputError, match=r"from 1 to 2,000,000|at most 2,000,000"):
        seed_list(seeds)


def test_more_runs_than_a_sweep_can_have_are_refused_at_once(tmp_path):
    cells = [cell(), cell(setting="other", batch=64)]
    with pytest.raises(InputError, match=r"at most 2,000,000 runs; 2 cells .* have 3,000,000"):
        sweep(cells, range(1_500_000), out=tmp_path / "results")
    assert not (tmp_path / "results").exists()
