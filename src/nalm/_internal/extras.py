"""Optional packages: one sentence says how a missing one is installed."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(package: str, name: str, what: str) -> Iterator[None]:
    """Say how to install a package if it is missing.

    Parameters
    ----------
    package
        The package, whose name is that of the extra.
    name
        What people call it.
    what
        What needs it.

    Examples
    --------
    >>> with needs("no_such_package", "Nothing", "nalm.nothing"):
    ...     import no_such_package
    Traceback (most recent call last):
    ImportError: nalm.nothing needs Nothing: pip install 'nalm[no_such_package]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name != package:
            raise
        raise ImportError(f"{what} needs {name}: pip install 'nalm[{package}]'") from None
