"""Custom distributions: data without a decorator, and refused in one sentence."""

import math
from dataclasses import dataclass, is_dataclass

import numpy as np
import pytest

from nalm import units
from nalm.errors import InputError
from nalm.tasks import Distribution, Joint, Task, Uniform, Union


class Plain(Distribution):
    power: float = 2.0

    def quantile(self, xp, u):
        return 1 + u**self.power


@dataclass(frozen=True)
class Decorated(Plain):
    shift: float = 0.0


class Pair(Joint):
    def inputs(self, xp, u):
        return [xp.sqrt(u[0]), *u[1:]]


def test_a_class_is_a_frozen_dataclass_with_or_without_a_decorator():
    assert is_dataclass(Plain)
    assert Plain(3.0) == Plain(3.0)
    assert hash(Plain(3.0)) == hash(Plain(3.0))
    assert Decorated(3.0, shift=1.0).label == "Decorated(3,1)"
    with pytest.raises(AttributeError, match="'power' of Plain cannot be assigned"):
        Plain().power = 1.0  # pyright: ignore[reportAttributeAccessIssue]
    assert Task("mul", train=Union(Plain(), Plain()), test=Pair()).test == Pair()


class Without(Distribution):
    power: float = 2.0


class WithNumpy(Distribution):
    def quantile(self, xp, u):
        return np.sqrt(u)


class WithMath(Distribution):
    def quantile(self, xp, u):
        return math.sqrt(u)


class Branching(Distribution):
    def quantile(self, xp, u):
        return u if xp.sum(u) > 1 else 2 * u


class OneNumber(Distribution):
    def quantile(self, xp, u):
        return xp.sum(u)


class Failing(Distribution):
    def quantile(self, xp, u):
        return u["a"]


def wrong_signature():
    class Short(Distribution):
        def quantile(self, u):  # pyright: ignore[reportIncompatibleMethodOverride]
            return u


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (Without, r"quantile\(self, xp, u\).*; Without has no quantile\. Add it"),
        (wrong_signature, r"^Write def quantile\(self, xp, u\) in Short; received def quantile\("),
        (WithNumpy, r"functions of xp only; use xp\.sqrt, not numpy\.sqrt\.$"),
        (WithMath, r"use xp\.sqrt, not math\.sqrt\.$"),
        (lambda: Union(Uniform(0, 1), WithNumpy()), "^quantile of WithNumpy also runs with JAX"),
        (Branching, "use xp.where instead of if"),
        (OneNumber, r"for u of shape \(2, 3\) it gave \(\)\.$"),
        (Failing, "^quantile of Failing cannot be computed: "),
        (
            lambda: units.Uniform(1.0, 2.0),
            r"such as nalm\.tasks\.Uniform.* received nalm\.units\.Uniform",
        ),
    ],
)
def test_what_is_refused_before_anything_is_drawn(make, message):
    with pytest.raises(InputError, match=message) as raised:
        Task("mul", train=make())
    assert not getattr(raised.value, "__notes__", [])
    assert "\n" not in str(raised.value)


def test_numbers_that_are_not_finite_are_refused():
    class Broken(Distribution):
        low: float

        def quantile(self, xp, u):
            return xp.log(u - self.low)

    with pytest.raises(InputError, match=r"quantile of Broken gives a finite .* it gave nan"):
        Task("add", train=Broken(1.0), test="U[2,6)")
