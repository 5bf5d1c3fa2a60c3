"""Find the law of a table: `nalm.fit`, from the rows over search and check to the law."""

from collections.abc import Sequence
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from nalm._internal.checks import shown
from nalm._internal.progress import SearchWatch, Watcher, watching
from nalm._internal.threads import one_thread
from nalm.errors import InputError
from nalm.fitting.evidence.assess import Candidate, residuals
from nalm.fitting.evidence.verify import Judgment, LawOutcome, missed
from nalm.fitting.inputs import (
    check_magnitudes,
    check_names,
    checked_rows,
    name_of,
    table_of,
    without_column,
)
from nalm.fitting.law import Alternative, Law
from nalm.fitting.rows import Rows, canonical, sampled, split, varying_columns
from nalm.fitting.search.families import families
from nalm.fitting.search.family import Problem
from nalm.fitting.search.search import Clock, Search
from nalm.fitting.tree import Tree, with_columns
from nalm.fitting.tree.forms import shortest
from nalm.fitting.tree.functions import ALL, chosen_functions
from nalm.fitting.tree.text import written

MOST = 20_000
"""The most rows that are used; of more a sample is taken, and an exact formula checked on all."""
SLACK = 2.0
"""How many times its rounding error a row may differ that was neither searched nor held out.

The error is a probable one, and among very many rows some are less probable.
"""


def fit(
    X: Any,
    y: Any,
    names: Sequence[str] | None = None,
    *,
    functions: str | Sequence[str] = ALL,
    sample_weight: Any = None,
    max_time: float | None = None,
    effort: int = 1,
    random_state: int = 0,
    progress: bool | Watcher | None = None,
) -> Law:
    """Find the formula of the columns of X that gives y, and check it on rows held out.

    The same table and `random_state` give the same law on every machine and every number of
    cores, unless `max_time` ends the search early.

    Parameters
    ----------
    X
        The table: an array or lists of rows, a DataFrame, a dictionary of columns, or one column
        alone.
    y
        The result, one number per row; or the name of a column of X, which is then fitted from
        the other columns.
    names
        The names of the columns; those of the DataFrame or dictionary, or x1, x2, … if absent.
    functions
        Which functions a formula may use besides arithmetic: "all", "arithmetic" for none, or
        names: exp, log, sin, cos, tan, tanh, arcsin, arccos, arctan, abs, and power for powers
        whose exponent is no number.
    sample_weight
        How much each row counts; a weight of 2 is the same as two equal rows.
    max_time
        The most seconds to search.
    effort
        How often the search over layers of units is repeated with new random starts.
    random_state
        The seed of the random starts and of the choice of held-out rows.
    progress
        True for a display, or a function that is called with a `SearchProgress` after each stage.

    Returns
    -------
    Law
        The formula, whether it is verified, and the evidence.

    Examples
    --------
    >>> import numpy as np, nalm
    >>> X = np.random.default_rng(0).uniform(1, 3, (100, 3))
    >>> law = nalm.fit(X, X[:, 0] * X[:, 1] / (X[:, 1] + X[:, 2]), ["a", "b", "c"])
    >>> law.expression, law.outcome
    (a*b/(b + c), 'exact')
    >>> print(law.verdict())
    Verified, exact: all 10 held-out rows agree.
    """
    target = y if isinstance(y, str) else name_of(y)
    if isinstance(y, str):
        X, y = without_column(X, y)
    x, found = table_of(X)
    chosen = _listed(names) if names is not None else found or default_names(x.shape[1])
    check_names(chosen, x.shape[1])
    check_limits(max_time, effort, random_state)
    allowed = chosen_functions(functions)
    rows = checked_rows(x, chosen, y, sample_weight)
    with watching(progress) as watch:
        law = find_law(
            rows,
            chosen,
            functions=allowed,
            max_time=max_time,
            effort=effort,
            random_state=random_state,
            watch=watch,
        )
    return replace(law, target=None if target in chosen else target)


def _listed(names: Any) -> list[Any]:
    try:
        return list(names)
    except TypeError:
        raise InputError(f"names are texts, one per column; received {shown(names)}.") from None


def default_names(count: int) -> list[str]:
    """Return the names x1, x2, … of columns without names."""
    return [f"x{i + 1}" for i in range(count)]


def check_limits(max_time: float | None, effort: int, random_state: int) -> None:
    """Raise unless the limits and the seed of a search make sense."""
    number = isinstance(max_time, int | float | np.number) and not isinstance(max_time, bool)
    if max_time is not None and not (number and max_time > 0):
        raise InputError(f"max_time is a number of seconds above 0; received {shown(max_time)}.")
    for name, value, least in (("effort", effort, 1), ("random_state", random_state, 0)):
        whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if not whole or value < least:
            raise InputError(
                f"{name} is a whole number of at least {least}; received {shown(value)}."
            )


def find_law(
    rows: Rows,
    names: Sequence[str],
    *,
    functions: frozenset[str],
    max_time: float | None,
    effort: int,
    random_state: int,
    watch: Watcher,
) -> Law:
    """Return the law of rows that were checked: finite numbers, at least two with a weight."""
    check_magnitudes(rows, names)
    with one_thread(), np.errstate(all="ignore"):
        return _found(
            rows,
            names,
            functions=functions,
            clock=Clock(max_time),
            effort=effort,
            random_state=random_state,
            searching=SearchWatch(watch),
        )


def _found(
    rows: Rows,
    names: Sequence[str],
    *,
    functions: frozenset[str],
    clock: Clock,
    effort: int,
    random_state: int,
    searching: SearchWatch,
) -> Law:
    began = monotonic()
    rng = np.random.default_rng(random_state)
    part = canonical(sampled(rows, MOST, rng))
    varying = varying_columns(part)
    divided = split(replace(part, x=part.x[:, varying]), rng)

    def report(stage: str, best: Candidate) -> None:
        formula = written(with_columns(best.tree, varying), names)
        searching.add(stage, best.rms, formula)

    problem = Problem(divided.seen, divided.epsilon, rng, clock, divided.more, effort)
    search = Search(divided, problem, families(len(varying), functions), report)
    found, judgment = search.run()
    short = with_columns(_shortened(found.tree, divided.seen), varying)
    tree = with_columns(found.tree, varying)
    judgment = _on_all(tree, judgment, rows, divided.epsilon)
    error = _rms(tree, rows)
    return Law(
        tree=short,
        names=tuple(names),
        outcome=judgment.outcome.value,
        reason=judgment.reason,
        noise=judgment.noise,
        error=error,
        alternatives=_frontier(search.frontier, found, short, varying, tuple(names)),
        rows=len(rows),
        held_out=len(divided.held_out),
        seconds=monotonic() - began,
    )


def _shortened(tree: Tree, rows: Rows) -> Tree:
    """Return the shortest equal form, unless rounding makes it another function on the rows."""
    scale = np.max(np.abs(rows.y), initial=1e-300)
    known = tree.evaluate(rows.x)
    return shortest(tree, lambda t: np.allclose(t.evaluate(rows.x), known, 1e-9, 1e-12 * scale))


def _on_all(tree: Tree, judgment: Judgment, rows: Rows, epsilon: float) -> Judgment:
    """Return the judgment after a look at every row."""
    if judgment.outcome is not LawOutcome.EXACT or len(rows) <= MOST:
        return judgment
    parts = np.split(np.arange(len(rows)), range(MOST, len(rows), MOST))
    wrong = sum(missed(tree, rows.take(part), epsilon, SLACK) for part in parts)
    if wrong:
        return Judgment(LawOutcome.NONE, f"{wrong} of {len(rows)} rows disagree", judgment.noise)
    return judgment


def _rms(tree: Tree, rows: Rows) -> float:
    return float(np.sqrt(np.average(residuals(tree, rows) ** 2, weights=rows.weight)))


def _frontier(
    found: dict[int, Candidate],
    best: Candidate,
    short: Tree,
    columns: list[int],
    names: tuple[str, ...],
) -> tuple[Alternative, ...]:
    """Return what is simpler than the best formula, and this in its short form."""
    frontier: list[Alternative] = []
    for complexity in sorted(c for c in found if c < short.size() and found[c] is not best):
        error = found[complexity].rms
        if error > best.rms and (not frontier or error < 0.999 * frontier[-1].error):
            tree = with_columns(found[complexity].tree, columns)
            frontier.append(Alternative(tree, names, error))
    return (*frontier, Alternative(short, names, best.rms))
