"""Recipes: schedules that look at validation, reinitialisation, scaling, loss terms."""

from dataclasses import replace

import numpy as np
import pytest
import torch

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.networks import between_affine
from nalm.tasks import Uniform, single_module
from nalm.training import Decay, Late, Optimizer, Ramp, Recipe, Reinitialize
from nalm.training.engine.program import program_of
from nalm.training.engine.reinitialize import History
from nalm.training.engine.scaling import scales_of
from nalm.training.engine.train import settings_of, train_block
from nalm.training.losses import LOSSES
from nalm.training.published import published_recipe
from nalm.training.run import Run
from nalm.units import NMU

RMSPROP = Optimizer("rmsprop", eps_in_sqrt=False)
SHORT = Recipe(steps=200, log_every=100, evaluation=500)


def literal_rule(errors: list[float], rule: Reinitialize, log_every: int) -> list[int]:
    """Follow the published rule step by step with a plain list."""
    stored, redrawn = [], []
    for step in range(len(errors) * log_every):
        stored.append(errors[step // log_every])
        if step > 0 and step % rule.every == 0 and len(stored) > rule.memory:
            first, second = np.split(np.array(stored), [len(stored) // 2])
            stuck = first.mean() <= second.mean() + second.std(ddof=1)
            if stuck and second.mean() > rule.above:
                stored = []
                redrawn.append(step)
    return redrawn


@pytest.mark.parametrize("seed", range(6))
def test_the_history_decides_as_the_published_list_does(seed):
    rng = np.random.default_rng(seed)
    errors = (rng.uniform(0.5, 3, 40) * np.linspace(2, 0.3, 40) ** (seed % 3)).tolist()
    rule = Reinitialize(every=10, memory=500)
    history = History(rule)
    for i, error in enumerate(errors):
        history.steps(error, range(i * 100, (i + 1) * 100))
    expected = literal_rule(errors, rule, 100)
    assert history.redrawn == expected
    assert expected


def test_a_stuck_run_is_drawn_anew_and_says_when():
    rule = Reinitialize(every=10, memory=50, above=1.0)
    stuck = replace(SHORT, learning_rate=1e-9, reinitialize=rule)
    task = single_module("mul", "U[10,20)")
    run = Run(nalm.unit("inalu", 2, 1), task, stuck, 4)
    curves, again = train_block([run])[0], train_block([run])[0]
    assert curves.reinitialised.tolist() == [50, 110, 170]
    np.testing.assert_array_equal(curves.final["gate"], again.final["gate"])
    plain = train_block([replace(run, recipe=replace(stuck, reinitialize=None))])[0]
    assert plain.reinitialised.size == 0
    assert not np.allclose(curves.final["gate"], plain.final["gate"], atol=1e-3)
    content = train_block(
        [replace(run, recipe=replace(stuck, reinitialize=replace(rule, above=1e30)))]
    )[0]
    assert content.reinitialised.size == 0


def test_a_late_penalty_waits_for_step_and_validation():
    late = Late(2.0, after=10, below=1.0)
    steps, errors = np.array([10, 11, 11, 11]), np.array([0.5, 0.5, 1.0, np.nan])
    assert late.value(np, steps, errors).tolist() == [0.0, 2.0, 0.0, 0.0]


def test_scales_are_those_of_the_training_samples():
    task = single_module("mul", "U[1,2)", inputs=3)
    z_score, min_max = (replace(SHORT, scaling=scaling) for scaling in ("z-score", "min-max"))
    shift, scale, y_shift, y_scale = scales_of(task, z_score, 0, task.test)
    np.testing.assert_allclose(shift, 1.5, atol=0.02)
    np.testing.assert_allclose(scale, 12**-0.5, atol=0.01)
    assert y_shift == pytest.approx(2.25, abs=0.02)
    assert y_scale == pytest.approx(np.sqrt((7 / 3) ** 2 - 2.25**2), abs=0.01)
    shift, scale, y_shift, y_scale = scales_of(task, min_max, 0, task.test)
    np.testing.assert_allclose(scale, 0.5, atol=0.01)
    assert y_shift == 0
    assert y_scale == pytest.approx(1.5, abs=0.05)


def test_feyn_scales_the_test_by_its_own_spread_and_all_else_by_training():
    run = Run(NMU(2, 1), single_module("mul"), replace(SHORT, scaling="feyn"), 0)
    settings = settings_of([run, run])
    assert settings.scales is not None
    assert settings.test_scales is not None
    np.testing.assert_allclose(settings.scales.x_scale, 0.5, atol=0.01)
    np.testing.assert_allclose(settings.test_scales.x_scale, 2.0, atol=0.01)
    for name in ("x_shift", "y_shift", "y_scale"):
        np.testing.assert_array_equal(
            getattr(settings.scales, name), getattr(settings.test_scales, name)
        )


def test_learnt_affine_maps_make_the_scaled_product_exact():
    """Without them no weights of the NMU give a product of scaled inputs."""
    recipe = Recipe(0.01, steps=3000, evaluation=500, scaling="min-max")
    task = single_module("mul", "U[-2,2)")
    bare, learnt = (
        train_block([Run(model, task, recipe, 0)])[0].test[-1]
        for model in (NMU(2, 1), between_affine(NMU(2, 1)))
    )
    assert learnt < 1e-6 < bare


def test_scaled_training_still_learns_a_sum():
    """A linear unit absorbs any affine scaling, so its error must reach zero."""
    recipe = Recipe(0.01, steps=3000, evaluation=500, scaling="z-score")
    run = Run(nalm.unit("linear", 2, 1), single_module("add", "U[10,20)"), recipe, 0)
    assert train_block([run])[0].test[-1] < 1e-2


def test_the_huber_loss_is_pytorchs():
    rng = np.random.default_rng(0)
    y, t = rng.normal(0, 2, 50), rng.normal(0, 2, 50)
    expected = torch.nn.functional.smooth_l1_loss(torch.from_numpy(y), torch.from_numpy(t))
    assert float(LOSSES["huber"].value(y, t)) == pytest.approx(float(expected), rel=1e-12)


def test_the_absolute_loss_is_pytorchs():
    rng = np.random.default_rng(0)
    y, t = rng.normal(0, 2, 50), rng.normal(0, 2, 50)
    expected = torch.nn.functional.l1_loss(torch.from_numpy(y), torch.from_numpy(t))
    assert float(LOSSES["mae"].value(y, t)) == pytest.approx(float(expected), rel=1e-12)


def test_a_rate_that_decays_stops_a_run_where_it_was():
    recipe = replace(SHORT, learning_rate=0.01)
    run = Run(nalm.unit("linear", 2, 1), single_module("add"), recipe, 0)
    stopped = replace(recipe, decay=Decay(100, 1e-9))
    free, still = (train_block([replace(run, recipe=r)])[0] for r in (recipe, stopped))
    assert free.validation[1] == still.validation[1] == pytest.approx(still.validation[2], rel=1e-5)
    assert free.validation[2] < 0.9 * free.validation[1]
    assert stopped.stretched(20).decay == Decay(10, 1e-9)
    with pytest.raises(InputError, match="factor"):
        Decay(100, 2.0)
    with pytest.raises(InputError, match="input_noise is a number of at least 0"):
        Recipe(input_noise=-1.0)


def test_rmsprop_follows_pytorch_on_still_data():
    still = Uniform(1.5, 1.5 + 1e-6)
    task = replace(single_module("add"), train=still, test=still)
    recipe = replace(SHORT, optimizer=RMSPROP, loss="huber", learning_rate=0.01)
    run = Run(nalm.unit("linear", 2, 1, bias=False), task, recipe, 1)
    program = program_of(run.model, run.task, run.recipe)
    start = np.asarray(program.initialize(settings_of([run] * 2)).weights)[:, 0]
    weight = torch.tensor(start).requires_grad_()
    optimizer = torch.optim.RMSprop([weight], lr=0.01, alpha=0.9)
    for _ in range(recipe.steps):
        loss = torch.nn.functional.smooth_l1_loss(1.5 * weight.sum(), torch.tensor(3.0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    np.testing.assert_allclose(
        train_block([run])[0].final["weight"][0], weight.detach(), rtol=1e-2, atol=2e-2
    )


def test_loss_terms_are_recorded():
    penalties = (("discretise", Ramp(0.1, 50, 150)), ("out_of_bounds", Ramp(0.1, 50, 150)))
    curves = train_block(
        [Run(nalm.unit("nmu", 2, 1), single_module("mul"), replace(SHORT, penalties=penalties), 0)]
    )[0]
    assert np.isnan(curves.loss[0])
    assert np.all(curves.loss[1:] > 0)
    assert curves.loss[-1] == pytest.approx(curves.validation[-1], rel=0.5)
    weight = curves.final["weight"]
    distance = np.minimum(np.abs(weight), np.abs(1 - weight)).mean()
    assert curves.penalties["discretise"][-1] == pytest.approx(distance, rel=1e-5)
    assert curves.penalties["out_of_bounds"].tolist() == [0, 0, 0]


def test_a_penalty_has_one_schedule():
    with pytest.raises(InputError, match="one schedule; received l1, l1"):
        Recipe(penalties=(("l1", Ramp(1.0, 0, 10)), ("l1", Ramp(2.0, 0, 10))))


def test_published_recipe_of_inalu():
    recipe = published_recipe("inalu", "mul")
    assert recipe.reinitialize == Reinitialize(10, 5000, 1.0)
    assert (recipe.clip_value, recipe.steps) == (0.1, 50_000)
    assert recipe.penalties == (("saturate", Late(1.0, 10_000, 1.0)),)


def test_choices_are_checked():
    with pytest.raises(UnknownNameError, match="Did you mean 'pcc'"):
        Recipe(loss="pc")
    with pytest.raises(UnknownNameError, match="no scaling 'zscore'"):
        Recipe(scaling="zscore")  # pyright: ignore[reportArgumentType]


def test_a_batch_that_is_divided_by_its_own_spread_cannot_be_learnt_exactly():
    """The spread differs from batch to batch, and so does the function that would be right."""
    recipe, task = Recipe(0.01, steps=3000, evaluation=500), single_module("mul", "U[-2,2)")
    fixed, batch = (
        train_block([Run(between_affine(NMU(2, 1)), task, replace(recipe, scaling=scaling), 0)])[0]
        for scaling in ("feyn", "feyn-batch")
    )
    assert fixed.validation[-1] < 1e-6
    assert batch.validation[-1] > 1e-5
