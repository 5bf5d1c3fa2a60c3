"""The scikit-learn face of a fit."""

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from nalm.errors import InputError
from nalm.fitting.expression import to_sympy
from nalm.fitting.fit import check_limits, check_names
from nalm.fitting.law import Law, discover, load_laws, save_laws
from nalm.fitting.network import Params, network
from nalm.fitting.table import Table
from nalm.networks import Stack

if TYPE_CHECKING:
    import sympy


class ArithmeticRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    """Finds the exact formula behind a table of numbers.

    Parameters
    ----------
    max_time
        The most seconds a fit may take; without it the effort alone decides, and the result is
        the same on every machine.
    effort
        How often the search over layers of units is repeated with new starts.
    random_state
        The seed of the search.

    Attributes
    ----------
    expression_
        The formula as sympy, with the names of the columns; one per output if there are several.
    expressions_
        The frontier: `(expression, complexity, error)` from the simplest to the chosen one.
    verified_
        Whether rows that the search did not see confirmed the formula.
    noise_
        The estimated standard deviation of the noise in the result.
    law_
        All that was found, as `Law`.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm import ArithmeticRegressor
    >>> x = np.random.default_rng(0).uniform(1, 3, (100, 2))
    >>> found = ArithmeticRegressor().fit(x, x[:, 0] / x[:, 1] + 2.5)
    >>> found.expression_, found.verified_
    (x1/x2 + 5/2, True)
    """

    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self, *, max_time: float | None = None, effort: int = 1, random_state: int = 0
    ) -> None:
        self.max_time = max_time
        self.effort = effort
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the formula of each output."""
        check_limits(self.max_time, self.effort)
        X, y = validate_data(
            self, X, y, dtype=np.float64, y_numeric=True, multi_output=True, ensure_min_samples=2
        )
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        if np.any(weight < 0) or np.sum(weight > 0) < 2:
            raise InputError("Weights are at least 0, and above 0 for at least 2 rows.")
        names = self._names()
        check_names(names, X.shape[1])
        results = y.reshape(len(X), -1).astype(np.float64)
        share = None if self.max_time is None else self.max_time / results.shape[1]
        with threadpool_limits(1):
            laws = [
                discover(
                    Table(X, result, weight),
                    names,
                    max_time=share,
                    effort=self.effort,
                    random_state=self._seed(),
                )
                for result in results.T
            ]
        self._keep(laws, y.ndim > 1)
        return self

    def _seed(self) -> int:
        """Return the seed; a RandomState or None is drawn from, as scikit-learn does."""
        from sklearn.utils import check_random_state

        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31))

    def _names(self) -> list[str]:
        found = getattr(self, "feature_names_in_", None)
        if found is not None:
            return [str(name) for name in found]
        return [f"x{i + 1}" for i in range(self.n_features_in_)]

    def _keep(self, laws: list[Law], several: bool) -> None:
        def each(values: list[Any]) -> Any:
            return values if several else values[0]

        self.laws_ = laws
        self.law_ = each(laws)
        self.expression_ = each([law.expression for law in laws])
        self.expressions_ = each([_frontier(law) for law in laws])
        self.verified_ = each([law.verified for law in laws])
        self.noise_ = each([law.noise for law in laws])

    def predict(self, X: Any) -> np.ndarray:
        """Return the values of the formula; NaN or infinity where it has none."""
        check_is_fitted(self, "laws_")
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = np.stack([law.predict(X) for law in self.laws_], axis=1)
        return values if isinstance(self.law_, list) else values[:, 0]

    def latex(self) -> str | list[str]:
        """Return the formula as LaTeX."""
        check_is_fitted(self, "laws_")
        texts = [law.latex() for law in self.laws_]
        return texts if isinstance(self.law_, list) else texts[0]

    def to_jax(self) -> tuple[Stack, Params]:
        """Return the formula as a stack of units and its parameters, for JAX and NumPy."""
        check_is_fitted(self, "laws_")
        return network([law.tree for law in self.laws_], self.n_features_in_)

    def to_torch(self) -> Any:
        """Return the formula as a `Sequential` of arithmetic layers, in double precision."""
        import torch

        from nalm.torch import module

        stack, params = self.to_jax()
        model = module(stack).double()
        with torch.no_grad():
            for layer, values in zip(model.children(), params, strict=True):
                layer.load_state_dict({k: torch.as_tensor(v) for k, v in values.items()})
        return model

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was found as JSON."""
        check_is_fitted(self, "laws_")
        save_laws(path, self.laws_)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` wrote; nothing in the file is executed."""
        laws = load_laws(path)
        found = cls()
        found.n_features_in_ = len(laws[0].names)
        if laws[0].names != tuple(f"x{i + 1}" for i in range(found.n_features_in_)):
            found.feature_names_in_ = np.array(laws[0].names, dtype=object)
        found._keep(laws, len(laws) > 1)
        return found


def _frontier(law: Law) -> list[tuple["sympy.Expr", int, float]]:
    symbols = law.symbols()
    return [(to_sympy(a.tree, symbols), a.complexity, a.error) for a in law.alternatives]


def model(est: ArithmeticRegressor, X: Any = None) -> str:
    """Return the formula as text with the names of the columns of X, as srbench asks for."""
    check_is_fitted(est, "laws_")
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else est._names()
    from nalm.formula import inputs

    return str(to_sympy(est.laws_[0].tree, inputs(names, len(names))))
