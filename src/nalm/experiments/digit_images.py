"""Digit images: units at the end of networks that see pictures and are told the result only."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from nalm._internal.checks import check_whole
from nalm.errors import InputError
from nalm.experiments.experiment import Experiment
from nalm.experiments.pictures import Pictures
from nalm.sweeps import Cell
from nalm.tasks import Grid
from nalm.units import MLP, NMRU, NMU, NRU, SNMU, Product, RealNPU, Unit
from nalm.vision import DigitChannels, DigitPairs
from nalm.vision.data import DATA
from nalm.vision.mnist_files import copy_to_cache
from nalm.vision.recipes import CHANNELS, PAIRS, pair_recipe
from nalm.vision.task import SOLVED

FOLDS, CHANNEL_FOLDS = 10, 3
BATCH = SNMU(2, 1, noise_range="batch")
PRODUCTS: tuple[tuple[str, Unit], ...] = (
    ("product", Product(2, 1)),
    ("nmu", NMU(2, 1)),
    ("snmu", SNMU(2, 1)),
    ("snmu batch", BATCH),
)
"""The published units that multiply, beside the exact product."""
QUOTIENTS: tuple[tuple[str, Unit], ...] = (
    ("mlp", MLP(2, 1, hidden=(256, 256))),
    ("real_npu", RealNPU(2, 1, modified=True)),
    ("nru", NRU(2, 1)),
    ("nmru", NMRU(2, 1)),
)
"""The published units that divide, beside the exact quotient."""
CLIPPED = ("real_npu", "nru", "nmru")
"""Those that are also trained with gradients of norm 1."""
ORDERS = {"x W + 1 - W": True, "W x + (1 - W)": False}
"""The published order of the sum in the NMU, and ours."""


class PictureExperiment(Experiment):
    """An experiment whose cells depend on the pictures that are chosen."""

    def __init__(  # noqa: PLR0917 (experiments are written as data, one line each)
        self,
        name: str,
        title: str,
        source: str,
        seeds: int,
        cells: Callable[[Pictures], Iterable[Cell]],
        note: str = "",
    ) -> None:
        super().__init__(name, title, source, seeds, lambda: cells(Pictures()), note)
        self._shown = cells

    def pictured(self, asked: Pictures) -> Experiment:
        """Return the experiment with other pictures, or computed otherwise."""
        if asked.epochs is not None:
            check_whole("epochs", asked.epochs, 1)
        if asked.data not in DATA and Path(asked.data).is_dir():
            copy_to_cache(asked.data)
            asked = replace(asked, data="mnist")
        if asked.data not in DATA:
            raise InputError(
                f"There is no data set {asked.data!r}, and no folder of that name. Known: "
                f"{', '.join(sorted(DATA))}; or name a folder with the files of MNIST."
            )
        cells = [_resized(cell, asked.epochs) for cell in self._shown(asked)]
        return Experiment(self.name, self.title, self.source, self.seeds, cells, self.note)


def _resized(cell: Cell, epochs: int | None) -> Cell:
    """Return a cell with another number of epochs, its schedules in proportion."""
    if epochs is None:
        return cell
    recipe = cell.recipe
    epoch = cell.task.epoch(recipe.batch)  # pyright: ignore[reportAttributeAccessIssue]
    if epochs * epoch % recipe.log_every:
        recipe = recipe.replace(log_every=epoch)
    return replace(cell, recipe=recipe.stretched(epochs * epoch))


def _pairs(asked: Pictures, op: str, **options: Any) -> DigitPairs:
    return DigitPairs(
        op, **shown_options(asked), each=PAIRS[asked.data].each, folds=FOLDS, **options
    )


def _channels(asked: Pictures, op: str, **options: Any) -> DigitChannels:
    return DigitChannels(op, **shown_options(asked), each=CHANNELS[asked.data].each, **options)


def shown_options(asked: Pictures) -> dict[str, Any]:
    """Return the options of a task that are chosen with its pictures."""
    return {"data": asked.data, "device": asked.device, "precision": asked.precision}


def _cell(
    asked: Pictures,
    name: str,
    unit: Unit,
    task: DigitPairs,
    *settings: str,
    clip_norm: float | None = None,
) -> Cell:
    """Return a cell; a precision that is not published is named in its setting."""
    lower = () if asked.precision == "float32" else (asked.precision,)
    recipe = pair_recipe(task, unit, clip_norm=clip_norm)
    return Cell(name, unit, task, recipe, ", ".join((*settings, *lower)), SOLVED)


def products(asked: Pictures, task: Callable[..., DigitPairs] = _pairs) -> Iterator[Cell]:
    """The exact product, the weighted product, the NMU and the sNMU."""
    yield _cell(asked, "mul", NMU(2, 1), task(asked, "mul", given=True))
    for name, unit in PRODUCTS:
        yield _cell(asked, name, unit, task(asked, "mul", through_one=True))


def channel_products(asked: Pictures) -> Iterator[Cell]:
    """The same units with two digits in one picture."""
    return products(asked, _channels)


def orders(asked: Pictures) -> Iterator[Cell]:
    """The exact product, the NMU and the sNMU, each with both orders of the sum."""
    units = (("mul", NMU(2, 1), True), ("nmu", NMU(2, 1), False), ("snmu", SNMU(2, 1), False))
    for name, unit, given in units:
        for setting, through_one in ORDERS.items():
            task = _pairs(asked, "mul", through_one=through_one, given=given)
            yield _cell(asked, name, unit, task, setting)


def quotients(asked: Pictures) -> Iterator[Cell]:
    """The exact quotient, a perceptron, and the units that divide, with and without clipping."""
    options: dict[str, Any] = {"train": Grid(1, 9), "right": "decimals"}
    yield _cell(asked, "div", NRU(2, 1), _pairs(asked, "div", given=True, **options))
    task = _pairs(asked, "div", **options)
    for name, unit in QUOTIENTS:
        yield _cell(asked, name, unit, task)
        if name in CLIPPED:
            yield _cell(asked, name, unit, task, "clip 1", clip_norm=1.0)


SEEDS = "A seed is a fold: its test pairs are never seen in training. "
RIGHT = f"A run is solved if more than {1 - SOLVED:.0%} of its test results are right"
EXPERIMENTS = (
    PictureExperiment(
        "mnist-product", "Product of two digit pictures, each read alone",
        "mistry2023, section 4.6.1.1", FOLDS, products,
        f"{SEEDS}{RIGHT}: exactly equal in float32. Equal: folds whose weights end at a product. "
        "The units add 1 to what they read and subtract it again, as the published NMU does; the "
        "exact product mul does not.",
    ),
    PictureExperiment(
        "mnist-product-order", "Product of two digit pictures: the order of the sum in the NMU",
        "mistry2023, section 4.6.1.1", FOLDS, orders,
        f"{SEEDS}{RIGHT}: exactly equal in float32. In the published order, numbers below 6e-8 "
        "become 0 where a weight is 1; the exact product mul is trained in both as well.",
    ),
    PictureExperiment(
        "mnist-product-channels", "Product of two digits in one picture, which must be found first",
        "mistry2023, section 4.6.1.2", CHANNEL_FOLDS, channel_products,
        f"{SEEDS}{RIGHT} when rounded. Each digit is a channel, turned, scaled and placed anew "
        "whenever it is shown. The small digits are enlarged to 28 pixels.",
    ),
    PictureExperiment(
        "mnist-division", "Quotient of two digit pictures, each read alone",
        "mistry2023, section 5.10", FOLDS, quotients,
        f"{SEEDS}{RIGHT} to five decimals. The accuracy is that of the evaluation with the best "
        "training accuracy among the last ten, as published.",
    ),
)  # fmt: skip
