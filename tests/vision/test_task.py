"""Picture tasks: what they are, what they refuse, and how runs of them are described."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nalm
from nalm.errors import InputError, UnknownNameError
from nalm.sweeps.cell import cell_of
from nalm.tasks import Grid, Subsets
from nalm.training import Curves, Recipe
from nalm.training.description import canonical, decode, encode
from nalm.training.packing import pack, unpacked_run
from nalm.training.run import Run
from nalm.vision import DigitPairs
from nalm.vision.measures import Readings, accuracies, confusion, targets_of

TASK = DigitPairs("mul", data="digits", each=4)
NMU = nalm.unit("nmu", 2, 1)


def recipe(task=TASK, **changes) -> Recipe:
    return task.usual_recipe(NMU).replace(**changes)


@pytest.mark.parametrize(
    "task",
    [TASK, DigitPairs("div", train=Grid(1, 9), right="decimals", given=True, precision="bfloat16")],
)
def test_a_task_is_its_description(task):
    assert decode(json.loads(canonical(task))) == task
    assert hash(decode(encode(task))) == hash(task)
    assert decode(encode(task)) != DigitPairs("add", data="digits")


def test_unknown_types_and_rooms_are_refused():
    for type_ in ("vision.Nothing", "os.path", "cli.app", "vision.os.x"):
        with pytest.raises(UnknownNameError):
            decode({"type": type_})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": 1}, "2 to 100 folds, .* received 1"),
        ({"folds": True}, "whole number"),
        ({"data": "cifar"}, "no data set 'cifar'"),
        ({"right": "nearly"}, "no right of a picture task 'nearly'"),
        ({"precision": "float16"}, "Did you mean"),
        ({"each": 0}, "at least 1"),
        ({"inputs": 3}, "two digits"),
        ({"train": Grid(2, 9)}, "from 0 or 1 to 9"),
        ({"fold": 3}, "Did you mean 'folds'"),
        ({"given": 1}, "True or False"),
        ({"device": 3}, "text such as 'cpu'"),
    ],
)
def test_wrong_options_are_refused(options, said):
    with pytest.raises((InputError, UnknownNameError), match=said):
        DigitPairs("mul", **options)


def test_zero_divides_nothing():
    with pytest.raises(InputError, match=r"Grid\(1, 9\)"):
        DigitPairs("div")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"optimizer": "sgd"}, "trained by 'adam'"),
        ({"population": 3}, "without population"),
        ({"scaling": "min-max"}, "without scaling"),
        ({"penalties": (("l1", nalm.training.Ramp(1.0, 0, 1)),)}, "no penalty of"),
    ],
)
def test_recipes_that_pictures_do_not_know_are_refused(change, said):
    with pytest.raises((InputError, UnknownNameError), match=said):
        Run(NMU, TASK, recipe(**change), 0)


def test_a_unit_takes_both_digits_and_a_seed_is_a_fold():
    with pytest.raises(InputError, match="in_features=2"):
        cell_of(nalm.unit("nmu", 3, 1), TASK, recipe())
    with pytest.raises(InputError, match="at most 10 folds"):
        Run(NMU, TASK, recipe(), 10)
    with pytest.raises(InputError, match="computes mul exactly"):
        Run(nalm.unit("nau", 2, 1), DigitPairs("mul", given=True), recipe(penalties=()), 0)


def test_the_default_recipe_is_the_published_one():
    found = DigitPairs("mul").usual_recipe(NMU)
    assert (found.steps, found.batch, found.log_every) == (703_000, 128, 703)
    short = found.stretched(3 * found.log_every)
    (_, ramp), *_ = short.penalties
    assert (short.log_every, ramp.start, ramp.end) == (703, 63, 84)  # pyright: ignore[reportAttributeAccessIssue]


DIGITS = np.array([[0, 7], [3, 2], [9, 9]])


def readings(values) -> Readings:
    values = np.array(values, np.float32)
    return Readings(values, np.rint(values).astype(int), values[:, 0] * values[:, 1])


def test_what_is_right_by_each_rule():
    found = accuracies(readings([[1e-9, 7], [3.1, 2], [9, 9]]), DIGITS, Subsets("mul"))
    assert found["output exact"] == pytest.approx(1 / 3)
    assert found["output rounded"] == 1
    assert found["output decimals"] == pytest.approx(2 / 3)
    assert found["digit 1 exact"] == pytest.approx(1 / 3)
    assert found["digit 2 exact"] == 1
    assert found["mse"] == pytest.approx(0.2**2 / 3, rel=1e-4)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=20))
def test_what_is_read_right_is_right_by_every_rule(pairs):
    digits = np.array(pairs)
    found = accuracies(readings(digits), digits, Subsets("mul"))
    assert {value for name, value in found.items() if name != "mse"} == {1.0}
    matrix = confusion(readings(digits), digits)
    assert matrix.sum() == 2 * len(digits)
    assert np.array_equal(matrix, np.stack([np.diag(np.diag(part)) for part in matrix]))


def test_a_mixture_rounds_right_and_is_not_the_likeliest():
    mixed = Readings(np.array([[8.0, 1.0]], "f4"), np.array([[7, 1]]), np.array([8.0], "f4"))
    found = accuracies(mixed, np.array([[8, 1]]), Subsets("mul"))
    assert found["digit 1 rounded"] == 1
    assert found["digit 1 argmax"] == found["output argmax"] == 0


def test_quotients_are_those_of_float32():
    digits = np.array([[1, 3], [9, 7]])
    wanted = (digits[:, 0] / digits[:, 1]).astype(np.float32)
    assert np.array_equal(targets_of(Subsets("div"), digits), wanted)


def test_named_series_are_packed_and_checked():
    steps = np.arange(3, dtype=np.int32)
    line = np.zeros(3, np.float32)
    curves = Curves(
        steps, line, line, line, line, {}, {"w": line}, {"w": line}, -1, steps[:0],
        {"weights w": np.ones((3, 1, 2), np.float32)}, {"confusion": np.eye(2, dtype=np.int64)},
    )  # fmt: skip
    found = unpacked_run(pack([curves]))
    assert found.series["weights w"].shape == (3, 1, 2)
    assert np.array_equal(found.arrays["confusion"], np.eye(2))
    wrong = Curves(
        steps, line, line, line, line, {}, {}, {}, -1, steps[:0], {"x": np.zeros(2, np.float32)}
    )
    with pytest.raises(ValueError, match="not the curves of a run"):
        unpacked_run(pack([wrong]))
