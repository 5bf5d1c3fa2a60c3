"""A sweep of many small blocks, to be killed.

`python -m benchmarks.faults.victim FOLDER` trains here; with the address of a scheduler after the
folder, on a Dask cluster. Every run is a block, since it has a population; all share one program.
Their states are saved at every evaluation. If the variable FAULTS_TRAIN is "pictures", networks
that see pictures are trained instead.
"""

import os
import sys
from collections.abc import Callable
from typing import Any

TRAINED = "FAULTS_TRAIN"
"""The variable that says what is trained."""
TOLD = 3
"""The exit code of a sweep that cannot go on, and says why."""


def main(folder: str, scheduler: str | None = None) -> None:
    from nalm.sweeps import sweep
    from nalm.sweeps.executors import Local
    from nalm.sweeps.executors._process import Care

    care = Care(save_every=0.0, attempts=20)
    make, runs = SWEEPS[os.environ.get(TRAINED, "numbers")]
    if scheduler is None:
        sweep([make()], range(runs), out=folder, executor=Local(2, care))
        return
    from nalm.sweeps.executors import Dask

    with Dask(scheduler, care) as executor:
        sweep([make()], range(runs), out=folder, executor=executor)


def numbers() -> Any:
    """Return a cell that sees numbers."""
    import nalm
    from nalm.sweeps import Cell
    from nalm.tasks import single_module
    from nalm.training import Recipe

    recipe = Recipe(0.01, steps=4000, log_every=500, evaluation=100, batch=32, population=113)
    return Cell("nmu", nalm.unit("nmu", 2, 1), single_module("mul"), recipe)


def pictures() -> Any:
    """Return a cell that sees pictures of digits."""
    import nalm
    from nalm.sweeps import Cell
    from nalm.vision import DigitPairs

    task, model = (
        DigitPairs("mul", data="digits", each=20, through_one=True),
        nalm.unit("snmu", 2, 1),
    )
    recipe = task.usual_recipe(model).stretched(600).replace(log_every=50, evaluation=200)
    return Cell("snmu", model, task, recipe)


SWEEPS: dict[str, tuple[Callable[[], Any], int]] = {
    "numbers": (numbers, 40),
    "pictures": (pictures, 4),
}
"""The cells of the sweeps, and how many runs they have."""


if __name__ == "__main__":
    from nalm.errors import NalmError

    try:
        main(*sys.argv[1:])
    except NalmError as error:
        print(error, file=sys.stderr)
        sys.exit(TOLD)
