"""A formula with the names of its columns, and what can be done with it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from nalm import formula
from nalm.fitting.inputs import columns_like
from nalm.fitting.tree import Tree, columns_of
from nalm.fitting.tree.array_formulas import ArrayFormulas, Coefficients
from nalm.fitting.tree.text import typeset, written

if TYPE_CHECKING:
    import sympy
    import torch

    from nalm.fitting.tree.network import Params
    from nalm.fitting.tree.torch_formulas import TorchFormulas
    from nalm.networks import Stack


@dataclass(frozen=True, repr=False)
class NamedFormula:
    """A formula of columns that have names: what a law and its alternatives have in common."""

    tree: Tree
    names: tuple[str, ...]

    @property
    def expression(self) -> "sympy.Expr":
        """The formula as sympy, with the names of the columns; exact numbers are exact."""
        return self.tree.to_sympy(self.symbols())

    @property
    def complexity(self) -> int:
        """The number of columns, constants and operations."""
        return self.tree.size()

    @property
    def title(self) -> str | None:
        """What the formula computes; None if that has no name."""
        return None

    @final
    def symbols(self) -> list["sympy.Expr"]:
        """Return a sympy symbol for each column."""
        return formula.inputs(list(self.names), len(self.names))

    @final
    def latex(self) -> str:
        r"""Return the formula as LaTeX.

        Returns
        -------
        str
            LaTeX for math mode.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> nalm.fit(X, X[:, 0] / X[:, 1], ["a", "b"]).latex()
        '\\frac{a}{b}'
        """
        return formula.latex(self.expression)

    @final
    def predict(self, X: Any) -> np.ndarray:
        """Return the values of the formula.

        Parameters
        ----------
        X
            What `nalm.fit` takes. The columns that the formula uses are found by name in a
            DataFrame or a dictionary, in any order, and others are ignored. The columns of an
            array or of lists are those of the fit, in order.

        Returns
        -------
        numpy.ndarray
            One number per row; NaN or infinity where the formula has no value.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> law = nalm.fit(X, X[:, 0] / X[:, 1], ["force", "area"])
        >>> law.predict({"area": [0.5, 2.0], "force": [10.0, 10.0]})
        array([20.,  5.])
        """
        return self.tree.evaluate(columns_like(X, self.names, columns_of(self.tree)))

    @final
    def to_jax(self) -> tuple[ArrayFormulas, Coefficients]:
        """Return the formula as a function of parameters and rows, for JAX and NumPy.

        It computes what `predict` computes, in the dtype of the rows.

        Returns
        -------
        tuple
            The function, called as `model(params, x)`, and its parameters: the numbers that are
            multiplied by and added. Powers are part of the function.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> model, params = nalm.fit(X, X[:, 0] / X[:, 1]).to_jax()
        >>> model(params, np.array([[3.0, 2.0]]))
        array([[1.5]])
        """
        model = self._arrays()
        return model, model.params()

    @final
    def to_torch(
        self, dtype: "torch.dtype | None" = None, *, trainable: bool = False
    ) -> "TorchFormulas":
        """Return the formula as a PyTorch module that computes what `predict` computes.

        Parameters
        ----------
        dtype
            The dtype it computes in; PyTorch's default dtype (float32) if absent. Inputs are
            converted to it.
        trainable
            Whether training changes the numbers that are multiplied by and added. Without it the
            formula stays as it is while the network around it learns. Powers always stay.

        Returns
        -------
        torch.nn.Module
            A module from one input per column to one output.

        Examples
        --------
        >>> import numpy as np, nalm, torch
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> law = nalm.fit(X, X[:, 0] * X[:, 1])
        >>> network = torch.nn.Sequential(torch.nn.Linear(5, 2), law.to_torch())
        >>> network(torch.ones(8, 5)).shape
        torch.Size([8, 1])
        """
        from nalm.fitting.tree.torch_formulas import TorchFormulas

        return TorchFormulas(self._arrays(), self.text(), dtype, trainable=trainable)

    @final
    def to_code(self, language: str = "python") -> str:
        """Return the formula as a program that computes what `predict` computes.

        Parameters
        ----------
        language
            "python" (a function of floats), "numpy" (of arrays), "c" (of doubles, for C++, too),
            "excel" (what a cell of row 2 takes, with the columns of the fit from A on) or "latex".

        Returns
        -------
        str
            The program, with all digits. Names that the language does not allow are changed, and
            a comment says what they stand for.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> law = nalm.fit(X, X[:, 0] ** 2 / X[:, 1], ["speed [m/s]", "r"])
        >>> print(law.to_code("c"))
        #include <math.h>
        <BLANKLINE>
        /* speed_m_s: speed [m/s] */
        double law(double speed_m_s, double r) {
            return (speed_m_s*speed_m_s)/r;
        }
        <BLANKLINE>
        >>> print(law.to_code("excel"))
        =A2^2/B2
        <BLANKLINE>
        """
        from nalm.fitting.code import code

        return code(language, self.tree, self.names, self.title, columns_of(self.tree))

    @final
    def _arrays(self) -> ArrayFormulas:
        return ArrayFormulas((self.tree,), len(self.names))

    @final
    def to_network(self) -> "tuple[Stack, Params]":
        """Return the formula as layers of arithmetic units, to be read, tuned or studied.

        Sums are linear layers. Products are real neural power units, which add 2⁻²³ to the
        magnitude of each input, so values differ from `predict` where an input is close to 0.

        Returns
        -------
        tuple
            The `nalm.Stack` and its parameters as NumPy arrays. For PyTorch:
            `nalm.torch.module(*law.to_network())`.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> stack, params = nalm.fit(X, X[:, 0] / X[:, 1]).to_network()
        >>> stack.formula(params, ["a", "b"])
        (a/b,)
        """
        from nalm.fitting.tree.network import network

        return network([self.tree], len(self.names))

    @final
    def text(self) -> str:
        """Return the formula as one line; measured numbers have six digits."""
        return written(self.tree, self.names)

    def __str__(self) -> str:
        return self.text()

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {formula.latex(typeset(self.tree, self.symbols()))}$"
