"""From discrete weights to sympy expressions.

Expressions are built from symbols, never parsed from text, so a column may have any name.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from nalm._ops import to_numpy
from nalm.errors import InputError, NotDiscreteError

if TYPE_CHECKING:
    import sympy

SMALLEST_POSITIVE = 1e-6
"""The sum of positive inputs from which a gate must be decided to be read without samples."""
TOLERANCE = 0.1
"""How far a weight may lie from its discrete value and still be read."""


@dataclass(frozen=True)
class Discrete:
    """The values a weight may have in a formula.

    `values=None` means every integer, or, with `digits`, every number of so many digits.
    """

    values: tuple[float, ...] | None = None
    digits: int | None = None

    def nearest(self, x: np.ndarray) -> np.ndarray:
        """Return the member nearest to each element."""
        if self.digits is not None:
            return np.vectorize(lambda v: float(f"{v:.{self.digits}g}"), otypes=[float])(x)
        if self.values is None:
            return np.round(x)
        values = np.asarray(self.values)
        return values[np.argmin(np.abs(x[..., None] - values), axis=-1)]

    def __str__(self) -> str:
        if self.digits is not None:
            return f"numbers of {self.digits} digits"
        if self.values is None:
            return "the integers"
        return "{" + ", ".join(str(Fraction(v)) for v in self.values) + "}"


INTEGERS = Discrete()
MEASURED = Discrete(digits=6)
BINARY = Discrete((0, 1))
TERNARY = Discrete((-1, 0, 1))
HALVES = Discrete((-1, -0.5, 0, 0.5, 1))
POWERS = Discrete((-2, -1, -0.5, 0, 0.5, 1, 2))


@dataclass(frozen=True)
class Reader:
    """Reads the weights of one unit as exact numbers, or says why it cannot."""

    unit: str
    weights: Mapping[str, np.ndarray]
    discrete: Mapping[str, Discrete]
    tolerance: float
    x: np.ndarray | None
    """Sample inputs, for gates that depend on them."""
    inputs: list["sympy.Expr"]

    def __post_init__(self) -> None:
        valid = isinstance(self.tolerance, int | float) and 0 <= self.tolerance <= 0.5
        if not valid:
            raise InputError(f"tolerance is between 0 and 0.5; received {self.tolerance!r}.")

    def __call__(self, name: str, used: np.ndarray | bool = True) -> np.ndarray:
        """Return the weight of this name as an array of sympy numbers; unused elements are 0."""
        values = np.asarray(self.weights[name], dtype=np.float64)
        used = np.broadcast_to(used, values.shape)
        nearest = self.discrete[name].nearest(values)
        gap = np.where(used, np.abs(values - nearest), 0.0)
        if not np.all(gap <= self.tolerance):
            worst = np.unravel_index(
                int(np.argmax(np.where(np.isnan(gap), np.inf, gap))), gap.shape
            )
            self.refuse(name, worst, values[worst])
        return _exact(np.where(used, nearest, 0.0))

    def refuse(self, name: str, index: tuple[Any, ...], value: float) -> None:
        """Raise the error that names the weight which is not discrete."""
        place = f"[{', '.join(str(int(i)) for i in index)}]" if index else ""
        raise NotDiscreteError(
            f"A formula needs every weight within {self.tolerance:g} of {self.discrete[name]}; "
            f"{self.unit} has {name}{place} = {value:.4g}. Train longer, raise the penalty that "
            "makes it discrete if it has one, start anew, or pass a larger tolerance."
        )

    def input_gate(self, squash: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """Return 1 or 0 per output: the gate `squash(G x)`, if the same for every sample.

        Without samples the inputs are taken to be positive, which only names can be: then the
        gate is known where all weights of its row are large and of one sign.
        """
        import sympy

        gate = np.asarray(self.weights["gate"], dtype=np.float64)
        if self.x is not None:
            values = squash(self.x @ gate.T)
        elif all(isinstance(name, sympy.Symbol) for name in self.inputs):
            values = squash(gate.T * SMALLEST_POSITIVE)
        else:
            values = np.full((1, gate.shape[0]), 0.5)
        for open_ in (values.max(axis=0) <= self.tolerance) | (
            values.min(axis=0) >= 1 - self.tolerance
        ):
            if not open_:
                raise NotDiscreteError(
                    f"The gate of {self.unit} depends on its input and is not within "
                    f"{self.tolerance:g} of 0 or 1 for "
                    + (
                        "every sample. Read parts of the samples apart, or train longer."
                        if self.x is not None
                        else "every positive input. Pass sample inputs with x=... to read it there."
                    )
                )
        return _exact(np.round(values[0]))


def _exact(values: np.ndarray) -> np.ndarray:
    """Return the array with sympy numbers for elements."""
    import sympy

    exact = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        exact[index] = sympy.Rational(Fraction(repr(float(value))))
    return exact


def samples(x: Any, count: int) -> np.ndarray | None:
    """Return sample inputs as rows of numbers."""
    if x is None:
        return None
    rows = to_numpy(x).astype(np.float64)
    if rows.ndim == 0 or rows.shape[-1] != count or rows.size == 0:
        raise InputError(
            f"Sample inputs have {count} columns and at least one row; received shape {rows.shape}."
        )
    return rows.reshape(-1, count)


def inputs(names: Any, count: int) -> list["sympy.Expr"]:
    """Return one expression per input: symbols for names, expressions as they are."""
    import sympy

    if names is None:
        names = [f"x{i + 1}" for i in range(count)]
    if isinstance(names, str):
        raise InputError(f"Names are a list with one entry per input; received the text {names!r}.")
    names = list(names)
    if len(names) != count:
        raise InputError(f"A formula of {count} inputs needs {count} names; received {len(names)}.")
    texts = [name for name in names if isinstance(name, str)]
    if not all(text.strip() for text in texts) or len(set(texts)) < len(texts):
        raise InputError(f"Names are different and not empty; received {list(names)}.")
    for name in names:
        if not isinstance(name, str | sympy.Basic):
            raise InputError(f"A name is text or a sympy expression; received {name!r}.")
    return [_expression(name) for name in names]


def _expression(name: Any) -> "sympy.Expr":
    """Return a name as a symbol, a comparison as the number 1 or 0, an expression as it is."""
    import sympy

    if isinstance(name, str):
        return sympy.Symbol(name)
    if isinstance(name, sympy.logic.boolalg.Boolean) and not isinstance(name, sympy.Symbol):
        return sympy.Piecewise((1, name), (0, True))
    return name


def linear(row: np.ndarray, x: list["sympy.Expr"]) -> "sympy.Expr":
    """Return Σ w·x; what has the weight 0 is left out, whatever it is.

    >>> import sympy
    >>> linear(np.array([1, 0]), [sympy.Symbol("a"), sympy.zoo])
    a
    """
    import sympy

    return sympy.Add(*(w * x_i for w, x_i in zip(row, x, strict=True) if w != 0))


def monomial(row: np.ndarray, x: list["sympy.Expr"]) -> "sympy.Expr":
    """Return Π x^w."""
    import sympy

    return sympy.Mul(*(x_i**w for w, x_i in zip(row, x, strict=True) if w != 0))


def magnitude(expression: "sympy.Expr") -> "sympy.Expr":
    """Return |expression|."""
    import sympy

    return sympy.Abs(expression)


def relation(truth: tuple[bool, ...], a: "sympy.Expr", b: "sympy.Expr") -> "sympy.Basic":
    """Return the comparison of a and b that has these truths where a > b, a = b and a < b."""
    import sympy

    relations: dict[tuple[bool, ...], Any] = {
        (True, False, False): sympy.Gt,
        (True, True, False): sympy.Ge,
        (False, False, True): sympy.Lt,
        (False, True, True): sympy.Le,
        (False, True, False): sympy.Eq,
        (True, False, True): sympy.Ne,
        (True, True, True): lambda *_: sympy.true,
        (False, False, False): lambda *_: sympy.false,
    }
    return relations[truth](a, b)


_LATEX_TEXT = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\n": " ",
    **{c: "\\" + c for c in "&%$#_{}"},
}


def latex(expression: "sympy.Basic") -> str:
    r"""Return an expression as LaTeX; names that are more than one letter are set as text.

    >>> import sympy
    >>> print(latex(sympy.Symbol("price_%") * sympy.Symbol("n")))
    n \cdot \text{price\_\%}
    """
    import sympy

    if not isinstance(expression, sympy.Basic):
        raise InputError(f"latex takes one sympy expression; received {type(expression).__name__}.")
    names = {
        symbol: rf"\text{{{''.join(_LATEX_TEXT.get(c, c) for c in symbol.name)}}}"
        for symbol in expression.free_symbols
        if isinstance(symbol, sympy.Symbol) and not is_plain(symbol.name)
    }
    return sympy.latex(expression, symbol_names=names, mul_symbol="dot" if names else None)


def is_plain(name: str) -> bool:
    """Tell whether sympy's own typesetting fits: one letter, Latin or Greek, perhaps numbered."""
    from sympy.printing.latex import greek_letters_set

    match = re.fullmatch(r"([A-Za-z]+)(_?[0-9]+)?", name)
    return bool(match) and (len(match[1]) == 1 or match[1].lower() in greek_letters_set)
