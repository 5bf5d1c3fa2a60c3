"""One thread for linear algebra while some code runs, in a process of several threads."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from threadpoolctl import threadpool_limits

_lock = Lock()
_users = 0
_limits: threadpool_limits | None = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread; the last to leave restores what was before the first.

    The limit is one of the whole process, so each thread that restored what it found would leave
    the limit of another behind.
    """
    global _users, _limits  # noqa: PLW0603 (the limit of the process is one, too)
    with _lock:
        if _limits is None:
            _limits = threadpool_limits(1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users and _limits is not None:
                _limits.restore_original_limits()
                _limits = None
