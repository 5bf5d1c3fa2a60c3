"""Results as they are kept in a folder: every row checked, one writer at a time."""

from nalm.sweeps.store.store import Store as Store
