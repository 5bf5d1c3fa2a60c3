"""The laws of the benchmark, as data."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from benchmarks.fit.hard_tables import many_columns, outliers
from benchmarks.fit.problem import Problem, evaluated

from nalm.experiments.division import MIXED, OTHERS, SMALL
from nalm.tasks import RANGES, Distribution, Halves, Uniform, arithmetic_dataset, single_module

SIZES = (2, 10, 100)
SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
POSITIVE = ("U[0.1,0.2)", "U[1,2)", "U[1.1,1.2)", "U[10,20)")
BEYOND = (Uniform(1, 2), Uniform(2, 6))
"""Where compositions are trained, and where they must hold."""

Spans = dict[str, tuple[float, float]]

COEFFICIENTS: dict[str, tuple[str, int]] = {
    "ratio plus line": ("2.5*a*b/(c + d) + 0.75*e - 1.3*f", 8),
    "product of lines": ("(1.7*a + 0.4*b)*(c + 2.2*d) - e", 8),
    "weighted sum": ("0.31*a - 1.25*b + 2.4*c + 0.08*d - 3.6*e + 1.9*f + 0.5", 10),
    "weighted ratio": ("(3.2*a + 1.5*b)/(c + 0.6*d)", 6),
    "sum of ratios": ("1.4*a/b + 0.7*c/d", 6),
    "sum of products": ("2.3*a*b - 0.9*c*d + 1.1*e*f", 8),
    "cubic term": ("0.5*a**3 - 1.2*a*b + 3.3*c", 6),
    "scaled monomial": ("4.7*a*b**2/(c*d)", 10),
    "scaled root": ("1.6*sqrt(a*b) + 2.1*c", 6),
    "reciprocal of a line": ("1/(0.8*a + 1.9*b + 0.3*c)", 7),
    "line times ratio": ("(a + 2.7*b)*c/(d + 1.4*e)", 7),
    "shifted product": ("(a + 1.5)*(b - 0.4)*c", 6),
    "quadratic": ("1.2*a**2 + 0.7*a*b - 2.4*b**2 + 3.1*c", 7),
    "saturation": ("3.5*a*b/(1.8 + b) + 0.6*c", 6),
}
"""Formulas with real coefficients, and how many inputs there are; the last are not used."""

LONG: dict[str, tuple[str, int]] = {
    "one: area": ("3.141592653589793*a*b", 4),
    "one: shift": ("(a + 1.4142135623730951)*b/c", 5),
    "two: line": ("2.718281828459045*a - 0.5772156649015329*b", 4),
    "two: saturation": ("1.2020569031595942*a*b/(0.9159655941772190 + b)", 4),
    "three: line": ("1.7320508075688772*a + 0.6931471805599453*b - 2.2360679774997896*c", 5),
    "three: ratio": ("(a + 1.6180339887498949*b)/(0.3678794411714423*c + 1.0986122886681098*d)", 6),
    "five: line": (
        "1.7320508075688772*a + 0.6931471805599453*b - 2.2360679774997896*c "
        "+ 0.2078795763507619*d + 1.3247179572447460", 6,
    ),
}  # fmt: skip
"""Formulas whose coefficients no rational is, and how many of these there are."""

PHYSICS: dict[str, tuple[str, Spans]] = {
    "kinetic energy": ("m*(u**2 + v**2 + w**2)/2", dict.fromkeys("muvw", (1, 5))),
    "gravitation in 3-D": (
        "g*m1*m2/((x2 - x1)**2 + (y2 - y1)**2 + (z2 - z1)**2)",
        {"g": (1, 2), "m1": (1, 2), "m2": (1, 2), "x1": (3, 4), "x2": (1, 2), "y1": (3, 4),
         "y2": (1, 2), "z1": (3, 4), "z2": (1, 2)},
    ),
    "distance in 2-D": (
        "sqrt((x2 - x1)**2 + (y2 - y1)**2)", dict.fromkeys(("x1", "x2", "y1", "y2"), (1, 5)),
    ),
    "Clausius-Mossotti": ("1 + n*alpha/(1 - n*alpha/3)", {"n": (0, 1), "alpha": (0, 1)}),
    "lens": ("1/(1/d1 + n/d2)", dict.fromkeys(("d1", "d2", "n"), (1, 5))),
    "centre of mass": (
        "(m1*r1 + m2*r2)/(m1 + m2)", dict.fromkeys(("m1", "m2", "r1", "r2"), (1, 5)),
    ),
    "relativistic velocities": (
        "(u + v)/(1 + u*v/c**2)", {"u": (1, 5), "v": (1, 5), "c": (5, 20)},
    ),
    "Lorentz mass": ("m/sqrt(1 - v**2/c**2)", {"m": (1, 5), "v": (1, 2), "c": (4, 10)}),
    "Coulomb": ("q1*q2/(4*eps*r**2)", dict.fromkeys(("q1", "q2", "eps", "r"), (1, 5))),
    "potential between heights": (
        "G*m1*m2*(1/r2 - 1/r1)", dict.fromkeys(("G", "m1", "m2", "r1", "r2"), (1, 5)),
    ),
    "spring energy": ("k*x**2/2", {"k": (1, 5), "x": (1, 5)}),
    "dot product": (
        "x1*y1 + x2*y2 + x3*y3", {f"{k}{i}": (1, 5) for i in (1, 2, 3) for k in "xy"},
    ),
    "Lorentz force": (
        "q*(Ef + Bf*v)", dict.fromkeys(("q", "Ef", "Bf", "v"), (1, 5)),
    ),
    "ideal gas": ("n*T/V", dict.fromkeys(("n", "T", "V"), (1, 5))),
    "adiabatic energy": ("pr*V/(gam - 1)", {"pr": (1, 5), "V": (1, 5), "gam": (2, 5)}),
    "Doppler": ("f/(1 - v/c)", {"f": (1, 5), "v": (1, 2), "c": (4, 10)}),
    "relativistic momentum": (
        "m*v/sqrt(1 - v**2/c**2)", {"m": (1, 5), "v": (1, 2), "c": (4, 10)},
    ),
    "Lorentz position": (
        "(x - u*t)/sqrt(1 - u**2/c**2)",
        {"x": (5, 10), "u": (1, 2), "c": (4, 10), "t": (1, 2)},
    ),
    "parallel resistors": ("r1*r2/(r1 + r2)", {"r1": (1, 5), "r2": (1, 5)}),
    "oscillator energy": (
        "m*(w**2 + w0**2)*x**2/4", dict.fromkeys(("m", "w", "w0", "x"), (1, 3)),
    ),
    "heat flow": ("k*(T2 - T1)*A/d", dict.fromkeys(("k", "T1", "T2", "A", "d"), (1, 5))),
    "beam of two charges": (
        "chi*(1 + kf*(a*b))", dict.fromkeys(("chi", "kf", "a", "b"), (1, 5)),
    ),
}  # fmt: skip
"""Algebraic laws of physics, mostly of the Feynman lectures, and the ranges of inputs."""

NOISY = {
    "a*b + c": 4, "a*b/(c + d)": 5, "(a + b)*(c + d)": 5, "2.5*a*b - 1.5*c": 4, "a/b + c/d": 5,
    "(a - b)/(c + d)": 5, "(a*b + c*d)/(e + f)": 7, "a*b*c/d": 5, "a + 0.5*b**2": 3,
}  # fmt: skip
LEVELS = (0.0, 0.01, 0.05)

OUTSIDE: dict[str, tuple[str, Spans]] = {
    "sine": ("sin(3*a)*b", {"a": (0, 3), "b": (1, 2)}),
    "sine of a sum": ("a + sin(b)", {"a": (0, 3), "b": (0, 6)}),
    "exponential": ("exp(a)/b", {"a": (0, 3), "b": (1, 2)}),
    "decay": ("a*exp(-b)", {"a": (1, 2), "b": (0, 2)}),
    "logarithm": ("a*log(b)", {"a": (1, 2), "b": (1, 9)}),
    "tanh": ("tanh(a - b)", {"a": (-2, 2), "b": (-2, 2)}),
    "gentle sine": ("sin(a)", {"a": (0, 1), "b": (0, 1)}),
    "gentle exponential": ("exp(a*b)", {"a": (0, 0.5), "b": (0, 0.5)}),
    "power of an input": ("a**b", {"a": (1, 3), "b": (1, 3)}),
    "absolute value": ("abs(a) + b", {"a": (-2, 2), "b": (1, 2)}),
    "two branches": ("where(a > b, a*b, a + b)", {"a": (1, 3), "b": (1, 3)}),
    "Planck": ("a**3/(exp(a/b) - 1)", {"a": (1, 4), "b": (1, 2)}),
}
"""What no formula of + − × ÷ √ is: a method must not claim to have found it."""


def letters(count: int) -> tuple[str, ...]:
    """Return the names of a few inputs: a, b, c and so on."""
    return tuple("abcdefghijklmnop"[:count])


def numbered(count: int) -> tuple[str, ...]:
    """Return the names of many inputs: x1, x2 and so on."""
    return tuple(f"x{i + 1}" for i in range(count))


def precision(seed: int) -> str:
    """Return the precision of the rows: seeds alternate."""
    return "float64" if seed % 2 else "float32"


def single_operation(seed: int) -> Iterator[Problem]:
    """One operation on two adjacent inputs of 2, 10 or 100, over nine ranges."""
    for size, op, (name, (train, test)) in product(SIZES, SIGNS, RANGES.items()):
        k = first_operand(size, seed)
        names = numbered(size)
        formula = f"{names[k]} {SIGNS[op]} {names[k + 1]}"
        yield Problem(
            "single operation", f"{size} inputs", f"{op} {size} {name}", formula, names, train, test
        )


def division(seed: int) -> Iterator[Problem]:
    """Division over the distributions of the division papers."""
    sources: list[tuple[str, Distribution, Distribution]] = [
        *((f"mixed signs {n}", train, test) for n, (train, test) in MIXED.items()),
        *((train.label, train, test) for train, test in OTHERS),
        *((f"U[0,{width:g})", Uniform(0, width), Uniform(0, 2 * width)) for width in SMALL),
    ]
    for size, (name, train, test) in product(SIZES, sources):
        halves = isinstance(train, Halves)
        k = size // 2 - 1 if halves else first_operand(size, seed)
        names = numbered(size)
        formula = f"{names[k]}/{names[k + 1]}"
        yield Problem("division", f"{size} inputs", f"{name} {size}", formula, names, train, test)


def first_operand(inputs: int, seed: int) -> int:
    """Return which input the first operand is in the run of this seed."""
    return int(np.argmax(single_module("div", inputs=inputs).layout(seed)[0]))


def two_layers(seed: int) -> Iterator[Problem]:
    """An operation on the sums of two overlapping subsets of 100 inputs, over nine ranges."""
    names = numbered(100)
    for op in (*SIGNS, "square", "root"):
        for name in POSITIVE if op == "root" else RANGES:
            task = arithmetic_dataset(op, name)
            chosen = task.layout(seed).astype(bool)
            sums = ["(" + " + ".join(np.array(names)[c]) + ")" for c in chosen]
            shape = {"square": "{}**2", "root": "sqrt({})"}.get(op, f"{{}} {SIGNS.get(op)} {{}}")
            train, test = RANGES[name]
            yield Problem(
                "two layers", op, f"{op} {name}", shape.format(*sums), names, train, test, 1000
            )


STEPS: dict[str, Callable[[str, str], str]] = {
    "add": lambda u, v: f"({u} + {v})",
    "sub": lambda u, v: f"(-{u} - {v})",
    "mul": lambda u, v: f"({u}*{v})",
    "div": lambda u, v: f"(1/({u}*{v}))",
}
"""The operators of the thesis: subtraction negates the sum, division inverts the product."""


def chain(ops: tuple[str, ...]) -> str:
    """Return the formula of steps, each on what came before and the next input.

    >>> chain(("add", "div"))
    '(1/((a + b)*c))'
    """
    names = letters(len(ops) + 1)
    text = names[0]
    for op, name in zip(ops, names[1:], strict=True):
        text = STEPS[op](text, name)
    return text


def compositions(seed: int) -> Iterator[Problem]:
    """Chains of two, three and four steps, and one input that is not used."""
    four = list(product(STEPS, repeat=4))
    sampled = np.random.default_rng(7).permutation(len(four))[:40]
    chains = {
        "two steps": list(product(STEPS, repeat=2)),
        "three steps": list(product(STEPS, repeat=3)),
        "four steps": [four[i] for i in sorted(sampled)],
    }
    for group, members in chains.items():
        for ops in members:
            rows = 128 if len(ops) == 2 else 256
            yield Problem(
                "compositions", group, "-".join(ops), chain(ops), letters(len(ops) + 2), *BEYOND,
                rows, precision(seed),
            )  # fmt: skip


def coefficients(seed: int) -> Iterator[Problem]:
    """Formulas with real coefficients and six to ten inputs."""
    every = [("short", COEFFICIENTS), ("long", LONG)]
    for part, name, (formula, inputs) in ((p, n, f) for p, laws in every for n, f in laws.items()):
        yield Problem(
            "coefficients", part, name, formula, letters(inputs), Uniform(1, 3), Uniform(1, 5),
            300, precision(seed),
        )  # fmt: skip


def boxed(family: str, name: str, formula: str, spans: Spans, seed: int) -> Problem:
    """Return a problem with ranges of its own; it must hold on twice as long ones."""
    train = tuple(Uniform(low, high) for low, high in spans.values())
    test = tuple(Uniform(low, 2 * high - low) for low, high in spans.values())
    findable = family != "outside"
    return Problem(
        family, "all", name, formula, tuple(spans), train, test, 300, precision(seed),
        findable=findable,
    )  # fmt: skip


def physics(seed: int) -> Iterator[Problem]:
    """Algebraic laws of physics."""
    for name, (formula, spans) in PHYSICS.items():
        yield boxed("physics", name, formula, spans, seed)


def noise(seed: int) -> Iterator[Problem]:  # noqa: ARG001 (as every family)
    """Laws of which the results are blurred; how much is not given."""
    for level, (formula, inputs) in product(LEVELS, NOISY.items()):
        yield Problem(
            "noise", f"{level:.0%}", f"{formula} {level:.0%}", formula, letters(inputs),
            Uniform(1, 3), Uniform(1, 5), 1000, "float64", level,
        )  # fmt: skip


def narrowed(spans: Spans) -> Spans:
    """Return the middle tenth of each range: there, polynomials are nearly everything."""
    return {
        k: (0.55 * low + 0.45 * high, 0.45 * low + 0.55 * high) for k, (low, high) in spans.items()
    }


def outside(seed: int) -> Iterator[Problem]:
    """What cannot be found: on wide ranges, on narrow ones, blurred; and noise alone."""
    for name, (formula, spans) in OUTSIDE.items():
        wide = boxed("outside", name, formula, spans, seed)
        narrow = boxed("outside", name, formula, narrowed(spans), seed)
        yield replace(wide, group="wide")
        yield replace(narrow, group="narrow", name=f"{name}, narrow")
        yield replace(wide, group="noise 5%", name=f"{name}, noise 5%", noise=0.05)
    yield Problem(
        "outside", "wide", "pure noise", "a*0 + 1e-9*b", letters(3), Uniform(1, 3),
        Uniform(1, 5), 300, "float64", 1e9, findable=False,
    )  # fmt: skip


def grown(rng: np.random.Generator, names: list[str], depth: int) -> str:
    """Return a random formula of depth at most `depth`."""
    if depth == 0 or rng.random() < 0.2:
        name = names[rng.integers(len(names))]
        return f"{rng.integers(1, 40) / 10:g}*{name}" if rng.random() < 0.25 else name
    first, second = grown(rng, names, depth - 1), grown(rng, names, depth - 1)
    sign = "+-*/"[rng.integers(4)]
    text = f"({first} {sign} {second})"
    return f"sqrt{text}" if sign in "+*" and rng.random() < 0.08 else text


def sound(formula: str, names: tuple[str, ...], rng: np.random.Generator) -> bool:
    """Whether a random formula has a result everywhere, not a constant nor one input."""
    x = rng.uniform(1, 6, (50, len(names)))
    y = evaluated(formula, names, x)
    usual = np.median(np.abs(y - np.median(y)))
    return formula not in names and bool(np.all(np.isfinite(y)) and usual > 1e-6)


def random_laws(seed: int) -> Iterator[Problem]:
    """Formulas drawn at random: nobody chose them because they can be found."""
    rng = np.random.default_rng([11, seed])
    for i in range(25):
        depth, inputs = int(rng.integers(1, 4)), int(rng.integers(2, 6))
        names = letters(inputs)
        formula = grown(rng, list(names), depth)
        if not sound(formula, names, rng):
            continue
        yield Problem(
            "random laws", f"depth {depth}", f"random {seed}.{i}", formula, names, *BEYOND, 200,
            precision(i),
        )  # fmt: skip


LIMITS: tuple[tuple[str, str, int, int, int, float], ...] = (
    # part, range, inputs, factors, rows, noise
    *(("few rows", "U[1,2)", 100, 2, rows, 0.0) for rows in (300, 350, 450)),
    *(("few rows", "U[1.1,1.2)", 100, 2, rows, 0.0) for rows in (350, 450)),
    *(("few rows", "U[-2,2)", 100, 2, rows, 0.0) for rows in (450, 600)),
    *(("300 inputs", name, 300, 2, 3000, 0.0) for name in ("U[1,2)", "U[1.1,1.2)", "U[-2,2)")),
    *(("300 inputs", name, 300, 2, 1500, 0.0) for name in ("U[1,2)", "U[1.1,1.2)", "U[-2,2)")),
    ("600 inputs", "U[1,2)", 600, 2, 3000, 0.0),
    *(("3 factors", name, 100, 3, 1000, 0.0) for name in ("U[1,2)", "U[-2,2)", "U[1.1,1.2)")),
    ("4 factors", "U[1,2)", 100, 4, 1000, 0.0),
    *(("noise", name, 100, 2, 1000, 0.01) for name in ("U[1,2)", "U[-2,2)")),
    *(("noise", name, 100, 2, 1000, 0.05) for name in ("U[1,2)", "U[-2,2)")),
)
"""Products of sums of a quarter of the inputs, where a prototype began to fail."""


def limits(seed: int) -> Iterator[Problem]:
    """The product of sums with few rows, many inputs, more factors, noise."""
    for part, name, inputs, factors, rows, level in LIMITS:
        names, size = numbered(inputs), inputs // 4
        start = np.random.default_rng(seed).integers(inputs - (factors + 1) * size // 2)
        firsts = [int(start) + k * (size // 2) for k in range(factors)]
        sums = ["(" + " + ".join(names[first : first + size]) + ")" for first in firsts]
        yield Problem(
            "limits", part, f"{part} {name}, {inputs} inputs, {rows} rows, noise {level:g}",
            "*".join(sums), names, *RANGES[name], rows, noise=level,
        )  # fmt: skip


FAMILIES: dict[str, Callable[[int], Iterator[Problem]]] = {
    "single-operation": single_operation,
    "division": division,
    "two-layers": two_layers,
    "compositions": compositions,
    "coefficients": coefficients,
    "physics": physics,
    "noise": noise,
    "random-laws": random_laws,
    "outside": outside,
    "limits": limits,
    "outliers": outliers,
    "many-columns": many_columns,
}
