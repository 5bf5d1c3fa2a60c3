"""States of blocks on the way: when they are kept, and what was kept before."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Saving:
    """Keeps the state of a block every now and then, and gives back what was kept before.

    Parameters
    ----------
    keep
        Called with each state.
    every
        The least seconds from one state to the next.
    found
        The last state, if the block was begun before.
    """

    keep: Callable[[bytes], None]
    every: float = 60.0
    found: bytes | None = None
    last: float = field(default_factory=time.monotonic)

    @property
    def due(self) -> bool:
        """Whether it is time to save the block."""
        return time.monotonic() - self.last >= self.every

    def take(self, data: bytes) -> None:
        """Keep a state."""
        self.keep(data)
        self.last = time.monotonic()
