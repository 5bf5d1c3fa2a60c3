"""The common suite of pictures: each of the catalogue is made and drawn; some by numbers."""

import dataclasses
import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import nalm
from nalm import plots
from nalm.errors import InputError, NalmError, UnknownNameError
from nalm.plots import PICTURES, Gates, Grid, Landscape, Lines, Panels, Picture, Starts, Surfaces
from nalm.plots.published import nac_singularity
from nalm.tasks import Task, single_module
from nalm.units import BINARY, Multiplicative, Uniform

SMALL = {
    "nmu-landscape": {"points": 6},
    "npu-gradients": {"points": 5},
    "start-grids": {"points": 3, "steps": 20},
    "two-layers-nac": {"epsilons": (1e-7, 1.0), "step": 0.5},
    "two-layers-nmu": {"step": 0.5},
    "two-layers-division": {"epsilons": (1e-5, 0.1), "step": 0.5},
    "weight-paths": {"seeds": 2, "steps": 20},
    "nalu-weights": {"points": 5},
    "gold-errors": {"exponents": (-2, 0)},
    "moments": {"points": 3, "samples": 1000},
    "landscape": {"points": 5},
    "starts": {"points": 3, "steps": 20},
    "trajectories": {"seeds": 2, "steps": 20},
    "effective": {"points": 5},
}
"""Numbers that make a picture quickly."""
TRAINED = {
    "surface-mul": {"step": 3.0, "steps": 1000},
    "surface-add": {"step": 3.0, "steps": 1000},
    "surface-sub": {"step": 3.0, "steps": 1000},
    "surface-div": {"step": 3.0, "steps": 1000},
    "gate-histograms": {"seeds": 1, "steps": 1000},
    "identity-curves": {"activations": ("sigmoid",), "steps": 1000},
    "surface": {"step": 3.0},
    "gates": {"seeds": 1, "steps": 1000},
}
"""Those that train in processes of their own: their functions are tested below."""


def parts(picture: Picture) -> list[Picture]:
    return list(picture.pictures) if isinstance(picture, Panels) else [picture]


@pytest.mark.parametrize("name", [name for name in PICTURES if name not in TRAINED])
def test_a_picture_is_made_and_drawn(name, tmp_path):
    picture = plots.picture(name, **SMALL.get(name, {}))
    assert picture.title
    for still in (False, True):
        chart = picture.chart(still=still)
        json.dumps(chart.to_dict(), allow_nan=False)  # which altair validates
    with pytest.raises(FrozenInstanceError):
        picture.title = "another"  # pyright: ignore[reportAttributeAccessIssue]
    written = picture.save(tmp_path / f"{name}.json")
    assert "vega-lite" in json.loads(written.read_text())["$schema"]


def test_every_entry_says_what_it_is():
    assert len(PICTURES) == len({entry.what for entry in PICTURES.values()})
    for entry in PICTURES.values():
        assert entry.source
        assert set({**SMALL, **TRAINED}.get(entry.name, {})) <= set(entry.numbers)
    published = [entry for entry in PICTURES.values() if entry.is_published]
    assert len(published) == 18


def test_files_of_every_kind(tmp_path):
    picture = plots.penalty("nmu")
    starts = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF", "html": b"<!doctype html>"}
    for ending, start in starts.items():
        written = picture.save(tmp_path / f"penalty.{ending}").read_bytes()
        assert written.lstrip().startswith(start)
        assert ending != "html" or b'src="http' not in written
    with pytest.raises(InputError, match=r"written as \.html, .*; received 'penalty\.gif'"):
        picture.save(tmp_path / "penalty.gif")


def test_the_landscape_of_figure_4_1_is_zero_at_both_printed_minima():
    found = plots.picture("nmu-landscape", points=16)  # every 1/6 from -1 to 1.5
    assert isinstance(found, Landscape)
    assert [mark[:2] for mark in found.marks][:2] == [(1.0, 1.0), (-1 / 6, -0.5)]
    for first, second in ((1.0, 1.0), (-1 / 6, -0.5)):
        i = int(np.argmin(np.abs(found.second - second)))
        j = int(np.argmin(np.abs(found.first - first)))
        assert found.loss[i, j] < 1e-9
        assert found.gradient_norm[i, j] < 1e-3
    zero = int(np.argmin(np.abs(found.first)))
    assert found.loss[zero, zero] == pytest.approx((1 - 3.6) ** 2)
    assert found.gradient[zero, zero] == pytest.approx([-2 * -2.6 * 3 * -1 * -1, 2 * 2.6 * 2.8])
    assert found.lowest != (0.0, 0.0)


def test_more_starts_of_the_snmu_succeed_than_of_the_nmu():
    """Figure 4.3 with 441 starts each: all end at (1, 1) or, clipped, at (0, 0)."""
    found = plots.picture("start-grids")
    assert isinstance(found, Panels)
    nmu, snmu = found.pictures
    assert isinstance(nmu, Starts)
    assert isinstance(snmu, Starts)
    for grid in (nmu, snmu):
        assert len(grid.start) == grid.rate.n == 441
        assert set(map(tuple, grid.end.round(2).tolist())) == {(0.0, 0.0), (1.0, 1.0)}
    assert nmu.rate.low < 336 / 441 < nmu.rate.high
    assert snmu.rate.low > nmu.rate.high
    assert "336 of 441 starts succeed (0.76 [0.72, 0.80])" in nmu.title


def test_the_ridge_of_figure_2_13_grows_as_epsilon_falls():
    epsilons = (1e-7, 1e-3, 0.1, 1.0)
    found = nac_singularity(epsilons, step=0.05)
    steep = np.mean(found.values > 500, axis=(1, 2))
    peaks = np.max(found.values, axis=(1, 2))
    assert np.all(np.diff(steep) <= 0)
    assert steep[0] > steep[2] > steep[3] == 0
    assert np.all(np.diff(peaks) < 0)
    assert peaks[0] > 1e20
    corner = found.values[:, -1, -1]  # w1 = w2 = 1 is exact but for ε
    assert corner[0] == pytest.approx(0, abs=1e-4)
    printed = plots.picture("two-layers-nmu", step=0.25)
    assert isinstance(printed, Grid)
    assert printed.values.max() < 500


def test_gates_of_the_real_npu_change_where_gradients_vanish():
    found = plots.picture("npu-gradients", points=13)
    assert isinstance(found, Panels)
    _, half, solved = found.pictures
    assert isinstance(solved, Landscape)
    assert isinstance(half, Landscape)
    assert np.ptp(solved.gradient_norm, axis=0) == pytest.approx(0, abs=1e-3)  # w2 is ignored
    at_one = int(np.argmin(np.abs(solved.first - 1)))
    assert solved.gradient_norm[:, at_one].max() < 1e-3
    assert np.ptp(half.gradient_norm, axis=0).min() > 0.01


def test_equations_by_numbers():
    noise = plots.batch_noise((0.25, 4.0), points=2).series[0]
    assert noise.y == pytest.approx([5.0, 1.25])
    nalu, golden = plots.picture("nalu-weights", points=21).pictures  # pyright: ignore[reportAttributeAccessIssue]
    assert nalu.values[0, -1, -1] == pytest.approx(1, abs=1e-4)
    steepest = (np.abs(np.diff(grid.values)).max() for grid in (golden, nalu))
    assert next(steepest) < 0.7 * next(steepest)  # smoother
    gold = plots.gold(["real_npu", "real_npu(epsilon=0.0)", "nru"], "div", exponents=(-4, 0))
    npu, without, nru = (series.y for series in gold.series)
    assert npu[0] > 1e6 * without[0] > 1e3 * nru[0]


class Twice(Multiplicative):
    """A custom unit: a product with weights that count twice."""

    represents = ("mul",)
    discrete = {"weight": BINARY}

    @property
    def parameters(self):
        return {"weight": self.matrix(Uniform(0.0, 0.5), (0.0, 0.5))}

    def transform(self, xp, params):
        return {"weight": 2 * params["weight"]}

    def forward(self, xp, params, x, train, noise):
        W = 2 * params["weight"]
        return xp.prod(W * xp.expand_dims(x, axis=-2) + 1 - W, axis=-1)

    def represent(self, op, weight):
        return {"weight": weight / 2}


def test_custom_units_and_tasks_of_functions():
    task = single_module("mul", "U[-2,2)")
    found = plots.landscape(Twice, task, first=(0.0, 0.5), points=11)
    assert found.lowest == (0.5, 0.5)
    assert found.marks[0][:2] == (0.5, 0.5)
    ended = plots.starts(Twice(2, 1), task, ends=(0.3, 0.5), points=3, steps=2000)
    assert ended.rate.value == 1.0
    product = Task(lambda a, b: a * b, train="U[1,2)", test="U[2,6)")
    assert plots.landscape("nmu", product, first=(0.0, 1.0), points=5).lowest == (1.0, 1.0)
    stack = nalm.Stack((nalm.unit("nau", 2, 1), nalm.unit("nmu", 1, 1)))
    params = [{"weight": np.ones((1, 2))}, {"weight": np.ones((1, 1))}]
    add = single_module("add")
    over = plots.landscape(
        stack,
        add,
        weights=("0.weight[0,0]", "1.weight[0,0]"),
        params=params,
        first=(0, 1),
        points=5,
    )
    assert over.lowest == (1.0, 1.0)


@pytest.mark.slow
def test_surfaces_have_the_labels_of_the_paper():
    """Figure 1 of the sNMU paper: the NMU holds everywhere, the narrow network nowhere."""
    found = plots.picture("surface-mul", step=2.0, steps=5000)
    assert isinstance(found, Surfaces)
    exact, nmu, narrow, wide = found.panels
    assert (nmu.label, narrow.label) == ("TT", "FF")
    assert wide.label[1] == "F"
    assert exact.label == ""
    np.testing.assert_allclose(nmu.values, exact.values, atol=1e-3)
    assert (found.training, found.test) == (((1.0, 2.0),), ((2.0, 6.0),))
    found.chart().to_dict()


@pytest.mark.slow
def test_a_sigmoid_network_does_not_repeat_inputs_beyond_its_range():
    gates = Gates("gates of three runs", np.array([0.0, 0.5, 1.0]), np.array([True, False, True]))
    gates.chart().to_dict()
    curves = plots.picture("identity-curves", **TRAINED["identity-curves"])
    assert isinstance(curves, Lines)
    target, sigmoid = (series.y for series in curves.series)
    inside, outside = curves.series[0].x < 10, curves.series[0].x > 15
    error = np.abs(sigmoid - target)
    assert error[outside].min() > 2 * error[inside].mean()
    curves.chart().to_dict()


def extent(chart: dict, channel: str) -> tuple[float, float]:
    """Return the ends of what a chart draws along a channel, x or y."""
    names = (channel, f"{channel}2")
    rows = [row for layer in chart["layer"] for row in values_of(layer)]
    found = [row[name] for row in rows for name in names if name in row]
    return min(found), max(found)


def values_of(layer: dict) -> list[dict]:
    inner = [row for part in layer.get("layer", ()) for row in values_of(part)]
    return layer.get("data", {}).get("values", []) + inner


def test_a_landscape_is_not_shrunk_by_marks_outside_of_it():
    weights = ("w_hat[0,0]", "w_hat[0,1]")  # exact where tanh is 1, at 1000
    found = plots.landscape("nac_mul", single_module("mul"), weights=weights, points=5)
    assert found.marks[0].x > 100
    for channel in "xy":
        low, high = extent(found.chart().to_dict(), channel)
        assert -1.5 < low < high < 2
    inside = plots.landscape("nmu", single_module("mul"), points=5)
    assert "exact" in json.dumps(inside.chart().to_dict())


@pytest.mark.parametrize("shown", ["loss", "gradient"])
def test_a_landscape_shows_the_finite_losses(shown):
    line, loss = np.linspace(0, 1, 3), np.full((3, 3), np.inf)
    finite = Landscape("few", ("a", "b"), line, line, loss.copy(), np.full((3, 3, 2), np.nan))
    finite.loss[0] = 1.0, 2.0, np.nan
    finite.gradient[0] = 1.0
    assert finite.lowest == (0.0, 0.0)
    found = dataclasses.replace(finite, shown=shown)
    rects = [row for row in values_of(found.chart().to_dict()) if "value" in row]
    assert rects
    assert all(np.isfinite(row["value"]) for row in rects)
    none = Landscape("none", ("a", "b"), line, line, loss, np.full((3, 3, 2), np.nan), (), shown)
    with pytest.raises(InputError, match=f"each {shown} of none is infinite or not a number here"):
        none.chart()


@pytest.mark.parametrize(
    ("train", "boxes"), [("U[-2,2)", 4), ("U[10,20)", 1), ("U[1e-3,1e-2)", 1), ("U[100,101)", 1)]
)
def test_the_boxes_of_a_surface_are_inside_its_axes(train, boxes):
    task = Task("mul", 2, train)
    found = plots.surfaces([], task)
    low, high = found.axis[0], found.axis[-1]
    ends = [end for interval in found.training + found.test for end in interval]
    assert low < min(ends) < max(ends) < high
    widths = [high - low for low, high in found.training + found.test]
    assert min(widths) > (high - low) / 40
    frames = [row for row in values_of(found.chart().to_dict()["concat"][0]) if "value" not in row]
    assert len(frames) == 1 + boxes


WRONG = [
    ("two-layers-nac", "step", 0, "step is a number from 0.002 to 2; received 0"),
    ("two-layers-nac", "epsilons", ["a"], "epsilons takes numbers; received 'a'"),
    ("surface", "step", -1.0, "step is a number from"),
    ("surface", "workers", 0, "workers is a whole number of at least 1; received 0"),
    ("starts", "points", 1, "points is a whole number from 2 to 1001; received 1"),
    ("starts", "points", 2.5, "points takes a whole number; received 2.5"),
    ("starts", "points", "many", "points takes a whole number; received 'many'"),
    ("starts", "steps", 0, "steps is a whole number of at least 1; received 0"),
    ("trajectories", "seeds", 0, "seeds is a whole number of at least 1; received 0"),
    ("trajectories", "steps", 0, "steps is a whole number of at least 1; received 0"),
    ("moments", "points", 1, "points is a whole number from 2 to 1001; received 1"),
    ("moments", "weights", 3, r"weights are two numbers, the smaller first; received \[3\]"),
    ("moments", "seed", -1, "seed is a whole number of at least 0; received -1"),
    ("gold-errors", "exponents", 400, "An exponent is a number from -37 to 37; received 400"),
    ("batch-noise", "ends", [2, 1], "ends are two numbers, the smaller first"),
    ("penalty", "name", "saturate", "nmu has no penalty 'saturate'"),
    ("landscape", "shown", "hills", "A landscape has no quantity 'hills'. Known: gradient, loss"),
    ("landscape", "first", ["1"], r"first are two numbers, the smaller first; received \[1.0\]"),
    ("starts", "learning_rate", 0, "learning_rate is a number above 0; received 0"),
    ("starts", "ends", "0", r"ends are two numbers, the smaller first; received \[0.0\]"),
    ("effective", "unit", "nmu", "over two parameters, here w_hat and m_hat; nmu has weight"),
]


@pytest.mark.parametrize(("name", "option", "value", "said"), WRONG)
def test_a_wrong_option_is_one_sentence(name, option, value, said):
    with pytest.raises(NalmError, match=said):
        plots.picture(name, **{option: value})


def test_options_are_read_as_declared():
    one = plots.picture("two-layers-nac", epsilons="0.1", step=0.5)
    assert isinstance(one, Grid)
    assert one.slices == (0.1,)
    assert plots.picture("gold-errors", exponents=-3).chart().to_dict()
    assert plots.picture("penalty", unit="inac", name="saturate").title == "inac: saturate"
    hills = plots.picture("landscape", first=["0", "1"], points=5, shown="gradient")
    assert isinstance(hills, Landscape)
    assert (hills.first[0], hills.second[-1], hills.shown) == (0, 1, "gradient")
    noise = plots.picture("batch-noise", ends=["0.5", "2"], points="3")
    assert isinstance(noise, Lines)
    assert noise.series[0].x.tolist() == [0.5, 1.25, 2.0]


def test_wrong_input_is_one_sentence():
    mul = single_module("mul")
    with pytest.raises(InputError, match=r"nalu has 6: w_hat\[0,0\].*Choose two of them"):
        plots.landscape("nalu", mul)
    with pytest.raises(InputError, match=r"weights are two of weight\[0,0\], weight\[0,1\]; rec"):
        plots.landscape("nmu", mul, weights=("weight[0,0]", "gate"))
    with pytest.raises(InputError, match=r"nac cannot compute mul \(it can: add, sub\)"):
        plots.landscape("nac", mul, weights=("w_hat[0,0]", "w_hat[0,1]"))
    with pytest.raises(InputError, match=r"nau has none for mul\. Pass goal"):
        plots.starts("nau", mul)
    with pytest.raises(InputError, match="nau has none for mul"):
        plots.trajectories("nau", mul)
    with pytest.raises(InputError, match="nau cannot compute div exactly; it can: add, sub"):
        plots.gold(["nau"], "div")
    with pytest.raises(InputError, match="A surface has two inputs; the task has 3"):
        plots.surfaces(["nmu"], single_module("mul", inputs=3))
    with pytest.raises(InputError, match="whose gate sees its inputs, such as nalu; nmu has none"):
        plots.gates("nmu", mul)
    with pytest.raises(UnknownNameError, match="nmu has no penalty 'saturate'; it has: discretise"):
        plots.penalty("nmu", "saturate")
    with pytest.raises(UnknownNameError, match="Did you mean 'nmu-landscape'"):
        plots.picture("nmu-landscap")
    with pytest.raises(UnknownNameError, match="The picture moments has no option 'unit'"):
        plots.picture("moments", unit="nmu")
    with pytest.raises(InputError, match="A picture is of a"):
        plots.landscape("nmu", 3)  # pyright: ignore[reportArgumentType]


def test_a_missing_extra_is_one_sentence(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "altair", None)
    with pytest.raises(InputError, match=r"needs altair: pip install 'nalm\[report\]'"):
        plots.penalty("nmu").chart()
