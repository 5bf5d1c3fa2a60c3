"""The `nalm` command: says how to get its dependencies when they are missing."""

import os
import sys


def main() -> None:
    """Run the command line."""
    try:
        from nalm.cli import app
    except ModuleNotFoundError as error:
        if error.name not in {"cyclopts", "rich"}:
            raise
        sys.exit("The nalm command needs its extra packages: pip install 'nalm[cli]'")
    try:
        app()
    except BrokenPipeError:  # whoever read the output has enough of it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
