"""Laws with functions, in the few columns that the symmetries of the law leave."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.tree import Applied, Tree, VariablePower
from nalm.fitting.tree.functions import NAMES, POWER

if TYPE_CHECKING:
    from nalm.fitting.search.symmetry.noisy_search import NoisySearch
    from nalm.fitting.search.symmetry.reduced_table import ReducedTable

ROWS = 1500
"""The most rows that are looked at."""
TABLES_IN_NOISE = 3
"""In how many tables without apparent noise formulas near the rows are looked for at the end."""
FEW = 2
"""The most columns of a table in which exact formulas come before those in noise."""
NOISE = 8e-3
"""The error of a smooth model above which noise is probable, and looked into first."""


@dataclass(frozen=True)
class Functions(Family):
    """Relations between columns, their products and quotients, and functions of them."""

    allowed: frozenset[str] = frozenset(NAMES)

    name = "functions"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        from nalm.fitting.search.symmetry.exact_search import ExactSearch
        from nalm.fitting.search.symmetry.noisy_reduction import noisy_reductions
        from nalm.fitting.search.symmetry.noisy_search import COLUMNS, NoisySearch
        from nalm.fitting.search.symmetry.reduced_table import (
            original_table,
            reduced_tables,
            single_monomial,
        )
        from nalm.fitting.search.symmetry.smooth_model import slopes

        rows = problem.more.take(_some(problem))
        if not np.ptp(rows.y):
            return
        whole = original_table(rows.x, rows.y)
        exact: list[ExactSearch] = []
        noisy: list[NoisySearch] = []
        noise_is_known = problem.noisy()
        with np.errstate(all="ignore"):
            law = slopes(rows.x, rows.y)
        if noise_is_known or law is None or law.error > NOISE:
            for table in chain(
                single_monomial(whole),
                noisy_reductions(whole, rows.weight, COLUMNS, problem.stop),
            ):
                yield from self._in_noise(
                    NoisySearch(table, rows.weight, self.allowed, problem.epsilon, problem.stop)
                )
            yield replace(self._stage(" in noise", iter(())), enough=True)
        for table in chain(reduced_tables(whole, law, problem.stop), [whole]):
            exact.append(ExactSearch(table, self.allowed, problem.epsilon, problem.stop))
            noisy.append(
                NoisySearch(table, rows.weight, self.allowed, problem.epsilon, problem.stop)
            )
            if not _is_late(table) and not noise_is_known:
                yield self._stage("", exact[-1].quick())
            if table.error > NOISE or noise_is_known:
                yield from self._in_noise(noisy[-1])
        if noise_is_known:
            return
        exact.sort(key=lambda search: search.table.x.shape[1])
        for search in exact:
            if _is_late(search.table):
                yield self._stage("", search.quick())
        yield self._stage(" scanned", chain.from_iterable(e.scanned() for e in exact))
        yield self._stage(" of several", chain.from_iterable(e.thorough() for e in exact))
        for search in noisy[:TABLES_IN_NOISE]:
            if search.table.error <= NOISE:
                yield from self._in_noise(search)

    def _in_noise(self, search: "NoisySearch") -> Iterator[Stage]:
        for trees in (search.of_columns(), search.of_functions(), search.of_multiples()):
            yield replace(self._stage(" in noise", trees), settle=True, enough=True, sure=True)

    def _stage(self, suffix: str, trees: Iterator[Tree]) -> Stage:
        return Stage(f"{self.name}{suffix}", self._permitted(trees))

    def _permitted(self, trees: Iterator[Tree]) -> Iterator[Tree]:
        """Yield the formulas that have no other functions than the allowed ones."""
        while True:
            with np.errstate(all="ignore"):
                tree = next(trees, None)
            if tree is None:
                return
            if all(_name(node) in {None, *self.allowed} for node in tree.walk()):
                yield tree


def _is_late(table: "ReducedTable") -> bool:
    """Whether exact formulas are looked for last: noise is probable, and the table is large."""
    return table.error > NOISE and table.x.shape[1] > FEW


def _name(node: Tree) -> str | None:
    """Return the name of a function; None for arithmetic."""
    if isinstance(node, Applied):
        return node.function.name
    return POWER if isinstance(node, VariablePower) else None


def _some(problem: Problem) -> np.ndarray:
    """Return which rows are looked at."""
    return np.linspace(0, len(problem.more) - 1, min(ROWS, len(problem.more))).astype(int)
