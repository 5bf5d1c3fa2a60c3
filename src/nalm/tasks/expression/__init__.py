"""Functions as data: traced once, then evaluated by any array library, written and compared."""

from nalm.tasks.expression._expression import Expression
from nalm.tasks.expression._tracing import trace

__all__ = ["Expression", "trace"]
