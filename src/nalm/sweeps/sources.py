"""Where the curves of finished runs are: in memory, or in a results file that is read on demand."""

import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from nalm.errors import StoreError
from nalm.sweeps.cell import Described
from nalm.sweeps.store import Store
from nalm.training.packing import unpacked_run
from nalm.training.run import Curves


class Source(Protocol):
    """Knows the curves of the runs of a cell."""

    def curves(self, seed: int) -> Curves:
        """Return the curves of the run with a seed."""
        ...


class InMemory:
    """Curves as they were packed, by seed."""

    def __init__(self, packed: Mapping[int, bytes]) -> None:
        self._packed = packed

    def curves(self, seed: int) -> Curves:
        """Return the curves of the run with a seed."""
        return unpacked_run(self._packed[seed])


class ResultsFile:
    """A results file that is opened when it is first needed, and then stays open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._store: Store | None = None

    def curves(self, described: Described, seed: int) -> Curves:
        """Return the curves of a run."""
        if self._store is None:
            self._store = Store.read(self._path, trusted=True)
            weakref.finalize(self, self._store.close)
        data = self._store.packed(described, seed)
        try:
            return unpacked_run(data)
        except ValueError as error:
            raise StoreError(f"A run in {str(self._path)!r} cannot be read: {error}.") from None


class InFile:
    """The curves of a cell in a results file."""

    def __init__(self, file: ResultsFile, described: Described) -> None:
        self._file, self._described = file, described

    def curves(self, seed: int) -> Curves:
        """Return the curves of the run with a seed."""
        return self._file.curves(self._described, seed)
