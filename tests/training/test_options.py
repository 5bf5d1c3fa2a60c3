"""Fields of a recipe as text."""

import subprocess
import sys

import pytest

from nalm.errors import InputError, UnknownNameError
from nalm.training import Decay, Optimizer, Ramp, Recipe

RAMPED = Recipe(penalties=(("l1", Ramp(1.0, 0, 9)), ("discretise", Ramp(10.0, 20, 30))))


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"learning_rate": "5e-3"}, RAMPED.replace(learning_rate=5e-3)),
        ({"learning_rate": 5e-3}, RAMPED.replace(learning_rate=5e-3)),
        ({"steps": "1e4"}, RAMPED.replace(steps=10_000)),
        ({"steps": "10_000", "log_every": "10"}, RAMPED.replace(steps=10_000, log_every=10)),
        ({"clip_norm": "1", "clip_value": "none"}, RAMPED.replace(clip_norm=1.0)),
        ({"optimizer": "lion"}, RAMPED.replace(optimizer="lion")),
        ({"loss": "pcc", "mse_from": "100"}, RAMPED.replace(loss="pcc", mse_from=100)),
        ({"scaling": "z-score"}, RAMPED.replace(scaling="z-score")),
        (
            {"optimizer": "sgd", "optimizer.momentum": "0.9", "optimizer.nesterov": "true"},
            RAMPED.replace(optimizer=Optimizer("sgd", momentum=0.9, nesterov=True)),
        ),
        (
            {"penalties.discretise.scale": "2"},
            Recipe(penalties=(("l1", Ramp(1.0, 0, 9)), ("discretise", Ramp(2.0, 20, 30)))),
        ),
        ({"decay": Decay(100), "decay.every": "50"}, RAMPED.replace(decay=Decay(50))),
    ],
)
def test_text_becomes_what_the_field_holds(options, expected):
    assert RAMPED.with_options(options) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rat": "1"}, "no recipe field 'learning_rat'. Did you mean 'learning_rate'"),
        ({"penalties.l1.scal": "1"}, "no ramp field 'scal'. Did you mean 'scale'"),
        ({"penalties.discretize.scale": "1"}, "Did you mean 'discretise'"),
        ({"optimizer.eps_rot": "1"}, "optax.adam has no option 'eps_rot'. Did you mean 'eps_root'"),
        ({"optimizer": "adamm"}, "no optimizer 'adamm'. Did you mean"),
        ({"generator": "phylox"}, "no generator 'phylox'. Did you mean 'philox'"),
    ],
)
def test_names_that_do_not_exist_are_answered_with_the_nearest(options, message):
    with pytest.raises(UnknownNameError, match=message):
        RAMPED.with_options(options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learning_rate": "fast"}, "learning_rate is a number; received 'fast'"),
        ({"learning_rate": "-1"}, "learning_rate is a number above 0"),
        ({"steps": "1.5"}, "steps is a whole number; received '1.5'"),
        ({"warm_start": "maybe"}, "warm_start is true or false; received 'maybe'"),
        (
            {"penalties": "l1"},
            r"has l1, discretise; write penalties\.l1\.FIELD=VALUE\. Fields of l1 are scale, start",
        ),
        (
            {"penalties.discretise": "1"},
            r"^Write penalties\.discretise\.scale=1; its fields are scale, start, end\.$",
        ),
        ({"decay.every": "3"}, "decay is None and has no fields"),
        ({"snap": "3"}, "has no snap, and text cannot add one; received snap=3"),
        ({"decay": Decay(100), "decay.every": "x"}, "every is a whole number"),
    ],
)
def test_values_that_do_not_fit_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        RAMPED.with_options(options)


def test_a_recipe_without_penalties_says_so():
    with pytest.raises(InputError, match="This recipe has no penalties"):
        Recipe().with_options({"penalties.l1.scale": "1"})


def test_fields_that_do_not_exist_are_answered_from_python_too():
    for make in (lambda: Recipe(stepz=3), lambda: Recipe().replace(stepz=3)):  # pyright: ignore[reportCallIssue]
        with pytest.raises(UnknownNameError, match="recipe field 'stepz'"):
            make()


def test_recipes_need_neither_jax_nor_optax():
    text = (
        "import sys, nalm.training as t; "
        "t.Recipe(optimizer=t.Optimizer('sgd', momentum=0.9), loss='pcc'); "
        "print({'jax', 'optax'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert found.stdout == "set()\n"
