"""Run the command line, whatever happens: one sentence and an exit code, never a traceback."""

import _thread
import os
import signal
import sys
import threading
import traceback
import warnings
from collections.abc import Callable

from nalm.cli.app import app
from nalm.cli.printing import complain
from nalm.errors import NalmError

DONE, WRONG, FAULT, INTERRUPTED = 0, 2, 70, 130
"""What the command exits with; some commands have more."""
VARIABLE = "NALM_TRACEBACK"
"""Set to 1 to see where nalm itself fails."""


def run() -> int:
    """Run the command of this process, and return what it exits with."""
    warnings.showwarning = lambda message, *_, **__: complain(f"Note: {message}")
    sys.unraisablehook = _dropped
    code = _guarded(_interruptible)
    return max(code, _guarded(_flush))


def _interruptible() -> None:
    """Run the command so that Ctrl-C raises an error in it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        app()
    finally:
        signal.signal(signal.SIGINT, before)


def _dropped(lost: "sys.UnraisableHookArgs") -> None:
    """Send Ctrl-C again if it came while Python was in a callback, whose errors it drops."""
    if lost.exc_type is KeyboardInterrupt:
        threading.Timer(0.01, _interrupt_main_thread).start()
    else:
        sys.__unraisablehook__(lost)


def _interrupt_main_thread() -> None:
    main = threading.main_thread().ident
    if main and hasattr(signal, "pthread_kill"):
        signal.pthread_kill(main, signal.SIGINT)  # also wakes it where it waits
    else:
        _thread.interrupt_main()


def _guarded(work: Callable[[], object]) -> int:
    """Do something, and return an exit code; what is wrong is said."""
    try:
        work()
    except SystemExit as end:
        return _code(end.code)
    except BrokenPipeError:  # whoever read the output has enough of it
        _discard_output()
    except (KeyboardInterrupt, Exception) as error:
        return _told(error)
    return DONE


def _told(error: BaseException) -> int:
    """Say what went wrong, and return the exit code."""
    needs_package = isinstance(error, ImportError) and "pip install" in str(error)
    if isinstance(error, KeyboardInterrupt):
        said, code = "Interrupted.", INTERRUPTED
    elif isinstance(error, NalmError) or needs_package:
        said, code = str(error), WRONG
    elif isinstance(error, MemoryError):
        said, code = "There is too little memory. Ask for less, or use a larger machine.", WRONG
    elif isinstance(error, OSError):
        _discard_output()
        said, code = f"The system refused: {error}.", WRONG
    else:
        said, code = _fault(error), FAULT
    complain(said)
    return code


def _fault(error: BaseException) -> str:
    """Return what is said of an error that nobody expected, and how to report it."""
    if os.environ.get(VARIABLE) == "1":
        complain("".join(traceback.format_exception(error)).rstrip())
    what = f"{type(error).__name__}: {error}".rstrip(".")
    return (
        f"This is a fault of nalm, not of yours: {what}. Please report it with the command, what "
        f"it read, and what it prints with {VARIABLE}=1 before it."
    )


def _code(given: object) -> int:
    """Return the exit code that `sys.exit` was given, as Python understands it."""
    if isinstance(given, int):
        return given
    if given is not None:
        complain(given)
    return DONE if given is None else 1


def _flush() -> None:
    """Write what is still to be written, as long as errors can be told."""
    sys.stdout.flush()


def _discard_output() -> None:
    """Let what is still to be written go nowhere."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
