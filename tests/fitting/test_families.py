"""Every family of formulas: a new one is tested by being in the registry."""

import numpy as np
import pytest

from nalm.fitting.evidence.settle import settle
from nalm.fitting.rows import DOUBLE, Rows
from nalm.fitting.search.families import FEW, families
from nalm.fitting.search.family import Family, Problem
from nalm.fitting.tree import columns_of
from nalm.fitting.tree.functions import NAMES

EVERY = (*families(FEW, frozenset(NAMES)), *families(FEW + 1))
FAMILIES = {type(family).__name__: family for family in reversed(EVERY)}
LAWS = {
    "ClosedForms": lambda x: x[:, 0] ** 2 / x[:, 1],
    "SparseSums": lambda x: 2 * x[:, 0] * x[:, 1] + x[:, 2],
    "Quotients": lambda x: x[:, 0] / (x[:, 1] + 2 * x[:, 2]),
    "Layers": lambda x: x[:, 0] * (x[:, 1] + 2 * x[:, 2]),
    "Functions": lambda x: x[:, 0] * np.exp(-x[:, 1] / x[:, 2]),
    "ProductsOfSums": lambda x: (x[:, 0] + x[:, 1]) * (x[:, 1] + x[:, 2]),
}
"""A law that each family finds."""


def problem(y=None, seconds_over: bool = False, seed: int = 0) -> Problem:
    x = np.random.default_rng(5).uniform(1, 3, (120, 3))
    result = x[:, 0] if y is None else y(x)
    rng = np.random.default_rng(seed)
    rows = Rows(x, result, np.ones(120))
    return Problem(rows, DOUBLE, rng, lambda: seconds_over, rows)


def found(family: Family, given: Problem, most: int = 30):
    trees = []
    for stage in family.stages(given):
        for tree in stage.trees:
            trees.append(tree)
            if len(trees) == most:
                return trees
    return trees


@pytest.fixture(params=FAMILIES.values(), ids=list(FAMILIES))
def family(request) -> Family:
    return request.param


def test_it_finds_a_law_of_its_kind(family):
    given = problem(LAWS[type(family).__name__])
    settled = (settle(tree, given.rows, given.epsilon) for tree in found(family, given))
    assert any(candidate.exact for candidate in settled)


def test_its_formulas_use_the_columns_of_the_table(family):
    for tree in found(family, problem(LAWS[type(family).__name__]), 20):
        assert columns_of(tree) <= {0, 1, 2}
        assert tree.evaluate(problem().rows.x).shape == (120,)


def test_the_same_seed_gives_the_same_formulas(family):
    law = LAWS[type(family).__name__]
    assert found(family, problem(law), 12) == found(family, problem(law), 12)


def test_it_stops_when_the_time_is_over(family):
    for tree in found(family, problem(LAWS[type(family).__name__], seconds_over=True)):
        assert tree.size() > 0


def test_it_survives_zeros_negative_numbers_and_constants(family):
    x = np.random.default_rng(0).integers(-1, 2, (60, 3)).astype(float)
    for y in (x[:, 0], np.zeros(60), np.full(60, -2.0)):
        rows = Rows(x, y, np.ones(60))
        given = Problem(rows, DOUBLE, np.random.default_rng(0), lambda: False, rows)
        found(family, given, 10)


def test_each_stage_has_a_name(family):
    assert all(stage.name for stage in family.stages(problem()))


def test_small_families_come_first_and_every_family_is_used():
    for columns in (1, FEW, FEW + 1, 300):
        assert type(families(columns)[0]).__name__ == "ClosedForms"
    assert set(LAWS) == set(FAMILIES)
