"""Run published experiments."""

import json
import sys
from shutil import get_terminal_size
from textwrap import fill

from nalm.cli import choices
from nalm.cli.app import Changed, Json, Whole, app
from nalm.cli.clusters import executor_of
from nalm.cli.printing import complain, say


@app.command
def bench(
    experiment: str,
    /,
    *,
    units: str | None = None,
    ops: str | None = None,
    ranges: str | None = None,
    settings: str | None = None,
    inputs: str | None = None,
    seeds: str | None = None,
    steps: Whole = None,
    recipe: str = "published",
    changed: Changed = None,
    data: str = "mnist",
    epochs: Whole = None,
    folds: Whole = None,
    device: str = "cpu",
    precision: str = "float32",
    out: str | None = None,
    workers: Whole = None,
    scheduler: str | None = None,
    as_json: Json = False,
) -> None:
    """Run an experiment; the same command continues where it stopped.

    What is not the published setting is named and not compared. For a first look, choose one unit
    and few seeds: most units train at full size in seconds, and fewer steps solve less.

    Parameters
    ----------
    experiment
        Its name, as nalm experiments lists it; or FILE.py:NAME for an Experiment of your own.
    units
        Units or models, separated by commas; all if absent. An option is changed by
        'nru(tanh_scale=10)'; a unit of your own is FILE.py:CLASS.
    ops
        Operations, separated by commas; any operation works, not only those of the experiment.
    ranges
        Training ranges, such as U[1,2), separated by commas; any range works, also with a test
        range, 'U[5,9)->U[9,30)'.
    settings
        Settings, as nalm experiments NAME lists them, separated by commas.
    inputs
        Numbers of inputs, separated by commas.
    seeds
        How many seeds, if not the published number; or the seeds, as in 3,7,11.
    steps
        How many training steps, if not the published number; schedules keep their proportion.
    recipe
        published; lm for second-order steps; lm-warm for the same, starting at least-squares
        weights.
    changed
        A field of the recipe, NAME=VALUE, such as learning_rate=5e-3; may be repeated.
    data
        Pictures of digits: mnist; digits, the small ones of scikit-learn, which need no download;
        or a folder with the files of MNIST.
    epochs
        How often training goes through all pictures, if not the published number.
    folds
        How many of the folds are run; all if absent.
    device
        Where networks that see pictures are trained: cpu, cuda.
    precision
        In what the layers that see pictures are computed, all but the last:
        float32, bfloat16.
    out
        The folder for the results; results/EXPERIMENT if absent.
    workers
        How many processes; one per core if absent.
    scheduler
        The address of a Dask scheduler, tcp://HOST:PORT, whose workers train instead of this
        machine.
    as_json
        Print JSON instead of a table.
    """
    from nalm.errors import InputError, NalmError
    from nalm.experiments.bench import bench as run
    from nalm.experiments.bench import experiment_of
    from nalm.sweeps import NoteKind

    folder = out
    try:
        fields = choices.changes(changed)
        if fields and recipe != "published":
            raise InputError("Give one of --recipe and --set; received both.")
        folder = f"results/{experiment_of(experiment).name}" if out is None else out
        with executor_of(scheduler, workers) as executor:
            results = run(
                experiment,
                units=choices.split(units),
                ops=choices.split(ops),
                ranges=choices.split(ranges),
                settings=choices.settings(settings, experiment),
                inputs=choices.numbers(inputs),
                seeds=choices.seeds(seeds),
                steps=steps,
                recipe=fields or recipe,
                data=data,
                epochs=epochs,
                folds=folds,
                device=device,
                precision=precision,
                out=folder,
                workers=workers,
                executor=executor,
                progress=True,
            )
    except NalmError as error:
        complain(error)
        sys.exit(2)
    except KeyboardInterrupt:
        complain(f"Interrupted. The same command goes on from {folder}.")
        sys.exit(130)
    for note in results.notes:
        if as_json or note.kind is not NoteKind.SIZE:
            complain(f"Note: {note}")
    if as_json:
        say(json.dumps(results.records(), indent=2))
        return
    width = get_terminal_size().columns
    table = results.table(width)
    say("\n".join([table, *explanations(table)]))
    for note in results.notes:
        if note.kind is NoteKind.SIZE:
            say(fill(note.text, width))
    say(f"Results in {folder}.")


COLUMNS = {
    "median step": "Median step: when the solved runs were first below the threshold.",
    "equal": "Equal: runs whose formula is the target, by algebra.",
}
"""What the columns of a table mean that do not explain themselves."""
WIDE = "Wide: an interval is wider than 0.5, so that it agrees says little."


def explanations(table: str) -> list[str]:
    """Return what columns and words of a table mean, of those that it has."""
    heads = table.partition("\n")[0]
    found = [meaning for column, meaning in COLUMNS.items() if column in heads]
    return found + [WIDE] * ("agrees," in table)
