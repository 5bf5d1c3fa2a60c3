"""The arguments `executor=` and `workers=`."""

from typing import Any

from nalm.errors import InputError
from nalm.sweeps.executors._executor import Executor
from nalm.sweeps.executors.local import Local


def chosen(executor: Any, workers: int | None) -> Executor:
    """Return the executor that the arguments ask for.

    >>> chosen(None, 3).workers
    3
    """
    if executor is None:
        return Local(workers)
    if not hasattr(type(executor), "execute"):
        raise InputError(
            "executor is nalm.Local(3), nalm.Dask('tcp://10.0.0.5:8786') or None for this machine; "
            f"received {executor!r}."
        )
    if workers is not None:
        raise InputError(
            f"Give one of workers and executor; received both, and workers = {workers}. A Dask "
            "cluster has as many as were started there."
        )
    return executor
