"""The lesson of sequences: a number is read off each picture, and every state is judged."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from nalm.training import Recipe
from nalm.vision.data import Images, load
from nalm.vision.heads import head_of
from nalm.vision.lesson import Judged, Lesson, Predicted
from nalm.vision.networks import NumberReader, SequenceNetwork
from nalm.vision.pair_lesson import AT_ONCE, EVALUATED, ORDER, Pictures
from nalm.vision.sequences import HELD_OUT, DigitSequences

CUT, PASS = 5, 6
"""Streams of random numbers: how pictures are cut into sequences, and the order of the tests."""
TESTED = 88253339
"""The seed of the order of the test pictures, as published: it is the same for every run."""
SHOWN = 6
"""How many test sequences are kept to be looked at."""


def running(op: str, digits: np.ndarray) -> np.ndarray:
    """Return the running products or sums of digits (samples, length), in float64.

    >>> running("mul", np.array([[2, 3, 4]])).tolist(), running("add", np.array([[2, 3]])).tolist()
    ([[2.0, 6.0, 24.0]], [[2.0, 5.0]])
    """
    accumulate = np.cumprod if op == "mul" else np.cumsum
    return accumulate(digits.astype(np.float64), axis=1)


def cut(numbers: np.ndarray, length: int) -> np.ndarray:
    """Return consecutive sequences, (sequences, length); what is left over is left out.

    >>> cut(np.arange(5), 2).tolist()
    [[0, 1], [2, 3]]
    """
    count = len(numbers) // length
    return numbers[: count * length].reshape(count, length)


class Reading:
    """Pictures whose numbers are read once, and used in sequences of every length."""

    def __init__(self, images: Images, numbers: np.ndarray, pictures: Pictures, op: str) -> None:
        self.op, self.pictures = op, pictures
        self.numbers, self.places = np.unique(numbers, return_inverse=True)
        self.digits = images.labels[numbers]

    @torch.no_grad()
    def values(self, network: SequenceNetwork) -> Tensor:
        """Return the numbers that are read, in the order of the sequences."""
        device = self.pictures.pixels.device
        parts = torch.from_numpy(self.numbers).to(device).split(AT_ONCE)
        found = torch.cat([network.reader(self.pictures.take(part)) for part in parts])
        return found[torch.from_numpy(self.places).to(device)]

    @torch.no_grad()
    def error(self, network: SequenceNetwork, values: Tensor, length: int) -> float:
        """Return the mean squared error of all states of sequences of a length."""
        count = len(self.digits) // length
        states, _ = network.accumulate(values[: count * length].view(count, length))
        wanted = running(self.op, cut(self.digits, length))
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.mean((states.cpu().numpy().astype(np.float64) - wanted) ** 2))


class SequenceLesson(Lesson):
    """Pictures one after the other, and the states of a cell around a unit."""

    network: SequenceNetwork

    def __init__(self, task: DigitSequences, model: Any, recipe: Recipe, seed: int) -> None:
        data = load(task.data)
        self.task, self.seed, self.batch = task, seed, recipe.batch
        head = head_of(model, task.op if task.given else None)
        reader = NumberReader(task.side, task.precision)
        network = SequenceNetwork(reader, head, task.begins, lstm=task.lstm)
        self.network = network.to(task.device, memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
        shown = np.flatnonzero(data.train.labels >= task.first)
        held = round(HELD_OUT * len(data.train.labels))
        kept = len(data.train.labels) - held
        self.trained, validated = shown[shown < kept], shown[shown >= kept]
        self.labels = data.train.labels
        self.pictures = Pictures(data.train, data, task.device)
        self.steps = max(1, len(self.trained) // task.length // recipe.batch)
        tested = np.flatnonzero(data.test.labels >= task.first)
        order = np.concatenate(
            [np.random.default_rng([TESTED, PASS, i]).permutation(tested)
             for i in range(task.passes)]
        )  # fmt: skip
        self.test_images = data.test
        self.tested = Reading(data.test, order, Pictures(data.test, data, task.device), task.op)
        rng = np.random.default_rng([seed, EVALUATED])
        self.validated = Reading(data.train, rng.permutation(validated), self.pictures, task.op)
        some = rng.permutation(self.trained)[: recipe.evaluation]
        self.judged_train = Reading(data.train, some, self.pictures, task.op)
        self._epoch, self._sequences = -1, np.empty(0)

    def _chosen(self, step: int) -> np.ndarray:
        """Return the sequences of a step; they are cut once, or anew every epoch."""
        epoch, place = divmod(step, self.steps)
        if epoch != self._epoch:
            which = [self.seed, CUT] if self.task.fixed else [self.seed, CUT, epoch]
            every = cut(np.random.default_rng(which).permutation(self.trained), self.task.length)
            order = np.random.default_rng([self.seed, ORDER, epoch]).permutation(len(every))
            self._epoch, self._sequences = epoch, every[order]
        return self._sequences[place * self.batch : (place + 1) * self.batch]

    def predict(self, step: int) -> Predicted:
        """Apply the network to the batch of a step."""
        chosen, device = self._chosen(step), self.task.device
        pictures = self.pictures.take(torch.from_numpy(chosen.reshape(-1)).to(device))
        states, seen = self.network(pictures, chosen.shape[1])
        wanted = running(self.task.op, self.labels[chosen]).astype(np.float32)
        targets = torch.from_numpy(wanted).to(device).flatten()
        return Predicted(seen.flatten(0, 1), states.flatten(), targets)

    def judge(self) -> Judged:
        """Evaluate the network: training and validation at one length, the test at all."""
        task, series = self.task, {}
        for part, reading in (("train", self.judged_train), ("validation", self.validated)):
            values = reading.values(self.network)
            series[f"{part} mse"] = reading.error(self.network, values, task.length)
            series[f"{part} digit rounded"] = _rounded(values, reading.digits)
        values = self.tested.values(self.network)
        series["test digit rounded"] = _rounded(values, self.tested.digits)
        for length in task.lengths:
            series[f"test mse {length}"] = self.tested.error(self.network, values, length)
        return Judged(series["validation mse"], series[f"test mse {task.length}"], series)

    @torch.no_grad()
    def ending(self) -> dict[str, np.ndarray]:
        """Return some test sequences with what was read and accumulated."""
        values, length = self.tested.values(self.network), self.task.length
        count = min(SHOWN, len(self.tested.digits) // length)
        first = values[: count * length].view(count, length)
        states, _ = self.network.accumulate(first)
        numbers = self.tested.numbers[self.tested.places[: count * length]]
        pixels = self.test_images.pixels[numbers].reshape(
            count, length, self.task.side, self.task.side
        )
        digits = cut(self.tested.digits, length)[:count]
        targets, outputs = running(self.task.op, digits)[:, -1], states[:, -1].cpu().numpy()
        return {
            "shown pictures": pixels,
            "shown digits": digits,
            "shown values": first.cpu().numpy(),
            "shown outputs": outputs,
            "shown targets": targets.astype(np.float32),
            "shown right": np.rint(outputs) == targets,
        }


def _rounded(values: Tensor, digits: np.ndarray) -> float:
    """Return the share of numbers that round to their digits."""
    return float(np.mean(np.rint(values.cpu().numpy()) == digits))
