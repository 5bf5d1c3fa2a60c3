"""A copy of a results file whose folder cannot be written, with its log."""

import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path

from nalm.errors import StoreError

TRIES = 5
"""How often a copy is made anew because a sweep wrote meanwhile."""


def copied(path: Path, opened: ExitStack) -> Path:
    """Copy a file and its log into a temporary folder, which `opened` removes; return the copy."""
    folder = Path(
        opened.enter_context(
            tempfile.TemporaryDirectory(prefix="nalm-", ignore_cleanup_errors=True)
        )
    )
    beside = [path.with_name(path.name + ending) for ending in ("", "-wal", "-journal")]
    for _ in range(TRIES):
        before = _state(beside)
        for file in beside:
            (folder / file.name).unlink(missing_ok=True)
            if file.exists():
                shutil.copyfile(file, folder / file.name)
        if _state(beside) == before:
            return folder / path.name
    raise StoreError(
        f"{str(path)!r} is in a folder that cannot be written, and changes while it is copied. "
        "Try again when the sweep is done."
    )


def _state(files: list[Path]) -> list[tuple[int, int, int] | None]:
    """Return what changes when a file does."""
    found = []
    for file in files:
        known = file.stat() if file.exists() else None
        found.append(known and (known.st_ino, known.st_size, known.st_mtime_ns))
    return found
