"""The `nalm` command: says how to get its dependencies when they are missing."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from nalm.cli import app
    except ModuleNotFoundError as error:
        if error.name not in {"cyclopts", "rich"}:
            raise
        sys.exit("The nalm command needs its extra packages: pip install 'nalm[cli]'")
    app()


if __name__ == "__main__":
    main()
