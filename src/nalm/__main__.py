"""The `nalm` command: says how to get its dependencies when they are missing."""

import os
import signal
import sys
from io import TextIOWrapper


def main() -> None:
    """Run the command line."""
    signal.signal(
        signal.SIGINT, _interrupted
    )  # before and after the command, which can tell itself
    _open_streams()
    try:
        from nalm.cli.running import run
    except ModuleNotFoundError as error:
        if error.name not in {"cyclopts", "rich"}:
            raise
        sys.exit("The nalm command needs its extra packages: pip install 'nalm[cli]'")
    except OSError as error:
        sys.exit(f"The system refused: {error}.")
    sys.exit(run())


def _interrupted(*_: object) -> None:
    os.write(2, b"Interrupted.\n")
    os._exit(130)


def _open_streams() -> None:
    """Open streams that were closed, so that no other file takes their place; print anything."""
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
            setattr(sys, name, open(null, mode, encoding="utf-8"))  # noqa: SIM115, PTH123
            assert null == number
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    main()
