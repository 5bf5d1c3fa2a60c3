"""Laws with functions, in the few columns that the symmetries of the law leave."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from nalm.fitting.search.family import Family, Problem, Stage
from nalm.fitting.tree import Applied, Tree, VariablePower
from nalm.fitting.tree.functions import NAMES, POWER

if TYPE_CHECKING:
    from nalm.fitting.search.symmetry.reduced_table import ReducedTable

ROWS = 1500
"""The most rows that are looked at."""


@dataclass(frozen=True)
class Functions(Family):
    """Relations between columns, their products and quotients, and functions of them."""

    allowed: frozenset[str] = frozenset(NAMES)

    name = "functions"

    def stages(self, problem: Problem) -> Iterator[Stage]:
        tables: list[ReducedTable] = []
        yield Stage(self.name, self._permitted(_exact(problem, self.allowed, tables)))
        noisy = self._permitted(_noisy(problem, self.allowed, tables))
        yield Stage(f"{self.name} in noise", noisy, settle=True, enough=True)

    def _permitted(self, trees: Iterator[Tree]) -> Iterator[Tree]:
        """Yield the formulas that have no other functions than the allowed ones."""
        for tree in trees:
            if all(_name(node) in {None, *self.allowed} for node in tree.walk()):
                yield tree


def _name(node: Tree) -> str | None:
    """Return the name of a function; None for arithmetic."""
    if isinstance(node, Applied):
        return node.function.name
    return POWER if isinstance(node, VariablePower) else None


def _exact(
    problem: Problem, allowed: frozenset[str], tables: list["ReducedTable"]
) -> Iterator[Tree]:
    """Yield formulas that rows fulfil to rounding, and collect the tables they were found in."""
    from nalm.fitting.search.symmetry.exact_search import ExactSearch
    from nalm.fitting.search.symmetry.reduced_table import original_table, reduced_tables

    some = np.linspace(0, len(problem.more) - 1, min(ROWS, len(problem.more))).astype(int)
    rows = problem.more.take(some)
    table = original_table(rows.x, rows.y)
    for smaller in chain(reduced_tables(table, problem.stop), [table]):
        yield from ExactSearch(smaller, allowed, problem.epsilon, problem.stop).quick()
        tables.append(smaller)
    tables.sort(key=lambda each: each.x.shape[1])
    for smaller in tables:
        yield from ExactSearch(smaller, allowed, problem.epsilon, problem.stop).scanned()
    for smaller in tables:
        yield from ExactSearch(smaller, allowed, problem.epsilon, problem.stop).thorough()


def _noisy(
    problem: Problem, allowed: frozenset[str], tables: list["ReducedTable"]
) -> Iterator[Tree]:
    """Yield formulas near the rows."""
    from nalm.fitting.search.symmetry.noisy_search import NoisySearch

    some = np.linspace(0, len(problem.more) - 1, min(ROWS, len(problem.more))).astype(int)
    weight = problem.more.weight[some]
    for table in tables:
        search = NoisySearch(table, weight, allowed, problem.epsilon, problem.stop)
        yield from search.trees()
