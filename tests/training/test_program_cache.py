"""Compiled programs on disk: only sound ones of one's own are run."""

import os
import random
import stat
import warnings
import zlib
from pathlib import Path

import pytest

from making import BlockUnwatched, cell
from nalm.sweeps.executors import Order
from nalm.sweeps.executors._process import WorkerProcess, request
from nalm.training import program_cache
from nalm.training.program_cache import CHECKED, Programs, program_folder


@pytest.fixture(autouse=True)
def programs(tmp_path, monkeypatch):
    """Return the folder of this test."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    program_folder.cache_clear()
    yield tmp_path / "nalm" / "programs"
    program_folder.cache_clear()


def trained() -> tuple[list[bytes], str]:
    """Return the results of a block, and what the worker printed."""
    worker = WorkerProcess()
    try:
        results = worker.train(request(Order(cell().runs([0, 1]))), BlockUnwatched())
        worker._log.seek(0)
        return results, worker._log.read().decode()
    finally:
        worker.close()


def damaged(data: bytes, kind: int, rng: random.Random) -> bytes:
    """Return an entry as a bad disk or a kill leaves it, or with other code inside."""
    body = data[CHECKED:]
    place = rng.randrange(len(data))
    inside = bytearray(zlib.decompress(body))
    inside[rng.randrange(len(inside))] ^= 1 << rng.randrange(8)
    return [
        b"",
        data[:place],
        data + b"\0",
        data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :],
        data[:CHECKED] + zlib.compress(bytes(inside)),
        data[:CHECKED] + zlib.compress(bytes(inside[: len(inside) // 2])),
        body,
    ][kind % 7]


def test_damaged_programs_are_compiled_anew(programs):
    results, _ = trained()
    entries = sorted(programs.iterdir())
    assert len(entries) > 7
    assert all(entry.suffix == ".program" for entry in entries)
    again, said = trained()
    assert again == results
    assert "damaged" not in said
    rng = random.Random(0)
    for kind, entry in enumerate(entries):
        entry.write_bytes(damaged(entry.read_bytes(), kind, rng))
    again, said = trained()
    assert again == results
    assert said.count("is damaged; it is compiled anew") == len(entries)
    assert str(programs) in said
    assert sorted(programs.iterdir()) == entries
    assert "damaged" not in trained()[1]


def test_an_entry_is_read_by_its_own_key_and_on_its_own_machine_only(tmp_path, monkeypatch, capsys):
    kept = Programs(tmp_path)
    kept.put("a", b"program")
    assert kept.get("a") == b"program"
    assert kept.get("b") is None
    kept._place("a").rename(kept._place("b"))
    assert kept.get("b") is None
    assert "damaged" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.program"))
    kept.put("a", b"program")
    monkeypatch.setattr(program_cache, "machine", lambda: "another")
    assert Programs(tmp_path).get("a") is None


def test_a_file_that_a_killed_worker_left_is_removed(tmp_path):
    old, new = tmp_path / "old.part", tmp_path / "new.part"
    for file in (old, new):
        file.touch()
    os.utime(old, (0, 0))
    Programs(tmp_path)
    assert [old.exists(), new.exists()] == [False, True]


def test_a_full_disk_costs_the_entry_only(tmp_path, capsys):
    kept = Programs(tmp_path / "missing")
    kept.put("a", b"program")
    assert kept.get("a") is None
    assert f"not kept in {tmp_path / 'missing'}" in capsys.readouterr().err


def test_the_folder_is_closed_to_others(programs):
    assert program_folder() == str(programs)
    assert stat.S_IMODE(programs.stat().st_mode) == 0o700
    programs.chmod(0o755)
    program_folder.cache_clear()
    assert program_folder() == str(programs)
    assert stat.S_IMODE(programs.stat().st_mode) == 0o700


def open_to_others(folder: Path, _: pytest.MonkeyPatch) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o777)


def of_another_user(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir(parents=True)
    monkeypatch.setattr(os, "geteuid", lambda: 4321)


def a_link(folder: Path, _: pytest.MonkeyPatch) -> None:
    folder.parent.mkdir(parents=True)
    (folder.parent / "elsewhere").mkdir()
    folder.symlink_to(folder.parent / "elsewhere")


def a_file(folder: Path, _: pytest.MonkeyPatch) -> None:
    folder.parent.mkdir(parents=True)
    folder.touch()


def no_home(_: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", unknown)


@pytest.mark.parametrize("case", [open_to_others, of_another_user, a_link, a_file, no_home])
def test_a_folder_that_cannot_be_trusted_is_not_used_and_that_is_said_once(
    case, programs, monkeypatch
):
    case(programs, monkeypatch)
    with pytest.warns(RuntimeWarning, match="Compiled programs are not kept: "):
        assert program_folder() is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert program_folder() is None
