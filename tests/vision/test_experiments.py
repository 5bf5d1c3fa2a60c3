"""The experiments with pictures: what can be chosen, what is refused, and how runs are compared."""

import json
from dataclasses import replace

import numpy as np
import pytest

import nalm
from making import Prepared, curves_of
from nalm.errors import InputError, NalmError
from nalm.experiments import EXPERIMENTS, get
from nalm.experiments.comparison import compare
from nalm.experiments.digit_images import PictureExperiment
from nalm.experiments.pictures import Pictures
from nalm.report import write_report
from nalm.sweeps import Quantity, summarize
from nalm.sweeps.executors import Finished
from nalm.sweeps.statistics import Outcome, student
from nalm.training.packing import pack

PICTURED = [name for name, each in EXPERIMENTS.items() if isinstance(each, PictureExperiment)]


@pytest.mark.parametrize("name", PICTURED)
def test_other_pictures_are_other_cells(name):
    published = get(name)
    small = published.pictured(Pictures("digits", epochs=3))
    assert len(small.cells()) == len(published.cells())
    assert not {cell.key for cell in small.cells()} & set(published.sizes)
    for cell in small.cells():
        assert cell.recipe.steps == 3 * cell.recipe.log_every
    lower = published.pictured(Pictures(precision="bfloat16"))
    assert all("bfloat16" in cell.setting for cell in lower.cells())
    elsewhere = published.pictured(Pictures(device="cuda"))
    assert {cell.key for cell in elsewhere.cells()} == set(published.sizes)


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("single-module", {"data": "digits"}, "has no pictures"),
        ("single-module", {"epochs": 3}, "has no pictures"),
        ("mnist-product", {"data": "nonsense"}, "no data set 'nonsense'"),
        ("mnist-product", {"data": "digits", "epochs": 0}, "at least 1"),
        ("mnist-product", {"data": "digits", "precision": "half"}, "no precision"),
        ("mnist-product", {"data": "digits", "folds": 2, "seeds": 3}, "one of seeds and folds"),
        ("mnist-product", {"data": "digits", "epochs": 2, "steps": 3}, "one of steps and epochs"),
        ("mnist-product", {"data": "digits", "folds": 11}, "at most 10 folds"),
        ("mnist-product", {"data": "digits", "folds": 0}, "seeds is a whole number"),
        ("mnist-product", {"data": "digits", "ops": "div"}, "0 divides nothing"),
        ("mnist-product", {"data": "digits", "recipe": {"optimizer": "sgd"}}, "trained by 'adam'"),
    ],
)
def test_what_does_not_fit_is_said_in_one_sentence_and_nothing_is_written(
    name, options, said, tmp_path
):
    with pytest.raises(NalmError, match=said):
        nalm.bench(name, out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_a_folder_without_the_files_of_mnist_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"train-images-idx3-ubyte.* lacks some"):
        nalm.bench("mnist-product", data=str(tmp_path), out=tmp_path / "out")


class Pictured(Prepared):
    """Answers at once, with curves as pictures have them: the accuracy follows from the fold."""

    def execute(self, orders, watch):
        for order in orders:
            yield Finished(order.block, [pack([self.curves(run.seed)]) for run in order.block])

    def curves(self, seed: int):
        curves = curves_of(12)
        line = np.linspace(0, 0.9 + 0.01 * seed, 12, dtype="float32")
        names = ("output exact", "output rounded", "output decimals", "output argmax",
                 "digit 1 rounded", "digit 2 rounded")  # fmt: skip
        curves.series.update(
            {f"{part} {name}": line for part in ("train", "test") for name in names}
        )
        curves.series["weights weight"] = np.ones((12, 1, 2), "float32")
        shown = np.zeros((3, 2, 8, 8), np.uint8)
        pair, number = np.ones((3, 2), "float32"), np.ones(3, "float32")
        curves.arrays.update(
            {
                "confusion": np.ones((2, 10, 10), np.int64),
                "shown pictures": shown,
                "shown digits": pair.astype(np.int64),
                "shown values": pair,
                "shown outputs": number,
                "shown targets": number,
                "shown right": np.array([True, False, True]),
            }
        )
        return curves


def test_accuracies_are_means_over_folds_and_written_everywhere(tmp_path):
    results = nalm.bench(
        "mnist-product",
        data="digits",
        units=["nmu", "mul"],
        folds=3,
        out=tmp_path,
        executor=Pictured(),
    )
    mul, nmu = results.cells()
    assert nmu.accuracy.value == pytest.approx(0.91)
    assert nmu.accuracy.n == 3
    assert 0.88 < nmu.accuracy.low < 0.9
    assert 0.92 < nmu.accuracy.high < 0.94
    assert (mul.equal, nmu.equal) == (None, 3)
    assert "0.910 [" in str(results)
    assert "8×8 digits is not published" in str(results)
    assert "accuracy" in results.to_latex()
    (row,) = (row for row in json.loads(json.dumps(results.records())) if row["unit"] == "nmu")
    assert row["accuracy"] == pytest.approx(0.91)
    page = write_report(tmp_path).read_text(encoding="utf-8")
    assert "The error is the share of results that are wrong." in page
    assert page.count("data:image/png;base64,") == 2 * 3 * 2
    for part in ("accuracy-by-step", "folds", "weights", "confusion"):
        assert f'data-picture="{part}"' in page


def test_published_accuracies_have_a_verdict_at_the_published_size():
    name = "mnist-division"
    sizes = get(name).sizes
    results = {p.key: p for p in get(name).cells()}
    nru = next(key for key in results if key.unit == "nru" and not key.setting)
    run = Outcome(True, 703, 0.0, 0.02, False, True)
    for mean, verdict in ((0.975, "agrees"), (0.5, "differs")):
        found = summarize(nru, sizes[nru].steps, [run] * 10)
        ours = student([mean + 1e-3 * i for i in range(-5, 5)], 0.0, 1.0)
        (cell,) = compare(name, sizes, [replace(found, accuracy=ours)])
        comparison = cell.comparison(Quantity.ACCURACY)
        assert comparison
        assert comparison.verdict.value == verdict
        short = replace(found, accuracy=ours, steps=703)
        (cell,) = compare(name, sizes, [short])
        assert cell.comparison(Quantity.ACCURACY).verdict.value == "not comparable"  # pyright: ignore[reportOptionalMemberAccess]
