"""The scikit-learn estimator of a fit."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, MultiOutputMixin, RegressorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from nalm._internal.progress import Watcher, watching
from nalm.fitting.fit import check_limits, default_names, find_law
from nalm.fitting.inputs import check_names, check_weights
from nalm.fitting.law import Law
from nalm.fitting.law_file import load_laws, save_laws
from nalm.fitting.rows import Rows
from nalm.fitting.tree.array_formulas import ArrayFormulas, Coefficients
from nalm.fitting.tree.functions import ALL, chosen_functions
from nalm.fitting.tree.network import Params, network
from nalm.formula import inputs
from nalm.networks import Stack

if TYPE_CHECKING:
    import torch

    from nalm.fitting.tree.torch_formulas import TorchFormulas


class ArithmeticRegressor(RegressorMixin, MultiOutputMixin, BaseEstimator):
    """Finds the exact formula behind a table of numbers.

    Parameters
    ----------
    functions
        Which functions a formula may use besides arithmetic: "all", "arithmetic" for none, or
        names, as in `nalm.fit`.
    max_time
        The most seconds a fit may take; without it the result is the same on every machine.
    effort
        How often the search over layers of units is repeated with new random starts.
    random_state
        The seed of the random starts and of the choice of held-out rows.
    progress
        True for a display, or a function that is called with a `SearchProgress` after each stage.

    Attributes
    ----------
    expression_
        The formula as sympy, with the names of the columns; a list if y has several columns.
    expressions_
        The frontier: `(expression, complexity, error)` from the simplest to the chosen one.
    verified_
        Whether rows that the search did not see confirmed the formula.
    noise_
        The estimated standard deviation of the noise in the result.
    law_
        The `Law`: the formula with all evidence.

    Examples
    --------
    >>> import numpy as np
    >>> from nalm import ArithmeticRegressor
    >>> X = np.random.default_rng(0).uniform(1, 3, (100, 2))
    >>> model = ArithmeticRegressor().fit(X, X[:, 0] / X[:, 1] + 2.5)
    >>> model.expression_, model.verified_
    (x1/x2 + 5/2, True)
    """

    n_features_in_: int
    feature_names_in_: np.ndarray

    def __init__(
        self,
        *,
        functions: str | Sequence[str] = ALL,
        max_time: float | None = None,
        effort: int = 1,
        random_state: Any = 0,
        progress: bool | Watcher | None = None,
    ) -> None:
        self.functions = functions
        self.max_time = max_time
        self.effort = effort
        self.random_state = random_state
        self.progress = progress

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the formula of each column of y.

        Parameters
        ----------
        X
            The table, one row per sample.
        y
            The results, one column or several.
        sample_weight
            How much each row counts.

        Returns
        -------
        ArithmeticRegressor
            The estimator itself.
        """
        seed = self._seed()
        check_limits(self.max_time, self.effort, seed)
        allowed = chosen_functions(self.functions)
        X, y = validate_data(
            self,
            _known(X),
            _known(y),
            dtype=np.float64,
            y_numeric=True,
            multi_output=True,
            ensure_min_samples=2,
        )
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64)
        check_weights(weight)
        names = self._names()
        check_names(names, X.shape[1])
        results = y.reshape(len(X), -1).astype(np.float64)
        share = None if self.max_time is None else self.max_time / results.shape[1]
        with watching(self.progress) as watch:
            laws = [
                find_law(
                    Rows(X, result, weight),
                    names,
                    functions=allowed,
                    max_time=share,
                    effort=self.effort,
                    random_state=seed,
                    watch=watch,
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
        return default_names(self.n_features_in_)

    def _keep(self, laws: list[Law], several: bool) -> None:
        def each(values: list[Any]) -> Any:
            return values if several else values[0]

        self.laws_ = laws
        self.law_ = each(laws)
        self.expression_ = each([law.expression for law in laws])
        self.expressions_ = each(
            [[(a.expression, a.complexity, a.error) for a in law.alternatives] for law in laws]
        )
        self.verified_ = each([law.verified for law in laws])
        self.noise_ = each([law.noise for law in laws])

    def predict(self, X: Any) -> np.ndarray:
        """Return the values of the formula.

        Parameters
        ----------
        X
            The table, with the columns of the fit in their order.

        Returns
        -------
        numpy.ndarray
            One number per row, or one column per formula; NaN or infinity where it has no value.
        """
        check_is_fitted(self, "laws_")
        X = validate_data(self, _known(X), dtype=np.float64, reset=False)
        values = np.stack([law.predict(X) for law in self.laws_], axis=1)
        return values if isinstance(self.law_, list) else values[:, 0]

    def latex(self) -> str | list[str]:
        """Return the formula as LaTeX; a list if y has several columns."""
        check_is_fitted(self, "laws_")
        texts = [law.latex() for law in self.laws_]
        return texts if isinstance(self.law_, list) else texts[0]

    def to_jax(self) -> tuple[ArrayFormulas, Coefficients]:
        """Return the formula as a function of parameters and rows, for JAX and NumPy."""
        model = self._formulas()
        return model, model.params()

    def to_torch(
        self, dtype: "torch.dtype | None" = None, *, trainable: bool = False
    ) -> "TorchFormulas":
        """Return the formula as a PyTorch module that computes what `predict` computes.

        Parameters
        ----------
        dtype
            The dtype it computes in; PyTorch's default dtype (float32) if absent.
        trainable
            Whether training changes the numbers that are multiplied by and added.

        Returns
        -------
        torch.nn.Module
            A module from one input per column to one output per formula.
        """
        from nalm.fitting.tree.torch_formulas import TorchFormulas

        formulas = self._formulas()
        text = ", ".join(law.text() for law in self.laws_)
        return TorchFormulas(formulas, text, dtype, trainable=trainable)

    def to_network(self) -> tuple[Stack, Params]:
        """Return the formula as layers of arithmetic units, as `Law.to_network` does."""
        check_is_fitted(self, "laws_")
        return network([law.tree for law in self.laws_], self.n_features_in_)

    def _formulas(self) -> ArrayFormulas:
        check_is_fitted(self, "laws_")
        return ArrayFormulas(tuple(law.tree for law in self.laws_), self.n_features_in_)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what was found to a JSON file, whole or not at all."""
        check_is_fitted(self, "laws_")
        save_laws(path, self.laws_)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read what `save` or `Law.save` wrote; nothing in the file is executed."""
        laws = load_laws(path)
        found = cls()
        found.n_features_in_ = len(laws[0].names)
        if list(laws[0].names) != default_names(found.n_features_in_):
            found.feature_names_in_ = np.array(laws[0].names, dtype=object)
        found._keep(laws, len(laws) > 1)
        return found


def model(est: ArithmeticRegressor, X: Any = None) -> str:
    """Return the formula as text with the names of the columns of X, as SRBench asks for."""
    check_is_fitted(est, "laws_")
    names = [str(name) for name in X.columns] if hasattr(X, "columns") else est._names()
    return str(est.laws_[0].tree.to_sympy(inputs(names, len(names))))


def _known(values: Any) -> Any:
    """Return numbers of a kind that NumPy knows; scikit-learn takes no bfloat16."""
    kind = getattr(values, "dtype", None)
    added = isinstance(kind, np.dtype) and kind.isbuiltin == 2  # by another package
    return values.astype(np.float64) if added else values
