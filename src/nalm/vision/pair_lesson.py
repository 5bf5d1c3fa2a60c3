"""The lesson of pairs: two pictures, one result."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from nalm.training import Recipe
from nalm.vision.data import DigitData, Images, load
from nalm.vision.heads import head_of
from nalm.vision.lesson import Judged, Lesson, Predicted
from nalm.vision.measures import DECIMALS, Readings, accuracies, confusion, targets_of
from nalm.vision.networks import DigitReader, PictureNetwork
from nalm.vision.pairs import Samples, pair_samples
from nalm.vision.task import DigitPairs, PictureTask

ORDER, EVALUATED = 3, 4
"""Streams of random numbers: the order of an epoch, and which training samples are judged."""
AT_ONCE = 500
"""How many pictures are read at once when a network is judged."""
SHOWN = 6
"""How many right and how many wrong samples are kept to be looked at."""


class Pictures:
    """Pictures as bytes in memory, normalized when they are taken."""

    def __init__(self, images: Images, data: DigitData, device: str) -> None:
        self.pixels = torch.from_numpy(np.array(images.pixels[:, None])).to(device)
        self.factor, self.shift = 1 / (255 * data.std), -data.mean / data.std

    def take(self, numbers: Tensor) -> Tensor:
        """Return pictures by their numbers, (pictures, 1, side, side), channels last."""
        taken = self.pixels[numbers].float().mul_(self.factor).add_(self.shift)
        return taken.contiguous(memory_format=torch.channels_last)


class Judging:
    """Samples that are judged: each picture is read once, however many samples show it."""

    def __init__(self, samples: Samples, pictures: Pictures, device: str) -> None:
        self.digits = samples.digits
        numbers, places = np.unique(samples.pictures, return_inverse=True)
        self.numbers = torch.from_numpy(numbers).to(device)
        self.places = torch.from_numpy(places.reshape(samples.pictures.shape)).to(device)
        self.pictures = pictures

    @torch.no_grad()
    def readings(self, network: PictureNetwork) -> Readings:
        """Return what a network makes of the samples."""
        parts = self.numbers.split(AT_ONCE)
        logits = torch.cat([network.reader(self.pictures.take(part)) for part in parts])
        values = network.read(logits)[self.places]
        likeliest = (logits.argmax(-1) + network.first)[self.places]
        outputs = network.compute(values)
        return Readings(*(part.cpu().numpy() for part in (values, likeliest, outputs)))


class PairLesson(Lesson):
    """Two pictures, each read alone, and the result of a unit."""

    network: PictureNetwork

    def __init__(self, task: DigitPairs, model: Any, recipe: Recipe, seed: int) -> None:
        data = load(task.data)
        self.task, self.seed = task, seed
        reader = DigitReader(task.side, 10 - task.first, task.precision)
        head = head_of(model, task.op if task.given else None)
        network = PictureNetwork(reader, head, task.inputs, task.first, task.through_one)
        self.network = network.to(task.device, memory_format=torch.channels_last)  # pyright: ignore[reportCallIssue]
        samples = pair_samples(data, task.first, task.folds, task.each, seed)
        self.count, self.batch = len(samples.train.digits), recipe.batch
        self.steps = max(1, self.count // recipe.batch)
        self.pictures = Pictures(data.train, data, task.device)
        self.numbers = torch.from_numpy(samples.train.pictures).to(task.device)
        targets = targets_of(task.target, samples.train.digits)
        self.targets = torch.from_numpy(targets).to(task.device)
        rng = np.random.default_rng([seed, EVALUATED])
        chosen = rng.permutation(self.count)[: recipe.evaluation]
        some = Samples(*(part[chosen] for part in samples.train))
        self.judged_train = Judging(some, self.pictures, task.device)
        shown = Pictures(data.test, data, task.device)
        self.judged_test = Judging(samples.test, shown, task.device)
        self.test_pixels = data.test.pixels[samples.test.pictures[:, :]]
        self._epoch, self._order = -1, torch.empty(0)

    def _indices(self, step: int) -> Tensor:
        """Return the samples of a step; every epoch has an order of its own."""
        epoch, place = divmod(step, self.steps)
        if epoch != self._epoch:
            order = np.random.default_rng([self.seed, ORDER, epoch]).permutation(self.count)
            self._epoch, self._order = epoch, torch.from_numpy(order).to(self.task.device)
        return self._order[place * self.batch : (place + 1) * self.batch]

    def predict(self, step: int) -> Predicted:
        """Apply the network to the batch of a step."""
        chosen = self._indices(step)
        values, outputs = self.network(self.pictures.take(self.numbers[chosen].flatten()))
        return Predicted(values, outputs, self.targets[chosen])

    def judge(self) -> Judged:
        """Evaluate the network on some training samples and on all test samples."""
        series = {}
        for part, judged in (("train", self.judged_train), ("test", self.judged_test)):
            readings = judged.readings(self.network)
            found = accuracies(readings, judged.digits, self.task.target)
            series |= {f"{part} {name}": value for name, value in found.items()}
        right = self.task.right
        return Judged(
            1 - series[f"train output {right}"], 1 - series[f"test output {right}"], series
        )

    def ending(self) -> dict[str, np.ndarray]:
        """Return the confusion of the digits, and some samples with what was read of them."""
        readings, digits = self.judged_test.readings(self.network), self.judged_test.digits
        kept = kept_samples(readings, digits, self.task, self.test_pixels, self.seed)
        return {"confusion": confusion(readings, digits), **kept}


def kept_samples(
    readings: Readings, digits: np.ndarray, task: PictureTask, pixels: np.ndarray, seed: int
) -> dict[str, np.ndarray]:
    """Return some wrong and some right samples, to be looked at.

    Right is what rounds to the target; of quotients, what agrees to five decimals.
    """
    targets = targets_of(task.target, digits)
    decimals = DECIMALS if task.right == "decimals" else 0
    wrong = np.round(readings.outputs, decimals) != np.round(targets, decimals)
    order = np.random.default_rng([seed, EVALUATED]).permutation(len(digits))
    kept = np.concatenate([order[wrong[order]][:SHOWN], order[~wrong[order]][:SHOWN]])
    return {
        "shown pictures": pixels[kept],
        "shown digits": digits[kept],
        "shown values": readings.values[kept],
        "shown outputs": readings.outputs[kept],
        "shown targets": targets[kept],
        "shown right": ~wrong[kept],
    }
