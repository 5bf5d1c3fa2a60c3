"""Files that are written whole or not at all."""

import os
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4


def is_file(path: str | os.PathLike[str]) -> bool:
    r"""Tell whether there is such a file; a name that no file can have is none.

    >>> is_file("a" * 5000), is_file("\0")
    (False, False)
    """
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def write_whole(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file; what was there before stays until every byte of the new one is on disk."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(f"A file is written; {str(path)!r} is a folder. Name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(
            f"A file is written into a folder that exists; there is no {str(target.parent)!r}"
        )
    if target.exists() and not target.is_file():  # a device or a pipe cannot be replaced
        target.write_bytes(data)
        return
    beside = target.with_name(f".{uuid4().hex}.part")
    try:
        with _unnamed(target.parent) or beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if not beside.exists():
                os.link(f"/proc/self/fd/{file.fileno()}", beside, src_dir_fd=file.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _unnamed(folder: Path) -> BinaryIO | None:
    """Open a file without a name, which nobody finds if this process is killed; None if none can.

    Only Linux has them, and not on every disk.
    """
    if not hasattr(os, "O_TMPFILE") or not Path("/proc/self/fd").exists():
        return None
    try:
        return os.fdopen(os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb")
    except OSError:
        return None
