"""The way of two weights during training, one line for each seed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nalm._internal.checks import check_whole
from nalm.errors import InputError
from nalm.plots._counted import counted
from nalm.plots._descent import descend
from nalm.plots._drawing import Mark, marked
from nalm.plots._picture import WIDTH, Picture, altair
from nalm.plots._plane import plane
from nalm.plots.starts import NEAR
from nalm.sweeps.models import named
from nalm.sweeps.statistics import Estimate, rate
from nalm.tasks import Task

BATCH = 128


@dataclass(frozen=True)
class Trajectories(Picture):
    """Two weights along training.

    Parameters
    ----------
    title
        What is seen.
    names
        The two weights.
    steps
        The steps at which they were noted.
    path
        The weights, `(seeds, steps, 2)`.
    goal
        The exact weights.
    """

    names: tuple[str, str]
    steps: np.ndarray
    path: np.ndarray
    goal: tuple[float, float]

    def titled(self, name: str) -> "Trajectories":
        """Return it with a title: a name, and how many seeds reach the goal."""
        said = counted(int(self.succeeded.sum()), len(self.path), "seeds reach the goal")
        return replace(self, title=f"{name}: {said}")

    @property
    def succeeded(self) -> np.ndarray:
        """Whether each seed ends at the goal."""
        return np.max(np.abs(self.path[:, -1] - np.array(self.goal)), axis=1) < NEAR

    @property
    def rate(self) -> Estimate:
        """The share of the seeds that end at the goal, with its 95 % interval."""
        return rate(int(self.succeeded.sum()), len(self.path))

    def draw(self, *, still: bool) -> Any:  # noqa: ARG002 (it has no slider)
        """Return the lines with their starts, ends and goal."""
        alt = altair()
        rows = [
            {"seed": seed, "step": int(step), "x": float(w[0]), "y": float(w[1]),
             "end": "start" if i == 0 else "end" if i == len(line) - 1 else ""}
            for seed, line in enumerate(self.path)
            for i, (step, w) in enumerate(zip(self.steps, line, strict=True))
        ]  # fmt: skip
        base = alt.Chart(alt.Data(values=rows)).encode(
            x=alt.X("x:Q", title=self.names[0], scale=alt.Scale(zero=False)),
            y=alt.Y("y:Q", title=self.names[1], scale=alt.Scale(zero=False)),
        )
        lines = base.mark_line(strokeWidth=1, opacity=0.7, color="#6b7280").encode(
            detail="seed:N", order="step:Q", tooltip=["seed:N", "step:Q"]
        )
        ends = (
            base.transform_filter("datum.end != ''")
            .mark_point(filled=True, size=40, opacity=1)
            .encode(
                color=alt.Color(
                    "end:N",
                    title=None,
                    scale=alt.Scale(domain=["start", "end"], range=["#0072b2", "#d55e00"]),
                )
            )
        )
        layers = lines + ends + marked([Mark(*self.goal, "")])
        return layers.properties(width=WIDTH, height=WIDTH)


def trajectories(
    model: Any,
    task: Task,
    *,
    weights: Sequence[str] | None = None,
    seeds: int = 10,
    steps: int = 10_000,
    points: int = 100,
    learning_rate: float = 1e-3,
    optimizer: str = "adam",
    title: str | None = None,
) -> Trajectories:
    """Train a unit with several seeds, and return the way of two of its weights.

    Parameters
    ----------
    model
        A unit, also a custom one; or its name.
    task
        What is learnt: each step sees 128 new training samples.
    weights
        The two weights; not needed if there are just two.
    seeds
        How many seeds.
    steps, learning_rate, optimizer
        How it is trained, by an optimizer of optax.
    points
        How often the weights are noted.
    title
        What is written above.

    Returns
    -------
    Trajectories
        The arrays, with the share of seeds that succeed, `.chart()` and `.save(path)`.

    Examples
    --------
    >>> import nalm.plots
    >>> from nalm.tasks import single_module
    >>> found = nalm.plots.trajectories("nmu", single_module("mul"), seeds=3, steps=3000)
    >>> found.path.shape, int(found.succeeded.sum())
    ((3, 101, 2), 3)
    """
    import jax
    import jax.numpy as jnp

    for name, number in (("seeds", seeds), ("steps", steps), ("points", points)):
        check_whole(name, number, 1)
    place = plane(model, task.inputs, task.op, weights, None)
    unit = place.unit
    if task.op not in place.ops:
        raise InputError(
            f"Trajectories lead to the exact weights of the task; {named(unit)} has none for "
            f"{task.op}. Take another unit or task."
        )
    layout = jnp.asarray(task.layout(0))

    def data(key: Any) -> Any:
        u = jax.random.uniform(key, (task.inputs, BATCH))
        x = jnp.stack(task.train.inputs(jnp, list(u)), axis=-1)
        rows = layout @ x.T if task.target.weighted(task.inputs) else x.T
        return x, task.target.apply(jnp, list(rows[:, None]), layout[None])[0]

    drawn = [unit.init(np.random.default_rng(seed)) for seed in range(seeds)]
    begin = {name: np.stack([p[name] for p in drawn]) for name in drawn[0]}
    every = max(1, steps // points)
    path = descend(
        place, begin, data, learning_rate=learning_rate, optimizer=optimizer,
        steps=steps // every * every, every=every, seed=0,
    )  # fmt: skip
    noted = np.arange(path.shape[1]) * every
    found = Trajectories(title or "", place.names, noted, path, place.origin)
    return found if title else found.titled(named(unit))
