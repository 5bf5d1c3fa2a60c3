"""Where training ends from each start on a grid of weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nalm._internal.checks import check_whole, positive
from nalm.errors import InputError
from nalm.plots._axes import axis
from nalm.plots._counted import counted
from nalm.plots._descent import descend
from nalm.plots._drawing import arrows, grid_chart, grid_rows
from nalm.plots._picture import Picture, altair
from nalm.plots._plane import Data, plane, samples_of
from nalm.sweeps.models import named
from nalm.sweeps.statistics import Estimate, rate
from nalm.tasks import Task

NEAR = 0.1
"""How near to the goal a start must end to be a success."""
COLORS = {"success": "#40b696", "failure": "#e08640"}


@dataclass(frozen=True)
class Starts(Picture):
    """Starts on a grid, where each ends, and which of them end at the goal.

    Parameters
    ----------
    title
        What is seen.
    names
        The two weights.
    start, end
        Where each training begins and ends, `(starts, 2)`.
    goal
        The weights that are to be found.
    """

    names: tuple[str, str]
    start: np.ndarray
    end: np.ndarray
    goal: tuple[float, float]

    @property
    def succeeded(self) -> np.ndarray:
        """Whether each start ends at the goal."""
        return np.max(np.abs(self.end - np.array(self.goal)), axis=1) < NEAR

    @property
    def rate(self) -> Estimate:
        """The share of the starts that end at the goal, with its 95 % interval."""
        return rate(int(self.succeeded.sum()), len(self.start))

    def draw(self, *, still: bool) -> Any:  # noqa: ARG002 (it has no slider)
        """Return a colored square for each start, and an arrow of a tenth of its way."""
        x, y = (np.unique(self.start[:, k]) for k in (0, 1))
        values = np.full((len(y), len(x)), np.nan)
        values[np.searchsorted(y, self.start[:, 1]), np.searchsorted(x, self.start[:, 0])] = (
            self.succeeded
        )
        rows = grid_rows(x, y, values, np.array([-0.5, 0.5, 1.5]))
        squares = grid_chart(rows, self.names, "ends at the goal")
        alt = altair()
        scale = alt.Scale(domain=[0, 1], range=[COLORS["failure"], COLORS["success"]])
        squares = squares.encode(color=alt.Color("value:Q", scale=scale, legend=None))
        way = self.end - self.start
        length = np.linalg.norm(way, axis=1, keepdims=True)
        step = 0.9 * (x[1] - x[0])
        tip = self.start + way * np.minimum(1.0, step / np.maximum(length, 1e-9))
        moves = length[:, 0] > 1e-6
        field = arrows(self.start[moves], tip[moves], "way", {"way": "white"})
        return squares + field


def starts(
    model: Any,
    data: Data,
    *,
    weights: Sequence[str] | None = None,
    params: Any = None,
    goal: tuple[float, float] | None = None,
    ends: Sequence[float] = (0.0, 1.0),
    points: int = 21,
    steps: int = 2500,
    learning_rate: float = 1e-3,
    optimizer: str = "sgd",
    seed: int = 0,
    title: str | None = None,
) -> Starts:
    """Train a unit from every start on a grid of two weights.

    Parameters
    ----------
    model
        A unit, also a custom one; or its name.
    data
        A task, of which 128 training samples are drawn; or one sample, `((x1, x2), y)`.
    weights
        The two weights; not needed if there are just two.
    params
        Where the other weights begin; at the exact parameters of the task if absent.
    goal
        The two weights that are to be found; the exact ones of the task if absent.
    ends
        The ends of both axes.
    points
        How many values an axis has.
    steps, learning_rate, optimizer
        How it is trained, by an optimizer of optax.
    seed
        The seed of samples and noise.
    title
        What is written above.

    Returns
    -------
    Starts
        The arrays, with the share of starts that succeed, `.chart()` and `.save(path)`.

    Examples
    --------
    >>> import nalm.plots
    >>> sample = ((-2.0, -1.8), 3.6)
    >>> found = nalm.plots.starts("nmu", sample, goal=(1, 1), points=3, steps=2500)
    >>> found.end.round(2).tolist()[-1], found.rate.n
    ([1.0, 1.0], 9)
    """
    import jax.numpy as jnp

    values = axis(ends, points)
    check_whole("steps", steps, 1)
    positive("learning_rate", learning_rate)
    check_whole("seed", seed, 0)
    samples = samples_of(data, seed)
    op = data.op if isinstance(data, Task) else None
    place = plane(model, samples.x.shape[1], op, weights, params)
    if goal is None:
        if op not in place.ops:
            raise InputError(
                f"A start succeeds if it ends at the exact weights of the task; "
                f"{named(place.model)} has none for {op or 'one sample'}. Pass goal=(w1, w2)."
            )
        goal = place.origin
    begin = np.stack(np.meshgrid(values, values), axis=-1).reshape(-1, 2)
    x, y = jnp.asarray(samples.x, float), jnp.asarray(samples.y, float)
    each = [place.params(weights, np) for weights in begin]
    params = {name: np.stack([p[name] for p in each]) for name in each[0]}
    path = descend(
        place, params, lambda _key: (x, y), learning_rate=learning_rate, optimizer=optimizer,
        steps=steps, every=steps, seed=seed,
    )  # fmt: skip
    found = Starts("", place.names, begin, path[:, -1], goal)
    said = counted(int(found.succeeded.sum()), len(begin), "starts succeed")
    return Starts(title or f"{named(place.model)}: {said}", place.names, begin, path[:, -1], goal)
