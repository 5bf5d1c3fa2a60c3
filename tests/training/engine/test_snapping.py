"""Populations of starts and weights that are set one by one."""

import numpy as np
import pytest

from nalm.errors import InputError
from nalm.networks import Frozen, Recurrent, scratchpad
from nalm.networks.layers import parameters
from nalm.sweeps.statistics import Verdicts, judge
from nalm.tasks import Composition, composition, threshold
from nalm.training import Recipe, Reinitialize, Snap
from nalm.training.description import canonical, decode, encode
from nalm.training.engine.plan import block_size, blocks, signature
from nalm.training.engine.snapping import grid_of
from nalm.training.engine.train import train_block
from nalm.training.run import Run
from nalm.units import INAC, NAU, NMU

SNAPPED = Recipe(optimizer="lm", steps=126, log_every=126, batch=64, population=8, snap=Snap(60, 3))


@pytest.fixture(scope="module")
def trained():
    run = Run(scratchpad("MAMA", 4), composition("mul-add"), SNAPPED, 0)
    (curves,) = train_block([run])
    return run, curves


def test_all_weights_are_discrete_in_the_end(trained):
    _, curves = trained
    for weight in curves.final.values():
        assert set(np.unique(weight)) <= {-1.0, 0.0, 1.0}


def test_one_of_the_starts_learns_the_target(trained):
    run, curves = trained
    assert judge(curves, threshold(run.task)).success
    assert Verdicts().of(run.model, run.task, curves)


def test_a_run_is_the_best_of_its_members():
    task, model = composition("add-mul"), scratchpad("MA", 4)
    recipe = Recipe(optimizer="lm", steps=20, log_every=20, batch=32)
    (alone,) = train_block([Run(model, task, recipe, 3)])
    several = Recipe(optimizer="lm", steps=20, log_every=20, batch=32, population=6)
    (best,) = train_block([Run(model, task, several, 3)])
    for ours, its in zip(best.validation, alone.validation, strict=True):
        assert ours <= its * (1 + 1e-5)


def test_first_order_steps_leave_set_weights_alone():
    recipe = Recipe(steps=40, log_every=20, batch=32, snap=Snap(0, 1), learning_rate=0.1)
    (curves,) = train_block([Run(NAU(3, 1), composition("add", 3), recipe, 0)])
    assert set(np.unique(curves.final["weight"])) <= {-1.0, 0.0, 1.0}


def test_compositions_of_one_length_share_a_program():
    model, recipe = Frozen(4, 1), Recipe(optimizer="sgd")
    runs = [Run(model, composition(op), recipe, 0) for op in ("add-mul", "div-div", "sub-add")]
    assert len({signature(run) for run in runs}) == len(blocks(runs)) == 1
    kind = signature(runs[0])[1]
    assert kind.target == Composition("add-add")


@pytest.mark.parametrize("path", ["fused", "plain"])
def test_each_run_has_its_own_target(path):
    recipe = Recipe(optimizer="sgd", steps=4, log_every=2, batch=8)
    model = Recurrent(4, 1, (NAU(6, 1), NMU(6, 1)))
    runs = [Run(model, composition(op), recipe, 0) for op in ("add-mul", "div-div")]
    together = train_block(runs, path=path)
    for run, curves in zip(runs, together, strict=True):
        (alone,) = train_block([run], path=path)
        np.testing.assert_array_equal(alone.validation, curves.validation)
        y = model(alone.final, np.ones((1, 4), np.float32))
        assert np.isfinite(y).all()
    assert together[0].validation[0] != together[1].validation[0]


def test_both_paths_train_a_selector_alike():
    recipe = Recipe(optimizer="sgd", steps=20, log_every=20, batch=32)
    run = Run(Recurrent(4, 1, (NAU(6, 1), NMU(6, 1))), composition("add-mul"), recipe, 1)
    (fused,), (plain,) = (train_block([run], path=path) for path in ("fused", "plain"))
    np.testing.assert_allclose(fused.test, plain.test, rtol=1e-4)
    for name, value in fused.final.items():
        np.testing.assert_allclose(value, plain.final[name], rtol=1e-3, atol=1e-5)


def test_recipes_keep_their_identity():
    assert "population" not in canonical(Recipe())
    assert "snap" not in canonical(Recipe())
    assert decode(encode(SNAPPED)) == SNAPPED


def test_fewer_steps_keep_the_proportion():
    assert SNAPPED.stretched(63).snap == Snap(30, 1)


def test_blocks_hold_whole_populations():
    model = scratchpad("MAMA", 4)
    assert block_size(model, SNAPPED) == 14
    assert len(grid_of(model)) == sum(np.prod(p.shape) for p in parameters(model).values())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: grid_of(INAC(2, 1)), "read as they are"),
        (lambda: Snap(-1, 3), "start is a whole number of at least 0"),
        (lambda: Recipe(population=0), "population is a whole number"),
        (lambda: Recipe(population=2, reinitialize=Reinitialize()), "its own starts"),
    ],
)
def test_what_is_refused(make, message):
    with pytest.raises(InputError, match=message):
        make()
