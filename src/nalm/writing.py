"""Files that are written whole or not at all."""

import os
from pathlib import Path
from uuid import uuid4


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
    beside = target.with_name(f".{target.name}.{uuid4().hex}")
    try:
        with beside.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
