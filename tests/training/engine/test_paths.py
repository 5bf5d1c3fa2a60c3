"""The fused and the plain path: the same gradients, the same verdicts, and what only one can."""

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import nalm
from nalm.errors import InputError, NoFormError
from nalm.networks import between_affine
from nalm.sweeps.statistics import judge
from nalm.tasks import (
    RANGES,
    Grid,
    Halves,
    Near,
    Sobol,
    Subsets,
    Task,
    Tied,
    Uniform,
    Union,
    arithmetic_dataset,
    single_module,
    threshold,
)
from nalm.training import Decay, Ramp, Recipe
from nalm.training.engine.batchwise import batchwise
from nalm.training.engine.plain import Plain
from nalm.training.engine.plan import (
    ALONE,
    BLOCK,
    block_size,
    blocks,
    groups,
    path_of,
    shape_of,
    signature,
)
from nalm.training.engine.program import program_of
from nalm.training.engine.streams import TRAIN, Stream
from nalm.training.engine.train import settings_of, train_block
from nalm.training.losses import PCC
from nalm.training.published import UNPUBLISHED, published_recipe
from nalm.training.run import Run
from nalm.units import REGISTRY

UNITS = [n for n in REGISTRY if n not in {"nlrl", "nsr"}]
SHORT = Recipe(steps=200, log_every=100, evaluation=1500)
FEW = replace(SHORT, steps=20, log_every=10, evaluation=300)
"""For large models, whose steps take longest."""


def model_of(name: str, inputs: int):
    model = nalm.unit(name, inputs, 1, **({"hidden": (4,)} if name == "mlp" else {}))
    return model, next((op for op in ("mul", "add") if op in model.ops), "mul")


def both(model, task, recipe, runs):
    """Return (loss, gradient, validation, test) of each path, for the same weights."""
    settings = settings_of(runs)
    for path in ("fused", "plain"):
        program = program_of(model, task, recipe, path)
        state = program.initialize(settings)
        state = state._replace(validation=jnp.full(len(runs), 0.5))
        loss, gradient = jax.jit(program.path.gradient)(jnp.int32(30_000), state, settings)
        errors = jax.jit(program.path.errors)(state.weights, settings)
        yield [np.asarray(v) for v in (loss, gradient, *errors)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "loss", "inputs"),
    [*((name, "mse", 2) for name in UNITS), *((name, "mape", 3) for name in ("nmu", "real_npu"))],
)
def test_paths_agree_on_loss_gradient_and_errors(name, loss, inputs):
    model, op = model_of(name, inputs)
    recipe = replace(SHORT if name in UNPUBLISHED else published_recipe(name, op), loss=loss)
    recipe = replace(recipe, evaluation=1500)
    runs = [Run(model, single_module(op, r, inputs), recipe, s) for s, r in enumerate(RANGES)]
    for fused, plain in zip(*both(model, runs[0].task, recipe, runs), strict=True):
        scale = np.max(np.abs(fused), axis=0)
        assert np.all(np.abs(fused - plain) <= 1e-5 * scale)


@pytest.mark.slow
def test_paths_agree_on_distributions_and_scaling():
    model = between_affine(nalm.unit("snmu", 2, 1))
    first, second = RANGES["U[-2,-1)"][0], RANGES["U[1,2)"][0]
    halves, sobol = Halves(first, second), Sobol(-1.0, 1.0)
    scalings = (halves, "min-max"), (sobol, "feyn"), (halves, "z-score")
    for train, scaling in scalings:
        task = replace(single_module("mul"), train=train, test=Halves(second, first))
        recipe = replace(SHORT, scaling=scaling)
        runs = [Run(model, task, recipe, seed) for seed in range(5)]
        for fused, plain in zip(*both(model, task, recipe, runs), strict=True):
            np.testing.assert_allclose(fused, plain, rtol=1e-4, atol=1e-6)


@pytest.mark.slow
def test_paths_agree_on_comparisons():
    pairs = Tied(Grid(1.0, 9.0), 0.4)
    test = Near(Grid(100.0, 999.0), Union(Grid(0.0, 0.0), Grid(-5.0, 5.0)))
    recipe = replace(SHORT, loss="mae")
    model = nalm.unit("nsr", 2, 1, redundancy=2)
    for op in ("gt", "eq"):
        task = Task(op, 2, pairs, test)
        runs = [Run(model, task, recipe, seed) for seed in range(5)]
        for fused, plain in zip(*both(model, task, recipe, runs), strict=True):
            np.testing.assert_allclose(fused, plain, rtol=1e-4, atol=1e-6)


@pytest.mark.slow
def test_paths_agree_on_logic_with_noise_on_the_inputs():
    model = nalm.Stack((nalm.unit("nlrl", 2, 3), nalm.unit("nlrl", 3, 1)))
    recipe = replace(SHORT, batch=20, input_noise=0.1, decay=Decay(100))
    for op, spans in (("xor", ()), ("not", ((1, 2),))):
        task = Task(Subsets(op, spans=spans), 2, Uniform(0, 1), Uniform(0, 1))
        runs = [Run(model, task, recipe, seed) for seed in range(5)]
        for fused, plain in zip(*both(model, task, recipe, runs), strict=True):
            np.testing.assert_allclose(fused, plain, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("path", ["fused", "plain"])
def test_noise_on_the_inputs_leaves_the_targets_alone(path):
    """A perfect sum of two noisy inputs is wrong by the noise of both, and only in training."""
    model, task = nalm.unit("linear", 2, 1, bias=False), single_module("add", "U[10,20)")
    recipe = replace(SHORT, batch=1024, input_noise=0.1)
    settings = settings_of([Run(model, task, recipe, seed) for seed in range(4)])
    program = program_of(model, task, recipe, path)
    state = program.initialize(settings)
    perfect = state._replace(weights=jnp.ones_like(state.weights))
    loss, _ = jax.jit(program.path.gradient)(jnp.int32(7), perfect, settings)
    np.testing.assert_allclose(loss, 2 * 0.1**2, rtol=0.15)
    assert np.max(jax.jit(program.path.errors)(perfect.weights, settings)) < 1e-9


@pytest.mark.slow
def test_paths_agree_on_the_success_table_of_a_small_sweep():
    recipe = Recipe(
        0.01, steps=6000, evaluation=1000, penalties=(("discretise", Ramp(1.0, 2000, 3000)),)
    )
    names = ("U[1,2)", "U[-2,-1)", "U[-1.2,-1.1)")
    runs = [
        Run(nalm.unit("nmu", 2, 1), single_module("mul", name), recipe, seed)
        for name in names
        for seed in range(30)
    ]
    tables = []
    for path in ("fused", "plain"):
        outcomes = zip(runs, train_block(runs, path=path), strict=True)
        solved = [judge(curves, threshold(run.task)).success for run, curves in outcomes]
        tables.append(np.reshape(solved, (3, 30)).sum(axis=1))
    assert tables[0][0] == tables[1][0] == 30
    assert np.all(np.abs(tables[0] - tables[1]) <= 1)
    assert 0 < tables[0][1:].sum() < 60  # the ranges with local optima are mixed


def test_the_path_follows_from_model_and_recipe():
    nmu, stack = (
        nalm.unit("nmu", 2, 1),
        nalm.Stack((nalm.unit("nau", 100, 2), nalm.unit("nmu", 2, 1))),
    )
    assert path_of(nmu, Recipe()) == path_of(nalm.unit("nmu", 10, 1), Recipe()) == "fused"
    assert path_of(nmu, Recipe(loss="mape")) == "fused"
    assert path_of(nmu, Recipe(loss="pcc")) == "plain"
    assert path_of(nmu, Recipe(penalties=(("z", Ramp(1.0, 0, 1)),))) == "plain"
    assert path_of(nalm.unit("snmu", 2, 1, noise_range="batch"), Recipe()) == "plain"
    assert path_of(stack, Recipe()) == "plain"
    assert block_size(nmu, Recipe()) == block_size(nmu, Recipe(loss="pcc")) == BLOCK
    assert 2 <= block_size(stack, Recipe()) < BLOCK
    rules = (
        nalm.unit("nlrl", 50, 1),
        nalm.Stack((nalm.unit("nlrl", 2, 50), nalm.unit("nlrl", 50, 1))),
    )
    assert [block_size(model, Recipe()) for model in rules] == [10, 5]


def plain_batch(path: Plain, settings, step: int) -> np.ndarray:
    """Return the inputs of a step as (runs, batch, inputs)."""
    return np.asarray(path._batch(jnp.int32(step), settings)).transpose(0, 2, 1)


def test_the_correlation_loss_and_its_switch():
    model, task = nalm.unit("nau", 2, 1), single_module("add")
    recipe = replace(SHORT, loss="pcc", mse_from=150)
    runs = [Run(model, task, recipe, seed) for seed in range(3)]
    settings = settings_of(runs)
    program = program_of(model, task, recipe)
    assert isinstance(program.path, Plain)
    state = program.initialize(settings)
    weights = np.asarray(program.unflatten(state.weights)["weight"])
    for step, loss_of in ((7, PCC().value), (150, lambda y, t: np.mean((y - t) ** 2))):
        x = plain_batch(program.path, settings, step)
        loss, _ = jax.jit(program.path.gradient)(jnp.int32(step), state, settings)
        for r in range(3):
            expected = loss_of(x[r] @ weights[r, 0], x[r].sum(axis=1))
            assert float(loss[r]) == pytest.approx(float(expected), rel=1e-4)


def test_noise_of_the_batch_follows_its_statistics():
    model, task = nalm.unit("snmu", 2, 1, noise_range="batch"), single_module("mul")
    runs = [Run(model, replace(task, train=RANGES[r][0]), SHORT, 1) for r in RANGES]
    settings = settings_of(runs)
    path = Plain(model, runs[0].task, SHORT)
    x = path._batch(jnp.int32(3), settings)
    noise = np.asarray(path._noise(jnp.int32(3), settings, 0, model, x))
    s = np.asarray(x).std(axis=(1, 2), ddof=1)
    assert noise.min() >= 1
    np.testing.assert_allclose((noise.max(axis=(1, 2)) - 1) * s, 1.0, atol=0.05)
    np.testing.assert_allclose((noise.mean(axis=(1, 2)) - 1) * s, 0.5, atol=0.1)
    assert all(np.isfinite(c.validation).all() for c in train_block(runs))


def test_a_penalty_of_the_inputs_sees_their_mean():
    model, task = nalm.unit("nmu", 2, 1), single_module("mul")
    with_z = replace(SHORT, penalties=(("z", Ramp(1.0, 0, 1)),))
    settings = settings_of([Run(model, task, with_z, seed) for seed in range(3)])
    program, without = program_of(model, task, with_z), program_of(model, task, SHORT, "plain")
    state = program.initialize(settings)
    _, gradient = jax.jit(program.path.gradient)(jnp.int32(5), state, settings)
    _, bare = jax.jit(without.path.gradient)(jnp.int32(5), state, settings)
    assert isinstance(program.path, Plain)
    x = plain_batch(program.path, settings, 5)
    params = program.unflatten(state.weights)
    expected = jax.vmap(jax.grad(lambda p, x: model.penalties(p, x)["z"]))(params, x)["weight"]
    np.testing.assert_allclose((gradient - bare).T, expected[:, 0], rtol=1e-3, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model",
    [
        nalm.Stack((nalm.unit("nau", 100, 2), nalm.unit("nmu", 2, 1))),
        nalm.Stack((nalm.unit("nalu", 100, 2), nalm.unit("nalu", 2, 1))),
        nalm.unit("mlp", 100, 1, hidden=(100,)),
    ],
    ids=["nau-nmu", "nalu-nalu", "mlp"],
)
def test_a_large_model_is_the_same_bits_in_any_company(model):
    runs = [Run(model, arithmetic_dataset("mul"), FEW, seed) for seed in range(5)]
    assert block_size(model, FEW) == 5
    together = train_block(runs)
    for company in (runs[3:4], runs[2:5]):
        mine = train_block(company)[company.index(runs[3])]
        for curve in ("validation", "test", "loss", "sparsity"):
            assert np.array_equal(getattr(mine, curve), getattr(together[3], curve), equal_nan=True)
        assert all(np.array_equal(mine.final[n], together[3].final[n]) for n in mine.final)
    assert together[3].validation[-1] < together[3].validation[0]


def assert_nearly_the_same(mine, its):
    for curve in ("validation", "test", "loss"):
        np.testing.assert_allclose(getattr(mine, curve), getattr(its, curve), rtol=1e-3, atol=1e-6)
    for weight, value in its.final.items():
        np.testing.assert_allclose(mine.final[weight], value, atol=1e-4)


SIX = ("add", "sub", "mul", "div", "root", "square")


def shared_stack(name: str):
    second = "nmu" if name == "nau" else name
    return nalm.Stack((nalm.unit(name, 40, 2), nalm.unit(second, 2, 1)))


def test_runs_that_share_their_samples_have_the_gradients_they_have_alone():
    model, recipe = shared_stack("snmu"), replace(FEW, scaling="z-score", input_noise=0.1)
    runs = [
        Run(model, arithmetic_dataset(op, inputs=40), recipe, s) for s in range(2) for op in SIX
    ]
    kinds = [signature(run)[1] for run in runs[:6]]
    settings = settings_of(runs)
    program = program_of(model, kinds[0], recipe, beside=tuple(kinds[1:]))
    weights, (loss, gradient, *errors) = first_step(program, settings)
    for r in (5, 6):
        alone = program_of(model, signature(runs[r])[1], recipe)
        own, (its_loss, its_gradient, *its_errors) = first_step(alone, settings_of([runs[r]]))
        assert np.array_equal(own[:, 0], weights[:, r])
        np.testing.assert_allclose(loss[r], its_loss[0], rtol=1e-4)
        scale = np.max(np.abs(its_gradient))
        np.testing.assert_allclose(gradient[:, r], its_gradient[:, 0], atol=1e-4 * scale)
        for mine, its in zip(errors, its_errors, strict=True):
            np.testing.assert_allclose(mine[r], its[0], rtol=1e-3)


def first_step(program, settings):
    """Return initial weights, and loss, gradient and errors there."""
    state = program.initialize(settings)
    found = jax.jit(program.path.gradient)(jnp.int32(7), state, settings)
    errors = jax.jit(program.path.errors)(state.weights, settings)
    return state.weights, [np.asarray(v) for v in (*found, *errors)]


def test_runs_that_share_their_samples_train_as_they_do_alone():
    model = shared_stack("nau")
    tasks = [arithmetic_dataset(op, inputs=40) for op in SIX]
    runs = [Run(model, task, FEW, seed) for seed in range(2) for task in tasks]
    (block,) = blocks(runs)
    assert block == runs
    assert shape_of(runs) == (6, 1)
    for run, together in zip(runs[4:8:2], train_block(runs)[4:8:2], strict=True):
        (alone,) = train_block([run])
        assert_nearly_the_same(together, alone)


def scaled_penalties(scale: float, rate: float = 1e-3) -> Recipe:
    return replace(FEW, learning_rate=rate, penalties=(("discretise", Ramp(scale, 0, 20)),))


def test_runs_that_differ_in_the_scale_of_their_penalty_share_samples_and_train_as_alone():
    task = arithmetic_dataset("mul", inputs=40)
    recipes = [scaled_penalties(scale, rate) for scale, rate in ((0.0, 1e-3), (1, 1e-3), (9, 0.1))]
    runs = [Run(shared_stack("nau"), task, r, seed) for seed in range(2) for r in recipes]
    assert blocks(runs) == [runs]
    assert shape_of(runs) == (3, 1)
    curves = train_block(runs)
    for run, together in zip(runs[3:], curves[3:], strict=True):
        (alone,) = train_block([run])
        assert_nearly_the_same(together, alone)
    plain = replace(FEW, penalties=())
    (unpunished,) = train_block([replace(runs[0], recipe=plain)])
    assert_nearly_the_same(curves[0], unpunished)
    assert not np.array_equal(curves[1].final["0.weight"], curves[0].final["0.weight"])


@pytest.mark.parametrize("path", ["fused", "plain"])
def test_the_scale_of_a_penalty_is_a_setting_of_a_run(path):
    """Two scales in one program give what a constant in the equation gives."""
    unit, task = nalm.unit("nau", 2, 1), single_module("add")
    runs = [Run(unit, task, scaled_penalties(scale), 3) for scale in (0.0, 2.5)]
    assert signature(runs[0]) == signature(runs[1])
    program = program_of(*signature(runs[0]), path)
    state = program.initialize(settings := settings_of(runs))
    step = jnp.int32(10)  # half of the ramp
    _, gradient = jax.jit(program.path.gradient)(step, state, settings)
    weight = state.weights[:, 1].reshape(1, 2)
    by_hand = 0.5 * 2.5 * jax.grad(lambda w: unit.penalties({"weight": w})["discretise"])(weight)
    added = gradient[:, 1] - gradient[:, 0]
    np.testing.assert_allclose(added, by_hand.ravel(), rtol=1e-4, atol=1e-6)
    assert np.abs(by_hand).max() > 0.1


THREE = ("U[1,2)", "U[-2,2)", "U[10,20)")


def test_runs_that_draw_the_same_numbers_train_as_they_do_alone():
    model, recipe = shared_stack("snmu"), replace(FEW, input_noise=0.1)
    tasks = [arithmetic_dataset("add", r, inputs=40) for r in THREE]
    runs = [Run(model, task, recipe, seed) for task in tasks for seed in range(3)]
    (block,) = blocks(runs)
    assert block == sorted(runs, key=lambda run: run.seed)
    assert shape_of(block) == (1, 3)
    assert shape_of(runs) == ALONE
    curves = train_block(block)
    for run, together in zip(block[3:5], curves[3:5], strict=True):
        (alone,) = train_block([run])
        assert_nearly_the_same(together, alone)


def test_rows_are_of_whole_groups_and_what_is_left_of_a_sweep_has_rows_of_its_own():
    model = shared_stack("nau")
    tasks = [[arithmetic_dataset(op, r, inputs=40) for op in ("add", "mul")] for r in THREE]
    runs = [Run(model, task, FEW, s) for s in range(2) for both in tasks for task in both]
    (block,) = blocks(runs)
    assert block == runs
    assert shape_of(block) == (2, 3)
    left = blocks(runs[2:])
    assert [shape_of(block) for block in left] == [(2, 2), (2, 3)]
    assert [run for block in left for run in block] == runs[2:]
    many = [replace(tasks[0][0], train=Uniform(i, i + 1)) for i in range(1, 21)]
    wide = blocks([Run(model, task, FEW, 0) for task in many])
    assert [shape_of(block) for block in wide] == [(1, 10)]
    (together,) = (train_block(block) for block in wide)
    (alone,) = train_block([wide[0][13]])
    np.testing.assert_allclose(together[13].validation, alone.validation, rtol=1e-3)


def test_few_inputs_are_drawn_once_for_all_ranges_of_a_seed():
    tasks = [single_module("mul", r) for r in RANGES]
    for name in ("nmu", "snmu"):
        model, recipe = nalm.unit(name, 2, 1), replace(FEW, input_noise=0.1)
        runs = [Run(model, task, recipe, seed) for task in tasks for seed in range(13)]
        (block,) = blocks(runs)
        assert block == sorted(runs, key=lambda run: run.seed)
        assert shape_of(block) == (1, 9)
        curves = train_block(block)
        for run, together in zip(block[9:18:8], curves[9:18:8], strict=True):
            (alone,) = train_block([run])
            assert_nearly_the_same(together, alone)
        others = [replace(run, seed=run.seed + 50) if run.seed != 1 else run for run in block]
        for mine, its in zip(train_block(others)[9:18], curves[9:18], strict=True):
            np.testing.assert_array_equal(mine.validation, its.validation)
            assert all(np.array_equal(mine.final[n], its.final[n]) for n in its.final)


def test_only_runs_that_see_the_same_samples_are_a_group():
    model = shared_stack("nau")
    mul, div = (arithmetic_dataset(op, inputs=40) for op in ("mul", "div"))
    fast = replace(SHORT, learning_rate=0.01)
    runs = [Run(model, task, SHORT, seed) for task in (mul, div) for seed in range(3)]
    runs += [Run(model, mul, fast, 0), Run(model, mul, replace(SHORT, batch=64), 0)]
    runs += [Run(model, replace(mul, train=Uniform(1, 3)), SHORT, 0)]
    found = [[(r.task.op, r.recipe.learning_rate, r.seed) for r in g] for g in groups(runs)]
    rate = SHORT.learning_rate
    assert found[0] == [("mul", rate, 0), ("div", rate, 0), ("mul", 0.01, 0)]
    assert found[1:3] == [[("mul", rate, s), ("div", rate, s)] for s in (1, 2)]
    assert [len(g) for g in found] == [3, 2, 2, 1, 1]
    assert sum(len(block) for block in blocks(runs)) == len(runs)
    assert shape_of([runs[0], runs[3], runs[1]]) == ALONE
    with pytest.raises(InputError, match="share a program"):
        train_block([runs[0], runs[3], runs[1]])


@pytest.mark.parametrize("count", [3, 11, 25, 100, 205])
@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_a_product_has_its_gradient_also_at_zeros(count, zeros):
    rng = np.random.default_rng(count)
    x = (rng.uniform(0.5, 1.5, (2, count, 4)) * rng.choice([-1, 1], (2, count, 4))).astype("f4")
    x[0, rng.permutation(count)[:zeros]] = 0
    example = jax.ShapeDtypeStruct((count,), jnp.float32)
    product = batchwise(jnp.prod, example)
    y, pull = jax.vjp(lambda x: product([x])[0], jnp.asarray(x))
    exact, its = jax.vjp(lambda x: jnp.prod(x, axis=1), jnp.asarray(x))
    np.testing.assert_allclose(y, exact, rtol=1e-5)
    slope = jnp.asarray(rng.standard_normal(y.shape), jnp.float32)
    np.testing.assert_allclose(pull(slope)[0], its(slope)[0], rtol=2e-5)


def test_an_operation_without_a_form_is_named():
    with pytest.raises(NoFormError, match="cumsum has no form over runs and batch"):
        batchwise(jnp.cumsum, jax.ShapeDtypeStruct((3,), jnp.float32))([jnp.ones((1, 3, 4))])


def test_sobol_points_are_the_published_sequence_shifted():
    from scipy.stats.qmc import Sobol as Published

    stream = Stream("philox", jnp.asarray([[5, 6], [7, 8]], jnp.uint32), TRAIN)
    points = jnp.arange(256, dtype=jnp.uint32)[None, :]
    expected = np.sort(Published(3, scramble=False, bits=32).random(256), axis=0)
    for dimension in range(3):
        drawn = np.asarray(stream.sobol(points, dimension))
        assert drawn.shape == (2, 256)
        assert not np.array_equal(drawn[0], drawn[1])
        for run in drawn:  # a shift permutes the 256 cells, each of which has one point
            cells = np.sort(np.floor(run * 256))
            np.testing.assert_array_equal(cells, np.floor(expected[:, dimension] * 256))


def test_halves_give_each_half_its_own_range():
    model = nalm.unit("nau", 5, 1)
    task = replace(
        single_module("add", inputs=5), train=Halves(RANGES["U[-2,-1)"][0], RANGES["U[10,20)"][0])
    )
    settings = settings_of([Run(model, task, SHORT, 0)] * 2)
    x = plain_batch(Plain(model, task, SHORT), settings, 0)
    assert np.all((x[..., :2] >= -2) & (x[..., :2] < -1))
    assert np.all((x[..., 2:] >= 10) & (x[..., 2:] < 20))
    assert np.isfinite(threshold(task))
