"""Custom units that cannot be trained are refused before training, in one sentence."""

import numpy as np
import pytest

from nalm.errors import InputError, NalmError
from nalm.sweeps.executors._process import End
from nalm.sweeps.models import made
from nalm.tasks import Uniform as TaskUniform
from nalm.units import NMU, SNMU, Parameter, Uniform, Unit


class Sum(Unit):
    scale: float = 1.0

    @property
    def parameters(self):
        return {"w": self.matrix(Uniform(0.0, 1.0))}

    def forward(self, xp, params, x, train, noise):
        return self.scale * xp.matmul(x, params["w"].T)


class WithNumpy(Sum):
    def forward(self, xp, params, x, train, noise):
        return np.matmul(x, params["w"].T)


class FirstCell(Sum):
    def forward(self, xp, params, x, train, noise):
        return x[0, 0] * params["w"]


class FirstColumn(Sum):
    def forward(self, xp, params, x, train, noise):
        return xp.sum(x, axis=1, keepdims=True)


class OtherKey(Sum):
    def forward(self, xp, params, x, train, noise):
        return xp.matmul(x, params["weight"].T)


class NumpyInTraining(Sum):
    def forward(self, xp, params, x, train, noise):
        weight = np.clip(params["w"], 0, 1) if train else params["w"]
        return xp.matmul(x, weight.T)


class Swapped(Sum):
    def forward(self, xp, params, x, train, noise):
        return x


@pytest.mark.parametrize("make", [lambda cls: cls, lambda cls: cls(2, 1)], ids=["class", "object"])
@pytest.mark.parametrize(
    ("cls", "message"),
    [
        (WithNumpy, r"^forward of WithNumpy also runs .* use xp\.matmul, not numpy\.matmul\.$"),
        (NumpyInTraining, r"functions of xp only; use xp\.clip, not numpy\.clip\.$"),
        (FirstCell, r"any leading axes, also none; for x of shape \(2,\) it raised IndexError"),
        (FirstColumn, r"any leading axes, also none; .*as in x\[\.\.\., 0\]\.$"),
        (OtherKey, "^OtherKey has no parameter 'weight'; its parameters are: w\\.$"),
        (Swapped, r"takes inputs \(2,\) to outputs \(1,\); its forward gave \(2,\)"),
    ],
)
def test_an_equation_that_cannot_be_trained(cls, message, make):
    made(Sum, 2)
    made(Sum(2, 1), 2)
    with pytest.raises(InputError, match=message) as raised:
        made(make(cls), 2)
    assert not getattr(raised.value, "__notes__", [])
    assert "\n" not in str(raised.value)


class Noisy(SNMU):
    """A custom unit that trains with noise."""


def test_a_stochastic_unit_is_traced_with_its_noise():
    assert made(Noisy, 2) == Noisy(2, 1)


def wrong_signature():
    class Short(Sum):
        def forward(self, params, x):  # pyright: ignore[reportIncompatibleMethodOverride]
            return x


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            wrong_signature,
            r"^Write def forward\(self, xp, params, x, train, noise\) in Short; received def "
            r"forward\(self, params, x\)\.$",
        ),
        (lambda: Sum(2, 1, scal=2.0), "Sum has no option 'scal'. Did you mean 'scale'"),  # pyright: ignore[reportCallIssue]
        (lambda: NMU(2, 1, clam="stored"), "Did you mean 'clamp'"),  # pyright: ignore[reportCallIssue]
        (
            lambda: Parameter((1,), TaskUniform(0, 1)),  # pyright: ignore[reportArgumentType]
            r"such as nalm\.units\.Uniform\(0, 1\); received nalm\.tasks\.Uniform",
        ),
    ],
)
def test_what_a_class_or_its_options_get_wrong(make, message):
    with pytest.raises(NalmError, match=message):
        make()


def test_a_worker_that_fails_in_custom_code_says_what_to_correct():
    log = "\n".join(
        [
            *(f"line {i}" for i in range(20)),
            "ValueError: mine",
            "-" * 20,
            "For simplicity, JAX has removed its internal frames from the traceback of the "
            "following exception. Set JAX_TRACEBACK_FILTERING=off to include these.",
        ]
    )
    failed = str(End(1, silent=False, custom=True).error("Mine(2, 1)", log))
    assert "Correct your class, then run the same command" in failed
    assert failed.endswith("line 19\nValueError: mine")
    assert len(failed.splitlines()) == 6
    killed = str(End(-9, silent=False, custom=True).error("Mine(2, 1)", log))
    assert "run the same command with fewer workers to go on" in killed
    silent = str(End(-9, silent=True, custom=True).error("Mine(2, 1)", log))
    assert "Run the same command to go on" in silent
