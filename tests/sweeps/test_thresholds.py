"""Thresholds on disk: simulated once, and anew when anything is not as it was."""

import os

import pytest

from nalm.sweeps import thresholds
from nalm.sweeps.cell import Cell
from nalm.sweeps.thresholds import kept_threshold
from nalm.tasks import single_module, threshold
from nalm.training import Recipe
from nalm.training.description import canonical
from nalm.units import NAU

TASK = single_module("add", "U[0.1,0.2)")
DESCRIBED = canonical(TASK)


@pytest.fixture(autouse=True)
def simulated(tmp_path, monkeypatch):
    """Return the tasks that were simulated."""
    tasks = []

    def counted(task):
        tasks.append(task)
        return threshold(task)

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(thresholds, "threshold", counted)
    return tasks


def test_a_threshold_is_simulated_once_and_kept_to_the_last_bit(simulated):
    first, again = (kept_threshold(TASK, DESCRIBED) for _ in range(2))
    assert first == again == threshold(TASK)
    assert simulated == [TASK]
    assert Cell("nau", NAU(2, 1), TASK, Recipe()).limit == first
    assert simulated == [TASK]


def test_every_task_has_its_own(simulated):
    others = [single_module("sub", "U[0.1,0.2)"), single_module("add", "U[0.1,0.2)", 10)]
    for task in (TASK, *others, *others):
        assert kept_threshold(task, canonical(task)) == threshold(task)
    assert simulated == [TASK, *others]


@pytest.mark.parametrize("damage", [b"", b"0.5", b"nan", b"\xff\xfe", None])
def test_a_damaged_one_is_simulated_anew(damage, tmp_path, simulated):
    wanted = kept_threshold(TASK, DESCRIBED)
    (kept,) = (tmp_path / "nalm" / "thresholds").iterdir()
    kept.write_bytes(kept.read_bytes().replace(b"e-", b"e-1") if damage is None else damage)
    assert [kept_threshold(TASK, DESCRIBED) for _ in range(2)] == [wanted, wanted]
    assert simulated == [TASK, TASK]


def test_other_code_simulates_anew(simulated, monkeypatch):
    kept_threshold(TASK, DESCRIBED)
    monkeypatch.setattr(thresholds, "_code", lambda: "changed")
    kept_threshold(TASK, DESCRIBED)
    assert simulated == [TASK, TASK]


def test_custom_code_is_always_simulated(simulated, tmp_path):
    for _ in range(2):
        kept_threshold(TASK, '{"source":"0123","type":"Mine"}')
    assert simulated == [TASK, TASK]
    assert not (tmp_path / "nalm").exists()


def test_without_a_folder_of_ones_own_it_is_simulated(simulated, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 4321)
    assert kept_threshold(TASK, DESCRIBED) == threshold(TASK)
    assert not list((tmp_path / "nalm" / "thresholds").iterdir())
