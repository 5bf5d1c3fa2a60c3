"""What a campaign on stores has seen, and how it is told."""

import sys
import time
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """What was tried, how it ended, and what is wrong."""

    tried: Counter = field(default_factory=Counter)
    """How often each way was tried."""
    ended: Counter = field(default_factory=Counter)
    """How often it ended in which way."""
    faults: list[str] = field(default_factory=list)
    """Numbers that are others or missing without a word, tracebacks, hangs, files left behind."""
    began: float = field(default_factory=time.monotonic)

    def tell(self) -> None:
        """Print it, and end the process: with code 1 if something is wrong."""
        print(f"{self.tried.total()} in {time.monotonic() - self.began:.0f} s: {dict(self.tried)}")
        print(f"They ended so: {dict(self.ended)}")
        print(f"{len(self.faults)} faults", *self.faults, sep="\n")
        sys.exit(bool(self.faults))
