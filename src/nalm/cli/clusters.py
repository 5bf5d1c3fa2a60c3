"""The option --scheduler: a Dask cluster instead of this machine."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nalm.sweeps.executors import Executor


@contextmanager
def executor_of(scheduler: str | None, workers: int | None) -> Iterator["Executor | None"]:
    """Give the cluster of a scheduler, if one is named; it is left when all is done."""
    if scheduler is None:
        yield None
        return
    from nalm.errors import InputError

    if workers is not None:
        raise InputError("Give one of --workers and --scheduler; received both.")
    from nalm.sweeps.executors import Dask

    try:
        cluster = Dask(scheduler)
    except ImportError as error:
        raise InputError(str(error)) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is said by an error
    with cluster:
        yield cluster
