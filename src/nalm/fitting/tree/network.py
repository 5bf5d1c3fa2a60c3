"""A formula as a stack of layers: sums are linear layers, products real neural power units."""

from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from nalm.errors import InputError
from nalm.fitting.tree.function_nodes import Applied, VariablePower
from nalm.fitting.tree.node import Tree
from nalm.fitting.tree.nodes import Column, PowerProduct, WeightedSum
from nalm.fitting.tree.number import ONE, Number
from nalm.networks import Stack
from nalm.units import Unit, unit

POWERS = (2.0, 1.0, 0.5)
"""What a power is put together from; a negative one from their negatives."""
Params = tuple[dict[str, np.ndarray], ...]
Row = tuple[list[tuple[Tree, Number]], Number]
"""What a unit takes with which weight, and its constant."""


def network(trees: list[Tree], inputs: int) -> tuple[Stack, Params]:
    """Return a stack, and its parameters, that computes formulas, an output each.

    Layers alternate between sums and products. What a later layer needs is passed on, so each
    layer sees only the one before it; a power such as 3 takes a factor twice, as x² · x.
    """
    functions = sorted(
        {node.function.name for tree in trees for node in tree.walk() if isinstance(node, Applied)}
    )
    if functions or any(isinstance(n, VariablePower) for tree in trees for n in tree.walk()):
        raise InputError(
            "A network of units has sums, products and powers; the formula has "
            f"{', '.join(functions) or 'a variable power'}. Use to_torch or to_jax."
        )
    plan = _Plan(inputs)
    for tree in trees:
        plan.add(tree)
    return plan.stack(trees)


@dataclass
class _Plan:
    inputs: int
    levels: dict[Tree, int] = field(default_factory=dict)

    def add(self, tree: Tree) -> int:
        """Return the level of a tree: 0 for inputs, odd for sums, even for products."""
        if isinstance(tree, Column):
            return 0
        if tree not in self.levels:
            below = [self.add(child) for child, _ in _children(tree)]
            level = max(below, default=0) + 1
            if isinstance(tree, WeightedSum):
                level += level % 2 == 0
            else:
                level += level % 2 == 1
            self.levels[tree] = level
        return self.levels[tree]

    def level(self, tree: Tree) -> int:
        return 0 if isinstance(tree, Column) else self.levels[tree]

    def stack(self, trees: list[Tree]) -> tuple[Stack, Params]:
        top = max([self.level(tree) for tree in trees] + [1])
        wanted: list[Tree] = list(trees)
        layers, params = [], []
        for level in range(top, 0, -1):
            rows = [self._row(tree, level) for tree in wanted]
            below: list[Tree] = [Column(i) for i in range(self.inputs)]
            needed = self._columns(rows) if level > 1 else below
            made = _linear(rows, needed) if level % 2 else _power(rows, needed)
            layers.append(made[0])
            params.append(made[1])
            wanted = needed
        return Stack(tuple(layers[::-1])), tuple(params[::-1])

    def _row(self, tree: Tree, level: int) -> Row:
        """Return what a unit of this level takes with which weight, and its constant."""
        if self.level(tree) < level:
            return [(tree, ONE)], Fraction(0)
        constant = tree.constant if isinstance(tree, WeightedSum) else Fraction(0)
        return _children(tree), constant

    def _columns(self, rows: list[Row]) -> list[Tree]:
        """Return what the layer below must give: each tree as often as one unit takes it."""
        columns: list[Tree] = []
        for parts, _ in rows:
            for tree in dict.fromkeys(tree for tree, _ in parts):
                times = sum(other == tree for other, _ in parts)
                columns += [tree] * (times - columns.count(tree))
        return columns


def _children(tree: Tree) -> list[tuple[Tree, Number]]:
    if isinstance(tree, WeightedSum):
        total: dict[Tree, Number] = {}
        for weight, term in tree.terms:
            total[term] = total.get(term, 0) + weight
        return list(total.items())
    if isinstance(tree, PowerProduct):
        return [(factor, part) for factor, power in tree.factors for part in _parts(power)]
    return []


def _parts(power: Number) -> list[Number]:
    """Return a power as a sum of powers that a unit reads."""
    rest, sign = abs(float(power)), 1 if power > 0 else -1
    parts: list[Number] = []
    for part in POWERS:
        while rest >= part:
            parts.append(sign * Fraction(part))
            rest -= part
    if rest > 1e-9:
        raise InputError(
            f"A network of units has powers that are multiples of 1/2; the formula has {power}."
        )
    return parts


def _weights(rows: list[Row], columns: list[Tree]) -> np.ndarray:
    weight = np.zeros((len(rows), len(columns)))
    for k, (parts, _) in enumerate(rows):
        free = list(range(len(columns)))
        for tree, value in parts:
            place = next(i for i in free if columns[i] == tree)
            free.remove(place)
            weight[k, place] = float(value)
    return weight


def _linear(rows: list[Row], columns: list[Tree]) -> tuple[Unit, dict[str, np.ndarray]]:
    weight = _weights(rows, columns)
    layer = unit("linear", weight.shape[1], weight.shape[0], numbers="measured")
    return layer, {"weight": weight, "bias": np.array([float(c) for _, c in rows])}


def _power(rows: list[Row], columns: list[Tree]) -> tuple[Unit, dict[str, np.ndarray]]:
    weight = _weights(rows, columns)
    layer = unit("real_npu", weight.shape[1], weight.shape[0])
    return layer, {"weight": weight, "gate": np.ones(weight.shape[1])}
