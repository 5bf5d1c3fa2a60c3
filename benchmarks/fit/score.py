"""How good a formula is: on fresh rows beyond the known ones, and as algebra."""

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.fit.problem import Data, Problem

SOLVED, CLOSE, SOLVED_NOISY = 1e-6, 1e-4, 1e-4
DIGITS, POINTS, LONGEST = 60, 4, 4000


@dataclass(frozen=True)
class Score:
    """What a formula is worth."""

    solved: bool
    close: bool
    """Right to four digits: what single precision arithmetic can still reach."""
    exact: bool
    """Whether it is the law, as algebra, with every number exact."""
    error: float
    mse: float
    complexity: int


def score(
    problem: Problem, data: Data, predict: Callable[[np.ndarray], np.ndarray], expression: str
) -> Score:
    """Judge a formula by its values and by its text."""
    with np.errstate(all="ignore"):
        predicted = np.asarray(predict(data.test_x), np.float64).reshape(-1)
    error, mse = relative_error(predicted, data.test_y), relative_mse(predicted, data.test_y)
    noisy = problem.noise > 0
    return Score(
        solved=mse <= SOLVED_NOISY if noisy else error <= SOLVED,
        close=mse <= SOLVED_NOISY if noisy else error <= CLOSE,
        exact=problem.findable and equal(expression, problem.formula, problem.names),
        error=error,
        mse=mse,
        complexity=complexity(expression),
    )


def relative_error(predicted: np.ndarray, true: np.ndarray) -> float:
    """Return the relative error that 99 of 100 rows do not exceed.

    It is relative to the result, or to the usual result where that is near zero; one row in a
    hundred may lie at a pole.
    """
    usual = float(np.median(np.abs(true)))
    with np.errstate(all="ignore"):
        error = np.abs(predicted - true) / (np.abs(true) + usual)
    return float(np.quantile(np.where(np.isfinite(error), error, 1e300), 0.99))


def relative_mse(predicted: np.ndarray, true: np.ndarray) -> float:
    """Return the mean squared error as a share of the variance of the results."""
    with np.errstate(all="ignore"):
        mse = float(np.mean((predicted - true) ** 2) / np.var(true))
    return mse if np.isfinite(mse) else 1e300


def equal(first: str, second: str, names: Sequence[str]) -> bool:
    """Whether two formulas are one function: they agree to 50 digits at random fractions.

    >>> equal("(a + b)**2", "a**2 + 2*a*b + b**2", ["a", "b"])
    True
    >>> equal("(a + b)**2", "a**2 + 2.0000001*a*b + b**2", ["a", "b"])
    False
    """
    import sympy

    if not first or len(first) > LONGEST:
        return False
    symbols = {name: sympy.Symbol(name) for name in names}
    try:
        pair = [_parsed(text, symbols) for text in (first, second)]
    except (SyntaxError, TypeError, ValueError, AttributeError):
        return False
    rng = np.random.default_rng(0)
    for _ in range(POINTS):
        fractions = [sympy.Rational(int(n), 9973) for n in rng.integers(10000, 30000, len(names))]
        at = dict(zip(symbols.values(), fractions, strict=True))
        values = [sympy.N(each.xreplace(at), DIGITS) for each in pair]
        if not all(value.is_number and value.is_finite for value in values):
            return False
        if abs(values[0] - values[1]) > abs(values[1]) * sympy.Float(10) ** (10 - DIGITS):
            return False
    return True


def _parsed(text: str, symbols: dict):
    from sympy.parsing.sympy_parser import parse_expr, rationalize, standard_transformations

    return parse_expr(text, symbols, (*standard_transformations, rationalize))


def complexity(text: str) -> int:
    """Return the number of inputs, numbers and operations of a formula; 0 if it has no text.

    >>> complexity("-2.5*a*b/(c + d)"), complexity("sqrt(x1)"), complexity("")
    (9, 2, 0)
    """
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        return 0
    counted = (ast.Constant, ast.BinOp, ast.Call)
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return sum(
        isinstance(node, counted) or (isinstance(node, ast.Name) and id(node) not in functions)
        for node in ast.walk(tree)
    )


def python_text(text: str) -> str:
    """Return infix text with `^` for powers as Python text."""
    return re.sub(r"\^", "**", text)
