"""Errors of exact weights near zero: division where rounding decides, published and ours.

With exact ("gold") weights a unit still has an error, because its inputs and outputs are rounded
and because of its ε. Near zero single samples decide the mean, so ours is an interval: where 95 %
of random test sets of the published size are. Mistry 2023, section 5.8 and figure 5.12.
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from nalm.sweeps.statistics import Interval
from nalm.tasks import Distribution, Subsets, Uniform
from nalm.units import Unit, unit

SAMPLES, SETS = 10_000, 100


def gold_error(
    model: Unit,
    op: str,
    inputs: Distribution,
    generator: np.random.Generator,
    dtype: str = "float32",
) -> float:
    """Return the mean squared error of exact weights on one random test set.

    Targets are those of the samples before they are rounded to the dtype, as in the authors' code.

    Parameters
    ----------
    model
        The unit.
    op
        The operation that its weights are exact for.
    inputs
        Where samples come from.
    generator
        What draws them.
    dtype
        The precision of the unit.

    Returns
    -------
    float

    Examples
    --------
    >>> from nalm.units import NRU
    >>> generator = np.random.default_rng(0)
    >>> gold_error(NRU(2, 1), "div", Uniform(1, 2), generator) < 1e-13
    True
    """
    x = inputs.sample(generator.random((SAMPLES, model.in_features)))
    target = Subsets(op)
    exact = target.values(x, target.subsets(model.in_features, 0)).astype(dtype)
    params = {name: np.asarray(value, dtype) for name, value in model.exact(op).items()}
    y = model.forward(np, params, x.astype(dtype), False, None)[:, 0]
    return float(np.mean((y.astype(float) - exact.astype(float)) ** 2))


@dataclass(frozen=True)
class GoldError:
    """A published error of exact weights, or a threshold made from one, beside ours."""

    kind: str
    """ "gold" for the error itself, "threshold" for the error plus the rounding of the dtype."""
    model: Unit
    op: str
    width: float
    """Samples are those of U[0, width)."""
    dtype: str
    published: float
    source: str

    @property
    def ours(self) -> Interval:
        """Where 95 % of random test sets are."""
        errors = _errors(self.model, self.op, self.width, self.dtype)
        added = float(np.finfo(self.dtype).eps) if self.kind == "threshold" else 0.0
        return Interval(*(float(e) + added for e in np.quantile(errors, [0.025, 0.975])))

    @property
    def agrees(self) -> bool:
        """Whether the published one is there, up to six digits."""
        low, high = self.ours
        return low * (1 - 1e-6) <= self.published <= high * (1 + 1e-6)


@lru_cache(maxsize=512)
def _errors(model: Unit, op: str, width: float, dtype: str) -> np.ndarray:
    generator = np.random.default_rng(0)
    with np.errstate(all="ignore"):
        found = [gold_error(model, op, Uniform(0, width), generator, dtype) for _ in range(SETS)]
    return np.array(found)


def gold_errors() -> tuple[GoldError, ...]:
    """Return the published errors and thresholds of division near zero.

    Returns
    -------
    tuple of GoldError
        Each computes our interval when it is asked for.
    """
    text = (files("nalm.experiments") / "published_gold.csv").read_text(encoding="utf-8")
    return tuple(_gold(row) for row in csv.DictReader(text.splitlines()))


def _gold(row: dict[str, Any]) -> GoldError:
    options = {"epsilon": float(row["epsilon"])} if row["epsilon"] else {}
    model = unit(row["unit"], int(row["inputs"]), 1, **options)
    return GoldError(
        row["kind"],
        model,
        row["op"],
        float(row["width"]),
        row["dtype"],
        float(row["value"]),
        row["source"],
    )
