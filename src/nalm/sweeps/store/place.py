"""Where an open store is: a folder may be deleted, moved or replaced under it."""

from pathlib import Path

from nalm.errors import StoreError
from nalm.sweeps.store.database import FILE, LOCK


class Place:
    """The files of an open store, as the system knows them.

    A file that is open can be written after its name is gone; what is written then is lost.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known = {name: _identity(folder / name) for name in (FILE, LOCK)}

    def check(self) -> None:
        """Raise if a name does not mean the file any more that was opened."""
        self._known.setdefault(f"{FILE}-wal", _identity(self.folder / f"{FILE}-wal"))
        for name, known in self._known.items():
            if _identity(self.folder / name) != known:
                raise StoreError(
                    f"Results are written into {str(self.folder / name)!r}, which was deleted, "
                    "moved or replaced meanwhile. Move it back if it was moved, then run the same "
                    "command again: what is not there is trained again."
                )


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
