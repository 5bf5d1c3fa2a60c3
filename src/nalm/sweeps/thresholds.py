"""Thresholds on disk: each is simulated once, as long as the code that simulates it is the same."""

import hashlib
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

import numpy as np

import nalm
from nalm.tasks import Task, threshold
from nalm.training.program_cache import own_folder

CODE = ("tasks", "formula", "_internal")
"""The packages whose code decides what a threshold is."""


def kept_threshold(task: Task, described: str) -> float:
    """Return the threshold of a task, which is described by its canonical JSON.

    That of a task with custom code is not kept: the code may use more than its own text.
    """
    if task.threshold is not None or '"source"' in described:
        return threshold(task)
    name = hashlib.sha256(f"{_code()}\n{described}".encode()).hexdigest()
    try:
        place = own_folder("thresholds") / name
    except (OSError, RuntimeError):
        return threshold(task)
    found = _read(place)
    if found is None:
        found = threshold(task)
        _write(place, found)
    return found


@cache
def _code() -> str:
    """Return the digest of what thresholds are simulated by."""
    root = Path(nalm.__file__).parent
    found = hashlib.sha256(f"{nalm.__version__} {np.__version__}".encode())
    for file in sorted(file for name in CODE for file in (root / name).rglob("*.py")):
        found.update(file.read_bytes())
    return found.hexdigest()


def _read(place: Path) -> float | None:
    """Return what is kept; None if nothing is, or if it is damaged."""
    try:
        value, _, checksum = place.read_text(encoding="utf-8").partition(" ")
    except (OSError, ValueError):
        return None
    return float(value) if checksum == _checksum(place, value) else None


def _write(place: Path, value: float) -> None:
    """Keep a threshold, whole or not at all."""
    beside = place.with_name(f"{uuid4().hex}.part")
    with suppress(OSError):
        beside.write_text(f"{value!r} {_checksum(place, repr(value))}", encoding="utf-8")
        beside.replace(place)


def _checksum(place: Path, value: str) -> str:
    return hashlib.sha256(f"{place.name} {value}".encode()).hexdigest()
