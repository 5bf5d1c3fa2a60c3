"""What an executor is."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, Protocol, runtime_checkable

from nalm.training.run import Run

Block = Sequence[Run]
"""Runs that one compiled program trains at once."""


class Order(NamedTuple):
    """A block that is to be trained."""

    block: Block
    saved: bytes | None = None
    """Its state when it was last saved on the way, if it ever was."""


class Finished(NamedTuple):
    """A block that is done."""

    block: Block
    packed: list[bytes]
    """The curves of each run, as `nalm.training.packing` writes them."""
    made_with: str | None = None
    """The environment of the worker as JSON, where it is another process's machine."""


class Watch(Protocol):
    """What is told about blocks on the way."""

    def steps(self, count: int) -> None:
        """Take the number of training steps, over all runs, that were done since the last call."""
        ...

    def saved(self, block: Block, state: bytes) -> None:
        """Take the state of a block, from which its training can be continued."""
        ...

    def waiting(self, reason: str) -> None:
        """Take what nothing can be done without, such as workers; empty when it is there."""
        ...


class Executor(Protocol):
    """Trains blocks somewhere; it never touches the store."""

    @property
    def workers(self) -> int:
        """How many blocks it trains at the same time."""
        ...

    def execute(self, orders: Sequence[Order], watch: Watch) -> Generator[Finished, None, None]:
        """Yield each block as it finishes; closing the generator ends all work."""
        ...


@runtime_checkable
class Early(Protocol):
    """An executor that can start its workers before there are blocks for them."""

    def prepare(self, blocks: int) -> None:
        """Start workers for at most so many blocks."""
        ...

    def release(self) -> None:
        """End the workers that no block was for."""
        ...


@contextmanager
def started(executor: Executor, blocks: int) -> Iterator[None]:
    """Start workers for at most so many blocks, if the executor can, while these are planned."""
    if not isinstance(executor, Early):
        yield
        return
    try:
        executor.prepare(blocks)
        yield
    finally:
        executor.release()
