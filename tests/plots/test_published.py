"""The pictures of the papers by numbers: each shows what its source says that it shows."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nalm
from making import Prepared, curves_of
from nalm import plots
from nalm.errors import InputError, StoreError
from nalm.networks import Stack
from nalm.networks.layers import flatten
from nalm.plots import Gates, Grid, Landscape, Panels, Surfaces, Trajectories
from nalm.plots.published import division_singularity
from nalm.plots.runs import gated_layer, mean_gate
from nalm.sweeps import Cell, Store
from nalm.sweeps.store.rows import RunKey
from nalm.tasks import single_module
from nalm.training import Curves
from nalm.training.packing import pack
from report_cases import RECIPE


def panels(name: str, **numbers) -> tuple:
    found = plots.picture(name, **numbers)
    assert isinstance(found, Panels)
    return found.pictures


def at(axis: np.ndarray, value: float) -> int:
    found = int(np.argmin(np.abs(axis - value)))
    assert axis[found] == pytest.approx(value)
    return found


def test_the_naive_npu_has_no_gradient_where_w2_is_large():
    """Figure 2.14: beyond w2 = 0.75 the gradient of the NaiveNPU vanishes, that of the NPU not."""

    def share(found: Landscape) -> float:
        """The gradient beyond w2 = 0.75, in comparison with that of negative w2."""
        right = found.first >= 0
        beyond, negative = found.second > 0.75, found.second < 0
        norm = found.gradient_norm[:, right]
        return float(np.median(norm[beyond]) / np.median(norm[negative]))

    naive, half, _ = panels("npu-gradients", points=25)
    assert share(naive) < 1e-3
    assert share(half) > 0.3
    equal, *_ = panels("npu-gradients", points=25, largest=2.0)  # inputs that are not near zero
    assert share(equal) > 10 * share(naive)
    with pytest.raises(InputError, match="largest is a number above 0; received 0"):
        plots.picture("npu-gradients", largest=0)


def test_only_the_nmru_has_no_singularity():
    """Figure 5.18: the error of Real NPU and NRU explodes at w1 = 0, that of the NMRU does not."""
    found = division_singularity((1e-5, 1e-3, 0.1), step=0.05).pictures
    npu, nru, nmru = (grid for grid in found if isinstance(grid, Grid))
    for grid in (npu, nru, nmru):
        one = at(grid.y, 1.0)
        for w1 in (1.0, -1.0):  # both solutions that the source names
            assert grid.values[0, one, at(grid.x, w1)] < 1e-3
    peaks = npu.values.max(axis=(1, 2))
    assert np.all(np.diff(peaks) < 0)  # the ridge falls as ε grows
    assert peaks[0] > 1e9
    assert not np.isfinite(nru.values[0, at(nru.y, -1.0), at(nru.x, 0.0)])
    assert nmru.values.max() < 20
    assert nmru.y[0] == 0


def test_penalties_are_zero_at_their_goals():
    """Figure 2.11: at -1, 0 and 1; from the step 4 to 6; beyond -20 and 20."""
    nau, ramp, inalu = (picture.series[0] for picture in panels("penalties"))
    assert np.interp([-1, -0.5, 0, 0.5, 1], nau.x, nau.y) == pytest.approx([0, 0.5, 0, 0.5, 0])
    assert np.interp([0, 4, 5, 6, 10], ramp.x, ramp.y) == pytest.approx([0, 0, 0.5, 1, 1])
    ends = [-30, -20, -10, 0, 10, 20, 30]
    assert np.interp(ends, inalu.x, inalu.y) == pytest.approx([0, 0, 0.5, 1, 0.5, 0, 0])


def test_the_error_of_the_approximate_mean_has_the_published_size():
    """Figure 5 of the NMU paper: the legend goes from 0 to -0.06."""
    found = plots.picture("moments")
    assert isinstance(found, Grid)
    errors = found.values[0]
    assert -0.06 < errors.min() < -0.04
    assert errors.max() < 0.02
    assert np.abs(errors[:, 0]).max() < 1e-3  # small weights


def test_the_gate_decides_which_operation_is_read():
    """Figure 9: a gate of each run, near 1 or 0 once it has decided."""
    task = single_module("add")
    stack = Stack((nalm.unit("nau", 2, 2), nalm.unit("nalu", 2, 1)))
    open_, closed = ([{"weight": np.eye(2)}, {"gate": np.full((1, 2), g)}] for g in (50.0, -50.0))
    assert mean_gate(stack, open_, task) == pytest.approx(1)
    assert mean_gate(stack, closed, task) == pytest.approx(0)
    assert gated_layer(stack) == 1
    assert gated_layer(nalm.unit("nmu", 2, 1)) is None


def kept(folder: Path, cell: Cell, *curves: Curves) -> Path:
    """Store runs of a cell with these curves."""
    with Store(folder) as store:
        (planned,) = store.plan("mine", [cell], range(len(curves)))
        runs = [RunKey(planned.setup, seed) for seed in range(len(curves))]
        store.add(runs, [pack([each]) for each in curves])
    return folder


def test_gates_of_stored_runs(tmp_path):
    stack = Stack((nalm.unit("nac", 2, 2), nalm.unit("nalu", 2, 1)))
    drawn = flatten(stack, stack.init(np.random.default_rng(0)))
    opened = drawn | {"0.w_hat": np.full((2, 2), 9.0), "0.m_hat": np.full((2, 2), 9.0)}
    runs = [
        replace(curves_of(), best=best, final=best)
        for best in (opened | {"1.gate": np.full((1, 2), g)} for g in (50.0, -50.0))
    ]
    folder = kept(tmp_path, Cell("nalu", stack, single_module("add"), RECIPE, threshold=1.0), *runs)
    (found,) = panels("gate-histograms", results=str(folder))
    assert isinstance(found, Gates)
    assert found.gates == pytest.approx([1, 0])
    assert found.title == "nalu, add: 2 of 2 runs solved (1.00 [0.34, 1.00])"
    with pytest.raises(InputError, match="no run that has kept the way of two weights"):
        plots.picture("weight-paths", results=str(folder))


def test_paths_of_stored_runs(tmp_path):
    """Figure 4.11: the way of the weights of units behind networks that read digits."""
    lines = [np.linspace(start, end, 5) for start, end in ((0.3, 1.0), (0.4, 0.0))]
    ways = [np.stack([line, line], axis=-1)[:, None] for line in lines]
    runs = [replace(curves_of(), series={"weights weight": way.astype("float32")}) for way in ways]
    cell = Cell("nmu", nalm.unit("nmu", 2, 1), single_module("mul"), RECIPE, threshold=1.0)
    (found,) = panels("weight-paths", results=str(kept(tmp_path, cell, *runs)))
    assert isinstance(found, Trajectories)
    assert found.path[:, [0, -1], 0] == pytest.approx(np.array([[0.3, 1], [0.4, 0]]))
    assert found.succeeded.tolist() == [True, False]
    assert found.title == "nmu: 1 of 2 seeds reach the goal (0.50 [0.09, 0.91])"
    assert plots.paths_of(tmp_path, goal=(0, 0)).pictures[0].title.startswith("nmu: 1 of 2")


def test_results_without_gates_or_paths_are_refused(tmp_path):
    recipe = {"steps": 1000, "log_every": 500, "evaluation": 20}
    results = nalm.train("nmu", single_module("mul"), recipe, seeds=1, executor=Prepared())
    with pytest.raises(InputError, match="no run of a model whose gate sees its inputs"):
        plots.gates_of(results)
    with pytest.raises(StoreError, match="has no results"):
        plots.paths_of(tmp_path)


def test_paths_lead_to_the_goal():
    """Figures 4.11 and 4.15: the sNMU ends at (1, 1), from starts that are all different."""
    for found in panels("weight-paths", seeds=3, steps=4000):
        assert isinstance(found, Trajectories)
        assert np.unique(found.path[:, 0], axis=0).shape == (3, 2)
        assert found.path[:, -1] == pytest.approx(np.ones((3, 2)), abs=0.1)
        assert found.title.endswith("3 of 3 seeds reach the goal (1.00 [0.44, 1.00])")


@pytest.mark.slow
def test_the_labels_of_published_surfaces():
    """Figures 1.3 and 1.6: what extrapolates is the unit, and the networks do not."""
    sums = plots.picture("surface-add", step=6.0, steps=1000)
    assert isinstance(sums, Surfaces)
    add = {panel.name: panel.label for panel in sums.panels}
    assert add["nau, seed 0"] == "TT"
    assert sum(name.startswith("MLP of width 4") for name in add) == 3
    assert add["MLP of width 100, seed 0"][1] == "F"
    div = plots.picture("surface-div", step=1.0, steps=1000)
    assert isinstance(div, Surfaces)
    exact, narrow, wide = div.panels
    zero = at(div.axis, 0.0)
    assert np.isnan(exact.values[zero]).all()  # nothing is divided by 0
    assert np.isfinite(np.delete(exact.values, zero, axis=0)).all()
    assert (narrow.label, wide.label[1]) == ("FF", "F")
