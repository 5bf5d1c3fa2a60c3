"""The processes of a campaign, found by a mark in their environment."""

import os
import signal
from contextlib import suppress
from pathlib import Path

MARK = "NALM_FAULTS"
"""The variable that every process of one start has, and its children."""


def marked(mark: str) -> list[int]:
    """Return the living processes that have a mark."""
    wanted = f"{MARK}={mark}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return [pid for pid in found if alive(pid)]


def alive(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be collected does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def runs(pid: int, command: bytes) -> bool:
    """Tell whether a process was started with a command that contains a text."""
    try:
        return command in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, and those that they have."""
    found = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                direct = [int(child) for child in (task / "children").read_text().split()]
                found += [p for child in direct for p in (child, *children(child))]
    return found


def kill(pids: list[int]) -> None:
    """End processes at once."""
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
