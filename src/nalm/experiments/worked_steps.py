"""Published examples that are worked through step by step: units with printed weights.

Mistry 2023: appendix C.2 (NALU), section 4.1.1 (NMU), figures 1.4 and 1.5 (MLPs that add and
subtract exactly). Student report, section 3.3 (NAC with the weights it learnt).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from nalm.units import MLP, NAC, NALU, NMU, NACMul


class Step(NamedTuple):
    """One printed number and what our units compute."""

    table: str
    case: str
    quantity: str
    computed: float
    printed: str


OPEN = 1e3
"""A logit or a gate weight at which σ and tanh are 1."""
LEARNT = (8.6499, 8.4963, -8.4905, 8.6622, -8.4617, 8.5317, -8.4859, -8.5097)
SELECTED = (14.0710, 14.0996, 14.1673, 14.0797, 14.1597, 14.0898, 14.1709, 14.1493)
SIGNS = (1, 1, -1, 1, -1, 1, -1, -1)
"""Ŵ, M̂ and the printed weights of the NAC that learnt a signed sum of eight."""


def steps() -> Iterator[Step]:
    """Return every printed number of these examples."""
    yield from _nalu()
    yield from _nmu()
    yield from _networks()
    yield from _nac()


def _nalu() -> Iterator[Step]:
    """x1 - x2 of (2, 3, 4); the published product is computed without ε."""
    table, case, x = "appendix C.2", "NALU subtracts", np.array([2.0, 3.0, 4.0])
    pair = {
        "w_hat": np.array([[OPEN, -OPEN, 0.0]]),
        "m_hat": np.array([[OPEN, OPEN, -OPEN]]),
    }
    for i, (w, printed) in enumerate(
        zip(NAC(3, 1).effective(pair)["weight"][0], ("1", "-1", "0"), strict=True)
    ):
        yield Step(table, case, f"weight {i + 1}", float(w), printed)
    yield Step(table, case, "sum", float(NAC(3, 1)(pair, x)[0]), "-1")
    product = NACMul(3, 1, epsilon=1e-15)(pair, x)
    yield Step(table, case, "three times the product", 3 * float(product[0]), "2")
    gated = {**pair, "gate": np.full((1, 3), OPEN)}
    yield Step(table, case, "output", float(NALU(3, 1)(gated, x)[0]), "-1")


def _nmu() -> Iterator[Step]:
    """The other minimum of -2 times -1.8."""
    table, case, x, w = "section 4.1.1", "NMU beside its optimum", (-2.0, -1.8), (-1 / 6, -0.5)
    for x_i, w_i, printed in zip(x, w, ("1.5", "2.4"), strict=True):
        y = NMU(1, 1)({"weight": np.array([[w_i]])}, np.array([x_i]))
        yield Step(table, case, f"factor of {x_i:g}", float(y[0]), printed)
    whole = NMU(2, 1)({"weight": np.array([w])}, np.array(x))
    yield Step(table, case, "output", float(whole[0]), "3.6")


def _networks() -> Iterator[Step]:
    """A network of width 1 adds positive numbers; one of width 4 adds and subtracts any."""
    narrow = MLP(2, 1, hidden=(1,), bias=False)
    params = {"weight_0": np.array([[1.0, 1.0]]), "weight_1": np.array([[1.0]])}
    for x in ((1.0, 2.0), (20.0, 40.0)):
        y = float(narrow(params, np.array(x))[0])
        yield Step("figure 1.4", "width 1 adds", f"output at {x}", y, f"{sum(x):g}")
    wide = MLP(2, 1, hidden=(4,), bias=False)
    first = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    for case, sign in (("width 4 adds", 1.0), ("width 4 subtracts", -1.0)):
        params = {"weight_0": first, "weight_1": np.array([[1.0, -1.0, sign, -sign]])}
        for x in ((1.0, 2.0), (-20.0, 40.0), (-3.0, -5.0)):
            y = float(wide(params, np.array(x))[0])
            yield Step("figure 1.5", case, f"output at {x}", y, f"{x[0] + sign * x[1]:g}")


def _nac() -> Iterator[Step]:
    """The weights that a NAC learnt, with four digits."""
    params = {"w_hat": np.array([LEARNT]), "m_hat": np.array([SELECTED])}
    weights = NAC(8, 1).effective(params)["weight"][0]
    for i, (w, sign) in enumerate(zip(weights, SIGNS, strict=True)):
        yield Step(
            "student report, section 3.3", "NAC of eight", f"weight {i + 1}", float(w),
            f"{sign}.0000",
        )  # fmt: skip
