"""Second-order steps and warm starts: what units learn when training is not the limit."""

from dataclasses import replace

import numpy as np
import pytest

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.networks import Stack
from nalm.tasks import single_module, threshold
from nalm.training import Recipe
from nalm.training.engine.train import train_block
from nalm.training.engine.warm import warm_weights
from nalm.training.run import Run
from nalm.units import unit

HARD = "U[-1.2,-1.1)"


def solved(name, op, ranges, warm_start, seeds=4):
    """Return after how many steps each run is within the threshold; infinity if never."""
    task = single_module(op, ranges)
    recipe = replace(Recipe().with_second_order(warm_start), steps=100)
    runs = [Run(unit(name, 2, 1), task, recipe, seed) for seed in range(seeds)]
    limit = threshold(task)
    return [
        next((int(s) for s, e in zip(c.steps, c.test, strict=True) if e < limit), np.inf)
        for c in train_block(runs)
    ]


def test_a_sum_takes_a_few_steps():
    assert max(solved("nau", "add", HARD, warm_start=False)) <= 50


@pytest.mark.parametrize(("name", "op"), [("nmu", "mul"), ("nmru", "div"), ("real_npu", "div")])
def test_least_squares_weights_are_within_the_threshold(name, op):
    assert max(solved(name, op, HARD, warm_start=True)) <= 10


def test_a_warm_start_is_the_exact_weights():
    x = np.random.default_rng(0).uniform(1, 2, (3, 64))
    task = single_module("div", "U[1,2)", 3)
    weights = warm_weights(unit("nmru", 3, 1), task, x, x[0] / x[1])
    np.testing.assert_allclose(weights, [1, 0, 0, 0, 1, 0], atol=1e-6)


def test_a_warm_start_is_for_one_unit():
    stack = Stack((unit("nau", 2, 2), unit("nmu", 2, 1)))
    with pytest.raises(InputError, match="single unit"):
        warm_weights(stack, single_module("mul", HARD), np.ones((2, 4)), np.ones(4))


def test_experiments_take_the_recipe(tmp_path):
    chosen = {"units": ["nau"], "ops": ["add"], "ranges": ["U[1,2)"], "seeds": 2}
    table = nalm.bench("single-module", **chosen, recipe="lm", out=tmp_path)
    (row,) = table.records()
    assert (row["setting"], row["successes"], row["runs"]) == ("lm", 2, 2)
    with pytest.raises(UnknownNameError, match="Did you mean 'lm'"):
        nalm.bench("single-module", **chosen, recipe="lmm", out=tmp_path)


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({"scaling": "z-score"}, "for scaling=None; received 'z-score'"),
        ({"loss": "pcc"}, "for loss=MSE\\(\\); received PCC"),
        ({"input_noise": 0.1}, "for input_noise=0.0; received 0.1"),
    ],
)
def test_what_second_order_steps_cannot_train_is_refused(changed, rule):
    with pytest.raises(InputError, match=rule):
        Recipe(**changed).with_second_order()


def test_a_warm_start_needs_second_order_steps():
    with pytest.raises(InputError, match="optimizer 'lm'; received 'adam'"):
        Recipe(warm_start=True)


@pytest.mark.parametrize(
    ("experiment", "recipe", "rule"),
    [
        ("feature-scaling", "lm", "scaling"),
        ("ten-parameters", "lm-warm", "single unit"),
        ("mlp-extrapolation", "lm-warm", "no operation exactly"),
        ("division-nru", "lm", "same run.*--settings"),
    ],
)
def test_experiments_refuse_a_recipe_before_they_train(experiment, recipe, rule, tmp_path):
    with pytest.raises(InputError, match=rule):
        nalm.bench(experiment, recipe=recipe, seeds=1, out=tmp_path)
    assert not list(tmp_path.iterdir())
