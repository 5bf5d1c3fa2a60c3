"""nalm in SRBench: the folder is one of its `algorithms`."""

from copy import copy

from nalm import ArithmeticRegressor
from nalm.fitting.regressor import model

__all__ = ["est", "eval_kwargs", "get_best_solution", "get_population", "model"]

HOUR = 3600
MOST = 100
"""The most formulas that SRBench takes from one fit."""

est = ArithmeticRegressor(max_time=HOUR - 60)
eval_kwargs = {"scale_x": False, "scale_y": False, "test_params": {"max_time": 20}}


def get_population(est: ArithmeticRegressor) -> list[ArithmeticRegressor]:
    """Return an estimator for each formula of the frontier; the last is the one that was found."""
    return [_with(est, formula) for formula in est.law_.alternatives[-MOST:]] or [est]


def get_best_solution(est: ArithmeticRegressor) -> ArithmeticRegressor:
    """Return the estimator itself, whose formula is the one that was found."""
    return est


def _with(est, formula):
    other = copy(est)
    other.laws_, other.law_ = [formula], formula
    return other
