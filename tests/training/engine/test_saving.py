"""A block that is continued from a saved state ends with the bits of one that was not disturbed."""

import hashlib
import time
from dataclasses import replace

import numpy as np
import pytest

import nalm
from nalm.tasks import single_module
from nalm.training import Optimizer, Ramp, Recipe, Reinitialize, Snap
from nalm.training.engine import saving as module
from nalm.training.engine.saving import CHECKED
from nalm.training.engine.train import train_block
from nalm.training.packing import pack
from nalm.training.run import Run
from nalm.training.saving import Saving

SHORT = Recipe(0.02, steps=400, log_every=100, evaluation=100)
STACK = nalm.Stack((nalm.unit("nau", 2, 2), nalm.unit("nmu", 2, 1)))
CASES = {
    "adam": ("nmu", {"penalties": (("discretise", Ramp(0.1, 100, 300)),)}),
    "lm": ("nmu", {"optimizer": Optimizer("lm")}),
    "warm": ("nmu", {"optimizer": Optimizer("lm"), "warm_start": True}),
    "population": ("nmu", {"population": 4}),
    "snapping": ("nmu", {"snap": Snap(start=150, every=70)}),
    "reinitialize": ("nmu", {"reinitialize": Reinitialize(every=60, memory=50, above=0.0)}),
    "two layers": (STACK, {}),
    "noise": ("snmu", {"gradient_noise": 0.01}),
    "half the precision": ("nmu", {"optimizer": Optimizer("adam", mu_dtype="bfloat16")}),
    "run by run": ("nmu", {"optimizer": Optimizer("adafactor")}),
    "diverging": ("nmu", {"learning_rate": 1e30}),
}


def block_of(case: str, count: int = 3) -> list[Run]:
    unit, changes = CASES[case]
    model = nalm.unit(unit, 2, 1) if isinstance(unit, str) else unit
    recipe = replace(SHORT, **changes)
    return [Run(model, single_module("mul"), recipe, seed) for seed in range(count)]


def trained(block: list[Run], found: bytes | None = None) -> tuple[list[bytes], list[bytes], int]:
    """Return the results of a block as bytes, its states on the way, and where it began."""
    states: list[bytes] = []
    evaluated: list[int] = []
    keeping = Saving(states.append, every=0, found=found)
    curves = train_block(block, lambda done, _: evaluated.append(done), saving=keeping)
    return [pack([run]) for run in curves], states, evaluated[0]


@pytest.mark.parametrize("case", CASES)
def test_a_continued_block_has_the_bits_of_an_undisturbed_one(case):
    block = block_of(case)
    undisturbed = [pack([run]) for run in train_block(block)]
    saved, states, _ = trained(block)
    assert saved == undisturbed
    assert states or case == "diverging"
    for number, state in enumerate(states, start=1):
        results, later, begun = trained(block, state)
        assert begun == number * SHORT.log_every
        assert results == undisturbed
        assert later == states[number:]


def test_runs_were_drawn_anew_and_snapped_in_the_tests_above():
    redrawn = train_block(block_of("reinitialize"))
    assert any(len(run.reinitialised) for run in redrawn)
    snapped = train_block(block_of("snapping"))
    assert {-1.0, 0.0, 1.0} >= set(np.unique(snapped[0].final["weight"]))


def test_a_state_that_does_not_fit_is_refused_and_the_block_starts_anew(monkeypatch):
    block = block_of("adam")
    undisturbed, states, _ = trained(block)
    state = states[1]

    def flipped(place: int) -> bytes:
        return state[:place] + bytes([state[place] ^ 1]) + state[place + 1 :]

    another, fewer = trained(block_of("population"))[1][1], trained(block_of("adam", 2))[1][1]
    assert b'"done\\": 200' in state
    body = state[CHECKED:].replace(b'"done\\": 200', b'"done\\": 900')
    late = hashlib.sha256(body).digest() + body
    junk = b"\xff" * 100
    checked_junk = hashlib.sha256(junk).digest() + junk
    damaged = [
        flipped(place) for place in (0, CHECKED, CHECKED + 40, len(state) // 2, -1 % len(state))
    ]
    for wrong in (b"", b"x", state[:-1], junk, checked_junk, late, another, fewer, *damaged):
        results, _, begun = trained(block, wrong)
        assert begun == 0
        assert results == undisturbed
    monkeypatch.setattr(module, "FORMAT", module.FORMAT + 1)
    assert trained(block, state)[2] == 0


def test_a_block_is_saved_once_in_a_while(monkeypatch):
    now = 0.0
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def passing(done: int, _: np.ndarray) -> None:
        nonlocal now
        now += 25.0

    states: list[bytes] = []
    block = [replace(run, recipe=replace(run.recipe, steps=1000)) for run in block_of("adam")]
    train_block(block, passing, saving=Saving(states.append, every=60, last=0.0))
    assert len(states) == 3  # at 300, 600 and 900 steps


def test_a_block_without_evaluations_on_the_way_is_never_saved():
    block = [replace(run, recipe=replace(run.recipe, log_every=400)) for run in block_of("adam")]
    assert trained(block)[1] == []
