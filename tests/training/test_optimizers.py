"""Every optimizer: it learns, its runs do not see each other, and what cannot work is refused."""

import inspect
import json
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import torch

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.tasks import single_module
from nalm.training import OPTIMIZERS, Optimizer, Recipe, Run
from nalm.training.description import canonical, decode, encode
from nalm.training.engine.first_order import FirstOrder
from nalm.training.engine.plan import signature
from nalm.training.engine.program import program_of
from nalm.training.engine.train import settings_of
from nalm.training.optimizers._optax import MODULES, REFUSED, candidates
from nalm.training.optimizers._optimizer import KNOWN

RATES = {
    "adadelta": 10.0, "adafactor": 0.1, "adagrad": 0.3, "cocob": 1.0, "dadapt_adamw": 1.0,
    "dog": 1.0, "dowg": 1.0, "fromage": 0.1, "lars": 10.0, "prodigy": 1.0,
    "simplified_ademamix": 1e-4, "sm3": 0.1,
}  # fmt: skip
"""Learning rates on the scale of an optimizer; 0.02 is good for the others."""
WHOLE = {"adafactor", "lamb", "lars", "muon", "novograd", "sm3"}
"""Optimizers that look at tensors or their norms."""
STEPS = 400
WRONG: Any = [3]


def compiled(name: str, model: nalm.Unit):
    """Return a function that trains four runs by one program: their states before and after."""
    recipe = Recipe(optimizer=name, batch=32, steps=STEPS, log_every=STEPS)
    task = single_module("add", "U[-2,2)")
    program = program_of(model, task, recipe)
    train = jax.jit(program.train)

    def final(runs: list[tuple[int, float]]):
        made = [Run(model, task, recipe.replace(learning_rate=r), seed) for seed, r in runs]
        settings = settings_of(made)
        before = program.initialize(settings)
        return before, train(before, settings, jnp.int32(0), jnp.int32(STEPS))

    return final


@pytest.mark.slow
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_it_learns_and_no_run_sees_another(name):
    final = compiled(name, nalm.unit("nau", 2, 1))
    rate = RATES.get(name, 0.02)
    mixed = [(0, rate), (1, rate / 2), (2, rate), (3, rate / 3)]
    before, state = final(mixed)
    first, last = (np.abs(np.asarray(s.weights) - 1).max(axis=0) for s in (before, state))
    assert np.median(last / first) < 0.3
    assert np.all(np.asarray(state.diverged_at) == -1)
    assert all(np.all(np.isfinite(leaf)) for leaf in jax.tree.leaves(state.optimizer))
    for r, run in enumerate(mixed):
        _, alone = final([run] * 4)
        np.testing.assert_array_equal(alone.weights[:, r], state.weights[:, r])


def test_the_ones_that_look_at_tensors_are_applied_run_by_run():
    model = nalm.unit("nau", 2, 1)
    weights = jnp.ones((2, 5), jnp.float32)
    flat = {
        name
        for name in OPTIMIZERS
        if name != "lm" and FirstOrder(model, Recipe(optimizer=name), None)._flat(weights)  # pyright: ignore[reportArgumentType]
    }
    assert flat.isdisjoint(WHOLE)
    assert {"adam", "adamw", "lion", "nadam", "rmsprop", "sgd"} <= flat


@pytest.mark.parametrize("name", ["lamb", "adamw"])
def test_a_step_is_the_step_of_optax_on_each_run(name):
    """Two layers, so that norms of tensors are not those of all weights."""
    model = nalm.Stack((nalm.unit("nau", 3, 2), nalm.unit("nmu", 2, 1)))
    recipe = Recipe(0.1, optimizer=name, batch=32)
    task = single_module("mul", inputs=3)
    runs = [Run(model, task, recipe.replace(learning_rate=r), s) for s, r in enumerate((0.1, 0.3))]
    program, settings = program_of(model, task, recipe), settings_of(runs)
    before = program.initialize(settings)
    _, gradient = program.path.gradient(jnp.int32(0), before, settings)
    moved = program.steps.move(jnp.int32(0), before, settings, np.array(0), np.array(0)).weights
    weights, gradients = (program.unflatten(v) for v in (before.weights, gradient))
    after = program.unflatten(moved)
    for r, run in enumerate(runs):
        mine, slope = ({n: v[r] for n, v in tree.items()} for tree in (weights, gradients))
        made = getattr(optax, name)(run.recipe.learning_rate)
        added, _ = made.update(slope, made.init(mine), mine)
        for parameter, value in mine.items():
            moved_to = value + added[parameter]  # pyright: ignore[reportIndexIssue, reportOperatorIssue, reportArgumentType, reportCallIssue]
            np.testing.assert_allclose(after[parameter][r], moved_to, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "options", "theirs"),
    [
        ("adam", {}, torch.optim.Adam),
        ("sgd", {"momentum": 0.9}, torch.optim.SGD),
        ("rmsprop", {"eps_in_sqrt": False}, torch.optim.RMSprop),
    ],
)
def test_the_optimizers_of_published_recipes_are_those_of_pytorch(name, options, theirs):
    made = Optimizer(name, **options)
    ours = candidates()[made.name](learning_rate=0.01, **dict(made.options))
    extra = {"momentum": 0.9} if name == "sgd" else {"alpha": 0.9} if name == "rmsprop" else {}
    rng = np.random.default_rng(0)
    weight = jnp.asarray(rng.normal(size=5))
    tensor = torch.tensor(np.array(weight)).requires_grad_()
    optimizer = theirs([tensor], lr=0.01, **extra)
    state = ours.init(weight)
    for _ in range(20):
        gradient = rng.normal(size=5) * 10.0 ** rng.integers(-8, 2)
        added, state = ours.update(jnp.asarray(gradient), state, weight)
        weight = weight + added  # pyright: ignore[reportOperatorIssue]
        tensor.grad = torch.tensor(gradient)
        optimizer.step()
    np.testing.assert_allclose(weight, tensor.detach(), rtol=1e-6)


def test_every_optimizer_of_optax_is_here_or_refused():
    """All functions of optax that take a learning rate, but parts and those that need more."""
    found = {
        name
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isfunction(value) and "learning_rate" in inspect.signature(value).parameters
    }
    found = {name for name in found if not name.startswith(("_", "scale_by"))}
    missing = found - set(OPTIMIZERS) - REFUSED.keys()
    assert missing <= {"lbfgs", "momo", "momo_adam", "sophia", "dpsgd", "schedule_free"}
    assert len(OPTIMIZERS) > 35


@pytest.mark.parametrize("name", ["lbfgs", "momo", "sophia"])
def test_what_needs_more_than_gradients_is_refused(name):
    with pytest.raises(InputError, match=f"optax.{name} needs more than gradients"):
        Recipe(optimizer=name)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Optimizer("adamx"), "There is no optimizer 'adamx'. Did you mean 'adamax'"),
        (lambda: Recipe(optimizer="adan "), "There is no optimizer 'adan '. Did you mean 'adan'"),
        (
            lambda: Optimizer("sgd", momentun=0.9),
            "optax.sgd has no option 'momentun'. Did",
        ),
        (lambda: Optimizer("lamb", momentum=0.9), "optax.lamb has no option 'momentum'"),
    ],
)
def test_misspelt_names_are_answered_with_the_nearest(make, message):
    with pytest.raises(UnknownNameError, match=message):
        make()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Optimizer("noisy_sgd"), "use gradient_noise of the recipe"),
        (lambda: Optimizer("schedule_free_adamw"), "not those it is judged by"),
        (lambda: Optimizer("sgd", learning_rate=1.0), "field of the recipe"),
        (lambda: Optimizer("sgd", momentum="high"), "optax.sgd does not accept momentum='high'"),
        (lambda: Optimizer("adamw", mask=WRONG), "finite numbers.*received mask="),
        (lambda: Optimizer("sgd", momentum=float("nan")), "received momentum=nan"),
        (lambda: Optimizer("lm", momentum=0.9), "'lm' has no options; received momentum"),
        (lambda: Optimizer(WRONG), "An optimizer has a name"),
        (lambda: Recipe(optimizer=WRONG), "optimizer is a name such as 'adam'"),
    ],
)
def test_what_cannot_be_used_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()


def test_an_optimizer_is_a_value_with_json():
    one, same = Optimizer("sgd", nesterov=True, momentum=0.9), Optimizer("sgd", momentum=0.9)
    assert one != same
    assert Optimizer("sgd", momentum=0.9, nesterov=True) == one
    assert len({one, same, Optimizer("sgd", momentum=0.9)}) == 2
    assert decode(json.loads(json.dumps(encode(one)))) == one
    assert repr(one) == "Optimizer('sgd', momentum=0.9, nesterov=True)"
    assert Recipe(optimizer="lion") == Recipe(optimizer=Optimizer("lion"))
    assert decode(encode(Recipe(optimizer=one))) == Recipe(optimizer=one)
    assert canonical(Recipe(optimizer=one)) != canonical(Recipe(optimizer=same))


def test_options_are_part_of_the_program_and_the_learning_rate_is_not():
    model, task = nalm.unit("nau", 2, 1), single_module("add")
    recipe = Recipe(optimizer=Optimizer("sgd", momentum=0.9))
    one, faster, heavier = (
        Run(model, task, r, 0)
        for r in (
            recipe,
            recipe.replace(learning_rate=0.1),
            recipe.replace(optimizer=Optimizer("sgd", momentum=0.99)),
        )
    )
    assert signature(one) == signature(faster) != signature(heavier)


def test_what_is_known_without_optax_is_what_optax_has():
    for name, options in KNOWN.items():
        assert options <= set(inspect.signature(candidates()[name]).parameters)


def test_an_unknown_name_is_answered_with_usable_optimizers_only():
    with pytest.raises(UnknownNameError) as raised:
        Optimizer("adamx")
    listed = str(raised.value).partition("Known: ")[2].rstrip(".").split(", ")
    assert set(listed) == set(OPTIMIZERS)
    assert not {"lbfgs", "momo", "sophia"} & set(listed)
