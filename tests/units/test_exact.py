"""With the parameters of `exact(op)`, every unit is the operation, and its formula says so."""

import numpy as np
import pytest
import sympy
from hypothesis import assume, example, given
from hypothesis import strategies as st

import nalm
from cases import CASES, cases
from nalm.errors import InputError
from nalm.formula.operations import OPERATIONS, operation
from nalm.units import Unit

FUNCTIONS = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "reciprocal": lambda a: 1 / a,
    "square": lambda a: a * a,
    "root": lambda a: a**0.5,
    "and": lambda a, b: a * b,
    "or": lambda a, b: a + b - a * b,
    "nand": lambda a, b: 1 - a * b,
    "nor": lambda a, b: (1 - a) * (1 - b),
    "not": lambda a: 1 - a,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}
RELATIONS = {
    "gt": sympy.Gt,
    "ge": sympy.Ge,
    "lt": sympy.Lt,
    "le": sympy.Le,
    "eq": sympy.Eq,
    "ne": sympy.Ne,
}
PAIRS = [(unit, op) for unit in [*CASES, *cases((2, 1))] for op in unit.ops]
over_pairs = pytest.mark.parametrize(
    ("unit", "op"), PAIRS, ids=[f"{unit!r}-{op}" for unit, op in PAIRS]
)


def test_every_operation_has_a_unit():
    assert {op for _, op in PAIRS} == FUNCTIONS.keys()
    asked_only = {"mean", "identity", "xor", "and_not", "constant"}  # of networks, by tasks
    assert OPERATIONS.keys() - FUNCTIONS.keys() == asked_only


def elements(unit: Unit, op: str) -> st.SearchStrategy[float]:
    """Draw what the unit's domain allows: negative, zero, tiny, huge."""
    domain = unit.domain
    if domain.gap:
        return st.integers(-1000, 1000).map(float)
    if domain.high == 1:
        return st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1))
    smallest, largest = max(domain.smallest, 1e-30), min(domain.high, 1e30)
    signs = [1.0] if domain.low == 0 or op == "root" else [1.0, -1.0]
    magnitudes = st.one_of(
        st.floats(np.log10(smallest), np.log10(largest)).map(lambda e: 10.0**e),
        st.floats(max(0.1, smallest), 10.0),
        st.sampled_from([1.0, 2.0, smallest * 1.001, largest * 0.999]),
    )
    signed = st.builds(lambda m, s: m * s, magnitudes, st.sampled_from(signs))
    if op == "root" and domain.smallest:
        return signed
    return st.one_of(signed, st.just(0.0))


def expected_value(unit: Unit, op: str, x: np.ndarray) -> np.longdouble:
    """Return the operation in extended precision, on the inputs as the unit documents it."""
    wanted = operation(op)
    operands = x[: len(wanted.weights)].astype(np.longdouble)
    if wanted.kind == "power" and unit.domain.epsilon:
        signs = np.where(operands < 0, -1, 1)
        operands = signs * (np.abs(operands) + np.longdouble(unit.domain.epsilon))
    with np.errstate(all="ignore"):
        return np.longdouble(FUNCTIONS[op](*operands))


@over_pairs
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_exact_parameters_compute_the_operation(unit: Unit, op: str, dtype: str):
    params = {name: value.astype(dtype) for name, value in unit.exact(op).items()}
    wanted = operation(op)
    info = np.finfo(dtype)

    @given(st.lists(elements(unit, op), min_size=unit.in_features, max_size=unit.in_features))
    @example(
        [2.0, 3.0, 5.0][: unit.in_features]
        if unit.domain.high != 1
        else [0.25, 0.75, 1.0][: unit.in_features]
    )
    def check(values):
        x = np.array(values, dtype=dtype)
        assume(np.sum(x) >= unit.domain.least_sum or not unit.domain.least_sum)
        divisors = x[: len(wanted.weights)][np.array(wanted.weights) < 0]
        if wanted.kind == "power":
            assume(np.all(divisors != 0))
            # What the unit ignores or inverts must be a number of this dtype, too.
            assume(np.all((x == 0) | (np.abs(x) > 1e-30)))
        with np.errstate(all="ignore"):  # of what the unit computes and then ignores
            y = unit(params, x)
        expected = expected_value(unit, op, x)
        assume(np.isfinite(expected) and abs(expected) < min(info.max / 16, unit.domain.largest))
        if wanted.kind == "power":
            assume(expected == 0 or abs(expected) > info.tiny * 16)
        assert y.dtype == dtype
        assert y.shape == (unit.out_features,)
        error = np.max(np.abs(y.astype(np.longdouble) - expected))
        assert error <= allowed(unit, op, x, expected, float(info.eps)), (x, y, expected)

    check()


def allowed(unit: Unit, op: str, x: np.ndarray, expected: np.longdouble, eps: float) -> float:
    """Return the rounding error that the equation itself has in this precision."""
    kind = operation(op).kind
    if kind == "comparison":
        return 0.0
    if kind == "logic":
        return 16 * eps + 4 * unit.domain.epsilon
    operands = np.abs(x[: len(operation(op).weights)].astype(float))
    if kind == "sum":
        # An epsilon-protected product leaks nothing once the gate is decided; only the sum rounds.
        return 4 * eps * float(np.sum(operands)) + (1e-12 if unit.domain.epsilon else 0.0)
    logs = float(np.sum(np.abs(np.log(np.abs(operands) + unit.domain.epsilon + 1e-300))))
    factor = 16 + 8 * logs if unit.domain.logarithmic else 8
    return eps * factor * float(abs(expected))


@over_pairs
def test_formula_prints_the_operation(unit: Unit, op: str):
    names = ["a", "b", "c"][: unit.in_features]
    formulas = unit.formula(unit.exact(op), names)
    symbols = sympy.symbols("a b c")[: len(operation(op).weights)]
    wanted = RELATIONS[op](*symbols) if op in RELATIONS else FUNCTIONS[op](*symbols)
    if op == "root":
        wanted = sympy.sqrt(symbols[0])
    if unit.domain.unsigned and operation(op).kind == "power":
        wanted = sympy.Abs(wanted)
    assert len(formulas) == unit.out_features
    for formula in formulas:
        assert formula == wanted or sympy.simplify(formula - wanted) == 0


@over_pairs
def test_formula_equals_forward_for_any_operands(unit: Unit, op: str):
    arity = len(operation(op).weights)
    rng = np.random.default_rng(len(op))
    if arity > unit.in_features or unit.name == "product":
        operands = list(range(unit.in_features))
    else:
        operands = rng.permutation(unit.in_features)[:arity].tolist()
    params = unit.exact(op, operands)
    if unit.domain.gap:
        x = rng.integers(-3, 4, (20, unit.in_features)).astype(float)
    else:
        x = rng.uniform(0.25, 1.0 if unit.domain.high == 1 else 4.0, (20, unit.in_features))
        if unit.domain.low < 0 and op != "root":
            x *= rng.choice([1, -1], x.shape)
    y = unit(params, x)
    symbols = sympy.symbols(f"s:{unit.in_features}")
    for o, formula in enumerate(unit.formula(params, symbols)):
        values = sympy.lambdify(symbols, formula, "numpy")(*x.T)
        np.testing.assert_allclose(values * np.ones(20), y[:, o], rtol=1e-5, atol=1e-9)


UNSIGNED = [(unit, op) for unit, op in PAIRS if unit.domain.low == 0 and unit.domain.high > 1]


@pytest.mark.parametrize(("unit", "op"), UNSIGNED, ids=[f"{u!r}-{op}" for u, op in UNSIGNED])
def test_formula_is_honest_about_negative_inputs(unit: Unit, op: str):
    """A unit that loses signs says so in its formula, or is read for positive inputs only."""
    x = -np.random.default_rng(0).uniform(0.5, 4.0, (20, unit.in_features))
    params = unit.exact(op)
    symbols = sympy.symbols(f"s:{unit.in_features}")
    gated = bool(unit.domain.least_sum)
    formulas = unit.formula(params, symbols, x=x if gated else None)
    for o, formula in enumerate(formulas):
        f = sympy.lambdify(symbols, formula, "numpy")
        values = f(*(x.T + 0j if op == "root" else x.T))
        np.testing.assert_allclose(values * np.ones(20), unit(params, x)[:, o], rtol=1e-5)


@over_pairs
def test_exact_parameters_are_discrete(unit: Unit, op: str):
    params = unit.exact(op)
    for name, value in unit.constrain(params).items():
        np.testing.assert_array_equal(value, params[name])
    if op in {"root", "square"}:
        return  # powers beyond 1, -1 and 0, which sparsity and penalties do not know
    assert not float(unit.sparsity_error(params)) > 0  # zero, or NaN where undefined
    terms = unit.penalties(params)
    if getattr(unit, "discretise", "") == "signs" or unit.name == "npu":
        del terms["discretise"]  # pulls to {-1, 1}: an ignored input has weight 0, gate closed
    for name in {"discretise", "discretise_gate", "out_of_bounds"} & terms.keys():
        assert float(terms[name]) == 0.0, name


@pytest.mark.parametrize("op", ["add", "mul", "and"])
def test_sums_and_products_take_any_number_of_operands(op):
    units = [unit for unit in CASES if op in unit.ops and unit.name not in {"product", "quadratic"}]
    assert units
    for unit in units:
        formulas = unit.formula(unit.exact(op, [0, 1, 2]), sympy.symbols("a b c", positive=True))
        a, b, c = sympy.symbols("a b c", positive=True)
        assert formulas[0] == (a + b + c if op == "add" else a * b * c)


def test_the_noise_of_the_snmu_cancels_at_discrete_weights():
    unit = nalm.unit("snmu", 3, 2)
    params = unit.exact("mul")
    x = np.random.default_rng(0).uniform(-3, 3, (50, 3))
    noise = unit.noise(params, x)
    assert noise is not None
    drawn = noise.draw(np.random.default_rng(1))
    assert drawn.min() >= 1
    assert drawn.max() <= 5
    np.testing.assert_allclose(unit(params, x, train=True, noise=drawn), unit(params, x))


def test_batch_noise_scales_with_the_batch_and_survives_a_constant_one():
    unit = nalm.unit("snmu", 2, 1, noise_range="batch")
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    declared = unit.noise({}, x)
    assert declared is not None
    assert declared.distribution.high == pytest.approx(1 + 1 / np.std(x, ddof=1))  # pyright: ignore[reportAttributeAccessIssue]
    for constant in (np.ones((4, 2)), np.ones(2)):
        still = unit.noise({}, constant)
        assert still is not None
        np.testing.assert_array_equal(still.draw(np.random.default_rng(0)), 1.0)


def test_training_nmru_is_exact_up_to_its_epsilon():
    unit = nalm.unit("nmru", 2, 1)
    x = np.random.default_rng(0).uniform(1, 2, (50, 2))
    y = unit(unit.exact("div"), x, train=True)
    np.testing.assert_allclose(y[:, 0], x[:, 0] / x[:, 1], rtol=2e-7)


def test_ignored_inputs_do_not_matter_even_when_they_overflow():
    x = np.array([3.0, 4.0, 0.0])
    unit = nalm.unit("nmru", 3, 1)
    assert unit(unit.exact("mul"), x).tolist() == [12.0]
    huge = np.array([1e300, 1e300, 1.0])
    nalu = nalm.unit("nalu", 3, 1)
    with np.errstate(over="ignore"):
        assert nalu(nalu.exact("add"), huge).tolist() == [2e300]


def test_the_second_output_of_the_nsr_is_the_opposite_of_the_first():
    one, both = nalm.unit("nsr", 2, 1), nalm.unit("nsr", 2, 2, falsehood=True)
    a, b = sympy.symbols("a b")
    for op, relation in RELATIONS.items():
        params = one.exact(op)
        truth, falsehood = both.formula(params, [a, b])
        assert truth == relation(a, b)
        assert falsehood == sympy.Not(relation(a, b))
        for x in ([1.0, 2.0], [2.0, 2.0], [3.0, 2.0]):
            y = both(params, np.array(x))
            assert y.tolist() == [*one(params, np.array(x)), *(1 - one(params, np.array(x)))]
    with pytest.raises(InputError, match=r"NSR has no exact parameters|opposite outputs"):
        both.exact("gt")


@pytest.mark.parametrize("name", ["nac_mul", "nac_mul_sigma", "nac_mul_nmu", "real_npu", "npu"])
def test_epsilon_is_what_each_magnitude_is_enlarged_by(name):
    x, epsilon = np.array([2.0, 3.0]), 0.5
    unit = nalm.unit(name, 2, 1, epsilon=epsilon)
    assert float(unit(unit.exact("mul"), x)[0]) == pytest.approx(2.5 * 3.5)
    a, b = sympy.symbols("a b", positive=True)
    assert unit.formula(unit.exact("mul"), [a, b])[0] == (a + epsilon) * (b + epsilon)
    assert nalm.unit(name, 2, 1) == nalm.unit(
        name, 2, 1, epsilon=nalm.unit(name, 2, 1).domain.epsilon
    )
    least = -1.0 if name.endswith("npu") else 0.0
    with pytest.raises(InputError, match=r"epsilon of \w+ must be a number (above|of at least) 0"):
        nalm.unit(name, 2, 1, epsilon=least)


def test_a_power_unit_without_epsilon_is_exact():
    unit = nalm.unit("real_npu", 2, 1, epsilon=0.0)
    assert float(unit(unit.exact("div"), np.array([1e-9, 1e-8]))[0]) == pytest.approx(0.1, 1e-12)
