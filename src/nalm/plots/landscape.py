"""Loss landscapes and gradient fields over two weights."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from nalm.errors import InputError, unknown
from nalm.plots._axes import axis
from nalm.plots._drawing import Mark, arrows, grid_chart, grid_rows, level_edges, marked
from nalm.plots._picture import Picture
from nalm.plots._plane import Data, loss_on, plane, samples_of
from nalm.sweeps.models import named
from nalm.tasks import Task

ARROWS = 13
"""How many arrows of the gradient field are in a row."""
Shown = Literal["loss", "gradient"]
COLORS: tuple[Shown, ...] = get_args(Shown)


@dataclass(frozen=True)
class Landscape(Picture):
    """The loss of a model over two of its weights, and its gradient.

    Parameters
    ----------
    title
        What is seen.
    names
        The two weights.
    first, second
        Their values.
    loss
        The mean squared error, `(second, first)`.
    gradient
        Its derivatives by the first and by the second weight, `(second, first, 2)`.
    marks
        Points that are marked; those outside of the axes are not drawn.
    shown
        What the colors are: the logarithm of the loss, or of the norm of the gradient.
    """

    names: tuple[str, str]
    first: np.ndarray
    second: np.ndarray
    loss: np.ndarray
    gradient: np.ndarray
    marks: tuple[Mark, ...] = ()
    shown: Shown = "loss"

    @property
    def gradient_norm(self) -> np.ndarray:
        """The length of the gradient, `(second, first)`."""
        return np.linalg.norm(self.gradient, axis=-1)

    @property
    def lowest(self) -> tuple[float, float]:
        """The weights of the grid with the smallest loss."""
        known = np.where(np.isfinite(self.loss), self.loss, np.inf)
        i, j = np.unravel_index(np.argmin(known), known.shape)
        return float(self.first[j]), float(self.second[i])

    def draw(self, *, still: bool) -> Any:  # noqa: ARG002 (it has no slider)
        """Return colors, arrows downhill, and marks."""
        shown = self.loss if self.shown == "loss" else self.gradient_norm
        known = shown[np.isfinite(shown)]
        if not known.size:
            raise InputError(
                f"A landscape shows finite numbers; each {self.shown} of {self.title} is infinite "
                "or not a number here. Take other ends of the axes, or another range."
            )
        floor = max(float(np.median(known)) * 1e-4 or float(known.max()) * 1e-6, 1e-12)
        values = np.log10(np.maximum(shown, floor))
        rows = grid_rows(self.first, self.second, values, level_edges(values))
        layers = grid_chart(rows, self.names, f"log₁₀ {self.shown}") + self._field()
        inside = [mark for mark in self.marks if self._contains(mark)]
        return layers + marked(inside) if inside else layers

    def _contains(self, mark: Mark) -> bool:
        axes = zip((self.first, self.second), mark[:2], strict=True)
        return all(axis[0] <= place <= axis[-1] for axis, place in axes)

    def _field(self) -> Any:
        """Return short arrows of one length in the direction of steepest descent."""
        i, j = (
            np.unique(np.linspace(0, len(axis) - 1, ARROWS + 2).astype(int)[1:-1])
            for axis in (self.second, self.first)
        )
        down = -self.gradient[np.ix_(i, j)].reshape(-1, 2)
        start = np.stack(np.meshgrid(self.first[j], self.second[i]), axis=-1).reshape(-1, 2)
        length = np.linalg.norm(down, axis=1, keepdims=True)
        moves = np.isfinite(length[:, 0]) & (length[:, 0] > 1e-9)
        spread = np.array([np.ptp(self.first), np.ptp(self.second)]) / (1.6 * ARROWS)
        end = start[moves] + spread * down[moves] / length[moves]
        return arrows(start[moves], end, "downhill", {"downhill": "white"})


def landscape(
    model: Any,
    data: Data,
    *,
    weights: Sequence[str] | None = None,
    params: Any = None,
    first: Sequence[float] = (-1.0, 1.5),
    second: Sequence[float] | None = None,
    points: int = 101,
    seed: int = 0,
    shown: str = "loss",
    marks: Sequence[tuple[float, float, str]] = (),
    title: str | None = None,
) -> Landscape:
    """Return the loss and its gradient over two weights of a model.

    Parameters
    ----------
    model
        A unit or network, also a custom one; or its name, as `nalm.train` takes it.
    data
        A task, of which 128 training samples are drawn; or one sample, `((x1, x2), y)`.
    weights
        The two weights, such as ("weight[0,0]", "gate[1]"). Not needed if there are just two.
    params
        Where the other weights stay; at the exact parameters of the task if absent.
    first, second
        The ends of the two axes; the second are those of the first if absent.
    points
        How many values an axis has.
    seed
        The seed of the samples.
    shown
        What the colors are: "loss" or "gradient".
    marks
        Points to mark: first weight, second weight, label. The exact weights if absent. Those
        outside of the axes are not drawn.
    title
        What is written above.

    Returns
    -------
    Landscape
        The arrays, with `.chart()` and `.save(path)`.

    Examples
    --------
    >>> import nalm.plots
    >>> found = nalm.plots.landscape("nmu", ((-2.0, -1.8), 3.6), first=(0, 1), points=11)
    >>> found.loss.shape, found.lowest
    ((11, 11), (1.0, 1.0))
    """
    import jax
    import jax.numpy as jnp

    if shown not in COLORS:
        raise unknown("quantity", shown, COLORS, owner="A landscape")
    axes = axis(first, points, "first"), axis(second or first, points, "second")
    samples = samples_of(data, seed)
    op = data.op if isinstance(data, Task) else None
    place = plane(model, samples.x.shape[1], op, weights, params)
    loss = loss_on(place, samples)
    grid = jnp.asarray(np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2), float)
    values, slopes = jax.jit(jax.vmap(jax.value_and_grad(loss)))(grid)
    found = [Mark(*mark) for mark in marks]
    if not found and op in place.ops:
        found = [Mark(*place.origin, "exact")]
    return Landscape(
        title or f"{named(place.model)}, {op or 'one sample'}",
        place.names,
        axes[0],
        axes[1],
        np.asarray(values, float).reshape(points, points),
        np.asarray(slopes, float).reshape(points, points, 2),
        tuple(found),
        shown,
    )
