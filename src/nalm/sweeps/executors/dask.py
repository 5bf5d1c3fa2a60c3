"""Train blocks on a Dask cluster: one machine or many."""

import re
import warnings
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Self

from nalm.errors import ClusterError, InputError
from nalm.sweeps.executors._executor import Finished, Order, Watch
from nalm.sweeps.executors._process import Care

TIMEOUT = 10.0
"""Seconds that a scheduler has to answer."""
ADDRESS = re.compile(r"inproc://.+|((tcp|tls|ws|wss|ucx|ucxx)://)?[^/]+:\d+")
"""How the address of a scheduler is written."""
SHOWN = 3
"""How many wrong workers a message names."""


class Dask:
    """The workers of a Dask cluster, each of whose threads trains one block at a time.

    Results are the same bits as on this machine if the processors are of the same kind. Workers
    need this version of nalm and of what it computes with; nothing else is installed there.

    Parameters
    ----------
    cluster
        The address of a scheduler, such as "tcp://10.0.0.5:8786"; a cluster of Dask, such as a
        `LocalCluster`; or a `Client` that is connected to one.
    care
        How processes are looked after on the workers.

    Examples
    --------
    >>> import nalm
    >>> from distributed import LocalCluster
    >>> from nalm.tasks import single_module
    >>> with LocalCluster(n_workers=1, threads_per_worker=1, processes=False,
    ...                   dashboard_address=":0") as cluster, nalm.Dask(cluster) as executor:
    ...     results = nalm.train("nmu", single_module("mul"), seeds=5, executor=executor)
    >>> print(results.cells()[0].rate)
    1 [0.566, 1] (n = 5)
    """

    def __init__(self, cluster: Any, care: Care | None = None) -> None:
        self.care = care or Care()
        self._own, self._client = _connected(cluster)
        try:
            self._check()
        except BaseException:
            self.close()
            raise

    @property
    def workers(self) -> int:
        """How many blocks are trained at the same time: the threads of all workers there are."""
        with self._answered():
            return max(1, sum(self._client.nthreads().values()))

    def execute(self, orders: Sequence[Order], watch: Watch) -> Generator[Finished, None, None]:
        """Yield each block as it finishes; closing the generator cancels the others."""
        from nalm.sweeps.executors._dask_sweep import DaskSweep

        sweep = DaskSweep(self._client, orders, watch, self.care)
        try:
            with self._answered():
                yield from sweep.finished()
        finally:
            sweep.stop()

    def close(self) -> None:
        """Close the connection, unless it was given as a `Client`; the cluster stays."""
        if self._own:
            with suppress(Exception):
                self._client.close(timeout=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _answered(self) -> Iterator[None]:
        """Say in one sentence that the scheduler does not answer any more."""
        try:
            yield
        except OSError as error:
            raise gone(self._client.scheduler.address) from error

    def _check(self) -> None:
        """Refuse workers that would give other results."""
        from nalm.sweeps.executors._dask_sweep import misfits

        with self._answered():
            wrong = misfits(self._client, self._client.nthreads())
        if wrong:
            shown = "; ".join(f"{name} has {text}" for name, text in [*wrong.items()][:SHOWN])
            more = f"; and {len(wrong) - SHOWN} more" if len(wrong) > SHOWN else ""
            raise ClusterError(
                "The workers of a Dask cluster have the versions of this machine, since results "
                f"would differ; {shown}{more}. Install the same there, or start nalm from their "
                "environment."
            )


def gone(address: str) -> ClusterError:
    """Return the error of a scheduler that went away for good."""
    return ClusterError(
        f"The Dask scheduler at {address} went away and did not come back. What was finished is "
        "kept: run the same command when it is there again, or without it."
    )


def _connected(cluster: Any) -> tuple[bool, Any]:
    """Return a client, and whether it is ours to close."""
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        if error.name not in {"dask", "distributed"}:
            raise
        raise ImportError("nalm.Dask needs Dask: pip install 'nalm[dask]'") from None
    from distributed.deploy.cluster import Cluster

    if isinstance(cluster, Client):
        if cluster.asynchronous or cluster.status != "running":
            raise InputError(
                f"A Client for nalm.Dask is connected and not asynchronous; received {cluster!r}."
            )
        return False, cluster
    address = isinstance(cluster, str) and ADDRESS.fullmatch(cluster)
    if not address and not isinstance(cluster, Cluster):
        raise InputError(
            "A Dask cluster is the address of its scheduler such as 'tcp://10.0.0.5:8786', a "
            f"cluster of Dask or a Client; received {cluster!r}."
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions that nalm does not use
            return True, Client(cluster, timeout=TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"No Dask scheduler answered at {cluster!r} within {TIMEOUT:.0f} seconds: {error}. "
            "Start one with `dask scheduler`, which prints its address, and see that no firewall "
            "is between."
        ) from None
