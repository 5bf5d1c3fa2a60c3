"""A sweep of many small blocks, to be killed.

`python -m benchmarks.faults.victim FOLDER` trains here; with the address of a scheduler after the
folder, on a Dask cluster. Every run is a block, since it has a population; all share one program.
Their states are saved at every evaluation.
"""

import sys

RUNS = 40
TOLD = 3
"""The exit code of a sweep that cannot go on, and says why."""


def main(folder: str, scheduler: str | None = None) -> None:
    from nalm.sweeps import sweep
    from nalm.sweeps.executors import Local
    from nalm.sweeps.executors._process import Care

    care = Care(save_every=0.0, attempts=20)
    if scheduler is None:
        sweep([cell()], range(RUNS), out=folder, executor=Local(2, care))
        return
    from nalm.sweeps.executors import Dask

    with Dask(scheduler, care) as executor:
        sweep([cell()], range(RUNS), out=folder, executor=executor)


def cell():
    """Return the cell of the sweep."""
    import nalm
    from nalm.sweeps import Cell
    from nalm.tasks import single_module
    from nalm.training import Recipe

    recipe = Recipe(0.01, steps=4000, log_every=500, evaluation=100, batch=32, population=113)
    return Cell("nmu", nalm.unit("nmu", 2, 1), single_module("mul"), recipe)


if __name__ == "__main__":
    from nalm.errors import NalmError

    try:
        main(*sys.argv[1:])
    except NalmError as error:
        print(error, file=sys.stderr)
        sys.exit(TOLD)
