"""Find the law of a table: `nalm.fit`, from the rows over search and check to the law."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any

import numpy as np

from nalm._internal.checks import shown
from nalm._internal.progress import SearchWatch, Watcher, watching
from nalm._internal.threads import one_thread
from nalm.errors import InputError
from nalm.fitting.constants import with_constants
from nalm.fitting.evidence.assess import Candidate, residuals
from nalm.fitting.evidence.outliers import MOST as MOST_OUTLIERS
from nalm.fitting.evidence.outliers import counted, far_rows, outliers_of
from nalm.fitting.evidence.printed_digits import is_printed
from nalm.fitting.evidence.verify import Judgment, LawOutcome
from nalm.fitting.inputs import (
    check_magnitudes,
    check_names,
    checked_rows,
    checked_sigma,
    name_of,
    table_of,
    usual_error,
    without_column,
)
from nalm.fitting.law import Alternative, Law
from nalm.fitting.rows import MOST, Rows, canonical, sampled, telling_columns
from nalm.fitting.search.family import anything
from nalm.fitting.search.investigation import Investigation
from nalm.fitting.search.search import Clock
from nalm.fitting.starts import formulas_to_start_from, of_columns
from nalm.fitting.tree import Applied, Tree, with_columns
from nalm.fitting.tree.forms import shortest
from nalm.fitting.tree.functions import ABS, ALL, ARITHMETIC, chosen_functions
from nalm.fitting.tree.text import written
from nalm.fitting.unit_check import of_right_unit, with_excluded
from nalm.fitting.units import Units, units_of

LONGEST_RIVAL = 120
"""The most letters of a formula that is named beside the one found."""
LARGER = 1.5
"""How many times as large as the given ones the errors of a verified law are at most."""


def fit(
    X: Any,
    y: Any,
    names: Sequence[str] | None = None,
    *,
    form: Any = None,
    functions: str | Sequence[str] = ALL,
    units: Any = None,
    start: Any = None,
    sample_weight: Any = None,
    sigma: Any = None,
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
    form
        The formula, if only its constants are unknown: text such as "a*exp(-b*x1) + c" or a sympy
        expression. Names of columns are columns (in backquotes if they are not one word), all
        other names are constants.
    functions
        Which functions a formula may use besides arithmetic: "all", "arithmetic" for none, or
        names: exp, log, sin, cos, tan, tanh, arcsin, arccos, arctan, abs, and power for powers
        whose exponent is no number.
    units
        The units of the columns and of y, such as {"mass": "kg", "force": "N"}, or "header" if the
        names have them in brackets: "mass [kg]". Formulas of the wrong dimension are left out. The
        key of a y without a name is "y".
    start
        Formulas that are tried first: a law (its alternatives, too), an alternative, text, a sympy
        expression, or a list of these. With another `random_state`, a larger `effort` or more time
        the search goes on from there.
    sample_weight
        How much each row counts; a weight of 2 is the same as two equal rows.
    sigma
        The standard deviation of the error of each y: one number per row, one for all rows, or the
        name of a column of X; equal for all rows and unknown if absent.
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
        The formula, whether it is verified, and the evidence. After Ctrl-C it is the best formula
        so far.

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
        X, y = without_column(X, y, "y")
    if isinstance(sigma, str):
        X, sigma = without_column(X, sigma, "sigma")
    x, found = table_of(X)
    chosen = _listed(names) if names is not None else found or default_names(x.shape[1])
    check_names(chosen, x.shape[1])
    check_limits(max_time, effort, random_state)
    allowed = chosen_functions(functions)
    rows = checked_rows(x, chosen, y, sample_weight, sigma)
    title = None if target in chosen else target
    known = units_of(units, chosen, title)
    if form is not None:
        law = find_constants(
            rows, chosen, form, units=known, max_time=max_time, random_state=random_state
        )
    else:
        with watching(progress) as watch:
            search = partial(
                find_law,
                rows,
                chosen,
                starts=formulas_to_start_from(start, chosen),
                max_time=max_time,
                effort=effort,
                random_state=random_state,
                watch=watch,
            )
            law = search(functions=allowed, units=known)
            if known is not None and law.outcome == LawOutcome.NONE.value and not law.interrupted:
                law = with_excluded(law, known, search(functions=chosen_functions(ARITHMETIC)))
    if sigma is not None:
        law = _with_known_errors(law, usual_error(checked_sigma(sigma, range(len(rows)))))
    return replace(law, target=title)


def _with_known_errors(law: Law, sigma: float) -> Law:
    """Return a law that is at most plausible if its errors are larger than those of the results."""
    if law.outcome != LawOutcome.NOISE.value or law.noise <= LARGER * sigma:
        return law
    reason = f"its errors are {law.noise / sigma:.2g} times as large as sigma says"
    reason += counted(law.outliers)
    return replace(law, outcome=LawOutcome.PLAUSIBLE.value, reason=reason)


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


def find_constants(
    rows: Rows,
    names: Sequence[str],
    form: Any,
    *,
    units: Units | None,
    max_time: float | None,
    random_state: int,
) -> Law:
    """Return the law of a known form, with its constants fitted to rows that were checked."""
    from nalm.fitting.form import form_law, form_of

    known = form_of(form, names)
    if units is not None and not units.allows(known.with_values([2.0] * len(known.constants))):
        raise InputError(
            f"A form has the unit of the result, {units.target}; the units of {str(form)[:60]!r} "
            "cannot match, whatever those of its constants are. Check the units and the form."
        )
    check_magnitudes(rows, names)
    with one_thread(), np.errstate(all="ignore"):
        return form_law(known, rows, names, random_state, Clock(max_time))


def find_law(
    rows: Rows,
    names: Sequence[str],
    *,
    functions: frozenset[str],
    max_time: float | None,
    effort: int,
    random_state: int,
    watch: Watcher,
    units: Units | None = None,
    starts: tuple[Tree, ...] = (),
) -> Law:
    """Return the law of rows that were checked: finite numbers, at least two with a weight."""
    check_magnitudes(rows, names)
    with one_thread(), np.errstate(all="ignore"):
        return _found(
            rows,
            names,
            functions=functions,
            units=units,
            starts=starts,
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
    units: Units | None,
    starts: tuple[Tree, ...],
    clock: Clock,
    effort: int,
    random_state: int,
    searching: SearchWatch,
) -> Law:
    began = monotonic()
    rng = np.random.default_rng(random_state)
    part = canonical(sampled(rows, MOST, rng))
    varying = telling_columns(part)
    part = part.of_columns(varying)

    def report(stage: str, best: Candidate) -> None:
        formula = written(with_columns(best.tree, varying), names)
        searching.add(stage, best.rms, formula)

    chosen = units.chosen(varying) if units else None
    investigation = Investigation(
        part,
        functions,
        clock,
        effort,
        random_state,
        report,
        chosen.allows if chosen else anything,
        of_columns(starts, varying),
    )
    search, (found, judgment) = investigation.run()
    divided = search.split
    shortened = _shortened(found.tree, divided.seen, magnitudes=ABS.name in functions)
    known = with_constants(shortened, divided.seen, divided.epsilon, chosen)
    short = with_columns(known.tree, varying)
    tree = with_columns(found.tree, varying)
    judgment = of_right_unit(judgment, short, units)
    far = _far(tree, judgment, rows, divided.epsilon)
    judgment = _on_all(judgment, far, len(rows))
    outliers = outliers_of(tree, rows, far) if judgment.fits else ()
    error = _rms(tree, rows.without(far) if outliers else rows)
    return Law(
        tree=short,
        names=tuple(names),
        outcome=judgment.outcome.value,
        reason=judgment.reason
        + _rival(judgment, varying, names)
        + _limited(judgment, investigation.relevant, varying, names)
        + counted(outliers),
        noise=judgment.noise,
        error=error,
        alternatives=_frontier(search.frontier, found, short, varying, tuple(names)),
        rows=len(rows),
        held_out=len(divided.held_out),
        seconds=monotonic() - began,
        outliers=outliers,
        constants=known.constants,
    )


def _rival(judgment: Judgment, varying: list[int], names: Sequence[str]) -> str:
    """Return a formula that fits as well as the one found, if there is one and it is short."""
    if judgment.rival is None:
        return ""
    text = written(with_columns(judgment.rival, varying), names)
    return f", such as {text}" if len(text) <= LONGEST_RIVAL else ""


def _limited(
    judgment: Judgment, relevant: list[int], varying: list[int], names: Sequence[str]
) -> str:
    """Return which columns were left out of a part of the search, if no formula was verified."""
    if judgment.verified or not relevant:
        return ""
    chosen = ", ".join(names[varying[i]] for i in relevant)
    return f"; of {len(varying)} columns, functions and nested formulas were tried for {chosen}"


def _shortened(tree: Tree, rows: Rows, *, magnitudes: bool) -> Tree:
    """Return the shortest equal form, unless rounding makes it another function on the rows."""
    scale = np.max(np.abs(rows.y), initial=1e-300)
    known = tree.evaluate(rows.x)

    def agrees(other: Tree) -> bool:
        if not magnitudes and any(
            isinstance(n, Applied) and n.function is ABS for n in other.walk()
        ):
            return False
        found = other.evaluate(rows.x)
        nearer = np.sum((found - rows.y) ** 2) <= np.sum((known - rows.y) ** 2)
        loss = 1e3 if nearer else 1.0  # where the longer form loses digits, this one may keep them
        return np.allclose(found, known, 1e-9 * loss, 1e-12 * scale * loss)

    return shortest(tree, agrees)


def _far(tree: Tree, judgment: Judgment, rows: Rows, epsilon: float) -> np.ndarray:
    """Return the rows, as indices, that a formula does not explain which fits the others."""
    if not judgment.fits:
        return np.empty(0, int)
    starts = range(0, len(rows), MOST)
    parts = [rows.take(np.arange(start, min(start + MOST, len(rows)))) for start in starts]
    found = [far_rows(tree, part, judgment.noise, epsilon) for part in parts]
    far = np.concatenate([start + far for start, far in zip(starts, found, strict=True)])
    return far[~is_printed(tree, rows.x, rows.y)[far]] if len(far) else far


def _on_all(judgment: Judgment, far: np.ndarray, count: int) -> Judgment:
    """Return the judgment after a look at every row, those of a large table that were not used."""
    if len(far) <= MOST_OUTLIERS * count:
        return judgment
    return Judgment(LawOutcome.NONE, f"{len(far)} of {count} rows disagree", judgment.noise)


def _rms(tree: Tree, rows: Rows) -> float:
    return float(np.sqrt(np.average(residuals(tree, rows) ** 2, weights=rows.sample_weight)))


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
