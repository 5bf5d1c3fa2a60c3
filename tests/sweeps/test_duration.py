"""Estimates: every model of the catalogue has one, and it grows with the work."""

from dataclasses import replace

import pytest

import nalm
from nalm.errors import InputError
from nalm.experiments.listing import experiment_details, experiment_rows
from nalm.sweeps.duration import _costs, compiling_of, cost_of, longest_first, seconds
from nalm.tasks import single_module
from nalm.training import Recipe
from nalm.training.engine.plan import BLOCK, Shape
from nalm.training.run import Run

NMU = Run(nalm.unit("nmu", 2, 1), single_module("mul"), Recipe(), 0)
COMPILING = compiling_of(NMU.model, NMU.recipe)
NAU = Run(nalm.unit("nau", 2, 1), single_module("add"), Recipe(), 0)


def test_a_block_costs_the_same_however_few_of_its_runs_are_wanted():
    one = seconds([(NMU, 1)], 1)
    assert one == seconds([(NMU, BLOCK)], 1)
    assert one == pytest.approx(COMPILING + BLOCK * 50_000 * cost_of(NMU.model, NMU.recipe) * 1e-9)
    assert seconds([(NMU, BLOCK + 1)], 1) == pytest.approx(2 * one - COMPILING)


def test_runs_that_share_a_program_share_its_blocks():
    """They draw the same numbers, so both together cost far less than each alone."""
    other = Run(NMU.model, single_module("mul", "U[10,20)"), NMU.recipe, 0)
    assert seconds([(NMU, 25), (other, 25)], 1) < 1.2 * seconds([(NMU, 25)], 1)


def test_cores_share_the_work_and_the_longest_block_is_the_least():
    both = [(NMU, 1), (NAU, 1)]
    assert seconds(both, 2) == max(seconds([run], 1) for run in both)
    assert seconds(both, 9) == seconds(both, 2)
    assert seconds([], 2) == 0


def test_the_longest_blocks_are_started_first():
    short = replace(NMU, recipe=Recipe(steps=1000))
    cut = longest_first([short, NMU, short, replace(NMU, seed=1)])
    assert [[run.recipe.steps for run in block] for block in cut] == [[50_000] * 2, [1000] * 2]


def test_costs_grow_with_the_size_and_unknown_units_have_one():
    sizes = [cost_of(nalm.unit("nmu", n, 1), Recipe()) for n in (2, 4, 8, 16)]
    assert sizes == sorted(sizes)
    measured = {cost.size: cost.ns for cost in _costs()["fused", "nmu"]}
    assert sizes[0] == pytest.approx(measured[4])
    assert cost_of(nalm.unit("quadratic", 2, 1), Recipe()) > 0


def test_the_more_runs_share_their_samples_the_less_each_costs():
    """What was measured of the nearest number of runs counts."""
    stack = nalm.Stack((nalm.unit("nau", 100, 2), nalm.unit("nmu", 2, 1)))
    each = [cost_of(stack, Recipe(), Shape(group)) for group in (1, 2, 4, 6)]
    assert each == sorted(each, reverse=True)
    assert cost_of(stack, Recipe(), Shape(7)) == each[-1] < 0.8 * each[1]


def test_every_experiment_has_an_estimate():
    rows = {row["name"]: row["seconds"] for row in experiment_rows()}
    assert min(rows.values()) > 0
    assert rows["single-module"] < rows["single-module-10"] < rows["single-module-100"]


def test_more_workers_take_less_time():
    few, more = (experiment_details("arithmetic-dataset", n)["seconds"] for n in (2, 20))
    assert few / 11 < more < few / 8
    with pytest.raises(InputError, match="workers is a whole number"):
        experiment_details("arithmetic-dataset", 0)
