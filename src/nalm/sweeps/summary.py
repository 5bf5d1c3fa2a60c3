"""The one function that turns the outcomes of runs into the statistics of their cell."""

from collections.abc import Sequence
from math import isnan

from nalm.errors import InputError
from nalm.sweeps.statistics import Outcome, gamma_mean, median, sparsity_mean
from nalm.sweeps.types import CellKey, CellSummary


def summarize(key: CellKey, steps: int, outcomes: Sequence[Outcome]) -> CellSummary:
    """Return the statistics of a cell: counts, and estimates with intervals.

    Parameters
    ----------
    key
        The cell.
    steps
        For how many steps its runs were trained.
    outcomes
        What became of each run; at least one.

    Returns
    -------
    CellSummary
        Without published values; `nalm.experiments` adds them.

    Examples
    --------
    >>> from nalm.sweeps.statistics import Outcome
    >>> runs = [Outcome(True, 9000, 1e-6, 1e-9, False), Outcome(False, None, 0.4, 2.0, False)]
    >>> cell = summarize(CellKey("nmu", "mul", "U[1,2)", 2), 50_000, runs)
    >>> print(cell.rate, cell.failed)
    0.5 [0.0945, 0.905] (n = 2) 1
    """
    if not outcomes:
        raise InputError(f"A cell is summarized from at least one run; {key} has none.")
    solved = [outcome for outcome in outcomes if outcome.success]
    steps_of_solved = [float(outcome.solved_at or 0) for outcome in solved]
    sparsity = [outcome.sparsity for outcome in solved if not isnan(outcome.sparsity)]
    compared = any(outcome.equal is not None for outcome in outcomes)
    return CellSummary(
        key=key,
        steps=steps,
        runs=len(outcomes),
        successes=len(solved),
        diverged=sum(outcome.diverged for outcome in outcomes),
        equal=sum(bool(outcome.equal) for outcome in outcomes) if compared else None,
        solved_equal=sum(bool(outcome.equal) for outcome in solved) if compared else None,
        solved_at=gamma_mean(steps_of_solved),
        median_solved_at=median(steps_of_solved),
        sparsity=sparsity_mean(sparsity),
        median_sparsity=median(sparsity),
        solved_at_each=tuple(steps_of_solved),
        sparsity_each=tuple(sparsity),
    )
