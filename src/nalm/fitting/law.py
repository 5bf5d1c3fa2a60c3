"""What a fit returns: a formula with the evidence for it, ready to be used."""

import os
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, final

from nalm.errors import InputError
from nalm.fitting.constants import Constant, listed
from nalm.fitting.evidence.outliers import Outlier
from nalm.fitting.evidence.verify import INTERRUPTED, LawOutcome
from nalm.fitting.named_formula import NamedFormula
from nalm.fitting.tree.text import named, typeset

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
"""How many outliers are listed."""


@final
@dataclass(frozen=True, repr=False)
class Alternative(NamedFormula):
    """A formula of the frontier: no formula of its complexity, or simpler, has a smaller error.

    It can be used as a law can: `expression`, `predict`, `latex`, `to_torch`, `to_jax`.

    Parameters
    ----------
    tree
        The formula.
    names
        The names of the columns.
    error
        The root of the mean squared residual of the rows that the search saw.

    Examples
    --------
    >>> import numpy as np, nalm
    >>> X = np.random.default_rng(0).uniform(1, 3, (200, 2))
    >>> noise = np.random.default_rng(1).normal(0, 0.1, 200)
    >>> law = nalm.fit(X, 2 * X[:, 0] + X[:, 1] ** 2 + noise, ["a", "b"])
    >>> simple = law.alternatives[0]
    >>> simple.complexity < law.complexity, simple.predict([[1.0, 1.0]]).shape
    (True, (1,))
    """

    error: float

    def __repr__(self) -> str:
        text = self.text()
        return f"Alternative({text!r}, complexity={self.complexity}, error={self.error:.3g})"


@final
@dataclass(frozen=True, repr=False)
class Law(NamedFormula):
    """A formula that `nalm.fit` found, with the evidence for it.

    Parameters
    ----------
    tree
        The formula; `expression` is the same as sympy.
    names
        The names of the columns.
    outcome
        `"exact"` or `"within noise"`, which are verified, `"plausible"` or `"not found"`.
    reason
        Why, in one clause.
    noise
        The estimated standard deviation of the noise in y; 0 if there is only rounding.
    error
        The root of the mean squared residual of all rows.
    alternatives
        The frontier of error against complexity: simpler formulas with larger errors, from the
        simplest on, and this formula as the last.
    rows
        How many rows there were.
    held_out
        How many rows the search did not see; they confirmed the formula or did not.
    seconds
        How long the fit took.
    target
        The name of y: that of its Series, or of the column of X; None if it has no name.
    outliers
        The rows that disagree with a verified or plausible formula; `error` and `noise` are those
        of the others.
    constants
        The numbers of the formula, each with `value`, `error` (±) and a 95 % `interval`.

    Examples
    --------
    >>> import numpy as np, nalm
    >>> X = np.random.default_rng(0).uniform(1, 3, (100, 2))
    >>> law = nalm.fit(X, 2.5 * X[:, 0] / X[:, 1], ["force", "area"])
    >>> law.expression, law.outcome, law.noise
    (5*force/(2*area), 'exact', 0.0)
    >>> law.predict([[1000.0, 0.5]])
    array([5000.])
    """

    outcome: str
    reason: str
    noise: float
    error: float
    alternatives: tuple[Alternative, ...]
    rows: int
    held_out: int
    seconds: float
    target: str | None = None
    outliers: tuple[Outlier, ...] = ()
    constants: tuple[Constant, ...] = ()

    @property
    def verified(self) -> bool:
        """Whether held-out rows confirmed the formula."""
        return self.outcome in {LawOutcome.EXACT.value, LawOutcome.NOISE.value}

    @property
    def plausible(self) -> bool:
        """Whether it fits, but too few rows or rivals leave it unverified."""
        return self.outcome == LawOutcome.PLAUSIBLE.value

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search; the formula is the best until then."""
        return self.reason.startswith(INTERRUPTED)

    @property
    def title(self) -> str | None:
        """The name of y."""
        return self.target

    def frontier(self) -> "pd.DataFrame":
        """Return the alternatives as a table, from simple to accurate; the law is the last row.

        Returns
        -------
        pandas.DataFrame
            Columns: complexity, error, formula (text), expression (sympy), latex. Row i is
            `law.alternatives[i]`, which can be used as the law can.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> nalm.fit(X, X[:, 0] / X[:, 1]).frontier()[["complexity", "formula"]].tail(1)
           complexity formula
        1           3   x1/x2
        """
        try:
            import pandas as pd
        except ImportError:
            raise InputError(
                "A frontier is a pandas DataFrame; pandas is not installed. "
                "Install it: pip install 'nalm[tables]', or use law.alternatives."
            ) from None
        rows = [(a.complexity, a.error, a.text(), a.expression, a.latex()) for a in self._all()]
        return pd.DataFrame(rows, columns=["complexity", "error", "formula", "expression", "latex"])

    def at_most(self, complexity: int) -> Alternative:
        """Return the most accurate formula of at most this complexity.

        Parameters
        ----------
        complexity
            The most columns, numbers and operations.

        Returns
        -------
        Alternative
            A formula with `predict`, `latex`, `to_code` and all that a law has but its evidence.

        Examples
        --------
        >>> import numpy as np, nalm
        >>> X = np.random.default_rng(0).uniform(1, 3, (200, 2))
        >>> noise = np.random.default_rng(1).normal(0, 0.1, 200)
        >>> law = nalm.fit(X, 2 * X[:, 0] + X[:, 1] ** 2 + noise, ["a", "b"])
        >>> law.at_most(4).complexity <= 4
        True
        """
        simple = [a for a in self._all() if a.complexity <= complexity]
        if not simple:
            least = min(a.complexity for a in self._all())
            raise InputError(
                f"The simplest alternative has the complexity {least}; received {complexity}."
            )
        return min(simple, key=lambda alternative: alternative.error)

    def _all(self) -> tuple[Alternative, ...]:
        return self.alternatives or (Alternative(self.tree, self.names, self.error),)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the law to a JSON file, whole or not at all.

        Parameters
        ----------
        path
            The file; `Law.load` reads it, and so does `ArithmeticRegressor.load`.

        Examples
        --------
        >>> import numpy as np, nalm, tempfile, pathlib
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> law = nalm.fit(X, X[:, 0] - X[:, 1])
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "law.json"
        >>> law.save(path)
        >>> nalm.Law.load(path) == law
        True
        """
        from nalm.fitting.law_file import save_laws

        save_laws(path, [self])

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Law":
        """Read a law that `save` or `nalm fit --save` wrote; nothing in the file is executed.

        Parameters
        ----------
        path
            The file.

        Returns
        -------
        Law
            The law, equal to the one that was saved.

        Examples
        --------
        >>> import numpy as np, nalm, tempfile, pathlib
        >>> X = np.random.default_rng(0).uniform(1, 3, (60, 2))
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "law.json"
        >>> nalm.fit(X, X[:, 0] - X[:, 1]).save(path)
        >>> nalm.Law.load(path).expression
        x1 - x2
        """
        from nalm.fitting.law_file import load_law

        return load_law(path)

    @property
    def equation(self) -> str:
        """The formula as one line, with the name of y before it if it has one."""
        return self.text() if self.target is None else f"{named(self.target)} = {self.text()}"

    def verdict(self) -> str:
        """Return whether the formula is verified and why, as one sentence."""
        if self.verified:
            return f"Verified, {self.outcome}: {self.reason}."
        return f"{self.outcome.capitalize()}: {self.reason}."

    def evidence(self) -> str:
        """Return the error and the noise as one sentence."""
        return f"Error {self.error:.3g} over {self.rows:,} rows; {self._noise()}."

    def _noise(self) -> str:
        if self.noise == 0:
            return "no noise beyond rounding"
        size = f"about {self.noise:.3g}" if self.verified else f"unknown, at most {self.noise:.3g}"
        return f"noise {size}"

    def __str__(self) -> str:
        return "\n".join([self.equation, *self._sentences()])

    def _sentences(self) -> list[str]:
        sentences = [self.verdict(), self.evidence()]
        if self.plausible:
            sentences.insert(1, "It fits the rows, but they do not prove it.")
        elif not self.verified:
            sentences.insert(1, "This is the best approximation, not a law.")
        if self.outliers:
            rows = ", ".join(str(outlier.row) for outlier in self.outliers[:SHOWN])
            more = f" and {len(self.outliers) - SHOWN} more" * (len(self.outliers) > SHOWN)
            sentences.append(f"Outliers, which are not part of it: rows {rows}{more}.")
        constants = listed(self.constants)
        return [*sentences, f"Constants: {'; '.join(constants)}."] if constants else sentences

    def __repr__(self) -> str:
        return (
            f"Law({self.text()!r}, outcome={self.outcome!r}, error={self.error:.3g}, "
            f"noise={self.noise:.3g})"
        )

    def _repr_html_(self) -> str:
        from nalm.formula.mathml import mathml

        formula = mathml(typeset(self.tree, self.symbols()), self.target)
        lines = [formula, *(escape(sentence) for sentence in self._sentences())]
        return "".join(f"<div>{line}</div>" for line in lines)
