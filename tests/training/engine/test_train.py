"""Training: the same as a plain loop, independent of company, and honest about divergence."""

from dataclasses import replace

import array_api_compat.torch
import jax.numpy as jnp
import numpy as np
import pytest
import sympy
import torch

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.formula.operations import operation
from nalm.networks.layers import unflatten
from nalm.tasks import RANGES, Subsets, Task, Uniform, arithmetic_dataset, single_module, threshold
from nalm.training import Decay, Growth, Late, Optimizer, Ramp, Recipe, Reinitialize, Snap
from nalm.training.engine import train
from nalm.training.engine.first_order import FirstOrder
from nalm.training.engine.fused import Fused
from nalm.training.engine.plan import BLOCK, blocks, signature
from nalm.training.engine.program import program_of
from nalm.training.engine.random import GENERATORS
from nalm.training.engine.streams import NOISE, TRAIN, Stream
from nalm.training.engine.train import settings_of, train_block
from nalm.training.published import UNPUBLISHED, published_recipe
from nalm.training.run import Run
from nalm.units import REGISTRY, Unit

SHORT = Recipe(steps=200, log_every=100, evaluation=500)
UNITS = [n for n in REGISTRY if n not in {"nlrl", "nsr"}]


def run_of(name: str, op: str = "mul", seed: int = 0, range_name: str = "U[1,2)", **changes) -> Run:
    recipe = replace(SHORT, **changes)
    model = nalm.unit(name, 2, 1, **({"hidden": (4,)} if name == "mlp" else {}))
    return Run(model, single_module(op, range_name), recipe, seed)


def operation_of(name: str) -> str:
    return next((op for op in ("mul", "add") if op in nalm.unit(name, 2, 1).ops), "mul")


def stream_of(run: Run) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the inputs and the noise of every step, in the engine's own order."""
    path = Fused(run.model, run.task, run.recipe)
    count = run.recipe.steps
    settings = settings_of([run] * count)
    lane, step = jnp.arange(64, dtype=jnp.uint32)[None, :], jnp.arange(count, dtype=jnp.uint32)

    def samples(number):
        u = Stream(run.recipe.generator, settings.key, number).samples(lane, step[:, None], 4)
        return np.concatenate([np.stack(u[:2], axis=-1), np.stack(u[2:], axis=-1)], axis=1)

    x = RANGES["U[1,2)"][0].quantile(np, samples(TRAIN)).astype("float32")  # pyright: ignore[reportAttributeAccessIssue]
    groups = path._noises(lane, step[:, None], settings, 2)
    if not groups[0]:
        return x, None
    if groups[0][""].shape == (2,):
        return x, (1 + 4 * samples(NOISE)).astype("float32")
    drawn = path._noises(lane, step, settings, 1)[0][""]
    return x, np.stack([np.asarray(d)[:, 0] for d in drawn.ravel()], -1).reshape(count, 1, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", UNITS)
def test_training_equals_a_plain_pytorch_loop_on_the_same_stream(name):
    op = operation_of(name)
    recipe = Recipe() if name in UNPUBLISHED else published_recipe(name, op)
    penalties = tuple((n, Ramp(0.1, 50, 150)) for n, _ in recipe.penalties)
    run = run_of(
        name,
        op,
        seed=3,
        learning_rate=min(recipe.learning_rate, 0.01),
        penalties=penalties,
        clip_norm=recipe.clip_norm,
        clip_value=recipe.clip_value,
        steps=200,
        log_every=100,
    )
    assert isinstance(run.model, Unit)
    curves = train_block([run])[0]
    program = program_of(run.model, run.task, run.recipe)
    initial = program.unflatten(program.initialize(settings_of([run] * 2)).weights)
    params = {n: torch.tensor(np.array(v[0])).requires_grad_() for n, v in initial.items()}
    optimizer = torch.optim.Adam(params.values(), lr=run.recipe.learning_rate)
    inputs, noises = stream_of(run)
    for step in range(run.recipe.steps):
        x = torch.from_numpy(inputs[step])
        noise = None if noises is None else torch.from_numpy(noises[step])
        y = run.model.forward(array_api_compat.torch, params, x, True, noise)
        target = operation(op).apply(torch, [x[:, 0], x[:, 1]])
        loss = ((y[:, 0] - target) ** 2).mean()
        scale = min(max((step - 50) / 100, 0.0), 1.0) * 0.1
        loss = loss + scale * sum(run.model.penalties(params)[n] for n, _ in penalties)
        optimizer.zero_grad()
        loss.backward()
        if run.recipe.clip_norm:
            torch.nn.utils.clip_grad_norm_(params.values(), run.recipe.clip_norm)
        if run.recipe.clip_value:
            torch.nn.utils.clip_grad_value_(params.values(), run.recipe.clip_value)
        optimizer.step()
        with torch.no_grad():
            for n, value in run.model.constrain(params).items():
                params[n].copy_(value)
    for n, value in curves.final.items():
        np.testing.assert_allclose(params[n].detach(), value, rtol=1e-2, atol=1e-3)


def same(a, b) -> bool:
    return (
        np.array_equal(a.validation, b.validation, equal_nan=True)
        and np.array_equal(a.test, b.test, equal_nan=True)
        and all(np.array_equal(a.final[n], b.final[n], equal_nan=True) for n in a.final)
        and all(np.array_equal(a.best[n], b.best[n], equal_nan=True) for n in a.best)
        and a.diverged_at == b.diverged_at
    )


@pytest.mark.parametrize("name", ["nmu", "snmu", "real_npu"])
@pytest.mark.parametrize("generator", GENERATORS)
def test_a_run_is_the_same_bits_in_any_company(name, generator):
    runs = [
        run_of(name, seed=seed, range_name=r, generator=generator)
        for seed, r in enumerate([*RANGES] * 13)
    ][:BLOCK]
    together = train_block(runs)
    for place in (0, 17, BLOCK - 1):
        assert same(train_block([runs[place]])[0], together[place])
    backwards = train_block(runs[::-1])[::-1]
    assert all(same(a, b) for a, b in zip(together, backwards, strict=True))


def test_seeds_differ_and_decide():
    first, second, again = (train_block([run_of("nmu", seed=s)])[0] for s in (1, 2, 1))
    assert same(first, again)
    assert not np.array_equal(first.final["weight"], second.final["weight"])


def test_a_diverged_run_is_frozen_and_marked_and_harms_nobody():
    good = [run_of("linear", seed=s, learning_rate=0.01) for s in range(3)]
    wild = run_of("linear", seed=5, learning_rate=3e38)
    alone = [train_block([run])[0] for run in good]
    mixed = train_block([good[0], wild, good[1], good[2]])
    assert 0 <= mixed[1].diverged_at < SHORT.steps
    assert all(same(a, mixed[i]) for a, i in zip(alone, (0, 2, 3), strict=True))
    assert all(curves.diverged_at == -1 for curves in alone)
    assert all(np.all(np.isfinite(value)) for value in mixed[1].final.values())


def test_training_ends_where_all_have_diverged_with_the_same_record(monkeypatch):
    trained = []
    through = train._trained

    def counted(compiled, state, settings, span, stuck):
        trained.append(span)
        return through(compiled, state, settings, span, stuck)

    monkeypatch.setattr(train, "_trained", counted)
    good, wild = (
        run_of("linear", seed=5, learning_rate=rate, steps=300, log_every=100)
        for rate in (0.01, 3e38)
    )
    seen = []
    (alone,) = train_block([wild], progress=lambda done, _: seen.append(done))
    assert len(trained) == 1
    assert same(alone, train_block([good, wild])[1])
    assert seen == alone.steps.tolist() == [0, 100, 200, 300]
    assert alone.diverged_at >= 0


def test_gradient_noise_has_the_declared_variance():
    run = run_of("nmu", gradient_noise=4.0)
    steps = program_of(run.model, run.task, run.recipe).steps
    assert isinstance(steps, FirstOrder)
    settings = settings_of([replace(run, seed=s) for s in range(4000)])
    for step in (0, 99):
        noise = np.asarray(steps._noise(jnp.uint32(step), 2, settings))
        assert noise.shape == (2, 4000)
        assert abs(noise.mean()) < 0.1
        assert noise.std() == pytest.approx(2 * (1 + step) ** -0.275, rel=0.05)
        assert abs(np.corrcoef(noise)[0, 1]) < 0.05
    quiet = train_block([run_of("nmu")])[0]
    assert not np.array_equal(train_block([run])[0].final["weight"], quiet.final["weight"])


def test_sgd_with_momentum_follows_its_equation():
    """One input row, no noise in the data: the update can be written down."""
    still = Uniform(1.5, 1.5 + 1e-6)
    task = replace(single_module("add"), train=still, test=still)
    recipe = replace(SHORT, learning_rate=0.01, steps=100)
    recipe = replace(recipe, optimizer=Optimizer("sgd", momentum=0.5))
    run = Run(nalm.unit("linear", 2, 1, bias=False), task, recipe, 1)
    program = program_of(run.model, run.task, run.recipe)
    w = np.asarray(program.initialize(settings_of([run] * 2)).weights)[:, 0].astype(float)
    velocity = np.zeros(2)
    for _ in range(100):
        gradient = 2 * (1.5 * w.sum() - 3.0) * 1.5 * np.ones(2)
        velocity = 0.5 * velocity + gradient
        w = w - 0.01 * velocity
    np.testing.assert_allclose(train_block([run])[0].final["weight"][0], w, rtol=1e-3)


def test_the_nmu_learns_multiplication():
    recipe = replace(published_recipe("nmu", "mul"), steps=20_000)
    task = single_module("mul")
    runs = [Run(nalm.unit("nmu", 2, 1), task, recipe, seed) for seed in range(5)]
    for curves in train_block(runs):
        assert curves.test[-1] < threshold(task)
        np.testing.assert_allclose(curves.final["weight"], 1.0, atol=1e-4)
        assert curves.steps.tolist() == list(range(0, 20_001, 1000))


def test_two_layers_learn_a_product_of_sums():
    task = Task(Subsets("mul", subset=2), 4, *RANGES["U[1,2)"])
    stack = nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1)))
    penalties = (("discretise", Ramp(1.0, 4000, 6000)),)
    recipe = Recipe(0.01, steps=10_000, evaluation=1000, penalties=penalties)
    a, b, c, d = sympy.symbols("a b c d")
    right = 0
    for curves in train_block([Run(stack, task, recipe, seed) for seed in range(20)]):
        assert curves.final.keys() == {"0.weight", "1.weight"}
        if curves.test[-1] < 0.1:
            (formula,) = stack.formula(unflatten(stack, curves.final), [a, b, c, d])
            right += sympy.expand(formula - (a + b) * (c + d)) == 0  # pyright: ignore[reportOperatorIssue]
    assert right >= 10


@pytest.mark.slow
def test_a_stack_with_noise_and_redundant_inputs_is_the_same_bits_in_any_company():
    task = arithmetic_dataset("mul", inputs=12)
    stack = nalm.Stack((nalm.unit("nau", 12, 2), nalm.unit("snmu", 2, 1)))
    runs = [Run(stack, task, SHORT, seed) for seed in range(5)]
    together = train_block(runs)
    assert same(train_block([runs[3]])[0], together[3])
    assert together[3].validation[-1] < together[3].validation[0]


def test_redundant_inputs_use_the_position_of_the_seed():
    recipe = Recipe(0.01, steps=10_000, evaluation=1000)
    task = single_module("add", inputs=10)
    run = Run(nalm.unit("nau", 10, 1), task, recipe, seed=2)
    curves = train_block([run])[0]
    expected = task.layout(2).sum(axis=0)
    np.testing.assert_allclose(curves.final["weight"][0], expected, atol=1e-3)


def test_runs_are_grouped_by_what_their_program_depends_on():
    runs = [run_of("nmu", seed=s, range_name=r) for r in RANGES for s in range(25)]
    assert [len(b) for b in blocks(runs)] == [117, 108]
    other = [run_of("nmu", learning_rate=0.1), run_of("nmu", batch=64), run_of("snmu")]
    assert len({signature(r) for r in [runs[0], *other]}) == 3
    with pytest.raises(InputError, match="share a program"):
        train_block([runs[0], other[1]])


def test_wrong_recipes_and_runs_are_refused():
    for change, message in [
        ({"steps": -5}, "steps is a whole number of at least 1; received -5"),
        ({"steps": 150}, r"multiple of log_every; received 150 and 100\. Write log_every=150"),
        ({"learning_rate": 0}, "learning_rate is a number above 0; received 0"),
        ({"learning_rate": "fast"}, "learning_rate is a number above 0; received 'fast'"),
        ({"learning_rate": float("inf")}, "learning_rate is a number above 0; received inf"),
        ({"batch": True}, "batch is a whole number of at least 1; received True"),
        ({"clip_norm": -1}, "clip_norm is a number above 0; received -1"),
        ({"gradient_noise": -1}, "gradient_noise is a number of at least 0; received -1"),
        ({"mse_from": -4}, "mse_from is a whole number of at least 0; received -4"),
        ({"decay": 0.5}, r"decay is None or a nalm\.training\.Schedule; received 0\.5"),
        ({"snap": 5}, r"snap is None or a nalm\.training\.Snap; received 5"),
        (
            {"reinitialize": True},
            "reinitialize is None or a nalm",
        ),
        ({"penalties": (("discretise", 0.1),)}, "pairs of a name and a schedule"),
        ({"penalties": ("discretise", Ramp(1.0, 0, 1))}, "pairs of a name and a schedule"),
        ({"penalties": {"discretise": Ramp(1.0, 0, 1)}}, "pairs of a name and a schedule"),
        (
            {"penalties": (("l1", Ramp(1.0, 0, 1)),), "optimizer": "lm"},
            r"for penalties=\(\)",
        ),
    ]:
        with pytest.raises(InputError, match=message):
            replace(SHORT, **change)
    with pytest.raises(InputError, match="0 <= start < end"):
        Ramp(1.0, 5, 5)
    with pytest.raises(InputError, match="factor above 1"):
        Growth(1.0, 0.1)
    for wrong in (
        lambda: Ramp(1.0, 0.4, 0.7),  # pyright: ignore[reportArgumentType]
        lambda: Ramp(-1.0, 0, 1),
        lambda: Late(0.1, -5, 1.0),
        lambda: Late(1.0, "a", 1.0),  # pyright: ignore[reportArgumentType]
        lambda: Growth("a", 1.0),  # pyright: ignore[reportArgumentType]
        lambda: Reinitialize(every=0),
        lambda: Decay(1.5),  # pyright: ignore[reportArgumentType]
        lambda: Snap("a"),  # pyright: ignore[reportArgumentType]
    ):
        with pytest.raises(InputError, match=r"is a (whole )?number .*received"):
            wrong()
    with pytest.raises(InputError, match="takes 2 inputs, the task has 100"):
        Run(nalm.unit("nmu", 2, 1), arithmetic_dataset("mul"), SHORT, 0)
    with pytest.raises(UnknownNameError, match="Did you mean 'discretise'"):
        train_block([run_of("nmu", penalties=(("discretize", Ramp(1.0, 0, 1)),))])
    with pytest.raises(InputError, match="one target"):
        Run(nalm.unit("nmu", 2, 2), single_module("mul"), SHORT, 0)
    with pytest.raises(InputError, match="A seed is a whole number"):
        run_of("nmu", seed=-1)
