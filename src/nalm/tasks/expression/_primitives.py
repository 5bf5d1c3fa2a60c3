"""The steps that an expression is made of, each with its arrays, its text and its sympy form."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nalm._internal.ops import sigmoid

TIGHTEST = 9
"""How tightly names, numbers and calls hold together in a text."""


@dataclass(frozen=True)
class Primitive:
    """One kind of step."""

    apply: Callable[..., Any]
    """From the module of array functions and the operands to the result."""
    text: str
    """How it is written: `{0} + {1}`, or the name of a function."""
    sympy: Callable[..., Any]
    """From the module sympy and the operands to the expression."""
    binding: int = TIGHTEST
    """How tightly its text holds together: 1 for sums, 2 for products, 3 for powers."""

    def write(self, operands: list[tuple[str, int]]) -> str:
        """Return the text of a step, from the texts of its operands and how they hold together."""
        if "{" not in self.text:
            return f"{self.text}({', '.join(text for text, _ in operands)})"
        # The right side of a difference, a quotient or a power needs brackets sooner.
        least = [self.binding, self.binding + (self.text in STRICT)]
        parts = [
            f"({text})" if binding < least[min(i, 1)] else text
            for i, (text, binding) in enumerate(operands)
        ]
        return self.text.format(*parts)


MOST = 64
"""The largest exponent that is computed by products."""
STRICT = {"{0} - {1}", "{0}/{1}", "-{0}"}


def _sign(_xp: Any, x: Any) -> Any:
    return (x > 0) * 1.0 - (x < 0) * 1.0


def _power(xp: Any, base: Any, exponent: Any) -> Any:
    """Return base ** exponent; whole exponents are products, of negative bases too."""
    if isinstance(exponent, float) and exponent.is_integer() and abs(exponent) <= MOST:
        return base ** int(exponent)
    return xp.power(base, exponent)


def _call(name: str, own: str | None = None, sympy: str | None = None) -> Primitive:
    """Return a function that arrays have under its own name, sympy under another."""
    wanted = sympy or name
    return Primitive(
        lambda xp, x: getattr(xp, own or name)(x), name, lambda s, x: getattr(s, wanted)(x)
    )


def _compare(sign: str, own: str, sympy: str) -> Primitive:
    return Primitive(
        lambda xp, a, b: getattr(xp, own)(a, b),
        f"{{0}} {sign} {{1}}",
        lambda s, a, b: getattr(s, sympy)(a, b),
        0,
    )


def _truth(sympy: Any, condition: Any) -> Any:
    return sympy.Piecewise((1, condition), (0, True))


def _truncated(sympy: Any, x: Any) -> Any:
    return sympy.sign(x) * sympy.floor(sympy.Abs(x))


PRIMITIVES: dict[str, Primitive] = {
    "add": Primitive(lambda _, a, b: a + b, "{0} + {1}", lambda _, a, b: a + b, 1),
    "sub": Primitive(lambda _, a, b: a - b, "{0} - {1}", lambda _, a, b: a - b, 1),
    "mul": Primitive(lambda _, a, b: a * b, "{0}*{1}", lambda _, a, b: a * b, 2),
    "div": Primitive(lambda _, a, b: a / b, "{0}/{1}", lambda _, a, b: a / b, 2),
    "neg": Primitive(lambda _, a: -a, "-{0}", lambda _, a: -a, 2),
    "pow": Primitive(_power, "{0}**{1}", lambda _, a, b: a**b, 3),
    "square": Primitive(lambda _, a: a * a, "{0}**2", lambda _, a: a**2, 3),
    "rem": Primitive(
        lambda xp, a, b: xp.fmod(a, b), "fmod", lambda s, a, b: a - b * _truncated(s, a / b)
    ),
    "sqrt": _call("sqrt"),
    "rsqrt": Primitive(lambda xp, a: 1 / xp.sqrt(a), "1/sqrt({0})", lambda s, a: 1 / s.sqrt(a), 2),
    "cbrt": Primitive(lambda xp, a: xp.cbrt(a), "cbrt", lambda s, a: s.sign(a) * s.cbrt(s.Abs(a))),
    "exp": _call("exp"),
    "exp2": Primitive(lambda xp, a: xp.exp2(a), "exp2", lambda _, a: 2**a),
    "expm1": Primitive(lambda xp, a: xp.expm1(a), "expm1", lambda s, a: s.exp(a) - 1),
    "log": _call("log"),
    "log1p": Primitive(lambda xp, a: xp.log1p(a), "log1p", lambda s, a: s.log(1 + a)),
    "logistic": Primitive(sigmoid, "logistic", lambda s, a: 1 / (1 + s.exp(-a))),
    "sin": _call("sin"),
    "cos": _call("cos"),
    "tan": _call("tan"),
    "asin": _call("asin", "arcsin"),
    "acos": _call("acos", "arccos"),
    "atan": _call("atan", "arctan"),
    "atan2": Primitive(lambda xp, a, b: xp.arctan2(a, b), "atan2", lambda s, a, b: s.atan2(a, b)),
    "sinh": _call("sinh"),
    "cosh": _call("cosh"),
    "tanh": _call("tanh"),
    "asinh": _call("asinh", "arcsinh"),
    "acosh": _call("acosh", "arccosh"),
    "atanh": _call("atanh", "arctanh"),
    "abs": _call("abs", sympy="Abs"),
    "sign": Primitive(_sign, "sign", lambda s, a: s.sign(a)),
    "floor": _call("floor"),
    "ceil": _call("ceil", sympy="ceiling"),
    "round": Primitive(lambda xp, a: xp.round(a), "round", lambda s, a: s.floor(a + s.S.Half)),
    "trunc": Primitive(lambda xp, a: xp.trunc(a), "trunc", _truncated),
    "max": Primitive(lambda xp, a, b: xp.maximum(a, b), "max", lambda s, a, b: s.Max(a, b)),
    "min": Primitive(lambda xp, a, b: xp.minimum(a, b), "min", lambda s, a, b: s.Min(a, b)),
    "lt": _compare("<", "less", "Lt"),
    "le": _compare("<=", "less_equal", "Le"),
    "gt": _compare(">", "greater", "Gt"),
    "ge": _compare(">=", "greater_equal", "Ge"),
    "eq": _compare("==", "equal", "Eq"),
    "ne": _compare("!=", "not_equal", "Ne"),
    "and": Primitive(lambda xp, a, b: xp.logical_and(a, b), "and", lambda s, a, b: s.And(a, b)),
    "or": Primitive(lambda xp, a, b: xp.logical_or(a, b), "or", lambda s, a, b: s.Or(a, b)),
    "not": Primitive(lambda xp, a: xp.logical_not(a), "not", lambda s, a: s.Not(a)),
    "truth": Primitive(lambda xp, a: xp.where(a, 1.0, 0.0), "truth", _truth),
    "where": Primitive(
        lambda xp, c, a, b: xp.where(c, a, b),
        "where",
        lambda s, c, a, b: s.Piecewise((a, c), (b, True)),
    ),
}
"""All steps by name, as JAX names its primitives where it has them."""
DIVISIONS = {"div": 1, "rsqrt": 0, "rem": 1}
"""Which operand of a step is divided by."""
