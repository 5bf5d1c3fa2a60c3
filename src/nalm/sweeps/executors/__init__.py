"""Where blocks are trained: each executor is one file, and one line here."""

from nalm.sweeps.executors._executor import Block as Block
from nalm.sweeps.executors._executor import Executor as Executor
from nalm.sweeps.executors._executor import Finished as Finished
from nalm.sweeps.executors._executor import Order as Order
from nalm.sweeps.executors._executor import Watch as Watch
from nalm.sweeps.executors._executor import started as started
from nalm.sweeps.executors.dask import Dask as Dask
from nalm.sweeps.executors.local import Local as Local

EXECUTORS: dict[str, type[Executor]] = {"local": Local, "dask": Dask}
"""Every executor by its name."""
