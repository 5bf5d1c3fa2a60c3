"""Files that are written whole or not at all."""

import os

import pytest

from nalm._internal.files import write_whole


def test_a_file_is_replaced_with_the_usual_rights_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "a"
    usual = tmp_path / "usual"
    usual.touch()
    write_whole(path, b"first")
    write_whole(path, b"second")
    assert path.read_bytes() == b"second"
    assert path.stat().st_mode == usual.stat().st_mode
    assert sorted(tmp_path.iterdir()) == [path, usual]


def test_a_link_stays_one_and_a_device_is_written_to(tmp_path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    write_whole(os.devnull, b"lost")
    assert not os.path.isfile(os.devnull)  # noqa: PTH113


def test_a_place_that_is_no_file_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"a folder that exists; there is no .*absent"):
        write_whole(tmp_path / "absent" / "a", b"")
    with pytest.raises(IsADirectoryError, match=r"is a folder\. Name a file in it"):
        write_whole(tmp_path, b"")


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a"
    write_whole(path, b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
