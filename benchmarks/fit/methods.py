"""The tools, each behind `fit(table) -> formulas`."""

import math
import re
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.util import find_spec
from io import StringIO
from typing import Any, Protocol

import numpy as np
from benchmarks.fit.problem import NAMESPACE, evaluated
from benchmarks.fit.score import python_text

Predict = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Table:
    """What a method is given."""

    x: np.ndarray
    y: np.ndarray
    names: tuple[str, ...]
    seconds: float
    """CPU time it may use."""
    functions: tuple[str, ...]
    """The functions that the tool may use besides + − × ÷. nalm is not given them."""
    seed: int


@dataclass(frozen=True)
class Found:
    """A formula, as a function and as text."""

    predict: Predict
    expression: str
    """Python text of the names, or nothing where there is no formula."""
    complexity: int | None = None
    """The size where there is no text."""
    claim: str = ""
    """What the method says of it: `exact`, `within noise`, `plausible`, `not found`, or nothing."""
    outliers: tuple[int, ...] = ()
    """The rows that it calls wrong."""


class Method(Protocol):
    """A tool. One fit may give several formulas, one for each way to choose, by their names."""

    needs: str
    """The module that must be installed."""
    chosen: tuple[str, ...]
    """The names of what a fit gives."""
    equal_time: bool
    """Whether it is given as much CPU time as nalm used; others stop by themselves."""

    def warm(self) -> None:
        """Import what the fit imports, so that this is not timed."""
        ...

    def fit(self, table: Table) -> dict[str, Found]:
        """Return the formulas found."""
        ...


class Nalm:
    """`nalm.fit` as it comes."""

    needs, chosen, equal_time = "nalm", ("nalm",), False

    def warm(self) -> None:
        x = np.random.default_rng(0).uniform(1, 2, (40, 2))
        self.fit(Table(x, x[:, 0] * x[:, 1] + 1, ("a", "b"), 5.0, (), 0))

    def fit(self, table: Table) -> dict[str, Found]:
        import nalm

        law = nalm.fit(table.x, table.y, table.names, max_time=table.seconds)
        rows = tuple(outlier.row for outlier in law.outliers)
        found = Found(law.predict, str(law.expression), claim=law.outcome, outliers=rows)
        return {"nalm": found}


OPERON = {"arcsin": "asin", "arccos": "acos", "arctan": "atan"}
"""Operon's names of functions, where they differ."""
CRITERIA = {
    "operon BIC": "bayesian_information_criterion",
    "operon MDL": "minimum_description_length",
    "operon MSE": "mean_squared_error",
}


def preferred(front: list[dict[str, Any]], rule: str) -> dict[str, Any]:
    """Return the formula that a criterion prefers; one without any error before all others.

    Operon's BIC of an error of 0 is the largest number there is, so it would refuse exact laws.
    """
    return min(front, key=lambda e: -np.inf if e["mean_squared_error"] == 0 else e[rule])


class Operon:
    """pyoperon: NSGA-II on error and length, ten steps of Levenberg-Marquardt for each child.

    One run, then one formula of its front for each of its criteria. Its clock is that of the wall,
    so it is called again, with its population, until it had its CPU time.
    """

    needs, chosen, equal_time = "pyoperon", tuple(CRITERIA), True

    def warm(self) -> None:
        import pyoperon.sklearn  # noqa: F401 # pyright: ignore[reportMissingImports]

    def fit(self, table: Table) -> dict[str, Found]:
        from pyoperon.sklearn import SymbolicRegressor  # pyright: ignore[reportMissingImports]

        functions = "".join(f",{OPERON.get(name, name)}" for name in table.functions)
        model = SymbolicRegressor(
            allowed_symbols=f"add,sub,mul,div{functions},constant,variable",
            objectives=["r2", "length"],
            optimizer_iterations=10,
            max_length=30,
            population_size=1000,
            generations=10**6,
            max_evaluations=10**9,
            max_time=1,
            n_threads=1,
            random_state=table.seed,
        )
        until = time.process_time() + table.seconds
        model.fit(table.x, table.y)
        while time.process_time() < until:
            model.set_params(warm_start=True, random_state=model.random_state + 1)
            model.fit(table.x, table.y)
        front = model.pareto_front_
        best = {name: preferred(front, rule) for name, rule in CRITERIA.items()}
        return {name: self._found(model, entry, table) for name, entry in best.items()}

    @staticmethod
    def _found(model: Any, entry: dict[str, Any], table: Table) -> Found:
        """Return the formula, evaluated with all digits in float64: Operon itself has float32."""
        text = python_text(model.get_model_string(entry["tree"], 17, list(table.names)))
        return Found(lambda x: evaluated(text, table.names, x), text, entry["length"])


def _divided(a: Any, b: Any) -> Any:
    return np.where(np.abs(b) > 0.001, a / np.where(b == 0, 1.0, b), 1.0)


GPLEARN = NAMESPACE | {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": _divided,
    "sqrt": lambda a: np.sqrt(np.abs(a)),
    "log": lambda a: np.where(np.abs(a) > 0.001, np.log(np.abs(a) + (a == 0)), 0.0),
}  # fmt: skip
GPLEARN_FUNCTIONS = ("sqrt", "log", "sin", "cos", "tan", "abs")
"""The functions that gplearn has, of those that nalm has; exp is added to them."""
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}


class Gplearn:
    """gplearn, population 1000, parsimony 0.001, as many generations as its CPU time allows."""

    needs, chosen, equal_time = "gplearn", ("gplearn",), True

    def warm(self) -> None:
        import gplearn.genetic  # noqa: F401 # pyright: ignore[reportMissingImports]

    def fit(self, table: Table) -> dict[str, Found]:
        from gplearn.functions import make_function  # pyright: ignore[reportMissingImports]
        from gplearn.genetic import SymbolicRegressor  # pyright: ignore[reportMissingImports]

        until = time.process_time() + table.seconds
        functions: list[Any] = ["add", "sub", "mul", "div"]
        functions += [name for name in GPLEARN_FUNCTIONS if name in table.functions]
        if "exp" in table.functions:
            functions.append(make_function(function=_exp, name="exp", arity=1))
        model = SymbolicRegressor(
            population_size=1000,
            generations=1,
            function_set=functions,
            parsimony_coefficient=0.001,
            feature_names=list(table.names),
            random_state=table.seed,
            warm_start=True,
        )
        model.fit(table.x, table.y)
        while time.process_time() < until:
            model.set_params(generations=model.generations + 1)
            model.fit(table.x, table.y)
        text = str(model._program)
        return {"gplearn": Found(lambda x: evaluated(text, table.names, x, GPLEARN), infix(text))}


def _exp(a: Any) -> Any:
    return np.exp(np.minimum(a, 50.0))


class RilsRols:
    """RILS-ROLS: local search with least squares for the weights; its functions are fixed."""

    needs, chosen, equal_time = "rils_rols", ("rils-rols",), True

    def warm(self) -> None:
        import rils_rols.rils_rols  # noqa: F401 # pyright: ignore[reportMissingImports]

    def fit(self, table: Table) -> dict[str, Found]:
        from rils_rols.rils_rols import (  # pyright: ignore[reportMissingImports]
            RILSROLSRegressor,
        )

        with redirect_stdout(StringIO()):  # it prints its settings
            model = RILSROLSRegressor(
                max_fit_calls=10**9, max_time=math.ceil(table.seconds), random_state=table.seed
            )
            model.fit(table.x.astype(np.float64), table.y.astype(np.float64))
        text = re.sub(r"\bx(\d+)\b", lambda m: table.names[int(m[1])], str(model.model_simp))
        return {"rils-rols": Found(lambda x: evaluated(text, table.names, x), text)}


def infix(text: str) -> str:
    """Return a formula of function calls with operators.

    >>> infix("div(mul(a, b), sqrt(c))")
    '((a * b) / sqrt(c))'
    """
    import ast

    def of(node: ast.expr) -> str:
        if not isinstance(node, ast.Call):
            return ast.unparse(node)
        assert isinstance(node.func, ast.Name)
        parts = [of(part) for part in node.args]
        sign = INFIX.get(node.func.id)
        return f"({parts[0]} {sign} {parts[1]})" if sign else f"{node.func.id}({parts[0]})"

    return of(ast.parse(text, mode="eval").body)


class PySindy:
    """pysindy's STLSQ on a library of polynomials: degree 3, or 2 from 13 inputs, 1 from 41."""

    needs, chosen, equal_time = "pysindy", ("pysindy",), False

    def warm(self) -> None:
        import pysindy  # noqa: F401 # pyright: ignore[reportMissingImports]

    def fit(self, table: Table) -> dict[str, Found]:
        import pysindy  # pyright: ignore[reportMissingImports]

        inputs = table.x.shape[1]
        degree = 3 if inputs <= 12 else 2 if inputs <= 40 else 1
        library = pysindy.PolynomialLibrary(degree=degree)
        x = table.x.astype(np.float64)
        features = np.asarray(library.fit_transform(x))
        optimizer = pysindy.STLSQ(threshold=0.05, alpha=1e-9)
        optimizer.fit(features, table.y.astype(np.float64).reshape(-1, 1))
        weights = np.asarray(optimizer.coef_).reshape(-1)
        names = library.get_feature_names(list(table.names))
        terms = [
            repr(float(w)) + "*" + python_text(name).replace(" ", "*")
            for w, name in zip(weights, names, strict=True)
            if w
        ]
        text = " + ".join(terms) or "0.0"
        return {"pysindy": Found(lambda x: evaluated(text, table.names, x), text)}


class Mlp:
    """scikit-learn's MLP of two layers of 64, on standardised columns."""

    needs, chosen, equal_time = "sklearn", ("MLP",), False

    def warm(self) -> None:
        import sklearn.neural_network  # noqa: F401

    def fit(self, table: Table) -> dict[str, Found]:
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.neural_network import MLPRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        network = MLPRegressor(hidden_layer_sizes=(64, 64), max_iter=1000, random_state=table.seed)
        model = TransformedTargetRegressor(
            make_pipeline(StandardScaler(), network), transformer=StandardScaler()
        )
        model.fit(table.x.astype(np.float64), table.y.astype(np.float64))
        inputs = table.x.shape[1]
        return {"MLP": Found(model.predict, "", (inputs + 1) * 64 + 65 * 64 + 65)}


METHODS: dict[str, Method] = {
    "nalm": Nalm(),
    "operon": Operon(),
    "gplearn": Gplearn(),
    "rils-rols": RilsRols(),
    "pysindy": PySindy(),
    "mlp": Mlp(),
}


def installed(name: str) -> bool:
    """Whether a method can be run here."""
    return find_spec(METHODS[name].needs) is not None
