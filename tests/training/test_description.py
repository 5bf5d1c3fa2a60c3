"""What a run is, as JSON: the same text always, nothing lost, nothing unknown accepted."""

import pytest

import nalm
from cases import CASES
from nalm.errors import InputError, NalmError, UnknownNameError
from nalm.tasks import (
    RANGES,
    Benford,
    Exponential,
    Grid,
    Near,
    Scattered,
    Subsets,
    Task,
    Tied,
    TruncatedNormal,
    Union,
    single_module,
)
from nalm.training import Decay, Growth, Ramp, Recipe
from nalm.training.description import canonical, decode, digest, encode
from nalm.training.published import published_recipe

VALUES = [
    *CASES,
    single_module("mul", "U[-2,2)"),
    Task("div", 2, TruncatedNormal(0.0, 1.0, -5.0, 5.0), Benford(10, 100)),
    Task(Subsets("mul", 25, 12), 100, Exponential(0.2), RANGES["U[1,2)"][1]),
    Task(Scattered("mul", shares=(0.3, 0.3)), 10),
    Task("eq", 2, Tied(Grid(1.0, 9.0), 0.4), Near(Grid(1e3, 2e3), Union(Grid(0, 0), Grid(1, 5)))),
    Recipe(decay=Decay(100), input_noise=0.1),
    published_recipe("npu", "div"),
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
    with pytest.raises(UnknownNameError, match=r"no type 'Rampe'\. Did you mean 'Ramp'"):
        decode({"type": "Rampe"})
    with pytest.raises(UnknownNameError, match="Did you mean 'nmu'"):
        decode({"unit": "nmx", "in_features": 2, "out_features": 1, "options": {}})
    with pytest.raises(InputError, match="unexpected keyword"):
        decode({"type": "Ramp", "scale": 1.0, "start": 0, "end": 1, "color": 2})


def deep(depth: int) -> list:
    nested: list = []
    for _ in range(depth):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    "described",
    [
        {"type": "Recipe", "surprise": 1},
        {"type": "Uniform", "low": 1},
        {"type": "Uniform", "low": [], "high": {"type": "Grid", "low": 1, "high": 2}},
        {"type": "Rows", "digest": "0" * 64},
        {"type": []},
        {"unit": "nmu"},
        {"unit": "nmu", "in_features": 2, "out_features": 1, "options": 5},
        {"stack": 5},
        deep(5000),
    ],
    ids=lambda value: str(type(value)),
)
def test_a_made_up_description_is_refused_in_one_sentence(described):
    with pytest.raises(NalmError) as caught:
        decode(described)
    assert "\n" not in str(caught.value)
