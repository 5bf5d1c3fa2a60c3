"""What a fit finds: a formula, whether rows confirmed it, and what else was in sight."""

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np

from nalm import formula
from nalm.errors import InputError, ModelFileError
from nalm.fitting.expression import shortest, to_sympy
from nalm.fitting.refine import Fitted, residuals
from nalm.fitting.search import Clock, Search
from nalm.fitting.table import Table, canonical, sampled, split, varying_columns
from nalm.fitting.tree import Input, Product, Sum, Tree, evaluate, size, with_inputs
from nalm.fitting.verify import Outcome, Verdict, missed
from nalm.writing import write_whole

if TYPE_CHECKING:
    import sympy

MOST = 20_000
"""The most rows that are looked at; more are sampled, and the formula is checked on all."""
SLACK = 2.0
"""How many times the rounding error a row may be off that neither search nor check looked at.

The error is a probable one, and among very many rows some are less probable.
"""
FORMAT = 1


@dataclass(frozen=True)
class Alternative:
    """A formula of the frontier: none of its complexity, or simpler, is nearer to the rows."""

    tree: Tree
    complexity: int
    error: float
    """The root of the mean squared residual."""


@dataclass(frozen=True)
class Law:
    """A formula with the evidence for it."""

    tree: Tree
    names: tuple[str, ...]
    outcome: str
    """`exact`, `within noise` or `not found`."""
    reason: str
    noise: float
    """The estimated standard deviation of the noise of the result; 0 if there is only rounding."""
    error: float
    """The root of the mean squared residual of all rows."""
    alternatives: tuple[Alternative, ...]
    rows: int
    held_out: int
    """How many rows the search did not see; they confirmed the formula or not."""
    seconds: float

    @property
    def verified(self) -> bool:
        """Whether held-out rows confirmed the formula."""
        return self.outcome != Outcome.NONE.value

    @property
    def expression(self) -> "sympy.Expr":
        """The formula, with the names of the columns."""
        return to_sympy(self.tree, self.symbols())

    @property
    def complexity(self) -> int:
        """The number of inputs, constants and operations."""
        return size(self.tree)

    def symbols(self) -> list["sympy.Expr"]:
        """Return a symbol for each column."""
        return formula.inputs(list(self.names), len(self.names))

    def latex(self) -> str:
        """Return the formula as LaTeX."""
        return formula.latex(self.expression)

    def predict(self, x: np.ndarray) -> np.ndarray:
        """Return the values of the formula; NaN or infinity where it has none."""
        return evaluate(self.tree, x)


def discover(
    table: Table,
    names: Sequence[str],
    *,
    max_time: float | None = None,
    effort: int = 1,
    random_state: int = 0,
    tell: Callable[[str, Fitted], None] | None = None,
) -> Law:
    """Return the law of a table that was checked: finite numbers, one row or more."""
    began = monotonic()
    rng = np.random.default_rng(random_state)
    part = canonical(sampled(table, MOST, rng))
    if len(part) == 0:
        raise InputError("A fit needs at least one row with a weight above 0; received none.")
    varying = varying_columns(part)
    divided = split(replace(part, x=part.x[:, varying]), rng)
    search = Search(divided, Clock(max_time), rng, effort, tell)
    found, verdict = search.run()
    short = with_inputs(_short(found.tree, divided.seen), varying)
    tree = with_inputs(found.tree, varying)
    verdict = _on_all(tree, verdict, table, divided.epsilon)
    return Law(
        tree=short,
        names=tuple(names),
        outcome=verdict.outcome.value,
        reason=verdict.reason,
        noise=verdict.noise,
        error=_rms(tree, table),
        alternatives=_frontier(search.frontier, found, short, varying),
        rows=len(table),
        held_out=len(divided.held),
        seconds=monotonic() - began,
    )


def _short(tree: Tree, table: Table) -> Tree:
    """Return the shortest equal form, unless rounding makes it another function on the rows."""
    scale = np.max(np.abs(table.y), initial=1e-300)
    known = evaluate(tree, table.x)
    return shortest(tree, lambda t: np.allclose(evaluate(t, table.x), known, 1e-9, 1e-12 * scale))


def _on_all(tree: Tree, verdict: Verdict, table: Table, epsilon: float) -> Verdict:
    """Return the verdict after a look at every row."""
    if verdict.outcome is not Outcome.EXACT or len(table) <= MOST:
        return verdict
    parts = np.split(np.arange(len(table)), range(MOST, len(table), MOST))
    wrong = sum(missed(tree, table.rows(part), epsilon, SLACK) for part in parts)
    if wrong:
        return Verdict(Outcome.NONE, f"{wrong} of {len(table)} rows disagree", verdict.noise)
    return verdict


def _rms(tree: Tree, table: Table) -> float:
    off = residuals(tree, table)
    with np.errstate(over="ignore"):
        return float(np.sqrt(np.average(off**2, weights=table.weight)))


def _frontier(
    found: dict[int, Fitted], best: Fitted, short: Tree, columns: list[int]
) -> tuple[Alternative, ...]:
    """Return what is simpler than the best formula, and this in its short form."""
    frontier: list[Alternative] = []
    for complexity in sorted(c for c in found if c < size(short) and found[c] is not best):
        error = found[complexity].rms
        if error > best.rms and (not frontier or error < 0.999 * frontier[-1].error):
            tree = with_inputs(found[complexity].tree, columns)
            frontier.append(Alternative(tree, complexity, error))
    return (*frontier, Alternative(short, size(short), best.rms))


# --- on disk -------------------------------------------------------------------------------------


def save_laws(path: str | os.PathLike[str], laws: Sequence[Law]) -> None:
    """Write laws as JSON, whole or not at all; nothing in it is executed when it is loaded."""
    data = {"format": FORMAT, "laws": [_encoded(law) for law in laws]}
    write_whole(path, json.dumps(data, indent=1).encode())


def load_laws(path: str | os.PathLike[str]) -> list[Law]:
    """Read laws from a file that `save_laws` wrote."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
        if data["format"] > FORMAT:
            raise ModelFileError(f"{path} was written by a newer version of nalm.")
        return [_decoded(entry) for entry in data["laws"]]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ModelFileError):
            raise
        raise ModelFileError(f"{path} is no file of fitted formulas, or it is damaged.") from None


def _encoded(law: Law) -> dict[str, Any]:
    plain = {name: getattr(law, name) for name in law.__dataclass_fields__}
    plain["tree"] = _tree_data(law.tree)
    plain["names"] = list(law.names)
    plain["alternatives"] = [[_tree_data(a.tree), a.complexity, a.error] for a in law.alternatives]
    return plain


def _decoded(entry: dict[str, Any]) -> Law:
    alternatives = tuple(Alternative(_tree_from(t), c, e) for t, c, e in entry["alternatives"])
    changed = {
        "tree": _tree_from(entry["tree"]),
        "names": tuple(entry["names"]),
        "alternatives": alternatives,
    }
    return Law(**(entry | changed))


def _tree_data(tree: Tree) -> Any:
    if isinstance(tree, Input):
        return tree.index
    if isinstance(tree, Sum):
        terms = [[_number_data(w), _tree_data(t)] for w, t in tree.terms]
        return {"sum": terms, "constant": _number_data(tree.constant)}
    return {"product": [[_tree_data(t), _number_data(p)] for t, p in tree.factors]}


def _number_data(value: Fraction | float) -> str | float:
    return str(value) if isinstance(value, Fraction) else value


def _tree_from(data: Any) -> Tree:
    if isinstance(data, int):
        return Input(data)
    if "sum" in data:
        terms = tuple((_number_from(w), _tree_from(t)) for w, t in data["sum"])
        return Sum(terms, _number_from(data["constant"]))
    return Product(tuple((_tree_from(t), _number_from(p)) for t, p in data["product"]))


def _number_from(data: str | float) -> Fraction | float:
    return Fraction(data) if isinstance(data, str) else float(data)
