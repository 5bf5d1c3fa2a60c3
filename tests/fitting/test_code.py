"""Formulas as programs: each is run, or checked by an evaluator of its own."""

import ast
import ctypes
import math
import re
import shutil
import subprocess
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nalm
from nalm.errors import UnknownNameError
from nalm.fitting.code.c_words import C_WORDS
from nalm.fitting.code.identifiers import identifiers
from nalm.fitting.code.languages import PYTHON_WORDS
from nalm.fitting.law import Alternative, Law
from nalm.fitting.tree import Applied, Column, PowerProduct, Tree, VariablePower, WeightedSum
from nalm.fitting.tree.closed import Closed
from nalm.fitting.tree.functions import ELEMENTARY

A, B = Column(0), Column(1)
SUM = WeightedSum(((Fraction(1), A), (Fraction(1), B)), Fraction(1, 3))
NASTY = ("lambda", 'm */ """ \\\n [kg]', "2 θ", "%")


def product(*factors: tuple[Tree, Fraction | float]) -> Tree:
    return PowerProduct(tuple(factors))


def scaled(weight: Fraction | float, tree: Tree, constant: Fraction | float = Fraction(0)) -> Tree:
    return WeightedSum(((weight, tree),), constant)


TREES: dict[str, Tree] = {
    "fraction": scaled(Fraction(5, 2), product((A, Fraction(2)), (B, Fraction(-2)))),
    "minus a square": scaled(Fraction(-1), product((A, Fraction(2)))),
    "minus first": WeightedSum(((Fraction(-3), product((A, Fraction(2)))),), Fraction(-1, 3)),
    "third": scaled(Fraction(1, 3), A, Fraction(1, 3)),
    "measured": scaled(0.1 + 0.2, product((A, 0.713), (SUM, Fraction(-1)))),
    "root": product((A, Fraction(1, 2)), (SUM, Fraction(-3, 2))),
    "cube roots": product((A, Fraction(1, 3)), (B, Fraction(-2, 3))),
    "fifth roots": product((A, Fraction(3, 5)), (B, Fraction(-2, 5)), (SUM, Fraction(-1, 7))),
    "inverse": product((SUM, Fraction(-1)), (product((A, Fraction(-1))), Fraction(3))),
    "power": scaled(Fraction(2), VariablePower(A, product((B, Fraction(-1))))),
    "power of a power": product((VariablePower(A, B), Fraction(-2))),
    "constant": WeightedSum((), Fraction(981, 100)),
    "pi": scaled(Closed(Fraction(4, 3), Fraction(1)), A, Closed(Fraction(-1, 2), root=2)),
    "powers of pi": scaled(Closed(Fraction(1, 3), Fraction(-3, 2), Fraction(1)), A),
    "square of pi": scaled(Closed(Fraction(1), Fraction(-2), Fraction(-1)), A),
    "huge": scaled(Fraction(10) ** 30, A, 1e-30),
} | {
    name: scaled(Fraction(-1, 4), Applied(function, scaled(Fraction(1, 5), A)), Fraction(2))
    for name, function in ELEMENTARY.items()
}
ROWS = np.random.default_rng(0).uniform(0.2, 3.0, (20, 4))
SIGNED = [("cube roots", -1.0), ("fifth roots", -1.0), ("third", -1.0), ("minus a square", -1.0)]
CASES = [*((name, 1.0) for name in TREES), *SIGNED]


def formula(name: str) -> Alternative:
    return Alternative(TREES[name], NASTY, 0.0)


def rows(sign: float) -> np.ndarray:
    return ROWS * np.array([sign, 1, 1, 1])


@pytest.mark.parametrize(("name", "sign"), CASES)
@pytest.mark.parametrize("language", ["python", "numpy"])
def test_python_and_numpy_compute_what_predict_computes(name, sign, language):
    found = formula(name)
    space: dict = {}
    exec(found.to_code(language), space)
    used = sorted({node.index for node in found.tree.walk() if isinstance(node, Column)})
    columns = rows(sign)[:, used]
    with np.errstate(all="ignore"):
        if language == "numpy":
            values = space["law"](*columns.T) * np.ones(len(columns))
        else:
            values = [space["law"](*row) for row in columns.tolist()]
    np.testing.assert_allclose(values, found.predict(rows(sign)), rtol=1e-13)


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler on this machine")
def test_c_computes_what_predict_computes(tmp_path):
    source = []
    for k, name in enumerate(TREES):
        text = Law(TREES[name], NASTY, "exact", "", 0, 0, (), 1, 1, 0, f"law {k}").to_code("c")
        source.append(text)
    (tmp_path / "laws.c").write_text("\n".join(source))
    built = tmp_path / "laws.so"
    command = ["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-shared", "-fPIC"]
    subprocess.run([*command, "-o", str(built), str(tmp_path / "laws.c"), "-lm"], check=True)
    library = ctypes.CDLL(str(built))
    for name, sign in CASES:
        function = getattr(library, f"law_{list(TREES).index(name)}")
        used = sorted({node.index for node in TREES[name].walk() if isinstance(node, Column)})
        function.restype, function.argtypes = ctypes.c_double, [ctypes.c_double] * len(used)
        values = [function(*row) for row in rows(sign)[:, used].tolist()]
        np.testing.assert_allclose(values, formula(name).predict(rows(sign)), rtol=1e-12)


C_HEADERS = "assert complex errno float limits math signal stdarg stdbool stddef stdio stdlib time"
C_NAMES = """I complex imaginary NULL EOF errno assert stdin HUGE_VAL HUGE_VALF INFINITY NAN FP_NAN
    M_E M_PI M_SQRT1_2 RAND_MAX INT_MAX DBL_EPSILON isnan signbit float_t gammaf y1 pow powf
    log10 alignas alignof bool char8_t wchar_t constexpr nullptr restrict static_assert thread_local
    typeof typeof_unqual and_eq bitand compl not_eq xor_eq asm catch class co_await co_return
    co_yield concept const_cast consteval constinit decltype dynamic_cast explicit export friend
    mutable namespace noexcept operator private protected public reinterpret_cast requires template
    throw try typeid typename using virtual main linux unix mass"""


def macros(compiler: list[str], header: str) -> set[str]:
    """The macros that a header defines and that a column could be called."""
    given = f"#include <{header}.h>\n"
    command = [*compiler, "-dM", "-E", "-"]
    text = subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout
    return {word for word in re.findall(r"#define (\w+) ", text) if not word.startswith("_")}


@pytest.mark.parametrize(
    ("language", "compiler"), [("c", ["cc", "-std=gnu17"]), ("c++", ["c++", "-std=c++20"])]
)
def test_no_name_is_a_word_of_c(language, compiler, tmp_path):
    if not shutil.which(compiler[0]):
        pytest.skip("no compiler on this machine")
    compiler = [*compiler, "-x", language]
    names = {*C_NAMES.split(), *macros(compiler, "math")}
    if language == "c":
        names |= macros(compiler, "complex") | macros(compiler, "float")
    text = "".join(f"#include <{header}.h>\n" for header in C_HEADERS.split())
    for name in sorted(names):
        law = Law(A, (name,), "exact", "", 0, 0, (), 1, 1, 0, name)
        text += law.to_code("c")
    path = tmp_path / "words"
    path.write_text(text)
    done = subprocess.run(
        [*compiler, "-fsyntax-only", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


NAMES = ("SQRT", "EXP", "SIN", "COS", "TAN", "TANH", "ASIN", "ACOS", "ATAN")


class Sheet:
    """Reads a formula as Excel does: first a minus in front, then ^ from the left."""

    CALLS = {
        "LN": math.log,
        "SIGN": lambda x: math.copysign(1.0, x),
        **{n: getattr(math, n.lower()) for n in NAMES},
        "ABS": abs,
    }

    def __init__(self, text: str, cells: dict[str, float]) -> None:
        assert text.startswith("=")
        self.tokens = re.findall(r"\d+\.?\d*(?:E[+-]?\d+)?|[A-Z]+\d*|[-+*/^()]", text[1:])
        assert "".join(self.tokens) == text[1:]
        self.cells = cells
        self.place = 0

    def value(self) -> float:
        result = self.sum()
        assert self.place == len(self.tokens)
        return result

    def take(self, *wanted: str) -> str | None:
        if self.place < len(self.tokens) and self.tokens[self.place] in wanted:
            self.place += 1
            return self.tokens[self.place - 1]
        return None

    def sum(self) -> float:
        result = self.product()
        while sign := self.take("+", "-"):
            result += self.product() if sign == "+" else -self.product()
        return result

    def product(self) -> float:
        result = self.power()
        while sign := self.take("*", "/"):
            result = result * self.power() if sign == "*" else result / self.power()
        return result

    def power(self) -> float:
        result = self.atom()
        while self.take("^"):
            result = math.pow(result, self.atom())
        return result

    def atom(self) -> float:
        if self.take("-"):
            return -self.atom()
        if self.take("("):
            result = self.sum()
            assert self.take(")")
            return result
        token = self.tokens[self.place]
        self.place += 1
        if token == "PI":
            assert self.take("(")
            assert self.take(")")
            return math.pi
        if token in self.CALLS and self.take("("):
            result = self.CALLS[token](self.sum())
            assert self.take(")")
            return result
        return self.cells[token] if token in self.cells else float(token)


@pytest.mark.parametrize(("name", "sign"), CASES)
def test_excel_computes_what_predict_computes(name, sign):
    text = formula(name).to_code("excel").strip()
    for row, expected in zip(rows(sign), formula(name).predict(rows(sign)), strict=True):
        cells = dict(zip(["A2", "B2", "C2", "D2"], row.tolist(), strict=True))
        assert Sheet(text, cells).value() == pytest.approx(expected, rel=1e-12)


def test_the_sheet_reads_as_excel_does():
    assert Sheet("=-A2^2", {"A2": 3.0}).value() == 9
    assert Sheet("=2^3^2", {}).value() == 64


def test_latex_has_the_target():
    law = Law(TREES["root"], NASTY, "exact", "", 0, 0, (), 1, 1, 0, "rate_1")
    assert law.to_code("latex").startswith(r"\text{rate\_1} = \frac{\sqrt{")
    assert formula("constant").to_code("latex") == "9.81\n"


@settings(max_examples=60)
@given(st.lists(st.text(), unique=True, max_size=6), st.sampled_from([PYTHON_WORDS, C_WORDS]))
def test_identifiers_are_legal_and_different(names, taken):
    words = identifiers(names, taken)
    assert len(set(words)) == len(names)
    assert not set(words) & set(taken)
    for word in words:
        assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", word)


@settings(max_examples=40)
@given(st.text(min_size=1), st.text(min_size=1))
def test_no_name_leaves_its_comment(name, target):
    law = Law(A, (name,), "exact", "", 0, 0, (), 1, 1, 0, target)
    body = ast.parse(law.to_code("python")).body
    assert [type(node) for node in body] == [ast.FunctionDef]
    lines = law.to_code("c").splitlines()
    assert sum(line.count("*/") for line in lines) == sum(line.count("/*") for line in lines) <= 1


def test_an_unknown_language_is_refused():
    X = ROWS[:, :2]
    with pytest.raises(UnknownNameError, match=r"no language 'fortran'.*Known: c, excel, latex"):
        nalm.fit(X, X[:, 0] + X[:, 1], functions="arithmetic").to_code("fortran")
