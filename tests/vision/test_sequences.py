"""Sequences of pictures: the network, what is learnt, how lengths are judged, and resuming."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
import torch

import nalm
from making import Prepared, curves_of
from nalm.errors import InputError, NalmError
from nalm.experiments import get
from nalm.experiments.digit_sequences import student_limit
from nalm.experiments.pictures import Pictures
from nalm.report import write_report
from nalm.sweeps.executors import Finished
from nalm.tasks import Grid
from nalm.training.packing import pack
from nalm.training.run import Run
from nalm.training.saving import Saving
from nalm.vision import DigitSequences, NumberReader, SequenceNetwork
from nalm.vision.sequence_lesson import SequenceLesson, cut, running

TASK = DigitSequences("mul", data="digits", train=Grid(1, 9), lengths=(1, 2, 5))


def run_of(unit="nmu", task: DigitSequences = TASK, seed=1, steps=60) -> Run:
    model = nalm.unit(unit, 2, 1)
    recipe = task.usual_recipe(model).stretched(steps).replace(log_every=20, evaluation=100)
    return Run(model, task, recipe, seed)


def trained(run: Run, found: bytes | None = None):
    states: list[bytes] = []
    (curves,) = run.trainer.train([run], lambda *_: None, Saving(states.append, found=found))
    return curves, states


@lru_cache
def undisturbed():
    return trained(run_of("snmu"))


def test_the_reader_has_the_published_parameters():
    counts = [sum(p.numel() for p in layer.parameters()) for layer in NumberReader(28).children()]
    assert counts == [520, 25_050, 400_500, 501]
    assert NumberReader(8)(torch.zeros(3, 1, 8, 8)).shape == (3,)


def numpy_lstm(lstm: torch.nn.LSTM, values: np.ndarray) -> np.ndarray:
    """Return the hidden numbers of an LSTM, written out."""
    w, u, b, c = (p.detach().numpy().astype(float) for p in lstm.parameters())
    hidden, cell, found = np.zeros(len(values)), np.zeros(len(values)), []
    for x in values.T:
        i, f, g, o = (w[:, :1] @ x[None] + u @ hidden[None] + (b + c)[:, None]).reshape(4, -1)
        sigmoid = lambda z: 1 / (1 + np.exp(-z))  # noqa: E731
        cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
        hidden = sigmoid(o) * np.tanh(cell)
        found.append(hidden)
    return np.stack(found, 1)


def test_cells_accumulate_as_written_out_in_numpy():
    values = np.random.default_rng(0).uniform(1, 9, (4, 6)).astype("float32")
    for name, start, weights in (("nmu", 1.0, (0.9, 0.7)), ("nau", 0.0, (0.5, -0.3))):
        head = getattr(nalm.torch, name.upper())(2, 1)
        head.weight.data = torch.tensor([weights])
        network = SequenceNetwork(NumberReader(8), head, start)
        states, seen = network.accumulate(torch.from_numpy(values))
        wanted, state = [], np.full(4, start)
        for x in values.T.astype(float):
            a, b = weights
            state = (a * x + 1 - a) * (b * state + 1 - b) if name == "nmu" else a * x + b * state
            wanted.append(state)
        assert np.allclose(states.detach().numpy(), np.stack(wanted, 1), rtol=1e-5)
        assert np.allclose(seen[..., 0].detach().numpy(), values)
        assert np.allclose(seen[:, 1:, 1].detach().numpy(), states[:, :-1].detach().numpy())
    network = SequenceNetwork(NumberReader(8), nalm.torch.NMU(2, 1), 1.0, lstm=True)
    assert network.lstm is not None
    states, _ = network.accumulate(torch.from_numpy(values))
    assert np.allclose(states.detach().numpy(), numpy_lstm(network.lstm, values), atol=1e-6)
    assert states.abs().max() < 1


def test_sequences_are_of_the_right_digits_and_cut_once_or_anew():
    for fixed in (True, False):
        task = replace(TASK, fixed=fixed)
        recipe = run_of(task=task).recipe
        lesson = SequenceLesson(task, nalm.unit("nmu", 2, 1), recipe, 0)
        epochs = [
            np.concatenate([lesson._chosen(e * lesson.steps + s) for s in range(lesson.steps)])
            for e in range(2)
        ]
        for chosen in epochs:
            assert len(np.unique(chosen)) == chosen.size
            assert lesson.labels[chosen].min() >= 1
            assert chosen.max() < 1347 - 112
        first, second = ({tuple(row) for row in chosen} for chosen in epochs)
        assert (len(first & second) > 0.8 * len(first)) == fixed
    assert cut(np.arange(7), 3).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert running("mul", np.full((1, 20), 9))[0, -1] == 9.0**20


def test_every_length_is_judged_of_the_same_readings():
    curves, _ = undisturbed()
    assert curves.series["test mse 2"].tolist() == curves.test.tolist()
    assert curves.series["validation mse"].tolist() == curves.validation.tolist()
    for length in TASK.lengths:
        found = TASK.judged(curves, TASK.label(length))
        assert found.test.tolist() == curves.series[f"test mse {length}"].tolist()
    assert TASK.judged(curves, "8×8 digits") is curves
    assert curves.series["weights weight"].shape == (4, 1, 2)
    assert curves.arrays["shown pictures"].shape == (6, 2, 8, 8)


def test_a_resumed_run_has_the_same_bits():
    whole, states = undisturbed()
    assert len(states) == 2
    for state in states:
        assert pack([trained(run_of("snmu"), state)[0]]) == pack([whole])


def test_the_exact_accumulator_and_the_lstm_leave_the_unit_alone():
    given, _ = trained(run_of(task=replace(TASK, given=True), steps=20))
    assert given.final["weight"].tolist() == [[1.0, 1.0]]
    lstm, _ = trained(run_of("linear", task=replace(TASK, lstm=True), steps=20))
    assert np.array_equal(lstm.series["weights weight"][0], lstm.series["weights weight"][-1])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": "div"}, "'mul' or 'add'"),
        ({"length": 0}, "length"),
        ({"lengths": ()}, "lengths are whole numbers"),
        ({"lengths": (1, 5)}, "also tested"),
        ({"lstm": "yes"}, "lstm is True or False"),
        ({"lstm": True, "given": True}, "received both"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(options, said):
    with pytest.raises(InputError, match=said):
        DigitSequences(**{"target": "mul", "data": "digits", "train": Grid(1, 9), **options})


def test_a_unit_of_another_arity_is_refused():
    with pytest.raises(InputError, match="takes 3 inputs"):
        Run(nalm.unit("nmu", 3, 1), TASK, run_of().recipe, 0)


class Sequences(Prepared):
    """Answers at once: the exact accumulator has errors 1, 2, 3 by seed, others 2 and 100."""

    def execute(self, orders, watch):
        for order in orders:
            yield Finished(order.block, [pack([self.curves(run)]) for run in order.block])

    def curves(self, run):
        curves = curves_of(5)
        error = 1.0 + run.seed if run.task.given else (100.0 if run.task.lstm else 2.0)
        for length in run.task.lengths:
            curves.series[f"test mse {length}"] = np.full(5, error * length, "float32")
        curves.series["test digit rounded"] = np.linspace(0, 1, 5, dtype="float32")
        curves.series["weights weight"] = np.ones((5, 1, 2), "float32")
        pair, number = np.ones((2, 2), "float32"), np.ones(2, "float32")
        curves.arrays.update(
            {
                "shown pictures": np.zeros((2, 2, 8, 8), np.uint8),
                "shown digits": pair.astype(np.int64),
                "shown values": pair,
                "shown outputs": number,
                "shown targets": number,
                "shown right": np.array([True, False]),
            }
        )
        return curves


def test_reference_runs_decide_what_is_solved_at_each_length(tmp_path):
    results = nalm.bench(
        "mnist-sequential-product",
        data="digits",
        units=["nmu", "lstm"],
        settings="",
        seeds=3,
        epochs=2,
        out=tmp_path,
        executor=Sequences(),
    )
    limit = student_limit(np.array([1.0, 2.0, 3.0]))
    assert limit == pytest.approx(2 + 6.9646 / np.sqrt(3), rel=1e-4)
    found = {(cell.key.unit, cell.key.range): cell for cell in results.cells()}
    assert len(found) == 40
    for length in range(1, 21):
        assert found["nmu", f"8×8, length {length}"].successes == 3
        assert found["lstm", f"8×8, length {length}"].successes == 0
    page = write_report(tmp_path, figures=tmp_path / "figures").read_text(encoding="utf-8")
    assert "Success by the length of the sequence" in page
    assert 'data-panel="success_rate"' not in page
    assert (tmp_path / "figures" / "mnist-sequential-product-lengths.svg").stat().st_size > 1000
    assert student_limit(np.array([1.0])) == 0


def test_limits_need_two_reference_runs(tmp_path):
    results = nalm.bench(
        "mnist-sequential-sum", data="digits", units="nau", settings="", seeds=1, epochs=2,
        out=tmp_path, executor=Sequences(),
    )  # fmt: skip
    assert {cell.successes for cell in results.cells()} == {0}


def test_published_sizes_and_lengths():
    product, total = get("mnist-sequential-product"), get("mnist-sequential-sum")
    products: dict[str, Any] = {cell.name: cell.task for cell in product.cells()}
    sums: list[Any] = [cell.task for cell in total.cells()]
    assert {task.length for task in products.values()} == {2}
    assert {task.lengths[-1] for task in sums} == {1000}
    assert all(task.fixed for task in products.values())
    starts = {name: task.begins for name, task in products.items()}
    assert (starts["nalu"], starts["nmu"], starts["nac_mul"]) == (0.0, 1.0, 1.0)
    shown = product.pictured(Pictures("digits", epochs=5))
    assert len(shown.references(shown.cells())) == 1
    with pytest.raises(NalmError, match="at least 1"):
        product.pictured(Pictures("digits", epochs=0))
