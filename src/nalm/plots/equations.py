"""Pictures of equations alone: weights of their parameters, penalties, schedules, noise, errors."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nalm._internal.checks import check_number, check_whole, not_negative
from nalm.errors import InputError, UnknownNameError, unknown
from nalm.experiments.gold import gold_error
from nalm.plots._axes import axis, checked_ends
from nalm.plots.grids import Grid
from nalm.plots.lines import Lines, Series
from nalm.sweeps.models import made, named
from nalm.tasks import Uniform
from nalm.training.schedules import Schedule

HATS = ("w_hat", "m_hat")
"""The parameters of an effective weight tanh(ŵ) σ(m̂)."""


def effective(
    model: Any,
    *,
    parameters: tuple[str, str] = HATS,
    weight: str | None = None,
    ends: tuple[float, float] = (-10.0, 10.0),
    points: int = 101,
    title: str | None = None,
) -> Grid:
    """Return an effective weight over the two parameters that make it.

    Parameters
    ----------
    model
        A unit, also a custom one; or its name. It is made with one input and one output.
    parameters
        The two parameters.
    weight
        The effective weight; the first one if absent.
    ends
        The ends of both axes.
    points
        How many values an axis has.
    title
        What is written above.

    Returns
    -------
    Grid
        The values of the weight.

    Examples
    --------
    >>> import nalm.plots
    >>> nalm.plots.effective("nac", points=3).values[0].round(3).tolist()
    [[-0.0, 0.0, 0.0], [-0.5, 0.0, 0.5], [-1.0, 0.0, 1.0]]
    """
    unit: Any = made(model, 1)
    declared = unit.parameters
    if not set(parameters) <= set(declared):
        raise UnknownNameError(
            f"An effective weight is drawn over two parameters, here {' and '.join(parameters)}; "
            f"{named(unit)} has {', '.join(declared) or 'none'}. Take a unit such as nac, or name "
            "two others: parameters=(...)."
        )
    line = axis(ends, points)
    first, second = np.meshgrid(line, line)
    params = {name: np.zeros((points**2, *p.shape)) for name, p in declared.items()}
    for name, values in zip(parameters, (first, second), strict=True):
        params[name] = params[name] + values.reshape(-1, *[1] * (params[name].ndim - 1))
    found = [unit.effective({name: p[i] for name, p in params.items()}) for i in range(points**2)]
    chosen = next(iter(found[0])) if weight is None else weight
    if chosen not in found[0]:
        raise unknown("effective weight", chosen, found[0], owner=named(unit))
    values = np.array([float(np.ravel(f[chosen])[0]) for f in found]).reshape(1, points, points)
    return Grid(title or named(unit), parameters, line, line, values, chosen)


def penalty(
    model: Any,
    name: str = "discretise",
    *,
    parameter: str | None = None,
    others: float = 0.0,
    ends: tuple[float, float] = (-1.5, 1.5),
    points: int = 301,
    title: str | None = None,
) -> Lines:
    """Return a penalty over one parameter.

    Parameters
    ----------
    model
        A unit, also a custom one; or its name. It is made with one input and one output.
    name
        The penalty.
    parameter
        The parameter that moves; the first one if absent.
    others
        Where the other parameters stay.
    ends
        The ends of the axis.
    points
        How many values it has.
    title
        What is written above.

    Returns
    -------
    Lines
        The curve.

    Examples
    --------
    >>> import nalm.plots
    >>> nalm.plots.penalty("nmu", points=5, ends=(0, 1)).series[0].y.tolist()
    [0.0, 0.25, 0.5, 0.25, 0.0]
    """
    unit: Any = made(model, 1)
    declared = unit.parameters
    moved = next(iter(declared)) if parameter is None else parameter
    if moved not in declared:
        raise unknown("parameter", moved, declared, owner=named(unit))
    line = axis(ends, points)
    still = {n: np.full(p.shape, float(others)) for n, p in declared.items()}
    terms = [unit.penalties(still | {moved: np.full(declared[moved].shape, w)}) for w in line]
    if name not in terms[0]:
        raise UnknownNameError(
            f"{named(unit)} has no penalty {name!r}; it has: {', '.join(terms[0]) or 'none'}."
        )
    values = np.array([float(term[name]) for term in terms])
    said = title or f"{named(unit)}: {name}"
    return Lines(said, (moved, "penalty"), (Series(named(unit), line, values),))


def schedule(given: Schedule, steps: int, *, title: str | None = None) -> Lines:
    """Return the scale of a penalty along training.

    Parameters
    ----------
    given
        The schedule.
    steps
        The last step.
    title
        What is written above.

    Returns
    -------
    Lines
        The curve.

    Examples
    --------
    >>> import nalm.plots
    >>> from nalm.training import Ramp
    >>> nalm.plots.schedule(Ramp(1.0, 4, 6), 7).series[0].y.tolist()
    [0.0, 0.0, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0]
    """
    check_whole("steps", steps, 1)
    at = np.unique(np.linspace(0, steps, min(steps, 1000) + 1).round())
    values = np.asarray(given.value(np, at, np.full_like(at, np.nan)), float)
    said = title or type(given).__name__
    return Lines(said, ("step", "scale"), (Series(said, at, values),))


def batch_noise(
    ends: tuple[float, float] = (0.05, 10.0),
    *,
    points: int = 200,
    title: str = "upper end of batch noise",
) -> Lines:
    """Return how large the noise of the stochastic NMU becomes: 1 + 1/σ of its inputs.

    Parameters
    ----------
    ends
        The ends of the axis of σ, above 0.
    points
        How many values it has.
    title
        What is written above.

    Returns
    -------
    Lines
        The curve, read from the unit itself.

    Examples
    --------
    >>> import nalm.plots
    >>> curve = nalm.plots.batch_noise((0.5, 2.0), points=2).series[0]
    >>> curve.x.round(6).tolist(), curve.y.round(5).tolist()
    ([0.5, 2.0], [3.0, 1.5])
    """
    from nalm.units import SNMU

    if checked_ends(ends)[0] <= 0:
        raise InputError(f"ends are two numbers above 0, the smaller first; received {ends}.")
    unit, line = SNMU(1, 1, noise_range="batch"), axis(ends, points)
    spread = np.array([[-1.0], [1.0]]) / np.sqrt(2)  # its sample standard deviation is 1
    params = {"weight": np.zeros((1, 1))}
    tops = [np.ravel(unit.draws(np, params, sigma * spread)[1].high)[0] for sigma in line]
    return Lines(title, ("σ of the inputs", "1 + 1/σ"), (Series("1 + 1/σ", line, np.array(tops)),))


def gold(
    models: Sequence[Any],
    op: str,
    *,
    inputs: int = 2,
    exponents: Sequence[int] = range(-8, 1),
    seed: int = 0,
    title: str | None = None,
) -> Lines:
    """Return the error that units have with exact weights, over ranges that come near zero.

    Parameters
    ----------
    models
        The units, also custom ones; or their names.
    op
        The operation.
    inputs
        How many inputs they have.
    exponents
        The ranges: inputs are of U[0, 10^k), for k from -37 to 37.
    seed
        The seed of the 10,000 samples.
    title
        What is written above.

    Returns
    -------
    Lines
        A curve for each unit, in 32 bits.

    Examples
    --------
    >>> import nalm.plots
    >>> found = nalm.plots.gold(["nru", "real_npu"], "reciprocal", exponents=[-4, 0])
    >>> [bool(series.y[0] > series.y[1]) for series in found.series]
    [True, True]
    """
    for k in exponents:
        check_number("An exponent", k, "from -37 to 37", lambda number: abs(number) <= 37)
    widths = 10.0 ** np.array(list(exponents), float)
    series = []
    for model in models:
        unit: Any = made(model, inputs)
        if op not in unit.ops:
            can = ", ".join(unit.ops) or "no operation exactly"
            raise InputError(f"{named(unit)} cannot compute {op} exactly; it can: {can}.")
        with np.errstate(all="ignore"):
            errors = [
                gold_error(unit, op, Uniform(0, float(w)), np.random.default_rng(seed))
                for w in widths
            ]
        series.append(Series(named(unit), widths, np.array(errors)))
    said = title or f"{op}, exact weights"
    return Lines(
        said, ("upper end of the range", "mean squared error"), tuple(series), (True, True)
    )


def moments(
    *,
    weights: tuple[float, float] = (0.05, 0.5),
    inputs: tuple[float, float] = (2.0, 50.0),
    points: int = 13,
    samples: int = 100_000,
    epsilon: float = 1e-7,
    seed: int = 0,
    title: str = "E[z] of one NAC• input: formula minus samples",
) -> Grid:
    """Return the error of the approximate mean of a NAC• with one input.

    The formula is 1 + ½ Var[w] log(|E[x]| + ε)², for w of U[-r_w, r_w] and x of U[0, r_z].

    Parameters
    ----------
    weights, inputs
        The ends of the axes r_w and r_z.
    points
        How many values an axis has.
    samples
        How many samples the mean is estimated from.
    epsilon
        ε of the unit.
    seed
        The seed of the samples.
    title
        What is written above.

    Returns
    -------
    Grid
        Formula minus estimate.

    Examples
    --------
    >>> import nalm.plots
    >>> error = nalm.plots.moments(points=2, samples=10_000).values[0]
    >>> bool(error[1, 1] < error[0, 0] < 0.02)
    True
    """
    check_whole("samples", samples, 1)
    check_whole("seed", seed, 0)
    not_negative("epsilon", epsilon)
    rng = np.random.default_rng(seed)
    radii, heights = axis(weights, points, "weights"), axis(inputs, points, "inputs")
    u, v = rng.random((2, samples))
    errors = np.zeros((1, points, points))
    for i, height in enumerate(heights):
        logs = np.log(height * u + epsilon)
        for j, radius in enumerate(radii):
            mean = np.mean(np.exp(radius * (2 * v - 1) * logs))
            formula = 1 + radius**2 / 6 * np.log(height / 2 + epsilon) ** 2
            errors[0, i, j] = formula - mean
    return Grid(title, ("r_w", "r_z"), radii, heights, errors, "error", levels=20)
