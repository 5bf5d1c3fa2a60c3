"""Training networks that see pictures: this package beside a plain loop with a DataLoader.

    python benchmarks/vision.py [--data mnist] [--steps 5] [--repeats 5]

Both train the same network on the same sizes, one after the other in turns, on one core: the
network of pairs, and that of sequences of 2 (products) and of 10 pictures (sums). The pictures are
random: speed does not depend on what they show.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

import nalm
from nalm.training.run import Run
from nalm.units import Unit
from nalm.vision import DigitPairs, DigitSequences, PictureTask
from nalm.vision.course import Course
from nalm.vision.data import DATA, SIDES, DigitData, Images
from nalm.vision.pairs import pair_samples
from nalm.vision.recipes import PAIRS
from nalm.vision.sequence_lesson import cut, running
from nalm.vision.sequences import STARTS

Steps = Callable[[int], None]
"""What makes so many steps."""


def random_data(side: int) -> DigitData:
    rng = np.random.default_rng(0)
    parts = [
        Images(rng.integers(0, 256, (n, side, side), np.uint8), np.arange(n) % 10)
        for n in (6000, 1000)
    ]
    return DigitData("random", *parts, mean=0.1307, std=0.3081)


class PlainSamples(Dataset):
    """Samples as a tutorial has them: each picture is converted when it is asked for."""

    def __init__(self, data: DigitData, pictures: np.ndarray, targets: np.ndarray) -> None:
        self.data, self.pictures, self.targets = data, pictures, targets.astype(np.float32)

    def __len__(self) -> int:
        return len(self.targets)

    def __getitem__(self, i: int) -> tuple[Tensor, Tensor]:
        pixels = torch.from_numpy(self.data.train.pixels[self.pictures[i]]).float() / 255
        return (pixels - self.data.mean) / self.data.std, torch.tensor(self.targets[i])


class PlainPair(nn.Module):
    """The network of pairs as a tutorial writes it."""

    def __init__(self, side: int, head: nn.Module) -> None:
        super().__init__()
        self.head = head
        self.reader = nn.Sequential(
            nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
            nn.Dropout(0.25), nn.Flatten(), nn.Linear(64 * ((side - 4) // 2) ** 2, 128), nn.ReLU(),
            nn.Dropout(0.5), nn.Linear(128, 10),
        )  # fmt: skip
        self.digits = torch.arange(10.0)

    def forward(self, pictures: Tensor) -> Tensor:
        logits = self.reader(pictures.flatten(0, 1)[:, None])
        values = (torch.softmax(logits, -1) * self.digits).sum(-1)
        return self.head(values.view(-1, 2))[:, 0]


class PlainSequence(nn.Module):
    """The network of sequences as a tutorial writes it."""

    def __init__(self, side: int, head: nn.Module, start: float) -> None:
        super().__init__()
        self.head, self.start = head, start
        wide = side == SIDES["mnist"]
        kernel, pools = (5, [nn.MaxPool2d(2)]) if wide else (3, [])
        left = ((side - 4) // 2 - 4) // 2 if wide else (side - 4) // 2
        self.reader = nn.Sequential(
            nn.Conv2d(1, 20, kernel), nn.ReLU(), *pools, nn.Conv2d(20, 50, kernel), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Linear(50 * left**2, 500), nn.ReLU(),
            nn.Linear(500, 1),
        )  # fmt: skip

    def forward(self, pictures: Tensor) -> Tensor:
        values = self.reader(pictures.flatten(0, 1)[:, None]).view(pictures.shape[:2])
        state, states = torch.full_like(values[:, 0], self.start), []
        for value in values.unbind(1):
            state = self.head(torch.stack([value, state], -1))[:, 0]
            states.append(state)
        return torch.stack(states, 1)


def plain_loop(network: PlainPair | PlainSequence, samples: Dataset, batch: int) -> Steps:
    """Return what makes so many steps of a plain loop."""
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    loader = DataLoader(samples, batch, shuffle=True)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            yield from loader

    stream = batches()

    def steps(count: int) -> None:
        for _ in range(count):
            pictures, targets = next(stream)
            loss = nn.functional.mse_loss(network(pictures), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            nalm.torch.constrain_(network.head)

    return steps


def fast_loop(task: PictureTask, unit: Unit) -> Steps:
    """Return what makes so many steps of this package."""
    recipe = task.usual_recipe(unit).replace(evaluation=100, penalties=())
    course = Course(Run(unit, task, recipe, 0), task.lesson(unit, recipe, 0))
    course.judge()
    return course.advance


@dataclass(frozen=True)
class Pairs:
    """The network of pairs."""

    data: str

    @property
    def title(self) -> str:
        return f"{PAIRS[self.data].batch} pairs"

    def plain(self, data: DigitData) -> Steps:
        size, head = PAIRS[self.data], nalm.torch.NMU(2, 1)
        found = pair_samples(data, 0, 10, size.each, 0).train
        samples = PlainSamples(data, found.pictures, found.digits.prod(1))
        return plain_loop(PlainPair(data.train.side, head), samples, size.batch)

    def fast(self, precision: str) -> Steps:
        task = DigitPairs("mul", data=self.data, each=PAIRS[self.data].each, precision=precision)
        return fast_loop(task, nalm.unit("nmu", 2, 1))


@dataclass(frozen=True)
class Sequences:
    """The network of sequences."""

    data: str
    op: str
    unit: str
    length: int

    def task(self, precision: str = "float32") -> DigitSequences:
        return DigitSequences(
            self.op, data=self.data, length=self.length, lengths=(self.length,), precision=precision
        )

    @property
    def model(self) -> Unit:
        return nalm.unit(self.unit, 2, 1)

    @property
    def batch(self) -> int:
        return self.task().usual_recipe(self.model).batch

    @property
    def title(self) -> str:
        return f"{self.batch} sequences of {self.length}"

    def plain(self, data: DigitData) -> Steps:
        head = nalm.torch.module(self.model)
        pictures = cut(np.random.default_rng(0).permutation(len(data.train.labels)), self.length)
        targets = running(self.op, data.train.labels[pictures])
        network = PlainSequence(data.train.side, head, STARTS[self.op])
        return plain_loop(network, PlainSamples(data, pictures, targets), self.batch)

    def fast(self, precision: str) -> Steps:
        return fast_loop(self.task(precision), self.model)


def compare(network: Pairs | Sequences, data: DigitData, steps: int, repeats: int) -> None:
    """Print how long steps take."""
    torch.manual_seed(0)
    loops = {
        "plain loop, float32": network.plain(data),
        "nalm, float32": network.fast("float32"),
        "nalm, bfloat16": network.fast("bfloat16"),
    }
    times: dict[str, list[float]] = {name: [] for name in loops}
    for repeat in range(repeats + 1):
        for name, loop in loops.items():
            start = time.process_time()
            loop(steps)
            if repeat:  # the first is for warming up
                times[name].append((time.process_time() - start) / steps)
    slow = median(times["plain loop, float32"])
    print(f"{network.data}, {network.title} a step, one core, PyTorch {torch.__version__}")
    for name, found in times.items():
        each = median(found)
        print(f"{name:22}{1e3 * each:8.1f} ms a step{slow / each:8.2f} times the plain loop")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", choices=sorted(SIDES), default="mnist")
    parser.add_argument("--steps", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    data = random_data(SIDES[chosen.data])
    DATA[chosen.data] = lambda: data
    networks = (
        Pairs(chosen.data),
        Sequences(chosen.data, "mul", "nmu", 2),
        Sequences(chosen.data, "add", "nau", 10),
    )
    for network in networks:
        compare(network, data, chosen.steps, chosen.repeats)


if __name__ == "__main__":
    main()
