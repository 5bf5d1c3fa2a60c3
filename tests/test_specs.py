"""What a run is, as JSON: the same text always, nothing lost, nothing unknown accepted."""

import pytest

import nalm
from cases import CASES
from nalm.engine.recipe import Decay, Growth, Ramp, Recipe
from nalm.errors import InputError, UnknownNameError
from nalm.experiments.recipes import published
from nalm.specs import canonical, decode, digest, encode
from nalm.tasks import (
    RANGES,
    Benford,
    Exponential,
    Grid,
    Near,
    Task,
    Tied,
    TruncatedNormal,
    Union,
    single_module,
)

VALUES = [
    *CASES,
    single_module("mul", "U[-2,2)"),
    Task("div", 2, TruncatedNormal(0.0, 1.0, -5.0, 5.0), Benford(10, 100)),
    Task("mul", 100, Exponential(0.2), RANGES["U[1,2)"][1], 25, 12),
    Task("eq", 2, Tied(Grid(1.0, 9.0), 0.4), Near(Grid(1e3, 2e3), Union(Grid(0, 0), Grid(1, 5)))),
    Recipe(decay=Decay(100), input_noise=0.1),
    published("npu", "div"),
    nalm.Stack((nalm.unit("nau", 4, 2), nalm.unit("nmu", 2, 1))),
    Recipe(penalties=(("l1", Growth(1e-9, 1e-7)), ("discretise", Ramp(10.0, 1, 2)))),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_round_trip(value):
    assert decode(encode(value)) == value
    assert canonical(decode(encode(value))) == canonical(value)


def test_identities_are_stable_and_different():
    """A stored result is found again by this text: it must not change between versions."""
    assert len({digest(value) for value in VALUES}) == len(VALUES)
    assert canonical(nalm.unit("nmu", 2, 1)) == (
        '{"in_features":2,"options":{"clamp":"stored"},"out_features":1,"unit":"nmu"}'
    )


def test_fields_that_were_added_later_are_written_only_where_they_say_something():
    """Runs of earlier versions keep their identities."""
    assert not {"decay", "input_noise"} & encode(Recipe()).keys()
    assert encode(Recipe(input_noise=0.1))["input_noise"] == 0.1


def test_unknown_types_names_and_fields_are_refused():
    with pytest.raises(InputError, match="There is no type 'Trap'"):
        decode({"type": "Trap"})
    with pytest.raises(UnknownNameError, match="Did you mean 'nmu'"):
        decode({"unit": "nmx", "in_features": 2, "out_features": 1, "options": {}})
    with pytest.raises(TypeError, match="unexpected keyword"):
        decode({"type": "Ramp", "scale": 1.0, "start": 0, "end": 1, "color": 2})
