"""Every published experiment by its name."""

from nalm.errors import unknown
from nalm.experiments import (
    arithmetic_dataset,
    composition,
    digit_images,
    digit_sequences,
    division,
    improved_nalu,
    logic,
    operands,
    power_units,
    single_module,
)
from nalm.experiments.experiment import Experiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for module in (
        single_module,
        arithmetic_dataset,
        power_units,
        division,
        operands,
        improved_nalu,
        logic,
        composition,
        digit_images,
        digit_sequences,
    )
    for experiment in module.EXPERIMENTS
}
"""Every published experiment by its name."""


def names() -> list[str]:
    """Return the names of the published experiments.

    Returns
    -------
    list of str

    Examples
    --------
    >>> import nalm
    >>> nalm.experiments.names()[:2]
    ['single-module', 'single-module-10']
    """
    return list(EXPERIMENTS)


def get(name: str) -> Experiment:
    """Return a published experiment; printing it shows what can be chosen from it.

    Parameters
    ----------
    name
        Its name, one of `names()`.

    Returns
    -------
    Experiment

    Examples
    --------
    >>> import nalm
    >>> nalm.experiments.get("identity")
    Experiment('identity': MLPs that repeat their input, nine activations, 9 cells, 25 seeds)
    """
    if not isinstance(name, str) or name not in EXPERIMENTS:
        raise unknown("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]
