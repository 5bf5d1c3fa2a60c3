"""The experiments on compositions."""

from typing import Any

import numpy as np
import pytest

from nalm import bench
from nalm.experiments import EXPERIMENTS
from nalm.experiments.composition import architectures, ours, tasks
from nalm.experiments.experiment import select
from nalm.experiments.published import published_rates
from nalm.networks import scratchpad
from nalm.sweeps.formulas import UNDECIDED, Formulas
from nalm.sweeps.statistics import Verdicts
from nalm.tasks import composition


def test_thirteen_networks_on_sixteen_compositions():
    cells = EXPERIMENTS["composition"].cells()
    assert len(architectures()) == 13
    assert len(cells) == 13 * 16
    assert {cell.recipe.optimizer.name for cell in cells} == {"sgd"}
    assert len(EXPERIMENTS["composition-three"].cells()) == len(tasks(3)) == 64


def test_counts_in_print():
    rates = published_rates("composition")
    assert {rate.key for rate in rates} <= {c.key for c in EXPERIMENTS["composition"].cells()}
    correct = dict.fromkeys(architectures(), 0)
    for rate in rates:
        correct[rate.key.unit] += int(rate.estimate.value)
    found = {name: count for name, count in correct.items() if count}
    assert found == {"gated nau-nmu": 4, "recurrent nau-nau-nmu": 5, "frozen": 7}


def test_our_network_learns_what_the_thesis_could_not(tmp_path):
    table = bench(
        "composition-beyond", ops=["sub-mul", "div-sub"], settings=[""], seeds=1, out=tmp_path
    )
    assert [(cell.successes, cell.equal) for cell in table.cells()] == [(1, 1), (1, 1)]


def test_a_failed_network_says_what_it_would_be_with_its_weights_rounded():
    model = scratchpad("MA", 4)
    params = model.init(np.random.default_rng(0), np.float32)
    task = composition("add-mul")
    curves: Any = type("Ended", (), {"best": params, "final": params})()
    text = Formulas().text(model, task, ours(model), curves)
    assert text.startswith(f"{UNDECIDED}; rounded: ")
    assert Verdicts().of(model, task, curves) is False


@pytest.mark.parametrize("name", ["composition", "composition-beyond"])
def test_settings_are_told_apart(name):
    cells = EXPERIMENTS[name].cells()
    assert len({cell.key for cell in cells}) == len(cells)


def test_a_unit_selects_the_networks_that_are_made_of_it():
    cells = EXPERIMENTS["composition"].cells()
    names = {cell.name for cell in select(cells, ["nmu"], ["mul-mul"], None)}
    assert names == {"stack nau-nmu", "gated nau-nmu", "recurrent nau-nau-nmu"}
