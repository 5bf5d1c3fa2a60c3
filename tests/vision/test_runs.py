"""Runs that see pictures: trained, killed, resumed, stored and judged like any other."""

import signal
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import nalm
from making import BlockUnwatched
from nalm.errors import InputError
from nalm.sweeps.executors import Order
from nalm.sweeps.executors._process import Care, request
from nalm.sweeps.executors._steady import SteadyWorker
from nalm.training.packing import pack
from nalm.training.run import Run
from nalm.training.saving import Saving
from nalm.vision import DigitPairs, checkpoint

TASK = DigitPairs("mul", data="digits", each=2, through_one=True)


def run_of(unit: str = "nmu", epochs: int = 11, task: DigitPairs = TASK, **changes) -> Run:
    model = nalm.unit(unit, 2, 1)
    recipe = task.usual_recipe(model).stretched(epochs * 10).replace(log_every=10, batch=16)
    return Run(model, task, recipe.replace(evaluation=100, **changes), 3)


def trained(run: Run, found: bytes | None = None) -> tuple[bytes, list[bytes], list[int]]:
    states, steps = [], []
    saving = Saving(states.append, found=found)
    (curves,) = run.trainer.train([run], lambda done, _: steps.append(done), saving)
    return pack([curves]), states, steps


@lru_cache
def undisturbed() -> tuple[bytes, list[bytes], list[int]]:
    return trained(run_of("snmu"))


def test_a_run_is_saved_at_every_evaluation_and_goes_on_to_the_same_bits():
    whole, states, steps = undisturbed()
    assert steps == list(range(0, 111, 10))
    assert len(states) == 10
    for i, state in enumerate(states):
        again, later, steps = trained(run_of("snmu"), state)
        assert steps[0] == 10 * (i + 1)
        assert again == whole
        assert later == states[i + 1 :]


def test_a_state_that_is_damaged_or_of_another_run_starts_anew():
    whole, states, _ = undisturbed()
    state = states[3]
    other = trained(run_of("snmu", epochs=2))[1][0]
    for wrong in (b"", b"x", state[:-1], state[:90] + b"!" + state[91:], other):
        assert checkpoint.read(run_of("snmu"), wrong) is None
    assert trained(run_of("snmu"), other)[0] == whole


def test_what_is_measured_has_names():
    (curves,) = run_of(epochs=2).trainer.train(
        [run_of(epochs=2)], lambda *_: None, Saving(lambda _: None)
    )
    for part in ("train", "test"):
        for name in ("output exact", "output rounded", "output decimals", "output argmax",
                     "digit 1 exact", "digit 2 argmax", "mse"):  # fmt: skip
            assert curves.series[f"{part} {name}"].shape == (3,)
    assert curves.series["weights weight"].shape == (3, 1, 2)
    assert np.array_equal(curves.series["weights weight"][-1], curves.final["weight"])
    assert curves.arrays["confusion"].sum() == 2 * 20
    shown = curves.arrays["shown pictures"]
    assert shown.shape[1:] == (2, 8, 8)
    assert len(shown) == len(curves.arrays["shown outputs"])
    assert np.isnan(curves.loss[0])
    assert np.isfinite(curves.loss[1:]).all()


@pytest.mark.slow
def test_the_network_learns_to_read_from_products_alone():
    task = replace(TASK, each=10, given=True, through_one=False, right="rounded")
    run = run_of(epochs=30, task=task, penalties=(), batch=32)
    run = replace(run, recipe=run.recipe.replace(steps=400, log_every=200))
    (curves,) = run.trainer.train([run], lambda *_: None, Saving(lambda _: None))
    first, *_, last = curves.series["train digit 1 rounded"]
    assert last > first + 0.2
    assert np.array_equal(curves.final["weight"], [[1.0, 1.0]])


def test_a_run_that_diverges_says_when_and_stops():
    run = run_of(epochs=4, learning_rate=1e30)
    (curves,) = run.trainer.train([run], lambda *_: None, Saving(lambda _: None))
    assert curves.diverged_at == 10
    assert curves.steps.tolist() == [0, 10, 20, 30, 40]
    assert curves.test[-1] == 1


def test_penalties_and_losses_are_those_of_the_recipe():
    strong, weak = (nalm.training.Ramp(scale, 0, 1) for scale in (1e5, 1e-3))
    strong = run_of(epochs=3, penalties=(("discretise", strong), ("z", weak)))
    (curves,) = strong.trainer.train([strong], lambda *_: None, Saving(lambda _: None))
    assert set(curves.penalties) == {"discretise", "z"}
    assert np.isnan(curves.penalties["z"]).all()  # it needs inputs
    assert curves.penalties["discretise"][-1] < curves.penalties["discretise"][0]
    for loss in ("mape", "pcc"):
        task = DigitPairs("mul", train=nalm.tasks.Grid(1, 9), data="digits", each=2)
        run = run_of(epochs=1, task=task, loss=loss, mse_from=5, clip_norm=1.0, clip_value=0.1)
        (curves,) = run.trainer.train([run], lambda *_: None, Saving(lambda _: None))
        assert np.isfinite(curves.loss[-1])


def test_a_device_that_is_not_there_is_refused():
    for device, said in (("cuda:77", "cuda:77"), ("nonsense", "name of one of PyTorch's")):
        run = run_of(task=replace(TASK, device=device))
        with pytest.raises(InputError, match=said):
            trained(run)


class Killing(BlockUnwatched):
    """Kills the worker at the first states it saves."""

    def __init__(self, worker: SteadyWorker, times: int) -> None:
        self.worker, self.times = worker, times

    def saved(self, state: bytes) -> None:
        if self.times:
            self.times -= 1
            process = self.worker._process
            assert process
            process._process.send_signal(signal.SIGKILL)


@pytest.mark.slow
def test_a_killed_worker_loses_no_result():
    worker = SteadyWorker(Care(attempts=3))
    watch = Killing(worker, 1)
    try:
        (found,) = worker.train(request(Order([run_of("snmu")])), watch)
    finally:
        worker.close()
    assert watch.times == 0
    assert found == undisturbed()[0]


@pytest.mark.slow
def test_train_stores_and_judges(tmp_path):
    run = run_of(epochs=2)
    results = nalm.train("nmu", TASK, run.recipe, seeds=2, out=tmp_path, workers=1)
    (cell,) = results.cells()
    assert cell.runs == 2
    assert cell.key.range == "8×8 digits"
    assert cell.accuracy.n == 2
    assert 0 <= cell.accuracy.value <= 1
    assert cell.equal is not None
    assert "accuracy" in str(results)
    assert {row["accuracy"] for row in results.records()} == {cell.accuracy.value}
    from nalm.sweeps import Store, read_cells

    with Store.read(tmp_path) as store:
        (stored,) = read_cells(store)
        assert stored.setup.task == TASK
        assert stored.summary.accuracy == cell.accuracy
