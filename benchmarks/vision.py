"""Training networks that see pictures: this package beside a plain loop with a DataLoader.

    python benchmarks/vision.py [--data mnist] [--steps 10] [--repeats 5]

Both train the same network on the same sizes, one after the other in turns, on one core. The
pictures are random: speed does not depend on what they show.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from statistics import median

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset

import nalm
from nalm.training.run import Run
from nalm.vision import DigitPairs
from nalm.vision.course import Course
from nalm.vision.data import DATA, SIDES, DigitData, Images
from nalm.vision.pairs import pair_samples
from nalm.vision.recipes import PAIRS

UNIT = nalm.unit("nmu", 2, 1)


def random_data(side: int) -> DigitData:
    rng = np.random.default_rng(0)
    parts = [
        Images(rng.integers(0, 256, (n, side, side), np.uint8), np.arange(n) % 10)
        for n in (6000, 1000)
    ]
    return DigitData("random", *parts, mean=0.1307, std=0.3081)


class PlainPairs(Dataset):
    """Pairs as a tutorial has them: each picture is converted when it is asked for."""

    def __init__(self, data: DigitData, each: int) -> None:
        self.images, self.data = data.train, data
        self.samples = pair_samples(data, 0, 10, each, 0).train

    def __len__(self) -> int:
        return len(self.samples.digits)

    def __getitem__(self, i: int) -> tuple[Tensor, float]:
        pixels = torch.from_numpy(self.images.pixels[self.samples.pictures[i]]).float() / 255
        a, b = self.samples.digits[i]
        return (pixels - self.data.mean) / self.data.std, float(a * b)


def plain_network(side: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2),
        nn.Dropout(0.25), nn.Flatten(), nn.Linear(64 * ((side - 4) // 2) ** 2, 128), nn.ReLU(),
        nn.Dropout(0.5), nn.Linear(128, 10),
    )  # fmt: skip


def plain_loop(data: DigitData, each: int, batch: int) -> Callable[[int], None]:
    """Return what makes so many steps of a plain loop."""
    torch.manual_seed(0)
    side = data.train.side
    network, head = plain_network(side), nalm.torch.NMU(2, 1)
    optimizer = torch.optim.Adam([*network.parameters(), *head.parameters()], lr=1e-3)
    loader = DataLoader(PlainPairs(data, each), batch, shuffle=True)
    digits = torch.arange(10.0)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            yield from loader

    stream = batches()

    def steps(count: int) -> None:
        for _ in range(count):
            pictures, target = next(stream)
            logits = network(pictures.view(-1, 1, side, side))
            values = (torch.softmax(logits, -1) * digits).sum(-1).view(-1, 2)
            loss = nn.functional.mse_loss(head(values)[:, 0], target.float())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            head.constrain_()

    return steps


def fast_loop(data: str, precision: str) -> Callable[[int], None]:
    """Return what makes so many steps of this package."""
    task = DigitPairs("mul", data=data, each=PAIRS[data].each, precision=precision)
    recipe = task.usual_recipe(UNIT).replace(evaluation=100)
    course = Course(Run(UNIT, task, recipe, 0), task.lesson(UNIT, recipe, 0))
    course.judge()
    return course.advance


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", choices=sorted(SIDES), default="mnist")
    parser.add_argument("--steps", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    chosen = parser.parse_args()
    torch.set_num_threads(1)
    size = PAIRS[chosen.data]
    data = random_data(SIDES[chosen.data])
    DATA[chosen.data] = lambda: data
    loops = {
        "plain loop, float32": plain_loop(data, size.each, size.batch),
        "nalm, float32": fast_loop(chosen.data, "float32"),
        "nalm, bfloat16": fast_loop(chosen.data, "bfloat16"),
    }
    times: dict[str, list[float]] = {name: [] for name in loops}
    for repeat in range(chosen.repeats + 1):
        for name, steps in loops.items():
            start = time.process_time()
            steps(chosen.steps)
            if repeat:  # the first is for warming up
                times[name].append((time.process_time() - start) / chosen.steps)
    slow = median(times["plain loop, float32"])
    print(f"{chosen.data}, batches of {size.batch} pairs, one core, PyTorch {torch.__version__}")
    for name, found in times.items():
        each = median(found)
        print(f"{name:22}{1e3 * each:8.1f} ms a step{slow / each:8.2f} times the plain loop")


if __name__ == "__main__":
    main()
