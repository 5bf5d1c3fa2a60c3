"""One thread for linear algebra while some code runs, in a process of several threads."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_users = 0
_limits: list[Any] = []
_modules = 0


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread; the last to leave restores what was before the first.

    The limit is one of the whole process, so each thread that restored what it found would leave
    the limit of another behind. Libraries that were loaded meanwhile are limited by the next user.
    """
    global _users, _modules  # noqa: PLW0603 (the limit of the process is one, too)
    with _lock:
        if not _limits or _modules != len(sys.modules):
            _modules = len(sys.modules)
            _limits.append(_libraries(_modules).limit(limits=1))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            while not _users and _limits:
                _limits.pop().restore_original_limits()


@lru_cache(maxsize=1)
def _libraries(modules: int) -> ThreadpoolController:
    """Return the libraries with threads; they are looked for anew once more modules are loaded."""
    del modules
    return ThreadpoolController()
