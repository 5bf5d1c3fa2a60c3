"""Which runs share a program, on which path, and how many are in a block."""

from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import ceil, prod
from typing import Generic, Literal, NamedTuple, TypeVar

from nalm.networks import Model
from nalm.networks.layers import layers, parameters
from nalm.tasks import Task
from nalm.training.recipe import Recipe
from nalm.training.run import Run
from nalm.units import Stochastic


class Shape(NamedTuple):
    """How the runs of a block come, one after the other."""

    group: int = 1
    """How many runs share their samples."""
    row: int = 1
    """How many such groups draw the same numbers."""


ALONE = Shape()
Group = Sequence[Run]
"""Runs that share their samples."""
Row = list[Group]
"""Groups that draw the same numbers."""
Value = TypeVar("Value")
PathName = Literal["fused", "plain"]
BLOCK = 113
"""The most runs of a program.

Half of the 225 runs (9 ranges, 25 seeds) of the published benchmark: one block for each of two
cores.
"""
CACHE = 2**16
"""Numbers of a batch, over all runs of a block: five runs of 100 inputs fill the vectors as well
as many, and few seeds are work for several cores."""
SCALARS = 64
"""The most weights, or twice the inputs, of a model that is trained scalar by scalar."""
WIDE, SHARING = 33, 12
"""From how many inputs on runs share their samples or the numbers behind, and the most that do."""
NARROW, NARROW_SCALARS = 8, 160
"""A model without a wider layer may have this many: each of its products of matrices is small."""


def path_of(model: Model, recipe: Recipe) -> PathName:
    """Return the path that a model and a recipe need."""
    units = layers(model).values()
    sees_batch = any(isinstance(u, Stochastic) and u.noise_sees_batch for u in units)
    whole = recipe.loss.per_sample is None or any(name == "z" for name, _ in recipe.penalties)
    whole = whole or recipe.optimizer.second_order or recipe.scaling == "feyn-batch"
    narrow = max(_widest(model), spread(model)) <= NARROW
    most = NARROW_SCALARS if narrow else SCALARS
    large = max(_weights(model), 2 * model.in_features) > most
    return "plain" if sees_batch or whole or large else "fused"


def block_size(model: Model, recipe: Recipe, shape: Shape = ALONE) -> int:
    """Return the groups of a program: always this many, so that a run's bits are its own.

    Vectors end elsewhere in a block of another size, which can change a last bit. Rows of groups
    that draw the same numbers are whole, and there are twice as many, as less is drawn.

    >>> import nalm
    >>> block_size(nalm.unit("nmu", 2, 1), Recipe()), block_size(nalm.unit("nmu", 100, 1), Recipe())
    (113, 5)
    >>> block_size(nalm.unit("mlp", 2, 1, hidden=(100,)), Recipe())
    5
    """
    if recipe.population > 1:
        return max(1, BLOCK // recipe.population)
    if path_of(model, recipe) == "fused":
        return shape.row * ceil(BLOCK / shape.row)
    widest = max(_widest(model), spread(model))
    count = max(2, min(BLOCK, CACHE // (widest * recipe.batch)))
    return count if shape.row == 1 else shape.row * max(1, 2 * count // shape.row)


def _weights(model: Model) -> int:
    return sum(prod(p.shape) for p in parameters(model).values())


def _widest(model: Model) -> int:
    return max(max(p.shape, default=1) for p in parameters(model).values())


def spread(model: Model) -> int:
    """Return the most numbers that a layer makes of one sample, if a layer spreads it.

    >>> import nalm
    >>> spread(nalm.unit("nlrl", 50, 20)), spread(nalm.unit("nau", 50, 20))
    (1000, 0)
    """
    spreading = [unit for unit in layers(model).values() if unit.spreads]
    return max((unit.in_features * unit.out_features for unit in spreading), default=0)


def signature(run: Run) -> tuple[Model, Task, Recipe]:
    """Return what a run's program depends on; runs with equal signatures share one program.

    What may differ within a program (bounds of ranges, positions, the operations of a composition,
    learning rate, scales of penalties) is left out.
    """
    return run.model, run.task.opened, run.recipe.compiled()


class _Remembered(Generic[Value]):
    """A function of what runs have in common, computed once for those that share the objects."""

    def __init__(self, function: Callable[[Run], Value]) -> None:
        self._function = function
        self._known: dict[tuple[int, int, int], tuple[Run, Value]] = {}

    def __call__(self, run: Run) -> Value:
        shared = id(run.model), id(run.task), id(run.recipe)
        if shared not in self._known:
            self._known[shared] = run, self._function(run)  # the run keeps its objects alive
        return self._known[shared][1]


def groups(runs: Iterable[Run]) -> list[list[Run]]:
    """Return the runs in groups that share their samples: most are alone in theirs.

    Runs of one seed see the same samples if only their operations, subsets, learning rates or
    scales of penalties differ.
    """
    found: dict[object, list[list[Run]]] = {}
    sharing_of = _Remembered(lambda run: sharing(run.model, run.recipe))
    for run in runs:
        most = sharing_of(run)
        same = found.setdefault(_samples(run) if most > 1 else object(), [[]])
        if len(same[-1]) == most:
            same.append([])
        same[-1].append(run)
    return [group for same in found.values() for group in same]


def sharing(model: Model, recipe: Recipe) -> int:
    """Return how many runs may share their samples.

    It pays where a sample has more numbers than the layers of all these runs make of it.

    >>> import nalm
    >>> sharing(nalm.unit("nau", 100, 2), Recipe()), sharing(nalm.unit("nau", 2, 1), Recipe())
    (12, 1)
    >>> sharing(nalm.unit("mlp", 100, 1, hidden=(100,)), Recipe())
    1
    """
    if not _wide(model, recipe):
        return 1
    made = max(spread(model), _weights(model) / model.in_features)
    return max(1, min(SHARING, int(model.in_features / made)))


def _wide(model: Model, recipe: Recipe) -> bool:
    """Return whether it pays to make samples once for several runs."""
    return _rowed(model, recipe) and path_of(model, recipe) == "plain"


def _rowed(model: Model, recipe: Recipe) -> bool:
    """Return whether drawing numbers is a large part of the work."""
    first_order = not recipe.optimizer.second_order and recipe.population == 1
    large = model.in_features >= WIDE
    return first_order and (large or path_of(model, recipe) == "fused")


def _samples(run: Run) -> object:
    """Return what decides a run's samples and how it is trained, whatever it makes of them."""
    task = run.task
    axes = task.layout(run.seed).ndim
    return run.model, run.recipe.compiled(), axes, task.train, task.test, run.seed


def rows(alike: Iterable[Group]) -> list[Row]:
    """Return groups that share a program in rows that draw the same numbers: those of one seed.

    What they make of them differs: each has a range of its own.
    """
    by_seed: dict[object, Row] = {}
    rowed_of = _Remembered(lambda run: _rowed(run.model, run.recipe))
    for group in alike:
        rowed = rowed_of(group[0])
        by_seed.setdefault(group[0].seed if rowed else object(), []).append(group)
    cut = []
    for found in by_seed.values():
        width = ceil(len(found) / ceil(len(found) / SHARING))
        cut += [found[i : i + width] for i in range(0, len(found), width)]
    return cut


class Alike(NamedTuple):
    """Runs that share a program and a shape."""

    first: Run
    shape: Shape
    rows: list[Row]

    @property
    def size(self) -> int:
        """How many groups a block has, padded ones among them."""
        return block_size(self.first.model, self.first.recipe, self.shape)

    def blocks(self) -> list[list[Run]]:
        """Return the runs in blocks, rows and their groups together."""
        size = self.size // self.shape.row
        each = [list(chain(*row)) for row in self.rows]
        return [list(chain(*each[i : i + size])) for i in range(0, len(each), size)]


def programs(runs: Iterable[Run]) -> list[Alike]:
    """Return the runs by program and shape, in order."""
    alike: dict[object, list[Group]] = {}
    numbers: dict[object, int] = {}
    number_of = _Remembered(lambda run: numbers.setdefault(signature(run), len(numbers)))
    for group in groups(runs):
        alike.setdefault(tuple(map(number_of, group)), []).append(group)
    found: dict[object, Alike] = {}
    for program, mine in alike.items():
        for row in rows(mine):
            shape = Shape(len(row[0]), len(row))
            found.setdefault((program, shape), Alike(row[0][0], shape, [])).rows.append(row)
    return list(found.values())


def blocks(runs: Sequence[Run]) -> list[list[Run]]:
    """Return the runs in blocks that share a program, in order, rows and their groups together."""
    return [block for alike in programs(runs) for block in alike.blocks()]


def shape_of(runs: Sequence[Run]) -> Shape:
    """Return the shape of a block; if it has none, its runs share nothing."""
    group = len(groups(runs)[0])
    first = [signature(run) for run in runs[:group]]
    whole = [runs[i : i + group] for i in range(0, len(runs), group)]
    regular = all(
        [signature(run) for run in each] == first
        and (group == 1 or len({_samples(run) for run in each}) == 1)
        for each in whole
    )
    if not regular:
        return ALONE
    row = len(rows(whole)[0])
    seeds = [{g[0].seed for g in whole[i : i + row]} for i in range(0, len(whole), row)]
    even = len(whole) % row == 0 and all(len(seed) == 1 for seed in seeds)
    return Shape(group, row if even else 1)
