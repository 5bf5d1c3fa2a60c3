"""The lesson of two digits in one picture, a channel each."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from nalm.training import Recipe
from nalm.vision.data import load
from nalm.vision.heads import head_of
from nalm.vision.lesson import Judged, Lesson, Predicted
from nalm.vision.measures import Readings, accuracies, confusion, targets_of
from nalm.vision.networks import ChannelReader, PictureNetwork
from nalm.vision.pair_lesson import EVALUATED, ORDER, kept_samples
from nalm.vision.pairs import Samples, pair_samples
from nalm.vision.placing import enlarged, shown
from nalm.vision.task import DigitChannels

AT_ONCE = 250
"""How many pictures are read at once when a network is judged."""
HELD_OUT = 0.15
"""The share of the training samples that is kept for validation."""


class Part:
    """Samples whose pictures are drawn anew at every access."""

    def __init__(self, samples: Samples, pixels: Tensor, factor: float, shift: float) -> None:
        self.digits = samples.digits
        self.numbers = torch.from_numpy(samples.pictures).to(pixels.device)
        self.pixels, self.factor, self.shift = pixels, factor, shift

    def take(self, chosen: Tensor) -> Tensor:
        """Return pictures (samples, 2, 42, 42)."""
        return shown(self.pixels[self.numbers[chosen]], self.factor, self.shift)

    @torch.no_grad()
    def readings(self, network: PictureNetwork, count: int) -> Readings:
        """Return what a network makes of the first samples."""
        every = torch.arange(min(count, len(self.digits)), device=self.numbers.device)
        logits = torch.cat([network.reader(self.take(part)) for part in every.split(AT_ONCE)])
        values = network.read(logits)
        likeliest, outputs = logits.argmax(-1) + network.first, network.compute(values)
        return Readings(*(part.cpu().numpy() for part in (values, likeliest, outputs)))


class ChannelLesson(Lesson):
    """Two digits in one picture; both are found and read."""

    network: PictureNetwork

    def __init__(self, task: DigitChannels, model: Any, recipe: Recipe, seed: int) -> None:
        data = load(task.data)
        self.task, self.seed, self.batch = task, seed, recipe.batch
        self.evaluation = recipe.evaluation
        classes = 10 - task.first
        reader = ChannelReader(classes=classes, precision=task.precision, identity=task.identity)
        head = head_of(model, task.op if task.given else None)
        network = PictureNetwork(reader, head, task.inputs, task.first, task.through_one)
        self.network = network.to(task.device, memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
        samples = pair_samples(data, task.first, task.folds, task.each, seed)
        order = np.random.RandomState(0).permutation(len(samples.train.digits))
        held = int(HELD_OUT * len(order))
        normal = 1 / (255 * data.std), -data.mean / data.std
        train, test = (
            enlarged(torch.from_numpy(np.array(images.pixels))).to(task.device)
            for images in (data.train, data.test)
        )
        self.train = Part(_chosen(samples.train, order[held:]), train, *normal)
        self.validation = Part(_chosen(samples.train, order[:held]), train, *normal)
        mixed = np.random.default_rng([seed, EVALUATED]).permutation(len(samples.test.digits))
        self.test = Part(_chosen(samples.test, mixed), test, *normal)
        targets = targets_of(task.target, self.train.digits)
        self.targets = torch.from_numpy(targets).to(task.device)
        self.steps = max(1, len(targets) // recipe.batch)
        self._epoch, self._order = -1, torch.empty(0)

    def _indices(self, step: int) -> Tensor:
        epoch, place = divmod(step, self.steps)
        if epoch != self._epoch:
            rng = np.random.default_rng([self.seed, ORDER, epoch])
            order = rng.permutation(len(self.targets))
            self._epoch, self._order = epoch, torch.from_numpy(order).to(self.task.device)
        return self._order[place * self.batch : (place + 1) * self.batch]

    def predict(self, step: int) -> Predicted:
        """Apply the network to the batch of a step."""
        chosen = self._indices(step)
        values, outputs = self.network(self.train.take(chosen))
        return Predicted(values, outputs, self.targets[chosen])

    def judge(self) -> Judged:
        """Evaluate the network on validation and test samples, each drawn anew."""
        series = {}
        for name, part in (("validation", self.validation), ("test", self.test)):
            readings = part.readings(self.network, self.evaluation)
            digits = part.digits[: len(readings.outputs)]
            found = accuracies(readings, digits, self.task.target)
            series |= {f"{name} {measure}": value for measure, value in found.items()}
        right = f"output {self.task.right}"
        return Judged(1 - series[f"validation {right}"], 1 - series[f"test {right}"], series)

    def ending(self) -> dict[str, np.ndarray]:
        """Return the confusion of the digits, and some samples with what was read of them."""
        readings = self.test.readings(self.network, self.evaluation)
        digits = self.test.digits[: len(readings.outputs)]
        pixels = self.test.pixels.cpu().numpy()[self.test.numbers.cpu().numpy()[: len(digits)]]
        kept = kept_samples(readings, digits, self.task, pixels, self.seed)
        return {"confusion": confusion(readings, digits), **kept}


def _chosen(samples: Samples, chosen: np.ndarray) -> Samples:
    return Samples(*(part[chosen] for part in samples))
