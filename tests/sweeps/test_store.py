"""The store: what is in it comes back, and what is not a healthy store is left alone."""

import os
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from making import cell, contents, curves_of, filled
from nalm.errors import StoreError
from nalm.sweeps import CellKey, Store, read_cells
from nalm.sweeps.store import database as files
from nalm.sweeps.store.rows import RunKey, ranges_text, seeds_of
from nalm.sweeps.store.store import identity
from nalm.training.description import digest
from nalm.training.packing import pack, unpacked_run

PACKED = pack([curves_of()])


@pytest.fixture(params=["writer", "reader", "memory"])
def store(request, tmp_path):
    """A store with a planned cell, two of whose three runs are finished, in each way to open it."""
    if request.param == "memory":
        with Store.in_memory() as opened:
            (planned,) = opened.plan("mine", [cell()], range(3))
            opened.add([RunKey(planned.setup, seed) for seed in range(2)], [PACKED] * 2)
            yield opened
        return
    filled(tmp_path)
    with Store(tmp_path) if request.param == "writer" else Store.read(tmp_path) as opened:
        yield opened


def test_what_was_planned_and_finished_comes_back(store):
    (stored,) = store.cells()
    assert stored.experiment == "mine"
    assert stored.key == CellKey("nmu", "mul", "U[1,2)", 2)
    assert (stored.steps, list(stored.seeds)) == (400, [0, 1, 2])
    assert stored.threshold == cell().limit
    assert stored.described == cell().described
    runs = list(store.runs(stored))
    assert [(run.seed, run.packed) for run in runs] == [(0, PACKED), (1, PACKED)]
    curves = unpacked_run(store.packed(stored.described, 1))
    np.testing.assert_array_equal(curves.test, curves_of().test)
    np.testing.assert_array_equal(curves.final["weight"], np.ones((1, 2)))
    assert '"jaxlib"' in runs[0].environment
    assert runs[0].finished.endswith("+00:00")
    (judged,) = read_cells(store)
    assert (judged.missing, judged.notes) == (1, ())
    assert judged.setup.model == cell().model
    assert [run.formula for run in judged.runs] == ["x1*x2"] * 2


def test_the_identity_of_a_run_is_the_hash_of_its_canonical_json():
    (run,) = cell().runs([7])
    assert identity(cell().described, 7) == digest([run.model, run.task, run.recipe, run.seed])


def test_a_description_is_stored_once(tmp_path):
    filled(tmp_path, seeds=range(40), finished=40)
    with closing(sqlite3.connect(tmp_path / "results.sqlite")) as database:
        ((count,),) = database.execute("SELECT COUNT(*) FROM descriptions")
    assert count == 4  # model, task, recipe, environment


def test_a_cell_that_is_defined_anew_keeps_no_old_plan(tmp_path):
    filled(tmp_path)
    with Store(tmp_path) as store:
        store.plan("mine", [replace(cell(), threshold=1.0)], [5])
        (stored,) = store.cells()
        assert (list(stored.seeds), stored.threshold) == ([5], 1.0)
        assert store.finished() == 2
        store.plan("mine", [cell(steps=800)], [0])
        assert [c.steps for c in store.cells()] == [400, 800]
        store.plan("mine", [cell(steps=800)], [9, 4])
        assert list(store.cells()[1].seeds) == [0, 4, 9]


def test_runs_of_another_generator_are_kept_under_its_name_and_never_mixed(tmp_path):
    with Store(tmp_path) as store:
        (old,) = store.plan("mine", [cell(generator="philox")], range(3))
        store.add([RunKey(old.setup, seed) for seed in range(2)], [PACKED] * 2)
        assert old.notes == ()
        (new,) = store.plan("mine", [cell()], range(4))
        (said,) = new.notes
        assert "drew their random numbers from philox" in str(said)
        assert "--set generator=philox" in str(said)
        store.add([RunKey(new.setup, 3)], [PACKED])
        kept, mine = read_cells(store)
        assert (kept.key.setting, mine.key.setting) == ("generator philox", "")
        assert [run.seed for run in kept.runs] == [0, 1]
        assert [run.seed for run in mine.runs] == [3]
        (again,) = store.plan("mine", [cell()], range(4))
        assert again.notes == ()
        (back,) = store.plan("mine", [cell(generator="philox")], [7])
        assert [run.seed for run in store.runs(back)] == [0, 1]
        settings = {c.key.setting: list(c.seeds) for c in store.cells()}
    assert settings == {"generator philox": [0, 1, 2], "": [7], "generator keyed": [0, 1, 2, 3]}


def test_seeds_are_kept_as_ranges():
    assert ranges_text(range(10**6)) == "[[0, 1000000]]"
    assert list(seeds_of(ranges_text([9, 3, 4]))) == [3, 4, 9]
    for text in ("[[0, 4294967297]]", "[[3, 3]]", '[["0", 1]]', "[[1, 2], [0, 1]]", "[[true, 2]]"):
        with pytest.raises(ValueError, match="seeds"):
            seeds_of(text)


def test_one_writer_at_a_time_and_readers_meanwhile(tmp_path):
    with Store(tmp_path) as writer:
        with pytest.raises(StoreError, match="Another process is writing"):
            Store(tmp_path)
        (planned,) = writer.plan("mine", [cell()], [0])
        with Store.read(tmp_path) as reader:
            assert reader.finished() == 0
            writer.add([RunKey(planned.setup, 0)], [PACKED])
            assert reader.finished() == 1
            with pytest.raises(StoreError, match="readonly"):
                reader.plan("mine", [cell("nau")], [0])
    Store(tmp_path).close()


def test_a_store_is_created_whole_or_not_at_all(tmp_path, monkeypatch):
    monkeypatch.setitem(files.SCHEMA, "broken", "(;")
    with pytest.raises(StoreError, match="not a healthy results file"):
        Store(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["writer.lock"]
    monkeypatch.undo()
    Store(tmp_path).close()


def test_what_a_killed_creation_left_is_removed(tmp_path):
    (tmp_path / ".results.sqlite.0123-journal").write_text("left over")
    Store(tmp_path).close()
    assert {path.name for path in tmp_path.iterdir()} == {"results.sqlite", "writer.lock"}


@pytest.mark.parametrize("left", ["nothing", "a table", "an old log"])
def test_a_store_without_runs_is_rebuilt(tmp_path, left):
    """As versions before left them, whose creation was killed."""
    path = tmp_path / "results.sqlite"
    if left == "an old log":
        filled(tmp_path / "other")
        with Store(tmp_path / "other") as other:
            other.plan("other", [cell()], [9])
            shutil.copy(tmp_path / "other" / "results.sqlite-wal", tmp_path)
    else:
        with closing(sqlite3.connect(path)) as database, database:
            database.execute("PRAGMA journal_mode = WAL")
            if left == "a table":
                database.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    with Store(tmp_path) as store:
        assert store.cells() == []
    filled(tmp_path)
    assert len(contents(tmp_path)) == 2


@pytest.mark.parametrize("size", [10, 3000])
def test_a_damaged_store_is_refused_and_left_alone(tmp_path, size):
    filled(tmp_path, seeds=range(20), finished=20)
    path = tmp_path / "results.sqlite"
    path.write_bytes(path.read_bytes()[:size])
    for extra in tmp_path.glob("results.sqlite-*"):
        extra.unlink()
    before = path.read_bytes()
    for opened in (Store, Store.read):
        with pytest.raises(StoreError, match="Nothing was changed"):
            opened(tmp_path)
    assert path.read_bytes() == before


def test_foreign_and_other_stores_are_refused(tmp_path):
    path = tmp_path / "results.sqlite"
    path.write_text("a,b\n1,2\n" * 100)
    for opened in (Store, Store.read):
        with pytest.raises(StoreError, match="not a healthy results file"):
            opened(tmp_path)
    path.unlink()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE mine (x)")
    for opened in (Store, Store.read):
        with pytest.raises(StoreError, match="not a healthy results file: no such table"):
            opened(tmp_path)
    path.unlink()
    Store(tmp_path).close()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE meta SET value = '3'")
    for opened in (Store, Store.read):
        with pytest.raises(StoreError, match="has format 3; this version of nalm reads and writes"):
            opened(tmp_path)


@pytest.mark.parametrize("name", ["results.sqlite", "writer.lock"])
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_what_is_no_file_is_refused(tmp_path, name, make):
    make(tmp_path / name)
    with pytest.raises(StoreError, match=rf"{name}' is something else\. Remove it"):
        Store(tmp_path)
    if name == "results.sqlite":
        with pytest.raises(StoreError, match="is something else"):
            Store.read(tmp_path / name if make is os.mkfifo else tmp_path)


def test_a_lock_that_is_not_ours_is_refused(tmp_path):
    (tmp_path / "writer.lock").write_text("I am the writer, whoever you are. " * 100)
    with pytest.raises(StoreError, match="this file is not from nalm"):
        Store(tmp_path)


def test_a_full_disk_loses_only_what_did_not_fit(tmp_path):
    with Store(tmp_path) as store:
        (planned,) = store.plan("mine", [cell()], range(40))
        runs = [RunKey(planned.setup, seed) for seed in range(40)]
        store.add(runs[:1], [PACKED])
        (pages,) = store._database.execute("PRAGMA page_count").fetchone()
        store._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(StoreError, match="What was stored before is safe"):
            store.add(runs[1:], [pack([curves_of(500)])] * 39)
    with Store.read(tmp_path) as store:
        assert store.finished() == 1


class ReadOnly:
    """Connects as on a medium where SQLite can make no files beside the results."""

    def __init__(self, monkeypatch, folder: Path):
        self.connect, self.folder, self.addresses = sqlite3.connect, folder, []
        monkeypatch.setattr(sqlite3, "connect", self)

    def __call__(self, address, **options):
        self.addresses.append(address)
        database = self.connect(address, **options)
        here = str(address).startswith(self.folder.absolute().as_uri())
        return Refusing(database) if here and "immutable" not in address else database


class Refusing:
    def __init__(self, database):
        self.close = database.close

    def execute(self, *_):
        error = sqlite3.OperationalError("attempt to write a readonly database")
        error.sqlite_errorcode = sqlite3.SQLITE_READONLY_CANTINIT
        raise error


def test_a_folder_that_nobody_can_write_is_read(tmp_path, monkeypatch):
    filled(tmp_path)
    assert not (tmp_path / "results.sqlite-wal").exists()
    medium = ReadOnly(monkeypatch, tmp_path)
    assert len(contents(tmp_path)) == 2
    assert "immutable=1" in medium.addresses[1]


def test_a_read_only_copy_of_an_interrupted_sweep_is_not_stale(tmp_path, monkeypatch):
    with Store(tmp_path / "live") as store:
        (planned,) = store.plan("mine", [cell()], range(3))
        store.add([RunKey(planned.setup, 0)], [PACKED])
        (tmp_path / "copy").mkdir()
        for name in ("results.sqlite", "results.sqlite-wal"):
            shutil.copy(tmp_path / "live" / name, tmp_path / "copy")
    medium = ReadOnly(monkeypatch, tmp_path / "copy")
    with Store.read(tmp_path / "copy") as copy:
        assert copy.finished() == 1
        assert len(copy.cells()[0].seeds) == 3
    assert not Path(medium.addresses[1].removeprefix("file://").partition("?")[0]).exists()


def test_a_healthy_store_that_cannot_be_written_is_called_so(tmp_path, monkeypatch):
    filled(tmp_path)

    def refusing(path, **options):
        if Path(path).name == "results.sqlite":
            return Refusing(connect(path, **options))
        return connect(path, **options)

    connect = sqlite3.connect
    monkeypatch.setattr(files, "_is_unfinished", lambda _: False)
    monkeypatch.setattr(sqlite3, "connect", refusing)
    with pytest.raises(StoreError, match="Results go into a folder that can be written"):
        Store(tmp_path)


@pytest.mark.parametrize("how", ["deleted", "moved", "replaced", "log deleted", "lock deleted"])
def test_results_that_are_taken_away_are_not_called_written(tmp_path, how):
    folder = tmp_path / "results"
    with Store(folder) as store:
        (planned,) = store.plan("mine", [cell()], range(3))
        match how:
            case "deleted":
                shutil.rmtree(folder)
            case "moved":
                folder.rename(tmp_path / "elsewhere")
            case "replaced":
                shutil.copy(folder / "results.sqlite", tmp_path / "new")
                (tmp_path / "new").replace(folder / "results.sqlite")
            case "log deleted":
                (folder / "results.sqlite-wal").unlink()
            case _:
                (folder / "writer.lock").unlink()
        with pytest.raises(StoreError, match="was deleted, moved or replaced meanwhile"):
            store.add([RunKey(planned.setup, 0)], [PACKED])
