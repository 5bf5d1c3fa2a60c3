"""Find the constants of a known form by least squares from many starts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from nalm.fitting.evidence.assess import ALLOWANCE, Candidate, assess, rounding_error
from nalm.fitting.evidence.exact_numbers import simplest
from nalm.fitting.form.form import Form
from nalm.fitting.rows import Rows
from nalm.fitting.tree import Number
from nalm.fitting.tree.folding import folded

ROUNDS, STARTS, POLISHED = 6, 50, 5
"""How often random constants are drawn, how many, and from how many of them a fit begins."""
STEPS = 200
"""The most evaluations of a fit."""
LINEAR = 1e-9
"""By which share slopes may change with a constant that the form is linear in."""
ENOUGH = 3
"""How many fits must end at the same least error before the search for a smaller one ends."""


@dataclass(frozen=True)
class FittedForm:
    """A form with its constants."""

    values: tuple[Number, ...]
    """In the order of the constants of the form; exact ones are fractions."""
    errors: tuple[float, ...]
    """Their standard errors; 0 of exact ones, infinite of those that rows do not determine."""
    candidate: Candidate


def fit_form(
    form: Form, rows: Rows, epsilon: float, rng: np.random.Generator, stop: Callable[[], bool]
) -> FittedForm:
    """Return the constants with the least squared residual, and how sure they are."""
    problem = _Problem(form, rows)
    best, often = np.ones(len(form.constants)), 0
    least = problem.loss(best)
    for start in problem.starts(rng):
        values = problem.polished(start)
        loss = problem.loss(values)
        close = loss <= least * (1 + 1e-6) and least < np.inf
        often = often + 1 if close and loss >= least * (1 - 1e-6) else often * close
        positive = bool(close) and np.sum(values < 0) < np.sum(best < 0)
        if loss < least or positive:  # of equal fits, that with fewer minus signs
            best, least = values, loss
        if (
            often >= ENOUGH
            or assess(form.with_values(best.tolist()), rows, epsilon).exact
            or stop()
        ):
            break
    return _exact(problem, best, epsilon)


def fit_again(form: Form, found: FittedForm, rows: Rows, epsilon: float) -> FittedForm:
    """Return a fit with noise to more rows, from the constants of a fit to some of them."""
    problem = _Problem(form, rows)
    start = np.array([float(value) for value in found.values])
    values = problem.polished(start)
    if problem.loss(values) > problem.loss(start):
        values = start
    errors = standard_errors(problem, values, epsilon)
    candidate = assess(folded(form.with_values(values.tolist())), rows, epsilon)
    return FittedForm(tuple(values.tolist()), tuple(errors.tolist()), candidate)


@dataclass(frozen=True)
class _Problem:
    """A form and rows, as functions of the constants."""

    form: Form
    rows: Rows

    def residual(self, values: np.ndarray) -> np.ndarray:
        """Return weighted residuals; huge where the form has no value."""
        found = self.form.with_values(values.tolist()).evaluate(self.rows.x) - self.rows.y
        scale = float(np.max(np.abs(self.rows.y))) or 1.0
        return np.nan_to_num(found, nan=1e6 * scale, posinf=1e6 * scale, neginf=-1e6 * scale) * (
            np.sqrt(self.rows.weight)
        )

    def slopes(self, values: np.ndarray) -> np.ndarray:
        """Return `(rows, constants)`: the slopes of the weighted residuals."""
        _, places = self.form.with_values(values.tolist()).slopes(self.rows.x)
        joined = places @ self.form.ties()
        finite = np.nan_to_num(joined, nan=0.0, posinf=0.0, neginf=0.0)
        return finite * np.sqrt(self.rows.weight)[:, None]

    def loss(self, values: np.ndarray) -> float:
        """Return the sum of squared residuals."""
        with np.errstate(all="ignore"):
            return float(np.nan_to_num(np.sum(self.residual(values) ** 2), nan=np.inf))

    def polished(self, start: np.ndarray) -> np.ndarray:
        """Return the nearest least squares by Levenberg and Marquardt."""
        from scipy.optimize import least_squares

        few = len(self.rows) < len(start)
        try:
            return least_squares(
                self.residual,
                start,
                self.slopes,  # pyright: ignore[reportArgumentType]
                method="trf" if few else "lm",
                x_scale="jac" if few else 1.0,
                ftol=1e-15,
                xtol=1e-15,
                gtol=1e-15,
                max_nfev=STEPS,
            ).x
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return start

    def starts(self, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Yield constants to begin with, those with small residuals first."""
        count = len(self.form.constants)
        linear = self._linear(rng)
        if len(linear) == count:
            yield self._solved(np.ones(count), linear)
            return
        sizes = np.abs(np.column_stack([self.rows.x, self.rows.y]))
        typical = [1.0, *(float(v) for v in np.median(sizes, axis=0) if v > 0)]
        scales = np.array([*typical, *(1 / v for v in typical)])
        for _ in range(ROUNDS):
            tried = [np.ones(count)]
            for _ in range(STARTS):
                scale = np.where(rng.random(count) < 0.5, 1.0, rng.choice(scales, count))
                size = scale * 10.0 ** rng.uniform(-1.5, 1.5, count)
                tried.append(np.where(rng.random(count) < 0.3, -size, size))
            tried = [self._solved(values, linear) for values in tried]
            losses = np.array([self.loss(values) for values in tried])
            yield from (tried[i] for i in np.argsort(losses, kind="stable")[:POLISHED])

    def _linear(self, rng: np.random.Generator) -> list[int]:
        """Return constants that the form is linear in together."""
        first = rng.uniform(0.5, 1.5, len(self.form.constants))
        chosen: list[int] = []
        for k in range(len(first)):
            group = [*chosen, k]
            second = first.copy()
            second[group] *= 1.7
            one, other = self.slopes(first)[:, group], self.slopes(second)[:, group]
            if np.allclose(one, other, LINEAR, LINEAR * (np.max(np.abs(one)) or 1.0)):
                chosen.append(k)
        return chosen

    def _solved(self, values: np.ndarray, linear: list[int]) -> np.ndarray:
        """Return the constants with those replaced that linear least squares gives."""
        if not linear:
            return values
        base = values.copy()
        base[linear] = 1.0  # a product that is 0 has no slope by its factors
        slopes, residual = self.slopes(base)[:, linear], self.residual(base)
        if not (np.all(np.isfinite(slopes)) and np.all(np.isfinite(residual))):
            return values
        try:
            base[linear] += np.linalg.lstsq(slopes, -residual, rcond=None)[0]
        except np.linalg.LinAlgError:
            return values
        return base


def _exact(problem: _Problem, values: np.ndarray, epsilon: float) -> FittedForm:
    """Return the fit; constants of rows without noise become exact where all rows still agree."""
    form, rows = problem.form, problem.rows
    errors = standard_errors(problem, values, epsilon)
    found = assess(form.with_values(values.tolist()), rows, epsilon)
    numbers: list[Number] = [float(v) for v in values]
    if found.exact:
        for k in np.flatnonzero(np.isfinite(errors)):
            spread = 4 * float(errors[k]) + max(1e-12, 4 * epsilon) * abs(float(values[k]))
            near = simplest(float(values[k]), min(spread, 0.1))
            trial = [*numbers[:k], near, *numbers[k + 1 :]]
            if near is not None and assess(form.with_values(trial), rows, epsilon).exact:
                numbers = trial
    sure = tuple(
        0.0 if isinstance(n, Fraction) else float(e) for n, e in zip(numbers, errors, strict=True)
    )
    candidate = assess(folded(form.with_values(numbers)), rows, epsilon)
    return FittedForm(tuple(numbers), sure, candidate)


def standard_errors(problem: _Problem, values: np.ndarray, epsilon: float) -> np.ndarray:
    """Return the standard error of each constant; infinite if the rows do not determine it."""
    slopes = problem.slopes(values)
    count, free = slopes.shape
    norms = np.sqrt(np.sum(slopes**2, axis=0))
    if count <= free or not np.all(norms > 0):
        return np.full(free, np.inf)
    unit = slopes / norms
    _, sizes, directions = np.linalg.svd(unit, full_matrices=False)
    tree = problem.form.with_values(values.tolist())
    rounding = np.sqrt(problem.rows.weight) * rounding_error(tree, problem.rows, epsilon)
    least = float(np.sum((rounding / ALLOWANCE) ** 2))
    variance = max(problem.loss(values), least) / (count - free)
    weak = sizes < 1e-10 * sizes[0]
    inverse = np.where(weak, 0.0, 1 / np.where(weak, 1.0, sizes) ** 2)
    errors = np.sqrt(variance * (directions**2).T @ inverse) / norms
    undetermined = np.any(np.abs(directions[weak]) > 1e-6, axis=0)
    return np.where(undetermined, np.inf, errors)
